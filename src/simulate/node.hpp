// SPDX-License-Identifier: BSD-3-Clause
// Simulates the ranks of one node as they run their programs. The executor's rules
// (execute/run.cpp), with a clock instead of memory: which signals a step polls, which values it
// moves, what it publishes, and what it must wait for at entry.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "execute/endpoint_state.hpp"
#include "plan/rank_program.hpp"
#include "simulate/flows.hpp"
#include "simulate/outcome.hpp"
#include "simulate/signals.hpp"
#include "simulate/values.hpp"

namespace terrace::simulate {

/// A message that a rank has sent.
struct Sent {
  Rank rank = 0;  ///< of this node
  std::uint32_t instruction = 0;
  double front = 0;  ///< when its first byte is at the other node
  double wire = 0;   ///< how long it takes to pass a point of the network
  double gap = 0;    ///< g
  std::uint32_t strip = 0;
};

/// A node's knowledge of the others: its ranks' numbers in the whole job, and the network level
/// that each send crosses. The node's programs name ranks by their numbers in the node, and peers
/// of messages by their numbers in the job.
struct NodeSurroundings {
  std::vector<Rank> ranks;
  std::vector<std::vector<std::uint8_t>> levels;  ///< by rank and instruction; empty: no messages
};

class NodeSimulation {
 public:
  static constexpr double kNever = Flows::kNever;

  /// All must live as long. One part per rank of `hardware`, of one plan.
  NodeSimulation(const Hardware& hardware, std::span<const RankProgram> programs,
                 const SimulationSetting& setting, const NodeSurroundings& outside);

  /// When something happens next, if no message comes before; kNever: nothing.
  double next_time();
  /// Lets that happen.
  void advance();
  /// Messages that have been sent since this was asked last.
  std::vector<Sent>& sent() { return sent_; }
  /// The next message of a peer, a rank of the job, arrives at a rank of this node, which receives
  /// from that peer as its `turn`-th. Messages that arrive at the same time are taken by rank and
  /// turn.
  void receive(Rank rank, Rank peer, std::uint32_t turn, const Sent& sent);

  /// All ranks have returned from the call at hand and wait for `begin_all`.
  bool has_returned() const { return returned_ == players_.size(); }
  double last_end() const { return outcome_.calls.back().last_end; }
  void begin_all(double now);
  /// Nothing more happens: is all done? Errors: argument, names a rank that waits.
  Result<bool> check_over() const;

  /// Once, when all is over.
  SimulationOutcome take_outcome();
  /// Memory taken.
  std::size_t bytes() const;

