// SPDX-License-Identifier: BSD-3-Clause
// Checks the arguments of calls on windows.
#include "threadranks/mpi/window/window_caller.hpp"

#include <algorithm>

namespace terrace::threadranks::mpi {

int their_flavor(Flavor flavor) {
  switch (flavor) {
    case Flavor::create:
      return MPI_WIN_FLAVOR_CREATE;
    case Flavor::allocate:
      return MPI_WIN_FLAVOR_ALLOCATE;
    case Flavor::dynamic:
      return MPI_WIN_FLAVOR_DYNAMIC;
    case Flavor::shared:
    case Flavor::counter:  // which no program sees
      break;
  }
  return MPI_WIN_FLAVOR_SHARED;
}

namespace {

/// Null: the window has been freed, but a request of it has not.
MPI_Win handle_of(Window* window) {
  return window != nullptr ? handle_of_object<MPI_Win>(*window) : MPI_WIN_NULL;
}

}  // namespace

int fail(const WindowErrors& errors, const char* function, int error_class,
         const std::string& sentence) {
  const auto* const handler = static_cast<const ErrorHandler*>(errors.handler.get());
  if (handler != nullptr && handler->kind == ErrorHandler::Kind::returns) return error_class;
  if (handler != nullptr && handler->kind == ErrorHandler::Kind::users)
    return handler->call(handler->for_windows, handle_of(errors.window), PMPI_Win_c2f, error_class);
  end_job(function, error_class, sentence);
}

WindowCaller::WindowCaller(const char* function, MPI_Win win)
    : function_(function),
      window_(object_of<Window>(win)),
      critical_(window_ != nullptr ? &window_->state().call_lock() : nullptr, function) {
  if (window_ == nullptr)
    error_ = mpi::fail(function, MPI_ERR_WIN, "this is no window");
  else
    window_->state().enter_function(function);
}

int WindowCaller::fail(int error_class, const std::string& sentence) {
  if (error_ != MPI_SUCCESS) return error_;
  error_ = window_ != nullptr ? mpi::fail(*window_->errors, function_, error_class, sentence)
                              : mpi::fail(function_, error_class, sentence);
  return error_;
}

void WindowCaller::check_assertions(int given, int allowed) {
  check((given & ~allowed) == 0, MPI_ERR_ASSERT, "these assertions are not for this call");
}

void WindowCaller::check_target(int target) {
  if (error_ || target == MPI_PROC_NULL || (target >= 0 && target < window_->size())) return;
  fail(MPI_ERR_RANK, "rank " + std::to_string(target) + " is not in the window, which has " +
                         std::to_string(window_->size()));
}

void WindowCaller::check_access(int target) {
  check_target(target);
  if (error_) return;
  Epochs& open = window_->epochs;
  const bool has_target = target != MPI_PROC_NULL;
  const bool may_access =
      has_target ? open.may_access(target) : open.is_fenced || open.is_started || open.is_passive();
  if (may_access)
    open.has_accessed |= has_target;
  else
    fail(MPI_ERR_RMA_SYNC,
         "no epoch is open in which " +
             (has_target ? "rank " + std::to_string(target) : std::string("windows")) +
             " may be accessed: call MPI_Win_fence, MPI_Win_start or MPI_Win_lock before");
}

void WindowCaller::fail_of_earlier_calls(int target) {
  fail(MPI_ERR_RMA_RANGE, "an earlier call was for memory that rank " + std::to_string(target) +
                              ", in another process, has not attached to the window");
}

namespace {

/// Whether all bytes from `first` up to `end` may be accessed. True for a dynamic window's member
/// in another process, as only that process knows which memory is attached.
bool is_inside(Window& window, int target, std::byte* first, std::byte* end) {
  if (window.flavor == Flavor::dynamic && window.way_to(target) != nullptr) return true;
  return window.has_bytes(target, first, end);
}

/// The address so many units behind another; false: beyond all addresses.
bool move_on(std::byte*& address, std::ptrdiff_t units, std::ptrdiff_t bytes) {
  std::intptr_t place = reinterpret_cast<std::intptr_t>(address), way;
  if (__builtin_mul_overflow(units, bytes, &way) || __builtin_add_overflow(place, way, &place))
    return false;
  address = reinterpret_cast<std::byte*>(place);
  return true;
}

/// Whether the window has all the elements' bytes.
bool has_elements(Window& window, int target, const Layout& there, std::byte* place) {
  const Datatype& type = *there.type;
  std::byte *lowest = place, *highest = place;
  std::byte*& last = type.extent() < 0 ? lowest : highest;
  if (!move_on(last, type.extent(), static_cast<std::ptrdiff_t>(there.count) - 1)) return false;
  return move_on(lowest, type.true_lower(), 1) &&
         move_on(highest, type.true_lower() + type.true_extent(), 1) &&
         is_inside(window, target, lowest, highest);
}

}  // namespace

Layout WindowCaller::target_layout(int target, MPI_Aint displacement, std::int64_t count,
                                   MPI_Datatype type) {
  Layout there = checked_elements(*this, count, type);
  if (error_ || target == MPI_PROC_NULL) return there;
  WindowMember& member = window_->member(target);
  const bool is_dynamic = window_->flavor == Flavor::dynamic;
  check(is_dynamic || displacement >= 0, MPI_ERR_DISP, "the displacement is negative");
  std::byte* place = is_dynamic ? reinterpret_cast<std::byte*>(displacement) : member.base;
  const bool is_place = is_dynamic || move_on(place, displacement, member.unit);
  there.buffer = place;
  if (error_ || there.bytes() == 0) return there;
  if (!is_place || !has_elements(*window_, target, there, place))
    fail(MPI_ERR_RMA_RANGE,
         "the elements are not all in the window of rank " + std::to_string(target) +
             (is_dynamic ? ": attach their memory"
                         : ", which has " + std::to_string(member.bytes) + " bytes"));
  return there;
}

}  // namespace terrace::threadranks::mpi
