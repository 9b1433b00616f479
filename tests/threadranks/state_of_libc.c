/* SPDX-License-Identifier: BSD-3-Clause
 * state_of_libc WORD -x 42 --name=value WORD: what libc keeps between calls. Ranks do this at the
 * same time, each in small steps; what they shared would come out otherwise in some of them.
 * Prints what is wrong, or "right". With one word it is parsed by libc, which may end the rank. */
#define _GNU_SOURCE
#define _REGEX_RE_COMP /* declares re_comp */
#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <obstack.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPECT(holds) \
  if (!(holds)) wrong(#holds)

/* libc's names. */
#define NUMBERS struct random_data
#define NUMBERS_OF_48 struct drand48_data

static int faults;
static void wrong(const char* what) {
  printf("wrong: %s\n", what);
  ++faults;
}

static void options(int count, char** words) {
  static const struct option names[] = {
      {"name", required_argument, NULL, 'n'}, {"flag", no_argument, NULL, 'f'}, {NULL, 0, NULL, 0}};
  int x = 0, flags = 0;
  char* name = NULL;
  for (int found; (found = getopt_long(count, words, "ax:", names, NULL)) != -1;) {
    sched_yield();
    if (found == 'x') x = atoi(optarg);
    if (found == 'n') name = optarg;
    flags += found == 'a' || found == 'f';
    EXPECT(found != '?');
  }
  EXPECT(x == 42 && flags == 3);
  EXPECT(name != NULL && strcmp(name, "value") == 0);
  EXPECT(optind == count - 2);
  EXPECT(strcmp(words[count - 2], "first") == 0 && strcmp(words[count - 1], "second") == 0);
  char* again[] = {"program", "-q", "file", "-xseven", "--", "-x", NULL};
  optind = 0;
  opterr = 0;
  EXPECT(getopt(6, again, "x:") == '?' && optopt == 'q');
  EXPECT(getopt(6, again, "x:") == 'x' && strcmp(optarg, "seven") == 0);
  EXPECT(getopt(6, again, "x:") == -1 && optind == 4);
  EXPECT(strcmp(again[4], "file") == 0 && strcmp(again[5], "-x") == 0);
}

/* The numbers that the generators have to give are those of their reentrant forms. */
static void random_numbers(void) {
  char state[128] = {0};
  NUMBERS numbers;
  memset(&numbers, 0, sizeof numbers);
  initstate_r(1, state, sizeof state, &numbers);
  int expected;
  random_r(&numbers, &expected);
  EXPECT(rand() == expected);
  srandom_r(1234, &numbers);
  srand(1234);
  for (int i = 0; i < 2000; ++i) {
    random_r(&numbers, &expected);
    EXPECT((i % 2 == 0 ? rand() : (int)random()) == expected);
    if (i % 100 == 0) sched_yield();
  }
}

static void random_numbers_of_48_bits(void) {
  NUMBERS_OF_48 numbers;
  unsigned short own_state[3] = {1, 2, 3}, state[3] = {1, 2, 3};
  double fraction;
  long number;
  srand48_r(77, &numbers);
  srand48(77);
  for (int i = 0; i < 500; ++i) {
    drand48_r(&numbers, &fraction);
    EXPECT(drand48() == fraction);
    erand48_r(state, &numbers, &fraction);
    EXPECT(erand48(own_state) == fraction);
    lrand48_r(&numbers, &number);
    EXPECT(lrand48() == number);
    nrand48_r(state, &numbers, &number);
    EXPECT(nrand48(own_state) == number);
    mrand48_r(&numbers, &number);
    EXPECT(mrand48() == number);
    jrand48_r(state, &numbers, &number);
    EXPECT(jrand48(own_state) == number);
    if (i % 100 == 0) sched_yield();
  }
}

static void texts(void) {
  for (int i = 0; i < 200; ++i) {
    char text[] = "one two three";
    EXPECT(strcmp(strtok(text, " "), "one") == 0);
    sched_yield();
    EXPECT(strcmp(strtok(NULL, " "), "two") == 0);
    EXPECT(strcmp(strtok(NULL, " "), "three") == 0);
    EXPECT(strtok(NULL, " ") == NULL);
  }
  const time_t then = 1000000000;
  struct tm* kept = gmtime(&then);
  EXPECT(kept->tm_year == 101 && strcmp(asctime(kept), "Sun Sep  9 01:46:40 2001\n") == 0);
}

static int own_number;

/* A shared list would let ranks see each other's values, or lose some. */
static void environment(void) {
  extern char** environ;
  char value[32], name[32];
  snprintf(value, sizeof value, "%d", own_number);
  for (int i = 0; i < 100; ++i) {
    snprintf(name, sizeof name, "OWN_%d", i);
    EXPECT(setenv(name, value, 1) == 0);
    sched_yield();
    EXPECT(strcmp(getenv(name), value) == 0);
  }
  int seen = 0;
  for (char** one = environ; *one != NULL; ++one) seen += strncmp(*one, "OWN_", 4) == 0;
  EXPECT(seen == 100);
  EXPECT(setenv("OWN_0", "other", 0) == 0 && strcmp(getenv("OWN_0"), value) == 0);
  EXPECT(unsetenv("OWN_0") == 0 && getenv("OWN_0") == NULL && getenv("OWN_1") != NULL);
  EXPECT(setenv("", "x", 1) == -1 && setenv("a=b", "x", 1) == -1);
  static char put[] = "OWN_PUT=1";
  EXPECT(putenv(put) == 0 && strcmp(getenv("OWN_PUT"), "1") == 0);
  put[8] = '2';
  EXPECT(strcmp(getenv("OWN_PUT"), "2") == 0);
  EXPECT(getenv("PATH") != NULL);
}

/* What a child becomes has the rank's environment, whichever way the program is looked for. */
static void children(void) {
  char question[64];
  snprintf(question, sizeof question, "test \"$OWN_1\" = %d", own_number);
  for (int searches = 0; searches < 2; ++searches) {
    const pid_t child = fork();
    if (child == 0) {
      if (searches)
        execlp("sh", "sh", "-c", question, (char*)NULL);
      else
        execl("/bin/sh", "sh", "-c", question, (char*)NULL);
      _exit(9);
    }
    int status = -1;
    EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
}

/* The mode of popen, and what it starts with the rank's environment, as system does. */
static void shells(void) {
  char question[64], answer[32] = "", expected[32];
  snprintf(question, sizeof question, "test \"$OWN_1\" = %d", own_number);
  snprintf(expected, sizeof expected, "%d\n", own_number);
  EXPECT(system(question) == 0 && system(NULL) != 0);
  EXPECT(system("kill -9 $$") == 9);
  FILE* const stream = popen("echo $OWN_1", "r");
  FILE* const sink = popen("read line && test \"$line\" = $OWN_1", "we");
  EXPECT(stream != NULL && fgets(answer, sizeof answer, stream) != NULL);
  EXPECT(strcmp(answer, expected) == 0 && pclose(stream) == 0);
  EXPECT(sink != NULL && (fcntl(fileno(sink), F_GETFD) & FD_CLOEXEC) != 0);
  EXPECT(fputs(expected, sink) > 0 && fclose(sink) == 0); /* waits, too */
  EXPECT(popen("exit 0", "rw") == NULL && popen("exit 0", "") == NULL);
}

/* Programs are looked for by the rank's PATH, and ignore the signals that it ignores. */
static void other_programs(void) {
  char folder[64], path[96], write_it[192], with_usual[128];
  snprintf(folder, sizeof folder, "programs_of_%d_XXXXXX", own_number);
  EXPECT(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/tool_of_a_rank", folder);
  /* By a shell: a file that children of other ranks have open to write cannot be run. */
  snprintf(write_it, sizeof write_it, "echo 'kill -HUP $$; exit 35' > %s", path);
  EXPECT(system(write_it) == 0 && chmod(path, 0700) == 0);
  snprintf(with_usual, sizeof with_usual, "/not/there:%s:/usr/bin:/bin", folder);
  EXPECT(setenv("PATH", with_usual, 1) == 0 && signal(SIGHUP, SIG_IGN) == SIG_DFL);
  const pid_t child = fork();
  if (child == 0) {
    execlp("tool_of_a_rank", "tool_of_a_rank", (char*)NULL);
    _exit(9);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 35 << 8);
  EXPECT(signal(SIGHUP, SIG_DFL) == SIG_IGN);
  EXPECT(unlink(path) == 0 && rmdir(folder) == 0);
}

static int before_fork, in_parent, in_child;
static void note_before(void) {
  ++before_fork;
}
static void note_parent(void) {
  ++in_parent;
}
static void note_child(void) {
  in_child = 10 * before_fork + in_parent;
}

/* They are called at the rank's own forks. */
static void fork_handlers(void) {
  EXPECT(pthread_atfork(note_before, note_parent, note_child) == 0);
  for (int i = 1; i <= 3; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(in_child);
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == (10 * i + i - 1) << 8);
    EXPECT(before_fork == i && in_parent == i && in_child == 0);
    sched_yield();
  }
}

static void* name_in_thread(void* name) {
  snprintf(name, 32, "%s", setlocale(LC_CTYPE, NULL));
  return localeconv()->decimal_point;
}

static void locales(void) {
  EXPECT(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  EXPECT(setlocale(LC_ALL, "no such place") == NULL);
  EXPECT(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
  EXPECT(strcmp(setlocale(LC_CTYPE, NULL), "C.UTF-8") == 0);
  EXPECT(strcmp(setlocale(LC_NUMERIC, NULL), "C") == 0);
  EXPECT(strstr(setlocale(LC_ALL, NULL), "LC_CTYPE=C.UTF-8;LC_NUMERIC=C") != NULL);
  EXPECT(mblen("\xc3\xa4", 2) == 2);
  char name[32];
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, name_in_thread, name) == 0 &&
         pthread_join(thread, NULL) == 0);
  EXPECT(strcmp(name, "C.UTF-8") == 0);
  EXPECT(strcmp(setlocale(LC_ALL, "C"), "C") == 0 && mblen("\xc3\xa4", 2) != 2);
}

static volatile sig_atomic_t caught;
static void catch_signal(int number) {
  caught += number;
}
static void* raise_in_thread(void* nothing) {
  (void)nothing;
  raise(SIGUSR1);
  return NULL;
}

static void signals(void) {
  EXPECT(signal(SIGUSR1, catch_signal) == SIG_DFL);
  raise(SIGUSR1);
  EXPECT(caught == SIGUSR1);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, raise_in_thread, NULL) == 0);
  EXPECT(pthread_join(thread, NULL) == 0 && caught == 2 * SIGUSR1);
  kill(getpid(), SIGUSR1);
  while (caught < 3 * SIGUSR1) sched_yield();
  EXPECT(signal(SIGUSR1, SIG_IGN) == catch_signal);
  raise(SIGUSR1);
  EXPECT(caught == 3 * SIGUSR1);
}

/* Where the system lets threads have their own; ranks have them already then. */
static void files(void) {
  if (unshare(CLONE_FS | CLONE_FILES) != 0) return;
  char folder[64], here[4096];
  snprintf(folder, sizeof folder, "own_%d", own_number);
  if (mkdtemp(strcat(folder, "_XXXXXX")) == NULL || chdir(folder) != 0) wrong("no folder");
  for (int i = 0; i < 50; ++i) sched_yield();
  EXPECT(getcwd(here, sizeof here) != NULL && strstr(here, folder) != NULL);
  const int opened = open("/dev/null", O_RDONLY);
  EXPECT(dup2(opened, 150) == 150 && close(150) == 0);
  EXPECT(close(150) == -1);
  EXPECT(chdir("..") == 0 && rmdir(folder) == 0);
}

/* Variables that libc and a program share: what one sets, the other reads. */
static void signs(void) {
  const volatile double x = own_number % 2 == 0 ? 0.5 : -0.5;
  const volatile float y = own_number % 2 == 0 ? -0.5F : 0.5F;
  const int sign = own_number % 2 == 0 ? 1 : -1;
  for (int i = 0; i < 200; ++i) {
    EXPECT(lgamma(x) > 0 && signgam == sign);
    sched_yield();
    EXPECT(signgam == sign && lgammaf(y) > 0 && signgam == -sign);
  }
}

