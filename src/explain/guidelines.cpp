// SPDX-License-Identifier: BSD-3-Clause
// Predicts each collective once, and compares the predictions.
#include "explain/guidelines.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace terrace::explain {

namespace {

constexpr std::size_t kLeast = 8;

class Times {
 public:
  Times(const RankPlatform& platform, bool is_direct)
      : is_direct_(is_direct), chooser_(chooser_for(platform, is_direct)), drafts_(platform) {}

  double of(Collective collective, std::size_t bytes) {
    const auto [found, is_new] = known_.try_emplace({collective, bytes}, 0.0);
    if (!is_new) return found->second;
    Predicted call;
    call.collective = collective;
    call.bytes = bytes;
    call.is_direct = is_direct_;
    const Result<Prediction> result = predict_chosen(call, *chooser_, drafts_);
    if (result)
      found->second = result.value().cost.total;
    else
      error = result.error();
    return found->second;
  }

  std::optional<Error> error;

 private:
  bool is_direct_;
  std::shared_ptr<Chooser> chooser_;
  Drafts drafts_;
  std::map<std::pair<Collective, std::size_t>, double> known_;
};

/// Vectors that are not cut.
void compare_whole(Times& times, std::size_t n, std::vector<Guided>& all) {
  using enum Collective;
  const double bcast_n = times.of(bcast, n), reduce_n = times.of(reduce, n);
  const double allreduce_n = times.of(allreduce, n), allgather_n = times.of(allgather, n);
  const auto add = [&](std::string_view text, double one, double others) {
    all.push_back({text, n, one / others});
  };
  add("allreduce <= reduce + bcast", allreduce_n, reduce_n + bcast_n);
  add("reduce <= allreduce", reduce_n, allreduce_n);
  add("bcast <= allgather of whole vectors", bcast_n, allgather_n);
  add("allgather <= alltoall", allgather_n, times.of(alltoall, n));
  add("gather <= allgather", times.of(gather, n), allgather_n);
  add("barrier <= allreduce", times.of(barrier, 0), allreduce_n);
  for (const Collective collective : {bcast, reduce, allreduce, allgather})
    add("longer vectors are not faster", times.of(collective, n), times.of(collective, 2 * n));
}

/// Vectors that are cut among the ranks.
void compare_cut(Times& times, std::size_t n, std::size_t share, std::vector<Guided>& all) {
  using enum Collective;
  const double scatter_n = times.of(scatter, share), allgather_n = times.of(allgather, share);
  const double reduce_scatter_n = times.of(reduce_scatter_block, share);
  const double gather_n = times.of(gather, share);
  const auto add = [&](std::string_view text, double one, double others) {
    all.push_back({text, n, one / others});
  };
  add("allreduce <= reduce_scatter + allgather", times.of(allreduce, n),
      reduce_scatter_n + allgather_n);
  add("bcast <= scatter + allgather", times.of(bcast, n), scatter_n + allgather_n);
  add("reduce <= reduce_scatter + gather", times.of(reduce, n), reduce_scatter_n + gather_n);
  add("reduce_scatter <= reduce + scatter", reduce_scatter_n, times.of(reduce, n) + scatter_n);
  add("allgather <= gather + bcast", allgather_n, gather_n + times.of(bcast, n));
  add("scatter <= bcast", scatter_n, times.of(bcast, n));
}

}  // namespace

Result<std::vector<Guided>> guided(const RankPlatform& platform, bool is_direct,
                                   std::size_t bytes) {
  Times times(platform, is_direct);
  std::vector<Guided> all;
  compare_whole(times, bytes, all);
  const std::size_t ranks = platform.places.size(), share = bytes / ranks;
  if (share >= kLeast) compare_cut(times, share * ranks, share, all);
  if (times.error) return *times.error;
  return all;
}

Result<std::vector<Locality>> some_places(const std::vector<Locality>& all_cores, Rank ranks,
                                          bool is_spread) {
  const std::size_t cores = all_cores.size();
  if (ranks > cores)
    return Error{ErrorCode::argument, std::to_string(ranks) + " ranks on " + std::to_string(cores) +
                                          " cores: expected one on each"};
  std::vector<Locality> some;
  for (Rank rank = 0; rank < ranks; ++rank)
    some.push_back(all_cores[is_spread ? rank * cores / ranks : rank]);
  return some;
}

}  // namespace terrace::explain
