// SPDX-License-Identifier: BSD-3-Clause
// Sequences of mixed calls on one team, the same script on every rank, each result checked: what
// runs them is up to the test, a seeded scheduler on one thread or real threads with delays.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collectives/collectives.hpp"
#include "execute/run.hpp"
#include "network_in_memory.hpp"
#include "plan/lower.hpp"

namespace terrace::sequences {

/// So little that calls soon come round; and what plans by name and over nodes need.
inline constexpr std::size_t kScratchBytes = 32 * kLinePairBytes;
inline constexpr std::size_t kMoreScratchBytes = 64 * kLinePairBytes;

/// One call of the script; whatever differs between ranks is drawn from `seed` and the rank. A call
/// that falls back to the MPI is one that no rank makes, so it is in no script.
struct ScriptedCall {
  const std::vector<RankProgram>* programs = nullptr;
  Collective collective = Collective::barrier;
  Rank root = 0;
  std::size_t count = 0;
  std::size_t strip = 1;
  std::uint64_t seed = 0;
  std::optional<Reach> reach = std::nullopt;  ///< of all ranks; nothing: drawn
  std::size_t scratch_span = 0;
};

/// In one process all memory can be read; what was read is counted.
class NearPuller final : public Puller {
 public:
  bool pull(Rank, const void* from, void* to, std::size_t bytes) noexcept override {
    std::memcpy(to, from, bytes);
    ++pulls;
    return !is_refused;
  }
  std::size_t pulls = 0;
  bool is_refused = false;
};

/// In one process all memory is where it is said to be; what is attached is counted.
class NearAttacher final : public Attacher {
 public:
  Place attach(Rank, const std::byte* there, std::size_t bytes) noexcept override {
    ++attachments;
    if (!is_refused) return {const_cast<std::byte*>(there), true};
    instead_.resize(bytes);
    return {instead_.data(), false};
  }
  void leave() noexcept override {}
  std::size_t attachments = 0;
  bool is_refused = false;

 private:
  std::vector<std::byte> instead_;
};

/// The ranks of each node, ascending.
using RanksOfNodes = std::vector<std::vector<Rank>>;

inline RanksOfNodes ranks_of(const std::vector<std::uint32_t>& nodes) {
  RanksOfNodes result;
  for (Rank rank = 0; rank < nodes.size(); ++rank) {
    result.resize(std::max<std::size_t>(result.size(), nodes[rank] + 1u));
    result[nodes[rank]].push_back(rank);
  }
  return result;
}

/// Each as the team of its node runs it.
inline std::vector<RankProgram> on_nodes(std::vector<RankProgram> programs,
                                         const RanksOfNodes& nodes) {
  for (const std::vector<Rank>& ranks : nodes)
    for (const Rank rank : ranks) programs[rank] = on_node(std::move(programs[rank]), ranks);
  return programs;
}

/// Which plans: those of ranks that share memory, or those with messages between nodes.
enum class Which : std::uint8_t { on_one_node, over_nodes };

/// All plans of a hierarchy, lowered both ways, for all roots; those of blocks also with room for
/// several in a line.
class Plans {
 public:
  struct Row {
    const Algorithm* algorithm;
    Rank root;
    Lowering lowering;
    std::vector<RankProgram> programs;
    std::string text;  ///< the plan
  };

  explicit Plans(const Hierarchy& hierarchy, std::uint32_t radix = 3,
                 std::span<const Algorithm> table = algorithms(), Which which = Which::on_one_node,
                 std::uint32_t ring = 2) {
    for (const Algorithm& algorithm : table)
      for (Rank root = 0; root < hierarchy.rank_count(); ++root)
        for (const auto& [lowering, pockets] : ways_of(algorithm)) {
          if (root != 0 && !is_rooted(algorithm.collective)) continue;
          Result<Plan> plan =
              lower(algorithm.write({hierarchy, root, radix}), lowering, ring, pockets);
          const bool is_same_again = pockets > 1 && plan && plan.value().pockets == 1;
          if (!plan || plan.value().lines > kMostLines || is_same_again) continue;
          if (plan.value().has_messages() != (which == Which::over_nodes)) continue;
          rows_.push_back(
              {&algorithm, root, lowering, programs_of(plan.value()), to_text(plan.value())});
          if (which == Which::over_nodes)
            rows_.back().programs =
                on_nodes(std::move(rows_.back().programs), ranks_of(hierarchy.nodes));
        }
  }
  const std::vector<Row>& rows() const { return rows_; }
  std::vector<Row>& rows() { return rows_; }

