// SPDX-License-Identifier: BSD-3-Clause
// Sends a member's calls to other processes, in pieces. A call may wait for room, and other threads
// of the rank may free its types meanwhile.
#include "threadranks/windows/remote_access.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/windows/remote_stream.hpp"

namespace terrace::threadranks {

RemoteAccess::RemoteAccess(Communicator& communicator, SharedWindow& shared)
    : communicator_(communicator),
      shared_(shared),
      members_(*communicator.shared().spanning),
      targets_(new Target[shared.members.size()]) {
  for (std::size_t i = 0; i < members_.processes.size(); ++i)
    streams_.push_back(i == members_.own
                           ? nullptr
                           : std::make_unique<Stream>(*this, members_.processes[i].process));
  for (int member = 0; member < communicator.size(); ++member)
    if (!is_here(member)) others_.push_back(member);
}

RemoteAccess::~RemoteAccess() = default;

ProcessNetwork& RemoteAccess::network() const {
  return *communicator_.state().job().network();
}

Mailbox& RemoteAccess::mailbox() const {
  return communicator_.state().messages().mailbox();
}

int RemoteAccess::last_beside(int target) const {
  const std::size_t process = process_index(target);
  const int size = static_cast<int>(members_.process_of.size());
  while (target + 1 < size && process_index(target + 1) == process) ++target;
  return target;
}

WindowCall RemoteAccess::call_for(Kind kind, int target) const {
  WindowCall call;
  call.kind = kind;
  call.window = shared_.context;
  call.origin = communicator_.rank();
  call.target = target;
  return call;
}

// Pieces.

/// A piece that is answered, until it is; mostly one that gets bytes.
class RemoteAccess::Fetch final : public AnsweredCall {
 public:
  Fetch(RemoteAccess& access, int target, SharedProgress progress, Runs to)
      : access_(access), target_(target), progress_(std::move(progress)), to_(std::move(to)) {}
  void answered(const WindowCall& answer, std::span<const std::byte> bytes) override {
    if (!answer.has_failed) {
      TERRACE_REQUIRE(bytes.size() >= bytes_of(to_), bytes.size());
      scatter(bytes.data(), to_);
    } else if (progress_) {
      progress_->note_failure();
    } else {
      access_.note_failure(target_);
    }
    if (progress_) progress_->pass();
    Mailbox& own = access_.mailbox();
    access_.stream_to(target_).note_done(answer.calls);  // the window may be freed from here on
    own.notify();
    delete this;
  }

 private:
  RemoteAccess& access_;
  const int target_;
  const SharedProgress progress_;
  const Runs to_;
};

struct RemoteAccess::Elements {
  LayoutCursor there;
  std::size_t left;
  std::size_t granule = 1;
  LayoutCursor* given = nullptr;    ///< brings as many bytes
  LayoutCursor* fetched = nullptr;  ///< gets them
  std::size_t wanted = 0;           ///< of `fetched`, if fewer
};

/// Counts the next call. Returns how many calls its answer confirms, which spares a flush; 0 if it
/// has none.
std::uint64_t RemoteAccess::count(Stream& stream, bool is_answered) {
  ++stream.sent;
  if (!is_answered) return 0;
  return stream.asked = stream.sent;
}

/// Sends a call in as many pieces as its elements need. Those of a call with a request, in a
/// dynamic window, are answered as they may fail, which its request has to tell.
void RemoteAccess::send(WindowCall call, Elements& elements, SharedProgress* progress) {
  Stream& stream = stream_to(call.target);
  const bool is_answered =
      elements.fetched != nullptr || (progress != nullptr && shared_.flavor == Flavor::dynamic);
  call.is_answered = is_answered;
  call.number = stream.number();
  SharedProgress shared;
  if (is_answered && progress != nullptr) shared = *progress = std::make_shared<RemoteProgress>();
  while (elements.left > 0) {
    wait_for_room(stream, call.target);
    runs_.clear();
    const std::size_t bytes =
        take_runs(elements.there, elements.left, elements.granule, kRoomInCall, runs_);
    elements.left -= bytes;
    call.calls = count(stream, is_answered);
    if (is_answered) {
      Runs to;
      const std::size_t wanted = std::min(bytes, elements.wanted);
      if (wanted > 0) add_runs(*elements.fetched, wanted, to);
      elements.wanted -= wanted;
      call.number = (new Fetch(*this, call.target, shared, std::move(to)))->number();
      known_of(call.target).fetched = call.calls;
      // relaxed: the piece is over only after it has been sent; partner: `pass`.
      if (shared) shared->left.fetch_add(1, std::memory_order_relaxed);
    }
    send_call(network(), stream.process, call, runs_, elements.given != nullptr ? bytes : 0,
              [&](std::byte* place) { pack_next(*elements.given, place, bytes); });
  }
  if (shared) shared->pass();
}

/// In one piece, straight from memory to memory. Memory of dynamic windows may turn out not to be
/// there.
bool RemoteAccess::is_long(const Layout& one, const Layout& other) const {
  return std::min(one.bytes(), other.bytes()) > kMostEagerBetweenProcesses &&
         shared_.flavor != Flavor::dynamic && one.type->is_dense() && other.type->is_dense();
}

/// A long put or get, until it is over.
struct RemoteAccess::LongCall {
  RemoteAccess& access;
  const int target;
  const std::uint64_t number;
  const SharedProgress progress;

