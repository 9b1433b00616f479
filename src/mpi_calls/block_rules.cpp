// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a rank's buffers, by collective.
#include "mpi_calls/block_rules.hpp"

namespace terrace {

namespace {

BlockNumbers inputs_of(Collective plan, const RankInCall& who) {
  if (plan == Collective::scatter) return {0, who.is_root() ? who.rank_count : 0};
  if (plan == Collective::alltoall) return {0, who.rank_count};
  return {who.rank, 1};
}

BlockNumbers outputs_of(Collective plan, const RankInCall& who) {
  if (plan == Collective::gather) return {0, who.is_root() ? who.rank_count : 0};
  if (plan == Collective::scatter) return {who.rank, 1};
  return {0, who.rank_count};
}

}  // namespace

MovedBlocks::MovedBlocks(const RankInCall& who, bool is_given_in_place, bool is_wanted_in_place) {
  const Collective plan = planned_as(who.collective);
  inputs = inputs_of(plan, who);
  outputs = outputs_of(plan, who);
  is_input_in_place = inputs.count > 0 && is_given_in_place;
  is_output_in_place = outputs.count > 0 && is_wanted_in_place;
  const bool may_give = outputs.count > 0 && plan != Collective::scatter;
  const bool may_take = inputs.count > 0 && plan == Collective::scatter;
  is_allowed = (!is_input_in_place || may_give) && (!is_output_in_place || may_take);
}

std::size_t operand_blocks(const RankInCall& who) {
  return planned_as(who.collective) == Collective::reduce_scatter_block ? who.rank_count : 1;
}

bool gets_result(const RankInCall& who) {
  if (who.collective == Collective::reduce) return who.is_root();
  return who.collective != Collective::exscan || who.rank > 0;
}

}  // namespace terrace