 private:
  using Way = std::pair<Lowering, std::uint32_t>;
  static std::vector<Way> ways_of(const Algorithm& algorithm) {
    std::vector<Way> ways = {{Lowering::lines, 1}, {Lowering::owner, 1}};
    if (has_block_per_rank(algorithm.collective)) ways.push_back({Lowering::lines, kPockets});
    return ways;
  }
  static constexpr std::uint32_t kPockets = 4;

  std::vector<Row> rows_;
};

inline std::vector<ScriptedCall> script(const Plans& plans, std::size_t calls, std::uint64_t seed,
                                        std::size_t most_elements, std::size_t scratch_bytes) {
  std::mt19937_64 random(seed);
  std::vector<ScriptedCall> result;
  for (std::size_t i = 0; i < calls; ++i) {
    const Plans::Row& row = plans.rows()[random() % plans.rows().size()];
    ScriptedCall call;
    call.programs = &row.programs;
    call.collective = row.algorithm->collective;
    call.root = row.root;
    const std::size_t most = row.lowering == Lowering::lines
                                 ? kPayloadBytes / 8 / row.programs.front().pockets
                                 : most_elements;
    call.count =
        call.collective == Collective::barrier || random() % 8 == 0 ? 0 : random() % (most + 1);
    if (random() % 4 == 0) call.reach = Reach::direct;
    Call shape;
    shape.element_count = call.count;
    shape.element_bytes = 8;
    shape.is_direct_everywhere =
        call.reach == Reach::direct && !row.programs.front().bounces_in_place;
    call.strip = strip_elements(row.programs.front(), shape, 8 << (random() % 12), scratch_bytes);
    call.seed = random();
    if (random() % 2 == 0) call.scratch_span = kLinePairBytes << (random() % 12);
    result.push_back(call);
  }
  return result;
}

inline std::uint64_t hash(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

/// What element `i` of a rank's input is in a call: sums wrap, which is exact.
inline std::uint64_t element(const ScriptedCall& call, Rank rank, std::size_t i) {
  return hash(call.seed + 1000003u * rank + i);
}

/// One rank going through the script.
class Player {
 public:
  Player(const TeamMemory& memory, Rank rank, const std::vector<ScriptedCall>& script,
         std::uint64_t first_call)
      : state_(memory, rank, first_call),
        rank_(rank),
        ranks_(memory.rank_count()),
        script_(script) {}
  /// On one of several nodes: `number` is the rank's in its node's memory.
  Player(const TeamMemory& memory, Rank number, Rank rank, Rank ranks, Messenger& messenger,
         const std::vector<ScriptedCall>& script)
      : state_(memory, number),
        rank_(rank),
        ranks_(ranks),
        script_(script),
        messenger_(&messenger) {}

  bool is_finished() const { return next_ == script_.size() && !run_; }
  Run* run() { return run_.get(); }
  const std::string& complaint() const { return complaint_; }
  NearPuller puller;
  NearAttacher attacher;

  /// Begins the next call of the script.
  void begin() {
    const ScriptedCall& call = script_[next_++];
    const std::uint64_t mine = hash(call.seed + rank_);
    is_in_place_ = mine % 2 == 0 || call.collective == Collective::bcast;
    const std::size_t blocks = has_block_per_rank(call.collective) ? ranks_ : 1;
    for (std::vector<std::uint64_t>* const buffer : {&input_, &output_}) {
      buffer->reserve(1);  // of no elements, buffers have addresses of their own, too
      buffer->resize(call.count * blocks);
    }
    for (std::size_t i = 0; i < input_.size(); ++i) input_[i] = element(call, rank_, i);
    std::fill(output_.begin(), output_.end(), 0xdeadu);
    Call& arguments = arguments_ = {};
    arguments.input = input_.data();
    arguments.output = is_in_place_ ? input_.data() : output_.data();
    arguments.element_count = arguments.block_elements = call.count;
    arguments.element_bytes = 8;
    arguments.strip_elements = call.strip;
    arguments.reduction = find_reduction(Type::uint64, Operator::sum);
    const bool bounces_in_place = call.programs->front().bounces_in_place;
    arguments.is_direct_everywhere = call.reach == Reach::direct && !bounces_in_place;
    arguments.reach = call.reach.value_or((mine >> 8) % 2 == 0 ? Reach::direct : Reach::bounced);
    if (bounces_in_place && is_in_place_) arguments.reach = Reach::bounced;
    // How a rank stores is its private matter.
    arguments.streams = mine >> 11 & 1;
    arguments.streams_scratch = mine >> 12 & 1;
    arguments.copies = static_cast<CopyBy>((mine >> 13) % 3);
    arguments.scratch_span = call.scratch_span;
    arguments.puller = &puller;
    arguments.attacher = &attacher;
    arguments.messenger = messenger_;
    if (arguments.reach == Reach::direct && call.programs->front().can_be_pulled && mine >> 9 & 1)
      arguments.reach = Reach::pulled;
    else if (arguments.reach == Reach::direct && mine >> 10 & 1)
      arguments.reach = Reach::attached;
    run_ = std::make_unique<Run>(state_, (*call.programs)[rank_], arguments);
  }

  /// Checks the result, then scribbles over both buffers, as a user may.
  void end() {
    const ScriptedCall& call = script_[next_ - 1];
    const auto& promised = promise(call).outputs[rank_];
    for (std::size_t block = 0; block < promised.size(); ++block)
      if (promised[block]) check(call, block, *promised[block]);
    run_.reset();
    std::fill(input_.begin(), input_.end(), 0xbad1u);
    std::fill(output_.begin(), output_.end(), 0xbad2u);
  }

 private:
  const Postcondition& promise(const ScriptedCall& call) {
    const auto [found, is_new] = promises_.try_emplace({call.collective, call.root});
    if (is_new) found->second = postcondition(call.collective, ranks_, call.root);
    return found->second;
  }

  void check(const ScriptedCall& call, std::size_t block, const Terms& terms) {
    const std::vector<std::uint64_t>& result = is_in_place_ ? input_ : output_;
    for (std::size_t i = 0; i < call.count && complaint_.empty(); ++i) {
      std::uint64_t sum = 0;
      for (const Term& term : terms) sum += element(call, term.rank, term.block * call.count + i);
      if (result[block * call.count + i] != sum)
        complaint_ = "rank " + std::to_string(rank_) + ", call " + std::to_string(next_ - 1) +
                     " (" + run_->program().name + ", " + std::to_string(call.count) +
                     " elements, strips of " + std::to_string(call.strip) + "), element " +
                     std::to_string(i) + " of block " + std::to_string(block) + " is wrong";
    }
  }

  EndpointState state_;
  Rank rank_, ranks_;  ///< over all nodes
  const std::vector<ScriptedCall>& script_;
  Messenger* messenger_ = nullptr;
  std::size_t next_ = 0;
  bool is_in_place_ = false;
  std::vector<std::uint64_t> input_, output_;
  Call arguments_;
  std::unique_ptr<Run> run_;
  std::string complaint_;
  std::map<std::pair<Collective, Rank>, Postcondition> promises_;
};

/// Memory and players for one team, the counters starting just after `first_call`; or for the teams
/// of several nodes, which share no memory.
struct Team {
  Team(Rank ranks, std::size_t scratch_bytes, const std::vector<ScriptedCall>& script,
       std::uint64_t first_call) {
    const TeamMemory& memory = new_memory(ranks, scratch_bytes, first_call);
    for (Rank rank = 0; rank < ranks; ++rank)
      players.push_back(std::make_unique<Player>(memory, rank, script, first_call));
  }
  Team(const std::vector<std::uint32_t>& nodes, std::size_t scratch_bytes,
       const std::vector<ScriptedCall>& script, std::uint64_t seed)
      : network(std::make_unique<NetworkInMemory>(static_cast<Rank>(nodes.size()), seed)),
        players(nodes.size()) {
    const auto all = static_cast<Rank>(nodes.size());
    for (const std::vector<Rank>& ranks : ranks_of(nodes)) {
      const TeamMemory& memory = new_memory(static_cast<Rank>(ranks.size()), scratch_bytes, 0);
      for (Rank number = 0; number < ranks.size(); ++number)
        players[ranks[number]] = std::make_unique<Player>(
            memory, number, ranks[number], all, network->messenger_of(ranks[number]), script);
    }
  }
  const TeamMemory& new_memory(Rank ranks, std::size_t scratch_bytes, std::uint64_t first_call) {
    memories.push_back(std::make_unique<ThreadMemory>(ranks, scratch_bytes));
    const TeamMemory& memory = memories.back()->memory();
    for (const RankMemory& rank : memory.ranks) prepare(rank, first_call);
    return memory;
  }

  std::vector<std::unique_ptr<ThreadMemory>> memories;  ///< by node
  std::unique_ptr<NetworkInMemory> network;
  std::vector<std::unique_ptr<Player>> players;
};

/// Plays the script on one thread: a seeded scheduler picks who does its next step, with bursts,
/// so that some ranks run far ahead of others. Returns the first complaint, "" if all is right.
inline std::string play_interleaved(Team& team, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::size_t idle = 0, finished = 0;
  const std::size_t ranks = team.players.size();
  while (finished < ranks) {
    Player& player = *team.players[random() % ranks];
    for (std::uint64_t burst = random() % 2 == 0 ? 1 : random() % 40; burst > 0; --burst) {
      if (player.is_finished()) break;
      if (!player.run()) player.begin();
      const bool can_go_on = player.run()->holds();
      const Progress progress = player.run()->advance(1);
      idle = can_go_on ? 0 : idle + 1;
      if (progress == Progress::overrun) return "overrun in " + player.run()->program().name;
      if (progress == Progress::blocked) {
        if (!can_go_on) break;
        continue;
      }
      player.end();
      if (!player.complaint().empty()) return player.complaint();
      finished += player.is_finished();
    }
    if (idle > 1000 * ranks) return "nobody can go on";
  }
  return team.network ? team.network->complaint() : "";
}

/// Plays the script on threads, with random delays, so that sanitizers see the real memory orders.
inline void play_on_threads(Team& team, std::uint64_t seed) {
  const auto ranks = static_cast<Rank>(team.players.size());
  const auto play = [ranks](Player& player, std::uint64_t own_seed) {
    std::mt19937_64 random(own_seed);
    WaitEnvironment wait_environment;
    while (!player.is_finished()) {
      if (random() % 64 == 0) std::this_thread::yield();
      if (random() % 512 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      player.begin();
      if (complete(*player.run(), WaitPolicy::for_ranks(ranks, 2), wait_environment) !=
          Progress::done)
        std::abort();
      player.end();
    }
  };
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back(play, std::ref(*team.players[rank]), seed * 100 + rank);
  for (std::thread& thread : threads) thread.join();
}

/// A mutation: the program no longer waits for these.
inline void drop_waits_if(RankProgram& program, bool (*condition)(const ProgramWait&)) {
  for (Instruction& step : program.instructions) {
    const auto first = program.waits.begin() + step.first_wait;
    const auto kept = std::stable_partition(
        first, first + step.wait_count, [&](const ProgramWait& wait) { return !condition(wait); });
    step.wait_count = static_cast<std::uint16_t>(kept - first);
  }
}

}  // namespace terrace::sequences