  /// Called by the thread that drives. The window may be freed from then on.
  void end() const {
    Mailbox& own = access.mailbox();
    if (progress) progress->pass();
    access.known_of(target).long_calls.end(number);
    own.notify();
  }
};

/// Waits while too many are under way. Another thread that waited as well may have taken the place.
RemoteAccess::LongCall RemoteAccess::begin_long(int target, SharedProgress* progress) {
  LongCalls& calls = known_of(target).long_calls;
  while (!calls.has_room()) communicator_.state().wait([&] { return calls.has_room(); });
  if (progress != nullptr) *progress = std::make_shared<RemoteProgress>();
  return {*this, target, calls.begin(), progress != nullptr ? *progress : nullptr};
}

namespace {

/// Returns the run of elements without gaps.
ByteRun run_of(const Layout& layout, std::size_t bytes) {
  return {reinterpret_cast<std::uintptr_t>(layout.buffer), bytes};
}

}  // namespace

class RemoteAccess::LongPut final : public AnsweredCall {
 public:
  LongPut(LongCall its, ByteRun from) : its_(std::move(its)), from_(from) {}
  void answered(const WindowCall& answer, std::span<const std::byte>) override {
    if (answer.kind == Kind::answer) return end();
    const auto at = static_cast<std::uintptr_t>(from_.at);
    its_.access.network().send_bytes(its_.access.stream_to(its_.target).process,
                                     reinterpret_cast<const std::byte*>(at), from_.bytes,
                                     [this] { end(); });
  }

 private:
  /// When the bytes have been sent, and when they have come.
  void end() {
    if (--left_ > 0) return;
    its_.end();
    delete this;
  }

  const LongCall its_;
  const ByteRun from_;
  int left_ = 2;
};

void RemoteAccess::put(int target, const Layout& here, const Layout& there,
                       SharedProgress* progress) {
  const KeptType own(here), its(there);
  if (!is_long(here, there)) {
    LayoutCursor given(here);
    Elements elements{LayoutCursor(there), here.bytes()};
    elements.given = &given;
    return send(call_for(Kind::put, target), elements, progress);
  }
  LongCall put = begin_long(target, progress);
  WindowCall call = call_for(Kind::long_put, target);
  const ByteRun to = run_of(there, here.bytes());
  call.number = (new LongPut(std::move(put), run_of(here, here.bytes())))->number();
  send_call(network(), stream_to(target).process, call, std::span(&to, 1));
}

class RemoteAccess::LongGet final : public Arrival {
 public:
  LongGet(LongCall its, ByteRun to) : its_(std::move(its)) {
    at = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(to.at));
    bytes = to.bytes;
  }
  void arrive() override {
    its_.end();
    delete this;
  }

 private:
  const LongCall its_;
};

void RemoteAccess::get(int target, const Layout& there, const Layout& here,
                       SharedProgress* progress) {
  const KeptType own(here), its(there);
  if (!is_long(here, there)) {
    LayoutCursor fetched(here);
    Elements elements{LayoutCursor(there), here.bytes()};
    elements.fetched = &fetched;
    elements.wanted = here.bytes();
    return send(call_for(Kind::get, target), elements, progress);
  }
  LongCall get = begin_long(target, progress);
  const ByteRun from = run_of(there, here.bytes());
  send_call(network(), stream_to(target).process, call_for(Kind::long_get, target),
            std::span(&from, 1),
            std::make_unique<LongGet>(std::move(get), run_of(here, here.bytes())));
}

void RemoteAccess::accumulate(int target, const Accumulation& how, const Layout& origin,
                              const Layout& fetched, const Layout& there,
                              SharedProgress* progress) {
  const KeptType own(origin), its(there), result(fetched);
  WindowCall call = call_for(fetched.type != nullptr ? Kind::fetch : Kind::accumulate, target);
  call.how = how.kind;
  call.elements = how.elements;
  call.op = how.op;
  call.element_bytes = static_cast<std::uint16_t>(how.element_bytes);
  const bool brings = how.kind != Accumulation::Kind::nothing;
  Elements elements{LayoutCursor(there), brings ? there.bytes() : fetched.bytes()};
  elements.granule = how.element_bytes;  // pieces have whole elements, so that no two calls' mix
  std::optional<LayoutCursor> given, got;
  if (brings) elements.given = &given.emplace(origin);
  if (fetched.type != nullptr) {
    elements.fetched = &got.emplace(fetched);
    elements.wanted = fetched.bytes();
  }
  send(call, elements, progress);
}

void RemoteAccess::compare_and_swap(int target, const Layout& compared, const Layout& stored,
                                    const Layout& before, const Layout& there) {
  Stream& stream = stream_to(target);
  wait_for_room(stream, target);
  const std::size_t bytes = there.bytes();
  Runs at, to;
  LayoutCursor from(there), result(before);
  add_runs(from, bytes, at);
  add_runs(result, bytes, to);
  WindowCall call = call_for(Kind::swap, target);
  call.calls = count(stream, true);
  call.is_answered = true;
  call.number = (new Fetch(*this, target, nullptr, std::move(to)))->number();
  known_of(target).fetched = call.calls;
  send_call(network(), stream.process, call, at, 2 * bytes, [&](std::byte* place) {
    pack(compared, place, bytes);
    pack(stored, place + bytes, bytes);
  });
}

}  // namespace terrace::threadranks
