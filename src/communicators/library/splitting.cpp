// SPDX-License-Identifier: BSD-3-Clause
// Exchanges records, agrees on the result, and makes the communicators.
#include "communicators/library/splitting.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/say.hpp"
#include "communicators/layers.hpp"
#include "communicators/library/comm_attribute.hpp"
#include "communicators/placement.hpp"

namespace terrace::communicators {
namespace {

/// Facts that all ranks of a communicator know after the exchange.
struct Survey {
  std::vector<Record> records;
  std::vector<Locality> localities;
  std::vector<std::uint64_t> coordinates;  ///< in the dimension of a torus that is asked for
  Rank own = 0;
  bool is_disputed = false;  ///< of a guided split: ranks name different resources
};

std::string rank_text(Rank rank, std::size_t ranks) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

/// Printed by one rank of the job, unless `terrace exec` has printed it.
void announce_pretence(const Environment& environment, Rank world_rank) {
  constexpr std::string_view kPrefix = "terrace: ";  // that `say` puts there
  try {
    if (world_rank != 0 || environment("TERRACE_LOCALITY")) return;
    const std::string text = announcement_of(environment);
    if (!text.empty()) say_once(text.substr(kPrefix.size()));
  } catch (const std::bad_alloc&) {  // the other ranks wait for more than this
  }
}

/// This process's position, for TERRACE_NODES and TERRACE_BIND.
struct Position {
  Rank rank = 0;
  Rank ranks = 0;
};

Position position_in(Mpi& mpi, Handle comm) {
  return {static_cast<Rank>(mpi.rank_in(comm)), static_cast<Rank>(mpi.size_of(comm))};
}

/// The position in MPI_COMM_WORLD. If there is none, as the program only has sessions: in the
/// largest communicator that it has asked about, so that its parts keep their places.
Position own_position(Mpi& mpi, Handle comm) {
  if (mpi.is_active()) return position_in(mpi, mpi.world());
  static std::mutex mutex;
  static Position largest;
  const Position position = position_in(mpi, comm);
  const std::lock_guard lock(mutex);
  if (position.ranks > largest.ranks) largest = position;
  return largest;
}

NodePlacement ask_placement(Mpi& mpi, Handle comm) {
  const Environment environment = process_environment();
  const auto [rank, ranks] = own_position(mpi, comm);
  announce_pretence(environment, rank);
  return own_placement(environment, rank, ranks);
}

/// Printed by one rank for all.
void tell_trouble(const Survey& survey, const NodePlacement& own) {
  const auto tell = [&](std::optional<Rank> first, const std::string& why, const char* otherwise,
                        const char* effect) {
    if (first == survey.own)
      say_once(own.who + " cannot be placed: " + (why.empty() ? otherwise : why) + ". " + effect);
  };
  const std::optional<Rank> lost = first_in_trouble(survey.records);
  tell(lost, own.trouble,
       "TERRACE_MACHINE, TERRACE_NODES or TERRACE_BIND differ from those of rank 0: set them for "
       "all ranks alike",
       "All ranks are known by their nodes only");
  if (lost) return;
  tell(first_without_network(survey.records), own.network_trouble,
       "it has another description of the network than rank 0: set TERRACE_NETWORK for all ranks, "
       "to files that are the same",
       "The network is taken for flat");
}

/// Explains to users who asked for it why all ranks get MPI_COMM_NULL. Printed by one rank for all.
void explain_nothing(const Arguments& arguments, const Survey& survey, const std::string& reason) {
  if (survey.own != 0 || process_environment()("TERRACE_LOG").value_or("") != "info") return;
  say(std::string(arguments.call) + ": all ranks get MPI_COMM_NULL: " + reason);
}

void remember(Mpi& mpi, Handle comm, std::vector<Locality> localities) {
  const std::shared_ptr<const CommAttribute> before = mpi.attached_to(comm);
  auto now = std::make_shared<CommAttribute>(before ? *before : CommAttribute{});
  now->members = std::make_shared<const Members>(std::move(localities));
  mpi.attach(comm, std::move(now));
}

/// Collective: the only exchange of a call.
int survey_of(Mpi& mpi, const Arguments& arguments, Survey& survey) {
  const NodePlacement own = ask_placement(mpi, arguments.comm);
  const Record record = record_of(own, arguments.wish);
  survey.own = static_cast<Rank>(mpi.rank_in(arguments.comm));
  survey.records.resize(static_cast<std::size_t>(mpi.size_of(arguments.comm)));
  if (const int error =
          mpi.allgather(arguments.comm, &record, survey.records.data(), sizeof record))
    return error;
  if (const std::optional<Complaint> complaint = complaint_about(survey.records)) {
    // Wrong by the standard; but if MPIs see it, no rank gets a communicator, and programs go on.
    survey.is_disputed =
        complaint->is_on_names && is_guided(survey.records[complaint->rank].split_type);
    if (complaint->rank == survey.own)
      say(std::string(arguments.call) + ", " + rank_text(survey.own, survey.records.size()) + ": " +
          (arguments.wish.why.empty() ? complaint->what : arguments.wish.why) +
          (survey.is_disputed ? ". All ranks get MPI_COMM_NULL: let them name the same"
                              : ". All ranks return an error"));
    if (!survey.is_disputed) return mpi.raise(arguments.comm, mpi.error_code(complaint->failure));
  }
  tell_trouble(survey, own);
  survey.localities = localities_of(survey.records);
  for (const Record& one : survey.records) survey.coordinates.push_back(one.coordinate);
  remember(mpi, arguments.comm, survey.localities);
  return 0;
}

/// Arguments that are invalid whatever the other ranks give.
int check_communicator(Mpi& mpi, const Arguments& arguments) {
  if (arguments.comm == mpi.null())
    return fail(mpi, mpi.world(), arguments.call, Failure::communicator,
                "the communicator is MPI_COMM_NULL");
  if (mpi.is_intercommunicator(arguments.comm))
    return fail(mpi, arguments.comm, arguments.call, Failure::communicator,
                "it is an intercommunicator, whose two groups have no hierarchy together; split "
                "what MPI_Intercomm_merge makes of it");
  return 0;
}

constexpr const char* kLevelKey = "mpix_hlevel";
constexpr const char* kScopeKey = "mpix_hlevel_scope";

/// The info object's request. A level that no rank has splits nothing; unknown scopes are an error.
void read_request(Mpi& mpi, Handle info, SplitWish& wish) {
  if (const auto type = mpi.value_of(info, kLevelKey)) {
    const std::string level = level_of(*type);
    wish.request.level = level.empty() ? kNoLevel : level;
  }
  const auto scope = mpi.value_of(info, kScopeKey);
  if (!scope) return;
  if (*scope == "network")
    wish.request.scope = Scope::network;
  else if (*scope == "node")
    wish.request.scope = Scope::node;
  else
    wish.reject(std::string("the value of ") + kScopeKey + " is '" + *scope +
                "': expected network or node");
}

bool is_ours(int split_type) {
  return split_type >= kPhysicalTopology && split_type <= kResourceGuided;
}

std::string why_nothing(const Survey& survey, int split_type, const SplitRequest& request) {
  if (!is_guided(split_type)) return why_undivided(survey.localities, request);
  if (request.level == kNoLevel) return "no such resource is known";
  return "no rank is restricted to one " + type_of(request.level) + " that is known";
}

/// A communicator to be divided, and how: ranks are those of the survey, in the order of `comm`.
struct Division {
  Handle comm = 0;
  std::vector<Child> children;
  bool wants_roots = false;
};

void describe(Mpi& mpi, Handle newcomm, const Survey& survey, const Division& division,
              std::size_t index) {
  const Child& child = division.children[index];
  CommAttribute attached;
  attached.siblings = static_cast<int>(division.children.size());
  attached.index = static_cast<int>(index);
  attached.type = type_of(child.level);
  std::vector<Locality> localities;
  for (const Rank rank : in_order_of_keys(survey.records, child.ranks))
    localities.push_back(survey.localities[rank]);
  attached.members = std::make_shared<const Members>(std::move(localities));
  mpi.attach(newcomm, std::make_shared<const CommAttribute>(std::move(attached)));
}

/// Collective over the division's communicator; if there is no result, no rank communicates.
int divide(Mpi& mpi, const Survey& survey, const Division& division, Made& made) {
  made = {mpi.null(), mpi.null(), "", ""};
  if (division.children.empty()) return 0;
  const auto own_child =
      std::find_if(division.children.begin(), division.children.end(), [&](const Child& child) {
        return std::binary_search(child.ranks.begin(), child.ranks.end(), survey.own);
      });
  const bool has_child = own_child != division.children.end();
  const auto index = static_cast<std::size_t>(own_child - division.children.begin());
  const int color = has_child ? static_cast<int>(index) : -1;
  const int key = survey.records[survey.own].key;
  if (const int error = mpi.split(division.comm, color, key, made.newcomm)) return error;
  if (has_child) {
    made.type = type_of(own_child->level);
    made.uri = uri_of(own_child->level);
    describe(mpi, made.newcomm, survey, division, index);
  }
  if (!division.wants_roots) return 0;
  const bool is_root =
      has_child && in_order_of_keys(survey.records, own_child->ranks).front() == survey.own;
  return mpi.split(division.comm, is_root ? 0 : -1, static_cast<int>(survey.own), made.roots);
}

std::vector<Child> children_of(const Group& group) {
  std::vector<Child> children;
  for (const Group* child : finer_children(group)) children.push_back({child->level, child->ranks});
  return children;
}

int most_levels_of(const Survey& survey) {
  int most = survey.records.front().most_levels;
  for (const Record& record : survey.records) most = std::min(most, record.most_levels);
  return most;
}

/// Divides from the whole hierarchy down this rank's way.
int divide_level_by_level(Mpi& mpi, const Survey& survey, const Arguments& arguments,
                          std::vector<Made>& levels) {
  const Hierarchy hierarchy = hierarchy_of(within(arguments.wish.request.scope, survey.localities));
  const std::vector<SplitStep> way = way_to(hierarchy, survey.own);
  const auto most = static_cast<std::size_t>(most_levels_of(survey));
  const Group* group = &hierarchy.all;
  Handle comm = arguments.comm;
  if (children_of(*group).empty())
    explain_nothing(arguments, survey, why_undivided(survey.localities, arguments.wish.request));
  while (levels.size() < most) {
    const Division division = {comm, children_of(*group), arguments.wish.wants_roots};
    Made made;
    if (const int error = divide(mpi, survey, division, made)) return error;
    if (made.newcomm == mpi.null()) return 0;
    comm = made.newcomm;
    group = way[levels.size()].group;
    levels.push_back(std::move(made));
  }
  return 0;
}

}  // namespace

int fail(Mpi& mpi, Handle comm, const char* call, Failure failure, const std::string& sentence) {
  say(std::string(call) + ": " + sentence);
  return mpi.raise(comm, mpi.error_code(failure));
}

int split_type(Mpi& mpi, Arguments arguments, Handle& newcomm) {
  newcomm = mpi.null();
  SplitWish& wish = arguments.wish;
  const bool is_the_mpis = !wish.is_out && !is_ours(wish.split_type);
  const auto below = [&](int type) {
    return mpi.split_type(arguments.comm, type, wish.key, arguments.info, newcomm);
  };
  if (arguments.comm != mpi.null() && mpi.is_intercommunicator(arguments.comm) && is_the_mpis)
    return below(wish.split_type);
  if (const int error = check_communicator(mpi, arguments)) return error;
  if (!wish.is_out && is_guided(wish.split_type))
    read_guidance(wish, mpi.value_of(arguments.info, kResourceKey),
                  mpi.value_of(arguments.info, kSetKey));
  if (wish.split_type == kPhysicalTopology) read_request(mpi, arguments.info, wish);
  Survey survey;
  if (const int error = survey_of(mpi, arguments, survey)) return error;
  const auto asked = std::find_if(survey.records.begin(), survey.records.end(),
                                  [](const Record& record) { return record.is_out == 0; });
  if (asked == survey.records.end() || survey.is_disputed) return 0;
  // The request of the others: a rank that takes no part does not know it before.
  const SplitRequest request = request_of(*asked);
  const int type = asked->split_type;
  if (!is_ours(type)) return below(wish.is_out ? mpi.undefined() : type);
  if (is_guided(type) && request.level == kSharedMemory)
    return below(wish.is_out ? mpi.undefined() : mpi.shared_type());
  Division division = {arguments.comm,
                       is_guided(type) ? guided_children(survey.records, request)
                                       : split(survey.localities, request, survey.coordinates),
                       false};
  const std::optional<int> native = mpi.native_type(type);
  if (division.children.empty() && native && is_guided(type) && is_mpis_own(request.level))
    return below(wish.is_out ? mpi.undefined() : *native);
  if (division.children.empty())
    explain_nothing(arguments, survey, why_nothing(survey, type, request));
  leave_out(survey.records, division.children);
  Made made;
  const int error = divide(mpi, survey, division, made);
  newcomm = made.newcomm;
  if (type == kHwUnguided && newcomm != mpi.null())
    mpi.set_value(arguments.info, kResourceKey, made.uri);
  return error;
}

int split_with_roots(Mpi& mpi, Arguments arguments, Made& made) {
  made = {mpi.null(), mpi.null(), "", ""};
  if (const int error = check_communicator(mpi, arguments)) return error;
  read_request(mpi, arguments.info, arguments.wish);
  Survey survey;
  if (const int error = survey_of(mpi, arguments, survey)) return error;
  const Division division = {arguments.comm,
                             split(survey.localities, arguments.wish.request, survey.coordinates),
                             arguments.wish.wants_roots};
  if (division.children.empty())
    explain_nothing(arguments, survey, why_undivided(survey.localities, arguments.wish.request));
  return divide(mpi, survey, division, made);
}

int split_all(Mpi& mpi, Arguments arguments, std::vector<Made>& levels) {
  levels.clear();
  if (const int error = check_communicator(mpi, arguments)) return error;
  read_request(mpi, arguments.info, arguments.wish);
  Survey survey;
  if (const int error = survey_of(mpi, arguments, survey)) return error;
  if (arguments.wish.request.level.empty())
    return divide_level_by_level(mpi, survey, arguments, levels);
  if (most_levels_of(survey) < 1) return 0;
  const Division division = {arguments.comm,
                             split(survey.localities, arguments.wish.request, survey.coordinates),
                             arguments.wish.wants_roots};
  if (division.children.empty())
    explain_nothing(arguments, survey, why_undivided(survey.localities, arguments.wish.request));
  Made made;
  const int error = divide(mpi, survey, division, made);
  if (made.newcomm != mpi.null()) levels.push_back(std::move(made));
  return error;
}

int members_of(Mpi& mpi, const char* call, Handle comm, std::shared_ptr<const Members>& members) {
  Arguments arguments;
  arguments.call = call;
  arguments.comm = comm;
  if (const int error = check_communicator(mpi, arguments)) return error;
  std::shared_ptr<const CommAttribute> attached = mpi.attached_to(comm);
  if (!attached) {
    Survey survey;
    if (const int error = survey_of(mpi, arguments, survey)) return error;
    attached = mpi.attached_to(comm);
  }
  if (!attached) return mpi.raise(comm, mpi.error_code(Failure::other));
  members = attached->members;
  return 0;
}

}  // namespace terrace::communicators
