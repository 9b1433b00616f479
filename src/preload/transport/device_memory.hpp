// SPDX-License-Identifier: BSD-3-Clause
// Device memory: buffers on a GPU, which only the GPU's runtime can copy. Whether a buffer is on a
// device is its rank's private matter, like its layout: peers see packed bytes. The runtime is the
// one that the program loads, at any time; it is found by name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ticks.hpp"

namespace terrace::preload {

/// The runtime that owns device memory, by the functions that we need of it.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  /// Whether it is memory of a device, or other memory that the runtime can copy.
  virtual bool owns(const void* address) const = 0;
  /// Between device and host, either way. False if the runtime refused.
  virtual bool copy(void* to, const void* from, std::size_t bytes) const = 0;
};

/// Ticks, some hundred microseconds, after which the loaded runtimes are looked up again: less than
/// a runtime needs to be loaded and to set up its device.
inline constexpr std::uint64_t kTicksBetweenLooks = std::uint64_t{1} << 20;

extern std::atomic<std::uint64_t> last_look_at_runtimes;
extern std::atomic<bool> has_device_runtime;

/// Finds runtimes that have been loaded since.
void look_for_device_runtimes();

/// Returns the runtime that owns memory, asked of those that are loaded; null for the host's.
const DeviceRuntime* owner_of(const void* address);

/// Whether buffers may lie on a device: a runtime is there that we can ask.
[[gnu::always_inline]] inline bool has_devices() {
  // relaxed: a time that orders nothing; no partner.
  if (ticks() - last_look_at_runtimes.load(std::memory_order_relaxed) > kTicksBetweenLooks)
      [[unlikely]]
    look_for_device_runtimes();
  // acquire: pairs with the release in `look_for_device_runtimes`: its functions are seen.
  return has_device_runtime.load(std::memory_order_acquire);
}

inline bool is_on_device(const void* address) {
  return has_devices() && owner_of(address) != nullptr;
}

/// The file of a loaded GPU runtime that we do not know how to ask; "" if there is none.
std::string unknown_device_runtime();

}  // namespace terrace::preload