static void time_zones(void) {
  const int hours = 1 + own_number % 11;
  const time_t noon = 12 * 3600;
  char zone[16], name[16], text[16];
  snprintf(zone, sizeof zone, "Z%c%c%d", 'A' + own_number % 26, 'A' + own_number / 26 % 26, hours);
  snprintf(name, sizeof name, "%.3s", zone);
  EXPECT(setenv("TZ", zone, 1) == 0);
  tzset();
  for (int i = 0; i < 100; ++i) {
    EXPECT(timezone == 3600L * hours && daylight == 0 && strcmp(tzname[0], name) == 0);
    sched_yield();
    struct tm* const local = localtime(&noon);
    EXPECT(local->tm_hour == 12 - hours && mktime(local) == noon);
    EXPECT(strftime(text, sizeof text, "%H %Z", local) == 6 && strcmp(text + 3, name) == 0);
  }
  EXPECT(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1) == 0);
  EXPECT(localtime(&noon)->tm_hour == 13 && timezone == -3600 && daylight == 1);
  EXPECT(unsetenv("TZ") == 0 && localtime(&noon) != NULL);
  EXPECT(unsetenv("DATEMSK") == 0 && getdate("12") == NULL && getdate_err == 1);
}

static FILE* stream_of(char** text, size_t* bytes) {
  FILE* const stream = open_memstream(text, bytes);
  if (stream == NULL) wrong("no stream");
  return stream;
}

