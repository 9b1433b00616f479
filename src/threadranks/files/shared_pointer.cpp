// SPDX-License-Identifier: BSD-3-Clause
// Keeps the shared pointer, in one process or in several.
#include "threadranks/files/shared_pointer.hpp"

#include "base/contract.hpp"
#include "threadranks/windows/accumulate.hpp"

namespace terrace::threadranks {

SharedPointer::SharedPointer(Communicator& communicator) : communicator_(communicator) {
  if (communicator.spans()) {
    communicator.retain();  // its window releases it
    window_ = std::make_unique<Window>(communicator, Flavor::counter);
    const bool counts = communicator.rank() == kCounting;
    window_->publish(counts ? &bytes_ : nullptr, counts ? sizeof bytes_ : 0, 1);
  } else {
    if (communicator.rank() == kCounting) here_ = new SharedPosition(communicator.size());
    bcast(communicator, &here_, sizeof here_, kCounting);
    TERRACE_REQUIRE(here_ != nullptr, communicator.rank(), communicator.size());
  }
}

SharedPointer::~SharedPointer() {
  // acq_rel: the last to leave frees what all have used; all call this.
  if (here_ == nullptr) return;
  const int before = here_->references.fetch_sub(1, std::memory_order_acq_rel);
  TERRACE_ASSERT(before >= 1, before);
  if (before == 1) delete here_;
}

std::int64_t SharedPointer::position() {
  return advance(0);
}

std::int64_t SharedPointer::advance(std::int64_t bytes) {
  if (window_) return fetch_and_add(bytes);
  const std::lock_guard lock(here_->mutex);
  const std::int64_t before = here_->bytes;
  here_->bytes += bytes;
  return before;
}

std::int64_t SharedPointer::fetch_and_add(std::int64_t bytes) {
  static const Accumulation add{
      Accumulation::Kind::combine,
      terrace::kernel_for(TypeClass::signed_integer, sizeof bytes, Operator::sum), sizeof bytes,
      TypeClass::signed_integer, Operator::sum};
  std::int64_t before = 0;
  const auto layout_of = [](void* place) {
    return Layout{place, sizeof(std::int64_t), predefined_type(kByte)};
  };
  WindowMember& counting = window_->member(kCounting);
  const Layout there = layout_of(counting.base);
  if (RemoteAccess* const way = window_->way_to(kCounting)) {
    way->accumulate(kCounting, add, layout_of(&bytes), layout_of(&before), there, nullptr);
    window_->flush(kCounting);
  } else {
    accumulate(add, layout_of(&bytes), layout_of(&before), there, counting.accumulates);
  }
  return before;
}

void SharedPointer::set(std::int64_t to) {
  barrier(communicator_);  // others may use the old position until then
  if (communicator_.rank() == kCounting) advance(to - position());
  barrier(communicator_);
}

void SharedPointer::close() {
  if (window_) window_->close();
}

}  // namespace terrace::threadranks
