// SPDX-License-Identifier: BSD-3-Clause
// SpanningCall: a collective of a communicator whose members are in several processes. Calls of the
// team in each process, and messages between them, are made one after the other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/team_endpoint.hpp"
#include "threadranks/ranks/communicator.hpp"

namespace terrace::threadranks {

/// One of a team's calls that work on an endpoint makes, as on a TeamEndpoint: each function,
/// called once, returns true at once; the call is made by `advance`. Arguments must stay valid
/// until it is complete. Ranks and blocks are numbered by place.
class SpanningCall {
 public:
  /// `here`: of the members in this process.
  SpanningCall(Communicator& communicator, TeamEndpoint& here)
      : communicator_(communicator), here_(here) {}

  bool barrier();
  bool bcast(void* buffer, std::size_t bytes, Rank root);
  bool allgather(const void* input, void* output, std::size_t bytes) {
    return make_call(Collective::allgather, input, output, {bytes}, 0);
  }
  bool gather(const void* input, void* output, std::size_t bytes, Rank root) {
    return make_call(Collective::gather, input, output, {bytes}, root);
  }
  bool make_call(Collective collective, const void* input, void* output, const Elements& elements,
                 Rank root);
  bool move_blocks(Collective collective, const BlockTables& blocks, std::size_t most_bytes,
                   Rank root);
  bool reduce_scatter(const Block* input, const Block& output, const Elements& elements);
  bool agree(Collective collective, std::uint64_t& word, Rank root);
  bool tell_lengths(Collective collective, const BlockTables& blocks, bool can_go_on, Rank root,
                    Lengths& lengths);
  /// Elements of any length are combined, if need be at one member of each process.
  bool has_room_for(Collective, const Elements&, Rank) const { return true; }

  /// Goes on as far as it can without waiting. Also returns `done` whenever it is asked again.
  Progress advance();

 private:
  class Messages;
  /// Returns whether it is complete.
  using Step = std::function<bool()>;

  // Records what is known of the call.
  void identify(Collective collective, std::size_t bytes, Rank root, Combination combination);
  const SpanningMembers& members() const { return *communicator_.shared().spanning; }
  const ProcessMembers& members_here() const { return members().here(); }
  std::size_t process_count() const { return members().processes.size(); }
  Rank member_count() const { return static_cast<Rank>(communicator_.shared().members.size()); }
  int own_place() const { return communicator_.place_of_member(communicator_.rank()); }
  std::size_t process_of(Rank place) const { return members().process_of[place]; }
  Rank index_here(int place) const;
  /// The member of a process that talks: the root in its own, and the first of all others.
  int speaker_of(std::size_t process, Rank root) const;
  int speaker_of(std::size_t process) const { return members().processes[process].places.front(); }
  bool speaks() const { return own_place() == speaker_of(members().own); }
  bool is_alone_here() const { return members_here().places.size() == 1; }

  // Steps.
  void add(Step step) { steps_.push_back(std::move(step)); }
  void act(std::function<void()> action);
  void call_here(std::function<void(TeamEndpoint&)> make);
  std::shared_ptr<Messages> messages();
  std::byte* memory(std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);

  // Parts of calls.
  void compose(Collective collective, const void* input, void* output, const Elements& elements,
               Rank root);
  void bcast_from(Rank root, void* buffer, std::size_t bytes);
  void bcast_here(int place, void* buffer, std::size_t bytes);
  void combine_here(const void* input, std::byte* output, const Elements& elements, int place);
  void reduce_to(Rank root, const void* input, std::byte* output, const Elements& elements);
  void reduce_in_order_at(Rank root, const void* input, std::byte* output,
                          const Elements& elements);
  void allreduce_of_speakers(std::byte* sum, const Elements& elements);
  void allreduce(const void* input, void* output, const Elements& elements);
  void reduce_blocks(const void* input, std::byte* output, const Elements& block);
  void gather_all(const Block& own, const Block* outputs, bool are_equal);
  void gather_blocks(const Block& own, const Block* outputs, Rank root);
  void scatter_blocks(const Block* inputs, const Block& own, Rank root);
  void exchange_blocks(const Block* given, const Block* wanted);
  void scan(const void* input, std::byte* output, const Elements& elements, bool is_exclusive);
  std::vector<Block> blocks_of(const void* at, std::size_t bytes) const;

  Communicator& communicator_;
  TeamEndpoint& here_;
  int tag_ = 0;
  std::vector<Step> steps_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<std::vector<Block>> tables_;
};

}  // namespace terrace::threadranks
