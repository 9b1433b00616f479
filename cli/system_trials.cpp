// SPDX-License-Identifier: BSD-3-Clause
// Tries between two child processes what ranks do: share memory and copy it. Reads the user's file
// of measured costs.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>

#include "base/bytes.hpp"
#include "measure/known_costs.hpp"
#include "system_trials.hpp"

namespace trials_verb {
namespace {

constexpr char kSecret[] = "terrace";

/// Returns what a child's work fails with, as text; "" if it does not. The work returns errno, or
/// 0.
std::string outcome_in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "no child process can be started";
  if (!WIFEXITED(status)) return "the attempt was killed";
  return WEXITSTATUS(status) == 0 ? "" : std::strerror(WEXITSTATUS(status));
}

/// A child that waits to be looked at. The end of this object ends it.
class IdleChild {
 public:
  IdleChild() : process_(fork()) {
    if (process_ == 0)
      for (;;) ::pause();
  }
  ~IdleChild() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

int open_and_read(const std::string& path) {
  char found[sizeof kSecret] = {};
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  if (pread(file, found, sizeof found, 0) != sizeof found) return EIO;
  return std::memcmp(found, kSecret, sizeof found) == 0 ? 0 : EIO;
}

std::string try_sharing() {
  const int file = memfd_create("terrace", MFD_CLOEXEC);
  if (file < 0) return std::string("memfd_create: ") + std::strerror(errno);
  std::string outcome = "memory files cannot be written";
  if (write(file, kSecret, sizeof kSecret) == sizeof kSecret) {
    const IdleChild owner;  // also has the file, as a forked child
    const std::string path =
        "/proc/" + std::to_string(owner.process()) + "/fd/" + std::to_string(file);
    outcome = outcome_in_child([&] {
      close(file);
      return open_and_read(path);
    });
    if (!outcome.empty()) outcome = "opening " + path + ": " + outcome;
  }
  close(file);
  return outcome;
}

std::string try_copying() {
  static char secret[sizeof kSecret];
  std::memcpy(secret, kSecret, sizeof secret);
  const IdleChild owner;
  return outcome_in_child([&] {
    char found[sizeof kSecret] = {};
    const iovec here{found, sizeof found}, there{secret, sizeof secret};
    const ssize_t bytes = process_vm_readv(owner.process(), &here, 1, &there, 1, 0);
    if (bytes < 0) return errno;
    return std::memcmp(found, kSecret, sizeof found) == 0 ? 0 : EIO;
  });
}

/// Looks for XPMEM as src/preload/transport/xpmem.cpp does.
std::string try_xpmem() {
  void* file = dlopen("libxpmem.so.0", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) file = dlopen("libxpmem.so", RTLD_NOW | RTLD_LOCAL);
  const auto version = file ? reinterpret_cast<int (*)()>(dlsym(file, "xpmem_version")) : nullptr;
  if (version == nullptr) return "no libxpmem.so.0 is found";
  return version() < 0 ? std::string("libxpmem cannot use /dev/xpmem: ") + std::strerror(errno)
                       : "";
}

std::string text_of(const terrace::model::Disagreement& found) {
  char times[64];
  std::snprintf(times, sizeof times, "%.2g and %.2g ns", found.least_ns, found.most_ns);
  return "a line in copies of " + terrace::bytes_text(static_cast<std::uint64_t>(found.bytes)) +
         " took " + times + " to " + (found.is_of_reading ? "read" : "write");
}

std::optional<terrace::KeptCosts> kept_costs() {
  using namespace terrace::measure;
  KnownCosts& known = KnownCosts::of_this_process();
  const std::vector<KeptRegime> regimes = known.regimes();
  if (regimes.empty()) return std::nullopt;
  terrace::KeptCosts kept{known.path(), regimes.size()};
  for (const KeptRegime& one : regimes) {
    if (!one.is_settled) ++kept.unsettled;
    if (one.disagreement.ratio <= kept.ratio) continue;
    kept.ratio = one.disagreement.ratio;
    kept.about = text_of(one.disagreement);
  }
  return kept;
}

}  // namespace
}  // namespace trials_verb

terrace::Trials try_this_system() {
  using namespace trials_verb;
  return {try_sharing(), try_copying(), try_xpmem(), kept_costs()};
}
