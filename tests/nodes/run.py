# SPDX-License-Identifier: BSD-3-Clause
"""What `./dev nodes` promises of its nodes, as root and as an ordinary user.

run.py TEST. Needs no MPI. Exit status: 0 passed, 1 failed, 77 skipped (with a reason).
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Callable, Dict, List, Set

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

from nodes import cluster, network, on_node, slurm  # noqa: E402
from nodes.run import slots_of_nodes  # noqa: E402
from rows import Failure, Skipped, expect, parser_of, run_named  # noqa: E402

SECONDS = 60
SYSTEMS_PYTHON = "/usr/bin/python3"
NOBODY = "65534"


def expect_equal(found, expected) -> None:
    expect(found == expected, "%r, not %r" % (found, expected))


def expect_error(call: Callable[[], object]) -> None:
    try:
        call()
    except ValueError:
        return
    raise Failure("this was accepted")


class User:
    """Who starts nodes: the user of the tests, or an ordinary one."""

    def __init__(self, ordinary: bool):
        self.words = [sys.executable]
        self.environment = dict(os.environ)
        if not ordinary or os.geteuid() != 0:
            return
        self.words = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups",
                      SYSTEMS_PYTHON]
        self.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        sees = self.words[:-1] + ["test", "-r", str(ROOT / "dev")]
        if not shutil.which("setpriv") or subprocess.run(sees).returncode != 0:
            raise Skipped("no user but root can read %s here" % ROOT)

    def command(self, *words: str) -> List[str]:
        return self.words + [str(ROOT / "dev"), "nodes"] + list(words)

    def nodes(self, *words: str, typed: str = "") -> subprocess.CompletedProcess:
        """Skips the test where there can be none."""
        answer = subprocess.run(self.command(*words), input=typed, text=True, timeout=SECONDS,
                                capture_output=True, cwd=str(ROOT), env=self.environment)
        print("$ ./dev nodes %s\n%s%s[%d]" % (" ".join(words), answer.stdout, answer.stderr,
                                              answer.returncode))
        skip_where_not_possible(answer.returncode, answer.stderr)
        return answer

    def lines(self, *words: str) -> List[str]:
        answer = self.nodes(*words)
        expect_equal(answer.returncode, 0)
        return answer.stdout.splitlines()

    def start(self, *words: str) -> subprocess.Popen:
        """Whose command says first that it is there."""
        job = subprocess.Popen(self.command(*words), text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=str(ROOT), env=self.environment)
        if not job.stdout.readline():
            _, said = job.communicate()
            skip_where_not_possible(job.returncode, said)
            raise Failure("it ended at once: " + said)
        return job


def skip_where_not_possible(status: int, said: str) -> None:
    if status == cluster.NOT_POSSIBLE:
        raise Skipped(said.strip())


def processes_with(mark: str) -> Set[str]:
    """Of all there are, those with `mark` in their command."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.add(folder.name)
        except OSError:
            continue  # it has ended
    return found