 private:
  enum class EventKind : std::uint8_t { begin, met, done, seen, message_arrives, arrived };
  struct Event {
    double time = 0;
    std::uint64_t order = 0;
    std::uint64_t value = 0;   ///< seen: of the signal; message_arrives: its `wire`, as bits
    std::uint32_t number = 0;  ///< a rank; seen: a signal; message_arrives, arrived: a channel
    EventKind kind = EventKind::begin;
  };
  /// Shared memory that peers may still read: of which call, and which line of it.
  struct PendingReaders {
    std::uint32_t call = 0;  ///< 0: none
    std::uint32_t line = 0;
  };
  static constexpr double kFlowLines = 8;  ///< steps that bring in fewer share nothing
  static constexpr Rank kNoRank = ~Rank{0};
  static constexpr std::uint32_t kNoChannel = ~0u;
  /// Messages from one rank of the job to one of this node.
  struct Channel {
    Rank rank = 0, peer = 0;
    std::uint64_t arrived = 0, taken = 0;
    double gap = 0;
    std::vector<StepNumber> sends;  ///< of those that have set off; only if steps are asked for
  };
  /// When the messages that a rank started up to a step have left it.
  struct Gone {
    std::uint64_t word = 0;
    double time = 0;
  };
  /// When a message to a peer may come at the earliest, behind a long one.
  struct Behind {
    Rank peer = 0;
    double front = 0;
  };
  struct Player {
    std::uint32_t call = 0;  ///< from 1
    std::uint32_t strip = 0, position = 0;
    std::uint32_t unmet = 0;  ///< signals that it still waits for
    bool has_entered = false;
    double begun = 0;                              ///< of the call
    double waiting = 0;                            ///< when the looking began
    double working = 0;                            ///< when the step's work began
    double ready = 0;                              ///< when all that was waited for had come
    double after_flow = 0;                         ///< what the step takes besides the flow
    double bytes = 0;                              ///< that the step moves
    Rank peer = 0;                                 ///< the farthest whom it moves them from
    Rank awaited = 0;                              ///< who came last
    std::optional<StepNumber> cause;               ///< likewise
    std::int64_t own_lines = 0, domain_lines = 0;  ///< Values' counts when the call began
    std::uint64_t draws = 0;                       ///< random numbers used
    std::uint32_t all_done = 0;          ///< a call that every rank is known to have returned from
    std::uint32_t channel = kNoChannel;  ///< whose next message it waits for
    std::vector<Gone> gone;              ///< of its messages
    std::vector<Behind> behind;          ///< by peer that a long message has gone to
    std::array<PendingReaders, kLineSlots> lines;
    std::array<PendingReaders, kPendingScratchReaders> leases;
  };
  /// The result of polling several signals.
  struct Look {
    double at = 0;   ///< when the next miss is issued
    double end = 0;  ///< when all have been seen
    std::uint32_t unmet = 0;
  };
  /// Costs of a step's values.
  struct Work {
    double hits = 0;     ///< ns, one after the other
    double latency = 0;  ///< of the first lines, which are under way together
    double issue = 0;    ///< what each further of them adds
    double ownership = 0;
    double lines = 0;     ///< ns, all other lines, alone on the machine
    double bytes = 0;     ///< from elsewhere than the own caches
    Rank peer = kNoRank;  ///< the farthest whom values come from
    std::uint32_t peer_distance = 0;
    bool has_missed = false;
    std::vector<ResourceShare> shares;  ///< in ns, until they are started
  };

  void push(double time, EventKind kind, std::uint32_t number, std::uint64_t value = 0);
  void push(const Event& event);
  void handle(const Event& event);
  void end_flows();

  void begin(Rank rank, double now);
  void enter(Rank rank, double now);
  void proceed(Rank rank, double now);
  void met(Rank rank, double now);
  void perform(Rank rank, double now);
  void done(Rank rank, double now);
  double publish(Rank rank, const Instruction& step, double now);
  void finish(Rank rank, double now);
  void note_end(Rank rank, double now);

  void look(Rank rank, SignalNumber signal, std::uint64_t value, Look& result);
  void look_for(Rank rank, const ProgramWait& wait, Look& result);
  void look_for_readers(Rank rank, const PendingReaders& pending, const std::vector<Rank>& readers,
                        Look& result);
  void look_for_message(Rank rank, const Instruction& step, Look& result);
  void look_for_gone(const Player& player, const ProgramWait& wait, Look& result) const;
  std::uint32_t channel_of(Rank rank, Rank peer);
  void message_arrives(std::uint32_t channel, double wire, double now);
  void arrived(std::uint32_t channel, double now);
  double message(Rank rank, const Instruction& step, double now);
  static double in_order(Player& sender, Rank peer, double front, double wire, bool asks);
  double bytes_of(Rank rank, const Instruction& send) const;
  void put(Rank rank, const Instruction& receive, double now);
  double raise(SignalNumber signal, std::uint64_t value, double now);
  void show(SignalNumber signal, std::uint64_t value, double now);

