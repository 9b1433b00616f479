// SPDX-License-Identifier: BSD-3-Clause
// Uses CUDA's driver, which every program with CUDA loads, even if it links the rest statically;
// and HIP's runtime. Nothing is linked: names and numbers are those of their documented
// interfaces.
#include "preload/transport/device_memory.hpp"

#include <dlfcn.h>
#include <link.h>

#include <memory>

#include "base/say.hpp"
#include "preload/lookup/symbol_lookup.hpp"

namespace terrace::preload {

std::atomic<std::uint64_t> last_look_at_runtimes{0};
std::atomic<bool> has_device_runtime{false};

namespace {

constexpr int kSuccess = 0;  // of both

/// Finds functions in a library that is loaded, and keeps it loaded.
class Library {
 public:
  explicit Library(const std::string& path)
      : opened_(path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {}

  template <class Function>
  bool find(Function*& function, const char* name) const {
    if (opened_ == nullptr) return false;
    function = reinterpret_cast<Function*>(dlsym(opened_, name));
    return function != nullptr;
  }

 private:
  void* opened_;
};

class Cuda final : public DeviceRuntime {
 public:
  bool find_functions(const Library& library) {
    return library.find(get_attribute_, "cuPointerGetAttribute") &&
           library.find(copy_, "cuMemcpy") && library.find(get_current_, "cuCtxGetCurrent") &&
           library.find(push_, "cuCtxPushCurrent_v2") && library.find(pop_, "cuCtxPopCurrent_v2");
  }

  bool owns(const void* address) const override {
    unsigned kind = 0;
    return get_attribute_(&kind, kMemoryType, at(address)) == kSuccess && kind == kDevice;
  }

  bool copy(void* to, const void* from, std::size_t bytes) const override {
    const bool has_pushed = push_context_of(owns(to) ? to : from);
    const bool is_done = copy_(at(to), at(from), bytes) == kSuccess;
    if (void* popped = nullptr; has_pushed) pop_(&popped);
    return is_done;
  }

 private:
  static constexpr int kContext = 1, kMemoryType = 2;  // CU_POINTER_ATTRIBUTE_...
  static constexpr unsigned kDevice = 2;               // CU_MEMORYTYPE_DEVICE

  static unsigned long long at(const void* address) {
    return static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
  }

  /// A thread that has not used the device has no context, without which nothing can be copied.
  bool push_context_of(const void* address) const {
    void* context = nullptr;
    if (get_current_(&context) == kSuccess && context != nullptr) return false;
    return get_attribute_(&context, kContext, at(address)) == kSuccess && context != nullptr &&
           push_(context) == kSuccess;
  }

  int (*get_attribute_)(void*, int, unsigned long long) = nullptr;
  int (*copy_)(unsigned long long, unsigned long long, std::size_t) = nullptr;
  int (*get_current_)(void**) = nullptr;
  int (*push_)(void*) = nullptr;
  int (*pop_)(void**) = nullptr;
};

/// Versions of HIP number the kinds of memory differently, so whatever it knows is copied by it,
/// which does no harm to memory of the host.
class Hip final : public DeviceRuntime {
 public:
  bool find_functions(const Library& library) {
    return library.find(get_attribute_, "hipPointerGetAttribute") &&
           library.find(copy_, "hipMemcpy");
  }

  bool owns(const void* address) const override {
    unsigned kind = 0;
    return get_attribute_(&kind, kMemoryType, const_cast<void*>(address)) == kSuccess;
  }

  bool copy(void* to, const void* from, std::size_t bytes) const override {
    return copy_(to, from, bytes, kWhicheverWay) == kSuccess;
  }

 private:
  static constexpr int kMemoryType = 2;    // HIP_POINTER_ATTRIBUTE_MEMORY_TYPE
  static constexpr int kWhicheverWay = 4;  // hipMemcpyDefault

