// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_scatter, which combines blocks of different length.
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/local_reduction.hpp"
#include "preload/dispatch/reductions.hpp"
#include "preload/dispatch/scattered_vector.hpp"

namespace terrace::preload {

namespace {

bool run_on(Team& team, Dispatch& dispatch, const MpiCall& call, const ScatteredVector& vector,
            const Elements& elements) {
  const auto [input, output] = vector.tables();
  team.wait_environment.begin();
  const bool checks = team.settings.checks && elements.reduction != nullptr && !vector.has_gaps() &&
                      vector.total() <= INT_MAX;
  if (!checks) return team.endpoint->reduce_scatter(input, *output, elements);
  Elements all = elements;
  all.count = vector.total();
  ReductionCheck check(dispatch.underlying(), dispatch.comm_state(), Collective::reduce_scatter,
                       call, all, {input[0].at, 1, output->at, vector.first(), vector.own_count()});
  return check.around([&] { return team.endpoint->reduce_scatter(input, *output, elements); });
}

/// Runs with a kernel or a combiner. `is_exact`: the MPI's result has the same bits.
bool scatter_on(Dispatch& dispatch, const MpiCall& call, ScatteredVector& vector,
                const Elements& elements, bool is_predefined, bool is_exact) {
  const auto [team, is_over] =
      dispatch.destination_of(elements, vector.takes_buffers(is_predefined));
  if (team == nullptr) return is_over;
  const bool may_fall_back = is_exact || team->settings.trials == TrialSetting::any_sums;
  if (may_fall_back && dispatch.falls_back_by_trial(*team, bytes_of(elements))) return false;
  const TriedCall tried(team->trials_of_uneven_calls());
  vector.begin();
  const bool is_done = run_on(*team, dispatch, call, vector, elements);
  vector.end();
  return end_of(is_done, dispatch, *team);
}

/// Runs as `reduce_locally` does.
bool scatter_locally(Dispatch& dispatch, const MpiCall& call, const MpiCounts& counts,
                     std::int64_t longest) {
  Elements elements;
  const std::optional<TypeLayout> layout = find_local(dispatch, call, longest, elements);
  if (!layout) return false;
  LocalReduction reduction(dispatch.underlying(), call.communicator, call.type, *layout, call.op,
                           elements.count);
  elements.combiner = &reduction;
  ScatteredVector vector(dispatch, call, counts, layout->bytes, layout->extent, layout->is_dense());
  return scatter_on(dispatch, call, vector, elements, layout->true_lower == 0, false);
}

}  // namespace

bool run_reduce_scatter(const MpiCall& call, const MpiCounts& counts) {
  Dispatch dispatch(Collective::reduce_scatter, call.communicator);
  if (!dispatch.is_sound() || !counts) return false;
  const auto longest = longest_of(counts, dispatch.comm_state().size);
  if (!longest) return false;
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  if (by != nullptr && *longest >= 0) {
    const PredefinedType& type = *by->known;
    ScatteredVector vector(dispatch, call, counts, type.bytes,
                           static_cast<std::ptrdiff_t>(type.extent), !type.has_gaps());
    Elements elements{static_cast<std::size_t>(*longest), type.bytes, by->kernel};
    elements.combination = by->combination;
    return scatter_on(dispatch, call, vector, elements, true, by->is_exact);
  }
  return scatter_locally(dispatch, call, counts, *longest);
}

}  // namespace terrace::preload
