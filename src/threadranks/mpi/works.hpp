// SPDX-License-Identifier: BSD-3-Clause
// How a collective is made: now, or begun and finished while its rank does other things.
#pragma once

#include <memory>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// A buffer as plans want it: without gaps.
class Flat {
 public:
  Flat() = default;
  ~Flat() {
    if (packed_) layout_.type->release();
  }
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;

  void set(const Layout& layout, bool is_read) {
    layout_ = layout;
    if (layout.type == nullptr || layout.type->is_dense()) return;
    packed_ = std::make_unique<std::byte[]>(layout.bytes() + 1);
    layout.type->retain();  // the program may free it before a nonblocking call is over
    if (is_read) pack(layout, packed_.get(), layout.bytes());
  }
  std::byte* at() const {
    return packed_ ? packed_.get() : static_cast<std::byte*>(const_cast<void*>(layout_.buffer));
  }
  /// What has come is the user's.
  void give() const {
    if (packed_) unpack(packed_.get(), layout_, layout_.bytes());
  }

 private:
  Layout layout_;
  std::unique_ptr<std::byte[]> packed_;
};

// A work is set up, makes one call after the other of a seat, and is finished:
//   bool has_call()           whether there is another to make
//   bool call(Seat&)          makes it; false: the members' calls do not match
//   void finish()             when all have been made

inline int mismatched(Caller& caller) {
  return caller.fail(MPI_ERR_INTERN, "the members' calls do not match");
}

/// `set_up(caller, work)` is false after an error, or if there is nothing to do.
template <class Work, class SetUp>
int make_now(const char* function, MPI_Comm comm, SetUp&& set_up) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Work work;
  if (!set_up(caller, work)) return caller.error();
  Seat& seat = caller.communicator().seat();
  while (work.has_call())
    if (!work.call(seat)) return mismatched(caller);
  work.finish();
  return MPI_SUCCESS;
}

/// A work on its way.
template <class Work>
class Begun final : public Operation {
 public:
  explicit Begun(Communicator& communicator) : communicator_(communicator) {}

  bool advance() override {
    if (!has_work) return true;
    Seat* const seat = communicator_.seat_if_founded();
    if (seat == nullptr) return false;
    for (;;) {
      if (!call_) {
        if (!work.has_call()) break;
        call_ = seat->begin([this](Seat& its) { work.call(its); });
      }
      const Progress progress = call_->advance();
      if (progress == Progress::blocked) return false;
      call_.reset();
      if (progress != Progress::done)
        communicator_.state().end_job(MPI_ERR_INTERN,
                                      "the calls of a communicator's members, "
                                      "nonblocking ones, do not match");
    }
    work.finish();
    return true;
  }

  Work work;
  bool has_work = false;

 private:
  Communicator& communicator_;
  std::unique_ptr<BegunCall> call_;
};

template <class Work, class SetUp>
int make_later(const char* function, MPI_Comm comm, MPI_Request* handle, SetUp&& set_up) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Communicator& communicator = caller.communicator();
  const auto operation = std::make_shared<Begun<Work>>(communicator);
  operation->has_work = set_up(caller, operation->work);
  if (caller.error()) return caller.error();
  auto request = std::make_unique<threadranks::Request>();
  request->kind = threadranks::Request::Kind::collective;
  request->communicator = &communicator;
  request->is_active = true;
  request->operation = operation;
  *handle = handle_of_object<MPI_Request>(*request.release());
  communicator.begin(operation);
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi
