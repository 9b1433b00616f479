// SPDX-License-Identifier: BSD-3-Clause
// Asks Linux for affinity masks, of any size, and sets them.
#include "os/binding.hpp"

#ifdef __linux__
#include <sched.h>
#include <sys/types.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/number.hpp"
#endif

namespace terrace {

#ifdef __linux__
namespace {

struct FreeMask {
  void operator()(cpu_set_t* mask) const { CPU_FREE(mask); }
};

/// The kernel says EINVAL while the mask is shorter than its own, so grow it.
Result<PuSet> binding_of(pid_t thread) {
  for (std::size_t pus = 1024; pus <= kMostPus; pus *= 2) {
    std::unique_ptr<cpu_set_t, FreeMask> mask(CPU_ALLOC(pus));
    const std::size_t mask_bytes = CPU_ALLOC_SIZE(pus);
    if (!mask) break;
    if (sched_getaffinity(thread, mask_bytes, mask.get()) == 0) {
      PuSet binding;
      for (std::size_t pu = 0; pu < pus; ++pu)
        if (CPU_ISSET_S(pu, mask_bytes, mask.get())) binding.insert(static_cast<std::uint32_t>(pu));
      return binding;
    }
    if (errno != EINVAL) break;
  }
  return Error{ErrorCode::system, std::string("the kernel does not say which PUs thread ") +
                                      std::to_string(thread) + " may use: " + std::strerror(errno)};
}

}  // namespace

Result<PuSet> binding_of_this_thread() {
  return binding_of(0);
}

Result<PuSet> binding_of_process(std::int64_t number) {
  return binding_of(static_cast<pid_t>(number));
}

Result<PuSet> binding_of_this_process() {
  namespace fs = std::filesystem;
  PuSet all;
  std::error_code failure;
  for (fs::directory_iterator thread("/proc/self/task", failure), end; !failure && thread != end;
       thread.increment(failure)) {
    const auto number = number_from_text<pid_t>(thread->path().filename().string());
    if (!number) continue;
    // A thread may have ended since the directory was read; then it needs no PUs.
    if (const Result<PuSet> one = binding_of(*number); one.ok()) all.insert(one.value());
  }
  return all.empty() ? binding_of_this_thread() : Result<PuSet>(all);
}

Result<bool> bind_this_thread(const PuSet& pus) {
  const std::unique_ptr<cpu_set_t, FreeMask> mask(CPU_ALLOC(kMostPus));
  if (!mask) return Error{ErrorCode::system, "there is no memory for a mask of PUs"};
  const std::size_t mask_bytes = CPU_ALLOC_SIZE(kMostPus);
  CPU_ZERO_S(mask_bytes, mask.get());
  for (const std::uint32_t pu : pus.list()) CPU_SET_S(pu, mask_bytes, mask.get());
  if (sched_setaffinity(0, mask_bytes, mask.get()) == 0) return true;
  return Error{ErrorCode::system,
               "the kernel lets no thread of this process run on PUs " + to_text(pus)};
}

#else

Result<PuSet> binding_of_this_thread() {
  return Error{ErrorCode::unsupported,
               "bindings are known on Linux only; ranks count as not bound here"};
}

Result<PuSet> binding_of_process(std::int64_t) {
  return binding_of_this_thread();
}

Result<PuSet> binding_of_this_process() {
  return binding_of_this_thread();
}

Result<bool> bind_this_thread(const PuSet&) {
  return Error{ErrorCode::unsupported, "threads are bound on Linux only"};
}

#endif

}  // namespace terrace
