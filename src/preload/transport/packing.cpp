// SPDX-License-Identifier: BSD-3-Clause
// Checks for device memory here as well as in callers, because datatypes may contain addresses of
// it.
#include "preload/transport/packing.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/say.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

namespace {

constexpr std::size_t kMostPacked = std::size_t{1} << 30;

std::byte* moved(const void* address, std::intptr_t bytes) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(address) + bytes);
}

/// Ends the job: the caller's data would be lost, and its peers wait for it.
bool copy_or_end(UnderlyingMpi& underlying, const DeviceRuntime& runtime, void* to,
                 const void* from, std::size_t bytes) {
  if (runtime.copy(to, from, bytes)) return true;
  say("the GPU's runtime refused to copy " + std::to_string(bytes) +
      " bytes of a collective's buffer. Ending the job (with TERRACE=off, such calls fall back to "
      "the MPI)");
  underlying.end_job();
  return false;
}

/// Elements on a device, with the gaps between them, as a copy on the host.
class HostCopy {
 public:
  HostCopy(UnderlyingMpi& underlying, const DeviceRuntime& runtime, const TypeLayout& layout,
           const void* elements, std::int64_t count)
      : underlying_(underlying), runtime_(runtime) {
    const std::intptr_t steps = static_cast<std::intptr_t>(count - 1) * layout.extent;
    const std::intptr_t lowest = layout.true_lower + std::min<std::intptr_t>(steps, 0);
    bytes_ = layout.true_extent + static_cast<std::size_t>(std::abs(steps));
    on_device_ = moved(elements, lowest);
    memory_ = std::make_unique<std::byte[]>(bytes_);
    elements_ = moved(memory_.get(), -lowest);
  }

  void* elements() { return elements_; }
  bool fetch() { return copy_or_end(underlying_, runtime_, memory_.get(), on_device_, bytes_); }
  bool put_back() { return copy_or_end(underlying_, runtime_, on_device_, memory_.get(), bytes_); }

 private:
  UnderlyingMpi& underlying_;
  const DeviceRuntime& runtime_;
  std::size_t bytes_ = 0;
  std::byte* on_device_ = nullptr;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* elements_ = nullptr;
};

/// Elements that lie on a device: its runtime, and the layout of their type.
struct OnDevice {
  const DeviceRuntime* runtime = nullptr;
  TypeLayout layout;

  OnDevice(UnderlyingMpi& underlying, const void* elements, std::int64_t count, Handle type) {
    if (count <= 0 || !has_devices()) return;
    const auto its = underlying.layout_of(type);
    if (!its) return;
    layout = *its;
    runtime = owner_of(moved(elements, layout.true_lower));
  }
};

/// Calls `pack(first, its_packed, its_count, its_bytes)` for pieces of elements, each of which is
/// packed in up to 1 GiB, or one: the MPI counts packed bytes in an int.
template <class Byte, class Pack>
bool in_pieces(UnderlyingMpi& underlying, void* elements, std::int64_t count, Handle type,
               Byte* packed, std::size_t bytes, const Pack& pack) {
  if (bytes <= INT_MAX) return pack(elements, packed, count, bytes);
  const std::size_t element = bytes / static_cast<std::size_t>(count);
  const auto layout = underlying.layout_of(type);
  if (!layout || element > INT_MAX) return false;
  const auto most = static_cast<std::int64_t>(std::max(kMostPacked / element, std::size_t{1}));
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t some = std::min(most, count - first);
    const std::size_t its_bytes = static_cast<std::size_t>(some) * element;
    if (!pack(moved(elements, first * layout->extent), packed, some, its_bytes)) return false;
    packed += its_bytes;
  }
  return true;
}

bool pack_on_host(UnderlyingMpi& underlying, Handle communicator, const void* from,
                  std::int64_t count, Handle type, void* packed, std::size_t bytes) {
  return in_pieces(underlying, const_cast<void*>(from), count, type,
                   static_cast<std::byte*>(packed), bytes,
                   [&](void* first, std::byte* to, std::int64_t some, std::size_t its_bytes) {
                     return underlying.pack(communicator, first, some, type, to, its_bytes);
                   });
}

bool unpack_on_host(UnderlyingMpi& underlying, Handle communicator, const void* packed,
                    std::size_t bytes, void* to, std::int64_t count, Handle type) {
  return in_pieces(
      underlying, to, count, type, static_cast<const std::byte*>(packed), bytes,
      [&](void* first, const std::byte* from, std::int64_t some, std::size_t its_bytes) {
        return underlying.unpack(communicator, from, its_bytes, first, some, type);
      });
}

}  // namespace

bool pack_elements(UnderlyingMpi& underlying, Handle communicator, const void* from,
                   std::int64_t count, Handle type, void* packed, std::size_t bytes) {
  const OnDevice where(underlying, from, count, type);
  if (where.runtime == nullptr)
    return pack_on_host(underlying, communicator, from, count, type, packed, bytes);
  if (where.layout.is_dense()) return copy_or_end(underlying, *where.runtime, packed, from, bytes);
  HostCopy copy(underlying, *where.runtime, where.layout, from, count);
  return copy.fetch() &&
         pack_on_host(underlying, communicator, copy.elements(), count, type, packed, bytes);
}

bool unpack_elements(UnderlyingMpi& underlying, Handle communicator, const void* packed,
                     std::size_t bytes, void* to, std::int64_t count, Handle type) {
  const OnDevice where(underlying, to, count, type);
  if (where.runtime == nullptr)
    return unpack_on_host(underlying, communicator, packed, bytes, to, count, type);
  if (where.layout.is_dense()) return copy_or_end(underlying, *where.runtime, to, packed, bytes);
  HostCopy copy(underlying, *where.runtime, where.layout, to, count);
  return copy.fetch() &&
         unpack_on_host(underlying, communicator, packed, bytes, copy.elements(), count, type) &&
         copy.put_back();
}

}  // namespace terrace::preload