  void work_out(Rank rank, const Instruction& step, double now, Work& work);
  void read(Rank rank, const ProgramRegion& region, double now, Work& work);
  void read_line(Rank rank, const ProgramRegion& region, double now, Work& work);
  void write(Rank rank, const ProgramRegion& region, bool streams, double now, Work& work);
  void fetch(Rank rank, PieceIndex piece, double bytes, bool is_first, double now, Work& work);
  double bring(const FoundValue& found, PieceIndex piece, Rank rank, double bytes, bool is_first,
               double now, Work& work);
  void store(Rank rank, PieceIndex piece, double bytes, bool is_first, double now, Work& work);
  void stream(Rank rank, PieceIndex piece, double bytes, Work& work);
  double ownership(Rank rank, PieceIndex piece) const;
  static void add_miss(double latency, double further, Work& work);
  void count(const FoundValue& found, std::uint32_t distance, double bytes, Work& work);
  bool is_own_output(Rank rank, const ProgramRegion& region) const;
  bool is_paper() const { return setting_->mode == Mode::paper; }

  void place_values();
  bool is_in_scratch(const ProgramRegion& region) const;
  static bool is_output(const ProgramRegion& region);
  PieceIndex place_of(const ProgramRegion& region, const Player& player) const;
  PieceIndex first_piece(const ProgramRegion& region, const Player& player);
  void expect(Rank rank, std::span<const ProgramRegion> regions, std::size_t index) const;
  void renew(PieceIndex piece, const ProgramRegion& region, std::uint32_t tile, std::size_t which,
             const Player& reader);
  std::size_t strip_elements(std::uint32_t strip) const;
  std::size_t tile_begin(std::size_t elements, std::uint32_t tile) const;
  void measure_tiles();
  double tile_bytes(std::uint32_t strip, std::uint32_t tile) const {
    return tile_bytes_[strip + 1 == strips_ ? 1 : 0][tile];
  }

  bool is_to_be_kept(const Player& player) const {
    return setting_->has_steps && player.call == setting_->calls;
  }
  std::optional<StepNumber> raiser_of(SignalNumber signal, std::uint64_t value) const;
  void keep_step(Rank rank, double done, double published);
  double jittered(Rank rank, double ns);
  void record(Rank rank, Activity activity, double begin, double end, Rank peer);

  const Hardware* hardware_;
  std::span<const RankProgram> programs_;
  const SimulationSetting* setting_;
  const NodeSurroundings* outside_;

  std::size_t strip_size_ = 1;  ///< elements
  std::uint32_t strips_ = 1;
  std::uint32_t kept_strips_ =
      1;                      ///< strips for which the pieces of users' buffers are kept at a time
  std::uint32_t leases_ = 1;  ///< calls before scratch is used again
  /// Kept leases and ring slots that come up, and blocks in each slot.
  std::uint32_t kept_leases_ = 1, kept_slots_ = 1, scratch_blocks_ = 0;
  std::array<std::uint32_t, 2> blocks_{};          ///< of inputs and outputs
  std::array<std::vector<double>, 2> tile_bytes_;  ///< of a strip, and of the last
  /// Lines of users' blocks, inputs and outputs, of a rank and of all ranks of a domain.
  std::vector<std::array<double, 2>> users_lines_, users_lines_near_;

  double clock_ = 0;
  std::uint64_t order_ = 0;
  std::vector<Event> events_;  ///< a heap
  std::vector<Player> players_;
  std::vector<std::uint32_t> known_done_;  ///< by rank and peer: a call that it has returned from
  Signals signals_;
  NodeValues values_;
  Flows flows_;
  std::vector<std::array<PieceIndex, 3>> pieces_;  ///< per rank: input, output, scratch
  std::uint32_t returned_ = 0;  ///< from the call at hand, where they start together
  std::vector<Channel> channels_;
  std::vector<std::vector<std::uint32_t>> channels_of_;  ///< by rank
  std::vector<Sent> sent_;
  double sending_until_ = 0;    ///< the node's way into the network is taken
  double receiving_until_ = 0;  ///< and its way out of it
  SimulationOutcome outcome_;
  // Kept for their room.
  std::vector<Spinner> spinners_;
  std::vector<std::uint32_t> ended_;
  Work work_;
};

}  // namespace terrace::simulate