  int (*get_attribute_)(void*, int, void*) = nullptr;
  int (*copy_)(void*, const void*, std::size_t, int) = nullptr;
};

/// A place for a runtime that is found, which is never destroyed, as MPI may outlive us.
struct Place {
  const char* library;  ///< what its file's name begins with
  const DeviceRuntime* (*functions_in)(const Library&);
  std::atomic<const DeviceRuntime*> runtime{nullptr};
};

template <class Runtime>
const DeviceRuntime* loaded(const Library& library) {
  auto runtime = std::make_unique<Runtime>();
  return runtime->find_functions(library) ? runtime.release() : nullptr;
}

Place places[] = {{"libcuda.so", loaded<Cuda>}, {"libamdhip64.so", loaded<Hip>}};

/// Returns how many libraries this process has loaded since it began; 0 where the loader does not
/// count.
unsigned long long loads_so_far() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t bytes, void* into) {
        if (bytes >= offsetof(dl_phdr_info, dlpi_adds) + sizeof first->dlpi_adds)
          *static_cast<unsigned long long*>(into) = first->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

/// Whether one is there, of which this thread or another has found the functions.
bool find(Place& place) {
  // acquire, release: pair with each other, and with the acquire in `owner_of`.
  if (place.runtime.load(std::memory_order_acquire)) return true;
  const DeviceRuntime* found = place.functions_in(Library(loaded_library(place.library)));
  const DeviceRuntime* before = nullptr;
  if (found && !place.runtime.compare_exchange_strong(before, found, std::memory_order_acq_rel))
    delete found;  // another thread was faster
  return found != nullptr;
}

std::atomic<unsigned long long> loads_looked_at{0};

/// Whether communicators may have teams because no runtime was there that we cannot ask.
std::atomic<bool> expects_none{false};

void complain_of_the_unknown() {
  // relaxed: only for a sentence; no partner.
  if (!expects_none.load(std::memory_order_relaxed)) return;
  if (const std::string path = unknown_device_runtime(); !path.empty())
    say_once("the GPU runtime " + path +
             " was loaded after communicators had got their teams, and " +
             "Terrace cannot ask it which memory is its device's: collectives with such buffers "
             "crash. With TERRACE=off, they fall back to the MPI");
}

}  // namespace

/// No lock: a thread may come here while it loads a library, and others while they wait for it.
void look_for_device_runtimes() {
  // relaxed: as in `has_devices`.
  last_look_at_runtimes.store(ticks(), std::memory_order_relaxed);
  const unsigned long long loads = loads_so_far();
  // relaxed, both times: who looks twice finds the same. No partner.
  if (loads != 0 && loads == loads_looked_at.load(std::memory_order_relaxed)) return;
  bool is_one_there = false;
  for (Place& place : places) is_one_there |= find(place);
  // release: pairs with the acquire in `has_devices`.
  if (is_one_there) has_device_runtime.store(true, std::memory_order_release);
  loads_looked_at.store(loads, std::memory_order_relaxed);
  complain_of_the_unknown();
}

const DeviceRuntime* owner_of(const void* address) {
  for (const Place& place : places) {
    // acquire: pairs with the release in `find`.
    const DeviceRuntime* runtime = place.runtime.load(std::memory_order_acquire);
    if (runtime && runtime->owns(address)) return runtime;
  }
  return nullptr;
}

std::string unknown_device_runtime() {
  static std::atomic<unsigned long long> loads_without{0};  ///< after which there was none
  const unsigned long long loads = loads_so_far();
  // relaxed, here and below: who looks twice finds the same. No partner.
  if (loads != 0 && loads == loads_without.load(std::memory_order_relaxed)) return "";
  bool is_one_known = false;
  for (Place& place : places) {
    const std::string path = loaded_library(place.library);
    if (!path.empty() && !find(place)) return path;
    is_one_known |= !path.empty();
  }
  for (const char* library : {"libhsa-runtime64.so", "libze_loader.so", "libsycl.so"})
    if (const std::string path = loaded_library(library); !path.empty() && !is_one_known)
      return path;
  // relaxed: only for a sentence; no partner.
  expects_none.store(true, std::memory_order_relaxed);
  loads_without.store(loads, std::memory_order_relaxed);
  return "";
}

}  // namespace terrace::preload
