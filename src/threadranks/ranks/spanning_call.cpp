// SPDX-License-Identifier: BSD-3-Clause
// Composes collectives of the teams in each process and of messages between their speakers.
#include "threadranks/ranks/spanning_call.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

#include "base/contract.hpp"
#include "kernels/kernels.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

/// Tags that identify a communicator's call, so that members notice that they make different ones:
/// ten bits of its number, five of its collective, fifteen of all that must be equal.
constexpr int kCollectiveShift = 15, kNumberShift = 20;
static_assert(kCollectiveCount <= 1 << (kNumberShift - kCollectiveShift));

int tag_for(std::uint32_t number, Collective collective, const CallIdentity& identity) {
  return static_cast<int>((number & 0x3ff) << kNumberShift |
                          static_cast<std::uint32_t>(collective) << kCollectiveShift |
                          (identity.hash & 0x7fff));
}

std::string to_text_of_tag(int tag) {
  const auto collective = static_cast<Collective>(tag >> kCollectiveShift &
                                                  ((1 << (kNumberShift - kCollectiveShift)) - 1));
  return std::string(to_text(collective)) + " as its call " + std::to_string(tag >> kNumberShift);
}

void combine(const Elements& how, const void* first, const void* second, void* result) {
  const void* operands[] = {first, second};
  if (how.combiner != nullptr)
    how.combiner->combine(operands, 2, &result, 1, how.count);
  else
    how.reduction(operands, 2, &result, 1, how.count, Stores::cached);
}

}  // namespace

/// Messages that are sent and received together, apart from the program's own.
class SpanningCall::Messages {
 public:
  Messages(Communicator& communicator, int tag) : communicator_(communicator), tag_(tag) {}

  void send(int place, const void* from, std::size_t bytes) {
    sent_.push_back({place, {from, bytes, predefined_type(kByte)}});
  }
  void receive(int place, void* to, std::size_t bytes) {
    PostedRecv& receiving = receivings_.emplace_back();
    receiving.source = place;
    receiving.tag = kAnyTag;
    receiving.to = {to, bytes, predefined_type(kByte)};
  }
  bool advance();

 private:
  struct Sent {
    int place;
    Layout from;
  };
  void begin();
  void check(const PostedRecv& receiving) const;
  RankState& state() const { return communicator_.state(); }
  std::uint32_t context() const { return spanning_context(communicator_); }

  Communicator& communicator_;
  int tag_;
  std::vector<Sent> sent_;
  std::deque<PostedRecv> receivings_;  ///< stay where they are
  std::vector<RendezvousSend*> sendings_;
  bool has_begun_ = false;
};

void SpanningCall::Messages::begin() {
  has_begun_ = true;
  Mailbox& own = state().messages().mailbox();
  for (PostedRecv& receiving : receivings_)
    state().messages().match_queues(context()).receive(receiving, own);
  const int from = communicator_.place_of_member(communicator_.rank());
  for (const Sent& sent : sent_) {
    const Rank to = communicator_.shared().members[static_cast<std::size_t>(sent.place)];
    const Address address{state().job().mailbox_of(to), context(), from, tag_, to};
    RendezvousSend* const sending =
        threadranks::send(address, sent.from, SendMode::standard, own, false);
    if (sending != nullptr) sendings_.push_back(sending);
  }
}

bool SpanningCall::Messages::advance() {
  if (!has_begun_) begin();
  while (!receivings_.empty() && receivings_.front().is_done) {
    check(receivings_.front());
    receivings_.pop_front();
  }
  if (!receivings_.empty()) return false;
  while (!sendings_.empty() && sendings_.back()->is_done()) {
    sendings_.back()->release();
    sendings_.pop_back();
  }
  return sendings_.empty();
}

/// All messages between two members are of calls of this communicator, in the order of calls.
void SpanningCall::Messages::check(const PostedRecv& receiving) const {
  const Status& status = receiving.status;
  const bool is_whole = status.outcome == Completion::done && status.bytes == receiving.to.bytes();
  if (status.tag == tag_ && is_whole) return;
  const RanksJob& job = state().job();
  const Rank other = communicator_.shared().members[static_cast<std::size_t>(receiving.source)];
  state().end_job(1, "rank " + std::to_string(state().rank()) + " on node " +
                         job.node_of(state().rank()) + " makes " + to_text_of_tag(tag_) +
                         " of a communicator, where rank " + std::to_string(other) + " on node " +
                         job.node_of(other) + " makes " + to_text_of_tag(status.tag) +
                         (to_text_of_tag(tag_) == to_text_of_tag(status.tag)
                              ? ", with another size, root, operator or type"
                              : "") +
                         ": all members must make the same calls");
}

// Steps.

Progress SpanningCall::advance() {
  while (next_ < steps_.size()) {
    if (!steps_[next_]()) return Progress::blocked;
    ++next_;
  }
  return Progress::done;
}

void SpanningCall::act(std::function<void()> action) {
  add([action = std::move(action)] {
    action();
    return true;
  });
}

void SpanningCall::call_here(std::function<void(TeamEndpoint&)> make) {
  add([this, make = std::move(make), has_started = false]() mutable {
    const Progress progress =
        has_started ? here_.advance() : here_.start([&](TeamEndpoint& its) { make(its); });
    has_started = progress == Progress::blocked;
    if (has_started) return false;
    if (progress != Progress::done) communicator_.end_mismatched();
    return true;
  });
}

std::shared_ptr<SpanningCall::Messages> SpanningCall::messages() {
  auto made = std::make_shared<Messages>(communicator_, tag_);
  add([made] { return made->advance(); });
  return made;
}

/// Returns memory of this call, for as long as it lasts.
std::byte* SpanningCall::memory(std::size_t bytes) {
  return memory_.emplace_back(std::make_unique<std::byte[]>(bytes + 1)).get();
}

void SpanningCall::copy(void* to, const void* from, std::size_t bytes) {
  if (to != from && bytes > 0) act([=] { std::memmove(to, from, bytes); });
}

// What is known of the call.

void SpanningCall::identify(Collective collective, std::size_t bytes, Rank root,
                            Combination combination) {
  TERRACE_ASSERT(steps_.empty(), collective);
  Signature signature;
  signature.collective = collective;
  signature.bytes = bytes;
  signature.root = root;
  signature.combination = combination;
  const CallIdentity identity = identity_of(signature);
  tag_ = tag_for(communicator_.spanning_calls++, collective, identity);
  here_.pass(identity);  // so that members in this process see whether they make the same call
}

Rank SpanningCall::index_here(int place) const {
  const std::vector<int>& here = members_here().places;
  const auto found = std::lower_bound(here.begin(), here.end(), place);
  TERRACE_ASSERT(found != here.end() && *found == place, place);
  return static_cast<Rank>(found - here.begin());
}

int SpanningCall::speaker_of(std::size_t process, Rank root) const {
  return process == process_of(root) ? static_cast<int>(root) : speaker_of(process);
}

std::vector<Block> SpanningCall::blocks_of(const void* at, std::size_t bytes) const {
  std::vector<Block> blocks;
  for (Rank place = 0; place < member_count(); ++place)
    blocks.push_back({static_cast<std::byte*>(const_cast<void*>(at)) + place * bytes, bytes});
  return blocks;
}

// Barriers and broadcasts.

/// Speakers tell those at doubling distances.
bool SpanningCall::barrier() {
  identify(Collective::barrier, 0, 0, {});
  if (!is_alone_here()) call_here([](TeamEndpoint& its) { its.barrier(); });
  if (speaks()) {
    const std::size_t count = process_count(), own = members().own;
    for (std::size_t distance = 1; distance < count; distance *= 2) {
      const auto round = messages();
      round->receive(speaker_of((own + count - distance) % count), nullptr, 0);
      round->send(speaker_of((own + distance) % count), nullptr, 0);
    }
  }
  if (!is_alone_here()) call_here([](TeamEndpoint& its) { its.barrier(); });
  return true;
}

void SpanningCall::bcast_here(int place, void* buffer, std::size_t bytes) {
  if (is_alone_here() || bytes == 0) return;
  call_here([=, from = index_here(place)](TeamEndpoint& its) { its.bcast(buffer, bytes, from); });
}

/// A binomial tree of the speakers; then each process's team.
void SpanningCall::bcast_from(Rank root, void* buffer, std::size_t bytes) {
  const std::size_t count = process_count(), first = process_of(root);
  const std::size_t own = (members().own + count - first) % count;
  const int speaker = speaker_of(members().own, root);
  const auto speaker_at = [&](std::size_t number) {
    return speaker_of((number + first) % count, root);
  };
  if (own_place() == speaker) {
    std::size_t distance = 1;
    while (distance < count && (own & distance) == 0) distance *= 2;
    if (own != 0) messages()->receive(speaker_at(own - distance), buffer, bytes);
    const auto round = messages();
    for (distance /= 2; distance > 0; distance /= 2)
      if (own + distance < count) round->send(speaker_at(own + distance), buffer, bytes);
  }
  bcast_here(speaker, buffer, bytes);
}

bool SpanningCall::bcast(void* buffer, std::size_t bytes, Rank root) {
  return make_call(Collective::bcast, buffer, buffer, {bytes}, root);
}

// Reductions.

/// The sum of what the members here bring, in their order, at one of them.
void SpanningCall::combine_here(const void* input, std::byte* output, const Elements& elements,
                                int place) {
  const std::size_t bytes = bytes_of(elements);
  if (is_alone_here()) return copy(output, input, bytes);
  const Rank to = index_here(place);
  if (here_.has_room_for(Collective::reduce, elements, to, communicator_.may_wait_in_calls))
    return call_here([=](TeamEndpoint& its) { its.reduce(input, output, elements, to); });
  const auto round = messages();
  if (own_place() != place) return round->send(place, input, bytes);
  const std::vector<int>& here = members_here().places;
  std::byte* const all = memory(bytes * here.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    if (here[i] != place) round->receive(here[i], all + i * bytes, bytes);
  act([=, count = here.size()] {
    std::memcpy(all + to * bytes, input, bytes);
    std::memcpy(output, all, bytes);
    for (std::size_t i = 1; i < count; ++i) combine(elements, output, all + i * bytes, output);
  });
}

/// A binomial tree of the speakers, in which the lower one's sum always comes first. Where the
/// order of ranks counts, its root is the first process, which then sends the total to the root.
void SpanningCall::reduce_to(Rank root, const void* input, std::byte* output,
                             const Elements& elements) {
  const std::size_t bytes = bytes_of(elements), count = process_count();
  if (elements.in_rank_order && !members().are_in_order)
    return reduce_in_order_at(root, input, output, elements);
  const std::size_t first = elements.in_rank_order ? 0 : process_of(root);
  const std::size_t own = (members().own + count - first) % count;
  const int speaker = speaker_of(members().own, root);
  const auto speaker_at = [&](std::size_t number) {
    return speaker_of((number + first) % count, root);
  };
  std::byte* sum = output;
  if (own_place() == speaker && own_place() != static_cast<int>(root)) sum = memory(bytes);
  combine_here(input, sum, elements, speaker);
  if (own_place() != speaker) return;
  for (std::size_t distance = 1; distance < count; distance *= 2) {
    if ((own & distance) != 0) {
      messages()->send(speaker_at(own - distance), sum, bytes);
      break;
    }
    if (own + distance >= count) continue;
    std::byte* const other = memory(bytes);
    messages()->receive(speaker_at(own + distance), other, bytes);
    act([=] { combine(elements, sum, other, sum); });
  }
  if (first == process_of(root)) return;
  if (own == 0) messages()->send(static_cast<int>(root), sum, bytes);
  if (own_place() == static_cast<int>(root)) messages()->receive(speaker_at(0), output, bytes);
}

/// Members of different processes take turns, so only one rank can combine them in order.
void SpanningCall::reduce_in_order_at(Rank root, const void* input, std::byte* output,
                                      const Elements& elements) {
  const std::size_t bytes = bytes_of(elements);
  const auto round = messages();
  if (own_place() != static_cast<int>(root))
    return round->send(static_cast<int>(root), input, bytes);
  std::byte* const all = memory(bytes * member_count());
  for (Rank place = 0; place < member_count(); ++place)
    if (place != root) round->receive(static_cast<int>(place), all + place * bytes, bytes);
  act([=, count = member_count()] {
    std::memcpy(all + root * bytes, input, bytes);
    std::memcpy(output, all, bytes);
    for (Rank place = 1; place < count; ++place)
      combine(elements, output, all + place * bytes, output);
  });
}

/// Recursive doubling: the lower half's sum comes first, so that all get the same bits, and the
/// order of processes is kept. The first few processes of a number that is no power of two form
/// pairs, of which one talks.
void SpanningCall::allreduce_of_speakers(std::byte* sum, const Elements& elements) {
  const std::size_t bytes = bytes_of(elements), count = process_count(), own = members().own;
  std::size_t power = 1;
  while (power * 2 <= count) power *= 2;
  const std::size_t pairs = count - power;
  const bool is_in_pair = own < 2 * pairs;
  if (is_in_pair && own % 2 == 1) {
    messages()->send(speaker_of(own - 1), sum, bytes);
    messages()->receive(speaker_of(own - 1), sum, bytes);
    return;
  }
  std::byte* const other = memory(bytes);
  if (is_in_pair) {
    messages()->receive(speaker_of(own + 1), other, bytes);
    act([=] { combine(elements, sum, other, sum); });
  }
  const std::size_t number = is_in_pair ? own / 2 : own - pairs;
  for (std::size_t distance = 1; distance < power; distance *= 2) {
    const std::size_t partner = number ^ distance;
    const int place = speaker_of(partner < pairs ? 2 * partner : partner + pairs);
    const auto round = messages();
    round->receive(place, other, bytes);
    round->send(place, sum, bytes);
    const bool is_first = number < partner;
    act([=] { combine(elements, is_first ? sum : other, is_first ? other : sum, sum); });
  }
  if (is_in_pair) messages()->send(speaker_of(own + 1), sum, bytes);
}

void SpanningCall::allreduce(const void* input, void* output, const Elements& elements) {
  const std::size_t bytes = bytes_of(elements);
  auto* const sum = static_cast<std::byte*>(output);
  if (elements.in_rank_order && !members().are_in_order) {
    reduce_in_order_at(0, input, sum, elements);
    return bcast_from(0, output, bytes);
  }
  const int speaker = speaker_of(members().own);
  combine_here(input, sum, elements, speaker);
  if (speaks()) allreduce_of_speakers(sum, elements);
  bcast_here(speaker, output, bytes);
}

/// A chain of all members: each gets the sum of those before it.
void SpanningCall::scan(const void* input, std::byte* output, const Elements& elements,
                        bool is_exclusive) {
  const std::size_t bytes = bytes_of(elements);
  const int own = own_place();
  const bool is_first = own == 0, is_last = own + 1 == static_cast<int>(member_count());
  std::byte* const before = memory(bytes);
  std::byte* const sum = memory(bytes);
  if (!is_first) messages()->receive(own - 1, before, bytes);
  act([=] {
    if (is_first)
      std::memcpy(sum, input, bytes);
    else
      combine(elements, before, input, sum);
  });
  if (!is_last) messages()->send(own + 1, sum, bytes);
  if (!is_exclusive) copy(output, sum, bytes);
  if (is_exclusive && !is_first) copy(output, before, bytes);
}

/// The whole vectors are combined, of which each member takes its block.
void SpanningCall::reduce_blocks(const void* input, std::byte* output, const Elements& block) {
  const std::size_t bytes = bytes_of(block);
  Elements whole = block;
  whole.count *= member_count();
  std::byte* const sums = memory(bytes_of(whole));
  allreduce(input, sums, whole);
  copy(output, sums + static_cast<std::size_t>(own_place()) * bytes, bytes);
}

// Moves of blocks.

/// Each process's blocks go to its speaker, from there to all others, and to the teams.
void SpanningCall::gather_all(const Block& own, const Block* outputs, bool are_equal) {
  const auto bytes_of_place = [&](int place) {
    return outputs[static_cast<std::size_t>(place)].bytes;
  };
  std::size_t total = 0;
  std::vector<std::size_t> begins;  // by process
  for (const ProcessMembers& some : members().processes) {
    begins.push_back(total);
    for (const int place : some.places) total += bytes_of_place(place);
  }
  begins.push_back(total);
  std::byte* const all = memory(total);
  std::byte* const mine = all + begins[members().own];
  const int speaker = speaker_of(members().own);
  if (are_equal && !is_alone_here()) {
    call_here([=](TeamEndpoint& its) { its.gather(own.at, mine, own.bytes, 0); });
  } else {
    const auto round = messages();
    std::byte* at = mine;
    for (const int place : members_here().places) {
      if (place == own_place() && speaks())
        copy(at, own.at, own.bytes);
      else if (place == own_place())
        round->send(speaker, own.at, own.bytes);
      else if (speaks())
        round->receive(place, at, bytes_of_place(place));
      at += bytes_of_place(place);
    }
  }
  if (speaks()) {
    const auto round = messages();
    for (std::size_t process = 0; process < process_count(); ++process) {
      if (process == members().own) continue;
      round->receive(speaker_of(process), all + begins[process],
                     begins[process + 1] - begins[process]);
      round->send(speaker_of(process), mine, begins[members().own + 1] - begins[members().own]);
    }
  }
  bcast_here(speaker, all, total);
  const std::byte* at = all;
  for (const ProcessMembers& some : members().processes)
    for (const int place : some.places) {
      copy(outputs[static_cast<std::size_t>(place)].at, at, bytes_of_place(place));
      at += bytes_of_place(place);
    }
}

void SpanningCall::gather_blocks(const Block& own, const Block* outputs, Rank root) {
  const auto round = messages();
  if (own_place() != static_cast<int>(root)) {
    if (own.bytes > 0) round->send(static_cast<int>(root), own.at, own.bytes);
    return;
  }
  for (Rank place = 0; place < member_count(); ++place)
    if (place != root && outputs[place].bytes > 0)
      round->receive(static_cast<int>(place), outputs[place].at, outputs[place].bytes);
  copy(outputs[root].at, own.at, own.bytes);
}

void SpanningCall::scatter_blocks(const Block* inputs, const Block& own, Rank root) {
  const auto round = messages();
  if (own_place() != static_cast<int>(root)) {
    if (own.bytes > 0) round->receive(static_cast<int>(root), own.at, own.bytes);
    return;
  }
  for (Rank place = 0; place < member_count(); ++place)
    if (place != root && inputs[place].bytes > 0)
      round->send(static_cast<int>(place), inputs[place].at, inputs[place].bytes);
  copy(own.at, inputs[root].at, own.bytes);
}

/// A message for each pair. Where both are the same memory, what is given is copied first.
void SpanningCall::exchange_blocks(const Block* given, const Block* wanted) {
  const Rank count = member_count(), own = static_cast<Rank>(own_place());
  std::vector<Block> from(given, given + count);
  bool is_in_place = false;
  std::size_t total = 0;
  for (Rank place = 0; place < count; ++place) {
    is_in_place |= given[place].bytes > 0 && given[place].at == wanted[place].at;
    total += given[place].bytes;
  }
  if (is_in_place) {
    std::byte* at = memory(total);
    for (Block& block : from) {
      copy(at, block.at, block.bytes);
      block.at = at;
      at += block.bytes;
    }
  }
  const auto round = messages();
  for (Rank distance = 1; distance < count; ++distance) {
    const Rank giver = (own + count - distance) % count, taker = (own + distance) % count;
    if (wanted[giver].bytes > 0)
      round->receive(static_cast<int>(giver), wanted[giver].at, wanted[giver].bytes);
    if (from[taker].bytes > 0)
      round->send(static_cast<int>(taker), from[taker].at, from[taker].bytes);
  }
  copy(wanted[own].at, from[own].at, std::min(wanted[own].bytes, from[own].bytes));
}

// The calls.

bool SpanningCall::make_call(Collective collective, const void* input, void* output,
                             const Elements& elements, Rank root) {
  if (collective == Collective::barrier) return barrier();
  const std::size_t bytes = bytes_of(elements);
  identify(collective, bytes, is_rooted(collective) ? root : 0, elements.combination);
  compose(collective, input, output, elements, root);
  return true;
}

void SpanningCall::compose(Collective collective, const void* input, void* output,
                           const Elements& elements, Rank root) {
  const std::size_t bytes = bytes_of(elements);
  auto* const to = static_cast<std::byte*>(output);
  const Block own_input{static_cast<std::byte*>(const_cast<void*>(input)), bytes};
  switch (collective) {
    case Collective::bcast:
      bcast_from(root, output, bytes);
      break;
    case Collective::reduce:
      reduce_to(root, input, to, elements);
      break;
    case Collective::allreduce:
      allreduce(input, output, elements);
      break;
    case Collective::scan:
    case Collective::exscan:
      scan(input, to, elements, collective == Collective::exscan);
      break;
    case Collective::allgather:
      gather_all(own_input, tables_.emplace_back(blocks_of(output, bytes)).data(), true);
      break;
    case Collective::gather:
      gather_blocks(own_input, tables_.emplace_back(blocks_of(output, bytes)).data(), root);
      break;
    case Collective::scatter:
      scatter_blocks(tables_.emplace_back(blocks_of(input, bytes)).data(), {to, bytes}, root);
      break;
    case Collective::alltoall:
      exchange_blocks(blocks_of(input, bytes).data(), blocks_of(output, bytes).data());
      break;
    case Collective::reduce_scatter_block:
      reduce_blocks(input, to, elements);
      break;
    default:
      TERRACE_REQUIRE(false, collective);
  }
}

bool SpanningCall::move_blocks(Collective collective, const BlockTables& blocks, std::size_t,
                               Rank root) {
  identify(collective, 0, is_rooted(collective) ? root : 0, {});
  const auto own = static_cast<std::size_t>(own_place());
  switch (planned_as(collective)) {
    case Collective::allgather:
      gather_all(blocks.input[own], blocks.output, false);
      break;
    case Collective::gather:
      gather_blocks(blocks.input[own], blocks.output, root);
      break;
    case Collective::scatter:
      scatter_blocks(blocks.input, blocks.output[own], root);
      break;
    default:
      exchange_blocks(blocks.input, blocks.output);
  }
  return true;
}

bool SpanningCall::reduce_scatter(const Block* input, const Block& output,
                                  const Elements& elements) {
  std::size_t total = 0, before = 0;
  for (Rank place = 0; place < member_count(); ++place) {
    if (static_cast<int>(place) == own_place()) before = total;
    total += input[place].bytes;
  }
  identify(Collective::reduce_scatter, total, 0, elements.combination);
  Elements whole = elements;
  whole.count = total / elements.bytes;
  std::byte* const packed = memory(total);
  std::byte* at = packed;
  for (Rank place = 0; place < member_count(); ++place) {
    copy(at, input[place].at, input[place].bytes);
    at += input[place].bytes;
  }
  std::byte* const sums = memory(total);
  allreduce(packed, sums, whole);
  copy(output.at, sums + before, output.bytes);
  return true;
}

bool SpanningCall::agree(Collective collective, std::uint64_t& word, Rank root) {
  identify(collective, sizeof word, is_rooted(collective) ? root : 0, {});
  if (is_rooted(collective)) {
    bcast_from(root, &word, sizeof word);
    return true;
  }
  allreduce(&word, &word, {1, sizeof word, find_reduction(Type::uint64, Operator::maximum)});
  return true;
}

bool SpanningCall::tell_lengths(Collective collective, const BlockTables& blocks, bool can_go_on,
                                Rank root, Lengths& lengths) {
  const auto [exchange, input, output, bytes] = lengths.prepare(
      collective, blocks, can_go_on, root, static_cast<Rank>(own_place()), member_count());
  identify(collective, 0, is_rooted(collective) ? root : 0, {});
  compose(exchange, input, output, {bytes}, root);
  return true;
}

}  // namespace terrace::threadranks