def seen_from_outside() -> List[str]:
    """Networks and mounts in this process's namespaces that nodes also have."""
    networks = sorted(os.listdir("/sys/class/net"))
    mounts = [line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return networks + sorted(place for place in mounts
                             if place.startswith(("/tmp", "/dev/shm", "/etc", "/proc")))


def wait_until_gone(mark: str, seconds: float) -> None:
    limit = time.monotonic() + seconds
    while processes_with(mark):
        expect(time.monotonic() < limit, "still there: %s" % processes_with(mark))
        time.sleep(0.02)


ASK_A_NODE = ("hostname; cat /proc/sys/kernel/random/boot_id; readlink /proc/self/ns/ipc; "
              "touch /tmp/%s /dev/shm/%s; ls /tmp /dev/shm; cat /proc/[0-9]*/comm | wc -l; "
              "tail -n +3 /proc/net/dev | cut -d: -f1 | xargs")


def apart(user: User) -> None:
    """Each node has its own of all that a machine has."""
    ask = "ssh %s '" + ASK_A_NODE + "'"
    both = user.lines("-n", "2", "--", "sh", "-c", ask % ("n0", "of_first", "of_first") + "; "
                      + ask % ("n1", "of_second", "of_second"))
    one, other = both[:len(both) // 2], both[len(both) // 2:]
    expect_equal([one[0], other[0]], ["n0", "n1"])
    here = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    expect_equal(len({one[1], other[1], here}), 3)
    expect_equal(len({one[2], other[2], os.readlink("/proc/self/ns/ipc")}), 3)
    listing = ["/dev/shm:", "%s", "", "/tmp:", "%s"]
    for name, lines in (("of_first", one), ("of_second", other)):
        expect_equal(lines[3:8], [line.replace("%s", name) for line in listing])
        expect(int(lines[8]) <= 5, "%s processes are seen on a node of two" % lines[8])
        expect_equal(sorted(lines[9].split()), ["eth0", "lo"])


def joined(user: User) -> None:
    """They hear each other by their names, and so does the head."""
    listener = ("import socket; s = socket.create_server((\"n1\", 7777)); c, a = s.accept(); "
                "print(a[0], c.recv(5).decode(), flush=True)")
    caller = ("import socket, time\nwhile True:\n"
              "  try: s = socket.create_connection((\"n1\", 7777))\n"
              "  except OSError: time.sleep(0.05)\n  else: break\ns.send(b\"hello\")")
    for caller_on, address in (("ssh n0 %s", network.address_of(0)),
                               ("sh -c %s", network.ADDRESS_OF_HEAD)):
        call = caller_on % ("\"python3 -c '%s'\"" % caller.replace('"', '\\"'))
        listen = "ssh n1 \"python3 -c '%s'\"" % listener.replace('"', '\\"')
        said = user.lines("--", "sh", "-c", "%s & %s; wait" % (listen, call))
        expect_equal(said, [address + " hello"])


def seconds_of_transfer(user: User, sender: int, receiver: int, *options: str) -> float:
    """Of 5 MB, when the connection is there."""
    listener = ("import socket, time; s = socket.create_server((\"\", 7777)); c, a = s.accept(); "
                "first = time.monotonic(); count = 0\n"
                "while count < 5000000: count += len(c.recv(1 << 16))\n"
                "print(time.monotonic() - first)")
    caller = ("import socket, time\nwhile True:\n"
              "  try: s = socket.create_connection((\"n%d\", 7777))\n"
              "  except OSError: time.sleep(0.05)\n  else: break\n"
              "s.sendall(bytes(5000000))" % receiver)
    both = tuple("ssh n%d \"python3 -c '%s'\"" % (node, text.replace('"', '\\"'))
                 for node, text in ((receiver, listener), (sender, caller)))
    return float(user.lines(*options, "--", "sh", "-c", "%s & %s; wait" % both)[0])


def shaped(user: User) -> None:
    """A wire of 100 Mbit/s takes 0.4 s for 5 MB, and the first 128 KiB of it at once. Where other
    programs run, a transfer at the rate of memory is undisturbed once in a few times."""
    for sender, receiver in ((0, 1), (1, 0)):
        seconds = seconds_of_transfer(user, sender, receiver, "--rate", "100mbit")
        expect(seconds > 0.35, "%.3f s at 100 Mbit/s" % seconds)
        expect(any(seconds_of_transfer(user, sender, receiver) < 0.35 for _ in range(5)),
               "it takes as long without a rate")


def passes_through(user: User) -> None:
    """Input, output, errors and exit status are the command's."""
    answer = user.nodes("--", "sh", "-c", "cat; echo complaint >&2; exit 7", typed="typed\n")
    expect_equal((answer.stdout, answer.stderr, answer.returncode), ("typed\n", "complaint\n", 7))
    answer = user.nodes("--", "sh", "-c", "ssh n1 'cat; exit 9'", typed="typed\n")
    expect_equal((answer.stdout, answer.returncode), ("typed\n", 9))
    expect_equal(user.nodes("--", "sh", "-c", "kill -KILL $$").returncode, 128 + signal.SIGKILL)
    expect_equal(user.nodes("--", "there_is_no_such_program").returncode, 127)


def signals(user: User) -> None:
    """The command may do something about them."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        job = user.start("--", "sh", "-c", "trap 'echo heard; exit 3' %d; echo up; "
                         "while :; do sleep 0.05; done" % number)
        job.send_signal(number)
        try:
            heard, _ = job.communicate(timeout=SECONDS)
        finally:
            job.kill()
        expect_equal((heard, job.returncode), ("heard\n", 3))


def nothing_is_left(user: User) -> None:
    """However the command ends, and whoever is killed."""
    before = seen_from_outside()
    left_behind = "ssh n1 '(sleep 301; echo %s) & echo up'; "
    for ending in ("exit 0", "kill -KILL $$"):
        mark = str(uuid.uuid4())
        user.nodes("--", "sh", "-c", left_behind % mark + ending)
        wait_until_gone(mark, 5)
    for number in (signal.SIGKILL, signal.SIGTERM):
        mark = str(uuid.uuid4())
        job = user.start("--", "sh", "-c",
                         "ssh n1 'sleep 302; echo %s' & ssh n1 'echo up'; sleep 303" % mark)
        expect(len(processes_with(mark)) >= 4, "starter, head, nodes and a shell are not seen")
        job.send_signal(number)
        wait_until_gone(mark, 5)
        job.communicate()
    expect_equal(seen_from_outside(), before)


def folders_shared(user: User) -> None:
    """Of /tmp, nodes see the current folder and those that are named."""
    mark = "nodes-" + str(uuid.uuid4())
    folder = Path("/tmp") / mark
    (folder / "inside").mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "inside" / "file").write_text("seen\n")
    look = "ssh n1 cat %s/inside/file; ssh n1 ls /tmp; ls /tmp" % folder
    try:
        expect_equal(user.lines("--share", str(folder), "--", "sh", "-c", look),
                     ["seen", mark, mark])
        hidden = user.nodes("--", "sh", "-c", look)
        expect("seen" not in hidden.stdout and mark not in hidden.stdout, "it is also seen")
        at_home = subprocess.run(user.command("--", "sh", "-c", "cat file; " + look), text=True,
                                 cwd=str(folder / "inside"), capture_output=True,
                                 timeout=SECONDS, env=user.environment)
        expect_equal(at_home.stdout, "seen\nseen\n%s\n%s\n" % (mark, mark))
    finally:
        shutil.rmtree(folder)


def under_slurm(user: User) -> None:
    """Tasks run on all nodes, and srun's status is theirs."""
    if slurm.missing_programs():
        raise Skipped("there is no Slurm; `./dev nodes --slurm` fetches it")
    answer = user.nodes("--slurm", "--slots", "2,1", "--", "sh", "-c",
                        "srun -N 2 -n 3 hostname; srun -w n1 sh -c 'exit 5'")
    expect_equal((sorted(answer.stdout.split()), answer.returncode), (["n0", "n0", "n1"], 5))


def words_for_slurm() -> None:
    """Each node has the number of tasks that was asked for."""
    lines = slurm.configuration([2, 1]).splitlines()
    expect_equal([line for line in lines if line.startswith("NodeName")],
                 ["NodeName=n0 CPUs=2 State=UNKNOWN", "NodeName=n1 CPUs=1 State=UNKNOWN"])
    expect("SlurmctldHost=head(%s)" % network.ADDRESS_OF_HEAD in lines, "no host of the controller")


def forbidden(user: User) -> None:
    """Where the kernel refuses, a sentence says what: here to somebody who is not root."""
    words = ["unshare", "--user", "--map-root-user", "sh", "-c",
             "echo 0 > /proc/sys/user/max_user_namespaces; "
             "exec setpriv --bounding-set -sys_admin \"$@\"", "sh"]
    answer = subprocess.run(words + user.command("--", "echo", "ran"), text=True, cwd=str(ROOT),
                            capture_output=True, timeout=SECONDS)
    if answer.stderr.startswith("unshare"):
        raise Skipped("this user may make no namespaces: " + answer.stderr.strip())
    expect_equal(answer.stderr, "nodes: not possible here: this user may make no namespaces, nor "
                 "a user namespace in which it might: unshare: No space left on device "
                 "(user.max_user_namespaces is 0)\n")
    expect_equal((answer.stdout, answer.returncode), ("", cluster.NOT_POSSIBLE))


def without_iproute2(user: User) -> None:
    answer = subprocess.run(user.command("--", "echo", "ran"), text=True, capture_output=True,
                            timeout=SECONDS, cwd=str(ROOT), env={"PATH": "/nonexistent"})
    if "iproute2" not in answer.stderr:
        skip_where_not_possible(answer.returncode, answer.stderr)
    expect_equal((answer.stdout, answer.stderr, answer.returncode),
                 ("", "nodes: not possible here: `ip` is missing: please install iproute2\n",
                  cluster.NOT_POSSIBLE))


def wrong_words(user: User) -> None:
    for words in (["-n", "0"], ["-n", "251"], ["-n", "two"], ["--slots", "1,2,3"],
                  ["--slots", "0"], ["--rate", "fast"], ["--share", "/nonexistent"]):
        answer = user.nodes(*words, "--", "echo", "ran")
        expect_equal((answer.stdout, answer.returncode), ("", 2))
        expect(words[0] in answer.stderr, "it does not say which word is wrong")


def words_for_ssh() -> None:
    call = on_node.understand
    expect_equal(call(["n1", "ls", "-l"]), on_node.Call("n1", "ls -l"))
    expect_equal(call(["-x", "-q", "me@n0", "true"]), on_node.Call("n0", "true"))
    expect_equal(call(["-p", "22", "-o", "BatchMode=yes", "n0", "a"]), on_node.Call("n0", "a"))
    expect_equal(call(["-p22", "-xl", "me", "n0", "a"]), on_node.Call("n0", "a"))
    expect_equal(call(["n2"]), on_node.Call("n2", ""))
    expect_equal(call(["-x"]), None)
    expect_equal(call([]), None)


def words_for_slots() -> None:
    expect_equal(slots_of_nodes("2", 3), [2, 2, 2])
    expect_equal(slots_of_nodes("2,1", 2), [2, 1])
    for wrong in ("2,1,1", "0", "2,0", "two", "", "4097", "1,4097"):
        expect_error(lambda wrong=wrong: slots_of_nodes(wrong, 2))


def words_for_rates() -> None:
    expect_equal(network.bits_per_second("1gbit"), 1e9)
    expect_equal(network.bits_per_second("2.5mbit"), 2.5e6)
    for wrong in ("", "1", "gbit", "0gbit", "1 gbit", "1gbps", "101gbit", "-1gbit"):
        expect_error(lambda wrong=wrong: network.bits_per_second(wrong))
    words = network.shaping("eth0", "10gbit")
    expect_equal(words[words.index("burst") + 1], "1250000")  # a millisecond
    words = network.shaping("eth0", "1mbit")
    expect(int(words[words.index("burst") + 1]) > 65536, "the longest piece has no room")


def words_for_launchers() -> None:
    shape = cluster.Shape([2, 1])
    given = {"PATH": "/bin", "TMPDIR": "/elsewhere", "SLURM_JOB_ID": "1", "PMI_RANK": "0",
             "PMIX_RANK": "0", "OMPI_COMM_WORLD_RANK": "0", "OMPI_MCA_btl": "^ofi", "MINE": "1"}
    environment = cluster.environment_of_command(shape, given)
    kept = sorted(name for name in given if name in environment)
    expect_equal(kept, ["MINE", "OMPI_MCA_btl", "PATH"])
    expect_equal(environment["PATH"], "/dev/shm/nodes/bin:/bin")
    expect_equal(environment["NODES"], "n0,n1")
    expect_equal(environment["I_MPI_PERHOST"], "2")
    expect_equal(shape.lines("%s:%d"), "n0:2\nn1:1\n")
    expect_equal(network.hosts(1),
                 "127.0.0.1 localhost\n10.77.0.251 head\n10.77.0.1 n0\n")


def folders_below_temporary() -> None:
    folders = [Path(name) for name in ("/tmp/a/b", "/tmp/a", "/tmp", "/home", "/tmp/ab", "/tmp/a")]
    expect_equal(cluster.below_temporary(folders), [Path("/tmp/a"), Path("/tmp/ab")])


def as_root(test: Callable[[User], None]) -> Callable[[], None]:
    return lambda: test(User(ordinary=False))


def as_user(test: Callable[[User], None]) -> Callable[[], None]:
    return lambda: test(User(ordinary=True))


TESTS: Dict[str, Callable[[], None]] = {
    "are_apart": as_root(apart),
    "of_a_user_are_apart": as_user(apart),
    "hear_each_other": as_root(joined),
    "of_a_user_hear_each_other": as_user(joined),
    "have_wires_of_a_rate": as_root(shaped),
    "of_a_user_have_wires_of_a_rate": as_user(shaped),
    "pass_input_output_and_status_through": as_root(passes_through),
    "of_a_user_pass_input_output_and_status_through": as_user(passes_through),
    "pass_signals_through": as_root(signals),
    "leave_nothing_behind": as_root(nothing_is_left),
    "of_a_user_leave_nothing_behind": as_user(nothing_is_left),
    "share_folders": as_root(folders_shared),
    "of_a_user_share_folders": as_user(folders_shared),
    "run_slurm": as_root(under_slurm),
    "of_a_user_run_slurm": as_user(under_slurm),
    "are_refused_with_a_reason": as_root(forbidden),
    "want_iproute2": as_root(without_iproute2),
    "are_not_made_by_wrong_words": as_root(wrong_words),
    "understand_words_for_ssh": words_for_ssh,
    "understand_slots": words_for_slots,
    "understand_rates": words_for_rates,
    "tell_slurm_of_them": words_for_slurm,
    "tell_launchers_of_them": words_for_launchers,
    "share_no_folder_twice": folders_below_temporary,
}


def main() -> int:
    return run_named(TESTS, parser_of(), lambda row, *_: row(), subprocess.TimeoutExpired)


if __name__ == "__main__":
    sys.exit(main())
