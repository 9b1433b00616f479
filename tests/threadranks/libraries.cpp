// SPDX-License-Identifier: BSD-3-Clause
// C++ with everything that is easily shared by mistake: a library's variables, streams, exceptions,
// members of templates, thread_local objects, threads. Prints what is wrong, or "right".
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" int bump();
extern "C" int seen_directly;

#define EXPECT(holds) \
  if (!(holds)) wrong(#holds)

static int faults;
static void wrong(const char* what) {
  std::cout << "wrong: " << what << std::endl;
  ++faults;
}

template <class T>
struct Counter {
  static int count;
};
template <class T>
int Counter<T>::count = 1;
inline int inline_count = 1;
inline int& in_function() {
  static int count = 0;
  return count;
}
thread_local std::string of_thread = "begin";
static std::map<int, std::string> built_before_main = {{1, "one"}};

static int destroyed_of_threads;
struct Watched {
  ~Watched() { ++destroyed_of_threads; }
  int touched = 0;
};
thread_local Watched watched;

struct Last {
  ~Last() { std::cout << "ended: " << inline_count << ' ' << destroyed_of_threads << std::endl; }
} last;

struct Own : std::runtime_error {
  using runtime_error::runtime_error;
  int number = 42;
};

[[gnu::noinline]] void fail(int number) {
  throw Own("number " + std::to_string(number));
}

static void libraries() {
  for (int i = 0; i < 100; ++i) bump();
  EXPECT(bump() == 101);
  EXPECT(seen_directly == 104);
}

static void objects() {
  for (int i = 0; i < 100; ++i) {
    ++Counter<int>::count;
    ++inline_count;
    ++in_function();
    of_thread += "x";
    built_before_main[i] = "more";
  }
  EXPECT(Counter<int>::count == 101 && inline_count == 101 && in_function() == 100);
  EXPECT(of_thread.size() == 105 && built_before_main.size() == 100);
  ++watched.touched;
  std::string in_thread;
  std::thread([&] { in_thread = of_thread, ++watched.touched; }).join();
  EXPECT(in_thread == "begin" && destroyed_of_threads == 1);
}

static void exceptions() {
  int caught = 0;
  for (int i = 0; i < 100; ++i) try {
      fail(i);
    } catch (const Own& own) {
      caught += own.number == 42 && own.what() == "number " + std::to_string(i);
    }
  EXPECT(caught == 100);
  bool is_out_of_range = false;
  try {
    std::vector<int>().at(5) = 1;
  } catch (const std::out_of_range&) {
    is_out_of_range = true;
  }
  EXPECT(is_out_of_range);
}

static void streams() {
  std::ostringstream text;
  text << std::setprecision(3) << 3.14159;
  EXPECT(text.str() == "3.14");
  EXPECT(std::cout.precision() == 6);
  std::cout.precision(3);
}

int main() {
  libraries();
  objects();
  exceptions();
  streams();
  if (faults == 0) std::cout << "right" << std::endl;
}