static void say_who(void) {
  fputs("who", stderr);
}

static void messages(const char* program) {
  FILE* const usual = stderr;
  char* text = NULL;
  size_t bytes = 0;
  EXPECT(strcmp(program_invocation_name, program) == 0);
  EXPECT(strcmp(program_invocation_short_name, strrchr(program, '/') + 1) == 0);
  program_invocation_name = "named";
  stderr = stream_of(&text, &bytes);
  error(0, ENOENT, "%d", 5);
  error_one_per_line = 1;
  error_at_line(0, 0, "file", 7, "line");
  error_at_line(0, 0, "file", 7, "again");
  EXPECT(error_message_count == 2);
  error_print_progname = say_who;
  error(0, 0, ": late");
  EXPECT(error_message_count == 3);
  program_invocation_short_name = "short";
  errno = ENOENT;
  warn("%s", "warned");
  warnx("%s", "warned");
  errno = ENOENT;
  perror("said");
  fclose(stderr);
  stderr = usual;
  EXPECT(strcmp(text,
                "named: 5: No such file or directory\nnamed:file:7: line\nwho: late\n"
                "short: warned: No such file or directory\nshort: warned\n"
                "said: No such file or directory\n") == 0);
  free(text);
}

// libc looks for these in the program.
__attribute__((visibility("default"))) const char* argp_program_version = "version of the test";
__attribute__((visibility("default"))) const char* argp_program_bug_address = "<the address>";
static const struct argp_option kOptions[] = {{"size", 's', "N", 0, "A size", 0},
                                              {NULL, 0, NULL, 0, NULL, 0}};
static error_t parse(int key, char* value, struct argp_state* state) {
  int* const sizes = state->input;
  if (key != 's') return ARGP_ERR_UNKNOWN;
  *sizes += atoi(value);
  if (*sizes > 99) argp_error(state, "too large");
  return 0;
}
static const struct argp kParser = {kOptions, parse, NULL, "Tests.", NULL, NULL, NULL};

static void arguments(void) {
  FILE* const usual = stdout;
  char* words[] = {"program", "--version", "--help", "-s4", "--size=3", NULL};
  char* text = NULL;
  size_t bytes = 0;
  int sizes = 0;
  stdout = stream_of(&text, &bytes);
  EXPECT(argp_parse(&kParser, 5, words, ARGP_NO_EXIT, NULL, &sizes) == 0);
  fclose(stdout);
  stdout = usual;
  EXPECT(sizes == 7 && strncmp(text, "version of the test\nUsage: program [OPTION...]", 46) == 0);
  EXPECT(strstr(text, "  -s, --size=N               A size\n") != NULL);
  EXPECT(strstr(text, "Report bugs to <the address>.\n") != NULL);
  free(text);
}

/* What ends the program in libc's parser, or behind it. */
static void end_by_libc(int count, char** words) {
  int sizes = 0;
  argp_err_exit_status = 33;
  argp_parse(&kParser, count, words, 0, NULL, &sizes);
  errx(sizes, "the end");
}

