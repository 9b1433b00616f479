// SPDX-License-Identifier: BSD-3-Clause
// Times candidates. See timed_here.hpp.
#include "timed_here.hpp"

#include <algorithm>

#include "machine/machine.hpp"
#include "machine_files/read_machine_model.hpp"
#include "this_machine.hpp"
#include "ways.hpp"

namespace terrace {

Timed timed_here(const Asked& asked, const std::vector<Choice>& ways, double seconds,
                 const Verb& verb) {
  if (!asked.machine.name.starts_with(model::kThisMachine))
    verb.refuse("--timed is for this machine, as `terrace measure` writes it: leave out --machine");
  if (asked.call.collective == Collective::barrier || asked.call.bytes % sizeof(double) != 0)
    verb.refuse("--timed needs a collective with data, and a size that is a multiple of 8; " +
                std::to_string(asked.call.bytes) + " given");
  if (asked.call.root != 0) verb.refuse("--timed works with root 0 only");
  const Machine machine = verb.value(read_this_machine());
  const std::vector<measure::CoreAt> cores = verb.value(usable_cores(machine));
  const std::size_t ranks = asked.platform->places.size();
  if (cores.size() < ranks)
    verb.refuse("--timed: this process may use " + std::to_string(cores.size()) + " cores, and " +
                std::to_string(ranks) + " ranks need one each");
  std::vector<Locality> places;
  for (std::size_t rank = 0; rank < ranks; ++rank) places.push_back(cores[rank].place);
  bench::WayTimer timer(places, asked.call.is_direct);
  if (!timer.look_patiently())
    verb.fail("the ranks do not see each other's signals: is the machine busy?");
  const auto all = verb.value(timer.time(asked.call.collective, asked.call.bytes, ways, seconds));
  const auto most = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.us.front().size() < b.us.front().size();
  });
  if (most == all.end()) verb.fail("the machine changed in each batch: try again");
  Timed timed{timer.sights()[most->sight].signals, {}};
  for (const std::vector<double>& us : most->us) timed.us.push_back(bench::median_of(us));
  return timed;
}

}  // namespace terrace