static void patterns(void) {
  struct re_pattern_buffer pattern;
  for (int i = 0; i < 100; ++i) {
    const int extended = (own_number + i) % 2;
    re_syntax_options = RE_SYNTAX_POSIX_BASIC;
    EXPECT(re_set_syntax(extended ? RE_SYNTAX_POSIX_EXTENDED : RE_SYNTAX_POSIX_BASIC) ==
           RE_SYNTAX_POSIX_BASIC);
    EXPECT(re_syntax_options == (extended ? RE_SYNTAX_POSIX_EXTENDED : RE_SYNTAX_POSIX_BASIC));
    sched_yield();
    memset(&pattern, 0, sizeof pattern);
    EXPECT(re_compile_pattern("a+", 2, &pattern) == NULL);
    EXPECT(re_match(&pattern, "aaa", 3, 0, NULL) == (extended ? 3 : -1));
    regfree(&pattern);
    EXPECT(re_comp(extended ? "xa" : "xb") == NULL);
    sched_yield();
    EXPECT(re_exec(extended ? "..xa" : "..xb") == 1 && re_exec("..x") == 0);
  }
}

static void note_full_obstack(void) {
  pthread_exit(&own_number);
}
static void* allocate_nothing(long bytes) {
  (void)bytes;
  return NULL;
}
static void free_nothing(void* block) {
  (void)block;
}

static void* fill_obstack(void* full) {
  obstack_specify_allocation((struct obstack*)full, 64, 8, allocate_nothing, free_nothing);
  return NULL;
}

static void obstacks(void) {
  struct obstack full;
  pthread_t thread;
  void* answer = NULL;
  EXPECT(obstack_alloc_failed_handler != NULL);
  obstack_alloc_failed_handler = note_full_obstack;
  EXPECT(pthread_create(&thread, NULL, fill_obstack, &full) == 0);
  EXPECT(pthread_join(thread, &answer) == 0 && answer == &own_number);
}

/* The whole of a stack that is given to a thread is its own. */
static char given_stack[256 << 10] __attribute__((aligned(4096)));
static __thread int of_thread = 5;
static volatile int cleaned_up;

static int __attribute__((noinline)) use_stack(size_t bytes) {
  volatile char frame[bytes];
  for (size_t at = 0; at < bytes; at += 1024) frame[at] = 1;
  const uintptr_t at = (uintptr_t)frame - (uintptr_t)given_stack;
  return at < sizeof given_stack;
}
static void clean_up(void* what) {
  (void)what;
  ++cleaned_up;
}
static void* in_given_stack(void* bytes) {
  pthread_attr_t attributes;
  void* stack = NULL;
  size_t found = 0;
  EXPECT(of_thread == 5 && use_stack(*(size_t*)bytes - 8192));
  EXPECT(pthread_getattr_np(pthread_self(), &attributes) == 0);
  EXPECT(pthread_attr_getstack(&attributes, &stack, &found) == 0 && stack == given_stack);
  EXPECT(found == *(size_t*)bytes);
  pthread_attr_destroy(&attributes);
  pthread_cleanup_push(clean_up, NULL);
  pthread_exit(bytes);
  pthread_cleanup_pop(0);
  return NULL;
}

static void given_stacks(void) {
  for (size_t bytes = (size_t)PTHREAD_STACK_MIN; bytes <= sizeof given_stack; bytes *= 2) {
    pthread_attr_t attributes;
    pthread_t thread;
    void* answer = NULL;
    cleaned_up = 0;
    EXPECT(pthread_attr_init(&attributes) == 0);
    EXPECT(pthread_attr_setstack(&attributes, given_stack, bytes) == 0);
    EXPECT(pthread_create(&thread, &attributes, in_given_stack, &bytes) == 0);
    EXPECT(pthread_join(thread, &answer) == 0 && answer == &bytes && cleaned_up == 1);
  }
}

int main(int count, char** words) {
  own_number = (int)((size_t)&faults / 4096 % 100000);
  if (count == 2) end_by_libc(count, words);
  options(count, words);
  random_numbers();
  random_numbers_of_48_bits();
  texts();
  environment();
  children();
  shells();
  other_programs();
  fork_handlers();
  locales();
  signs();
  time_zones();
  messages(words[0]);
  arguments();
  patterns();
  obstacks();
  given_stacks();
  signals();
  files();
  if (faults == 0) printf("right\n");
  return 0;
}
