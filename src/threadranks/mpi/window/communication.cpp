// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulates. At targets in this process all are complete when they return, so their
// requests are over.
#include <cstring>
#include <memory>
#include <optional>

#include "threadranks/mpi/collective/operators.hpp"
#include "threadranks/mpi/window/window_caller.hpp"
#include "threadranks/windows/accumulate.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// The elements of one side of a call.
struct Side {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};
/// The address of a side that lives as long as the call's expression.
struct SideInPlace {
  Side side;
  const Side* get() const { return &side; }
};
struct Target {
  int rank;
  MPI_Aint displacement;
  std::int64_t count;
  MPI_Datatype type;
};

/// A window, and where to leave what the request of a call needs; null: it has none.
struct OnWindow {
  MPI_Win win;
  SharedProgress* progress;
};

/// Whether the call has to do anything, and both sides have as many bytes.
bool has_work(WindowCaller& caller, const Target& to, const Layout& here, const Layout& there) {
  if (caller.error() || to.rank == MPI_PROC_NULL) return false;
  if (here.bytes() > there.bytes())
    caller.fail(MPI_ERR_TRUNCATE, "the origin's " + std::to_string(here.bytes()) +
                                      " bytes are more than the target's " +
                                      std::to_string(there.bytes()));
  return !caller.error();
}

/// Moves to or from a target in another process; apart from what is for those of this one.
[[gnu::cold, gnu::noinline]] int move_between_processes(RemoteAccess& way, int target,
                                                        const Layout& here, const Layout& there,
                                                        SharedProgress* progress, bool is_put) {
  if (is_put)
    way.put(target, here, there, progress);
  else
    way.get(target, there, here, progress);
  return MPI_SUCCESS;
}

int move(const char* function, const Side& side, const Target& to, OnWindow on, bool is_put) {
  WindowCaller caller(function, on.win);
  caller.check_access(to.rank);
  const Layout here = caller.layout(side.buffer, side.count, side.type);
  const Layout there = caller.target_layout(to.rank, to.displacement, to.count, to.type);
  if (!has_work(caller, to, here, there)) return caller.error();
  if (RemoteAccess* const way = caller.window().way_to(to.rank)) [[unlikely]]
    return move_between_processes(*way, to.rank, here, there, on.progress, is_put);
  if (is_put)
    copy_elements(here, there, here.bytes());
  else
    copy_elements(there, here, here.bytes());
  return MPI_SUCCESS;
}

/// The predefined type that all elements of a side have; an error if they have several. Null: there
/// are no elements, or the caller has an error.
const NamedType* basic_type_of(WindowCaller& caller, const Layout& side) {
  if (caller.error() || side.type == nullptr || side.bytes() == 0) return nullptr;
  const NamedType* const combined = side.type->combined_as();
  const NamedType* const type = combined != nullptr ? combined : side.type->only_basic();
  caller.check(type != nullptr, MPI_ERR_TYPE,
               "accumulates take types whose elements are all of one predefined type");
  return type;
}

/// Finds how elements of the target's type are combined; only predefined operators are allowed.
/// Origin and result must have the same predefined type. Only its length is compared, since one
/// type of C has several names, such as MPI_LONG and MPI_INT64_T.
Accumulation find_accumulation(WindowCaller& caller, const Layout& here, const Layout& fetched,
                               const Layout& there, MPI_Op op) {
  using Kind = Accumulation::Kind;
  const NamedType* const type = basic_type_of(caller, there);
  for (const Layout* const side : {&here, &fetched}) {
    const NamedType* const its = basic_type_of(caller, *side);
    caller.check(its == nullptr || type == nullptr || its->bytes == type->bytes, MPI_ERR_TYPE,
                 "origin, result and target must have elements of the same predefined type");
  }
  if (caller.error() || type == nullptr) return {};
  if (op == MPI_NO_OP) return {Kind::nothing, nullptr, type->bytes};
  if (op == MPI_REPLACE) return {Kind::replace, nullptr, type->bytes};
  const auto own = own_operator(op);
  caller.check(own.has_value(), MPI_ERR_OP, "accumulates take predefined operators only");
  if (caller.error()) return {};
  const Reduction reduction = terrace::kernel_for(type->kind, type->bytes, *own);
  caller.check(reduction != nullptr, MPI_ERR_OP,
               "the operator is not defined for elements of that type");
  return {Kind::combine, reduction, type->bytes, type->kind, *own};
}

/// `result` is null for an accumulate that fetches nothing.
int accumulate(const char* function, const Side& side, const Side* result, const Target& to,
               MPI_Op op, OnWindow on) {
  WindowCaller caller(function, on.win);
  caller.check_access(to.rank);
  const bool reads_origin = op != MPI_NO_OP;
  const Layout here = reads_origin ? caller.layout(side.buffer, side.count, side.type) : Layout{};
  const Layout fetched =
      result != nullptr ? caller.layout(result->buffer, result->count, result->type) : Layout{};
  const Layout there = caller.target_layout(to.rank, to.displacement, to.count, to.type);
  const Accumulation how = find_accumulation(caller, here, fetched, there, op);
  if (result != nullptr && !has_work(caller, to, fetched, there)) return caller.error();
  if (reads_origin && !has_work(caller, to, here, there)) return caller.error();
  if (caller.error() || to.rank == MPI_PROC_NULL) return caller.error();
  if (!reads_origin && result == nullptr) return MPI_SUCCESS;  // there is nothing to do
  if (reads_origin && here.bytes() != there.bytes())
    return caller.fail(MPI_ERR_COUNT, "origin and target have different numbers of elements");
  if (RemoteAccess* const way = caller.window().way_to(to.rank)) [[unlikely]] {
    way->accumulate(to.rank, how, here, fetched, there, on.progress);
    return MPI_SUCCESS;
  }
  threadranks::accumulate(how, here, fetched, there, caller.window().member(to.rank).accumulates);
  return MPI_SUCCESS;
}

int compare_and_swap(const void* origin, const void* compared, void* result, MPI_Datatype type,
                     int rank, MPI_Aint displacement, MPI_Win win) {
  WindowCaller caller("MPI_Compare_and_swap", win);
  caller.check_access(rank);
  const Layout there = caller.target_layout(rank, displacement, 1, type);
  caller.check(caller.error() || there.type->predefined() != nullptr, MPI_ERR_TYPE,
               "only elements of predefined types can be compared");
  if (caller.error() || rank == MPI_PROC_NULL) return caller.error();
  const Layout old = caller.layout(result, 1, type), given = caller.layout(origin, 1, type),
               expected = caller.layout(compared, 1, type);
  if (caller.error()) return caller.error();
  if (RemoteAccess* const way = caller.window().way_to(rank)) [[unlikely]] {
    way->compare_and_swap(rank, expected, given, old, there);
    return MPI_SUCCESS;
  }
  const std::lock_guard lock(caller.window().member(rank).accumulates);
  copy_elements(there, old, there.bytes());
  if (std::memcmp(result, compared, there.bytes()) == 0) copy_elements(given, there, there.bytes());
  return MPI_SUCCESS;
}

/// Makes the request of a call that is on its way.
[[gnu::cold, gnu::noinline]] int put_pending_request(const OnWindow& on, Communicator& communicator,
                                                     MPI_Request* request) {
  const RankCall call;
  auto made = std::make_unique<threadranks::Request>();
  made->kind = threadranks::Request::Kind::one_sided;
  (*on.progress)->errors = object_of<Window>(on.win)->errors;
  made->parts().kept = std::move(*on.progress);
  made->is_active = true;
  made->communicator = &communicator;
  *request = handle_of_object<MPI_Request>(*made.release());
  return MPI_SUCCESS;
}

int put_request(int error, const OnWindow& on, MPI_Request* request) {
  if (error) return error;
  Communicator& communicator = object_of<Window>(on.win)->communicator();
  return *on.progress ? put_pending_request(on, communicator, request)
                      : put_complete_request(communicator, nullptr, request);
}

int check_passive(const char* function, MPI_Win win) {
  WindowCaller caller(function, win);
  caller.check(caller.error() || caller.window().epochs.is_passive(), MPI_ERR_RMA_SYNC,
               "calls with a request need an epoch of MPI_Win_lock or MPI_Win_lock_all");
  return caller.error();
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::SharedProgress;

// A function and the one with a request.
#define TERRACE_ONE_SIDED(name, with_request, parameters, ...)                   \
  TERRACE_MPI(int, name, (TERRACE_UNPACK parameters, MPI_Win win)) {             \
    [[maybe_unused]] constexpr const char* function = "MPI_" #name;              \
    const mpi::OnWindow on{win, nullptr};                                        \
    return mpi::__VA_ARGS__;                                                     \
  }                                                                              \
  TERRACE_MPI(int, with_request,                                                 \
              (TERRACE_UNPACK parameters, MPI_Win win, MPI_Request * request)) { \
    constexpr const char* function = "MPI_" #with_request;                       \
    if (const int error = mpi::check_passive(function, win)) return error;       \
    SharedProgress progress;                                                     \
    const mpi::OnWindow on{win, &progress};                                      \
    return mpi::put_request(mpi::__VA_ARGS__, on, request);                      \
  }
#define TERRACE_UNPACK(...) __VA_ARGS__
#define TERRACE_ONE_SIDED_CALLS(suffix, Counts)                                                \
  TERRACE_ONE_SIDED(Put##suffix, Rput##suffix,                                                 \
                    (const void* origin, Counts count, MPI_Datatype type, int target,          \
                     MPI_Aint displacement, Counts target_count, MPI_Datatype target_type),    \
                    move(function, {origin, count, type},                                      \
                         {target, displacement, target_count, target_type}, on, true))         \
  TERRACE_ONE_SIDED(Get##suffix, Rget##suffix,                                                 \
                    (void* origin, Counts count, MPI_Datatype type, int target,                \
                     MPI_Aint displacement, Counts target_count, MPI_Datatype target_type),    \
                    move(function, {origin, count, type},                                      \
                         {target, displacement, target_count, target_type}, on, false))        \
  TERRACE_ONE_SIDED(                                                                           \
      Accumulate##suffix, Raccumulate##suffix,                                                 \
      (const void* origin, Counts count, MPI_Datatype type, int target, MPI_Aint displacement, \
       Counts target_count, MPI_Datatype target_type, MPI_Op op),                              \
      accumulate(function, {origin, count, type}, nullptr,                                     \
                 {target, displacement, target_count, target_type}, op, on))                   \
  TERRACE_ONE_SIDED(                                                                           \
      Get_accumulate##suffix, Rget_accumulate##suffix,                                         \
      (const void* origin, Counts count, MPI_Datatype type, void* result, Counts result_count, \
       MPI_Datatype result_type, int target, MPI_Aint displacement, Counts target_count,       \
       MPI_Datatype target_type, MPI_Op op),                                                   \
      accumulate(function, {origin, count, type},                                              \
                 mpi::SideInPlace{{result, result_count, result_type}}.get(),                  \
                 {target, displacement, target_count, target_type}, op, on))
TERRACE_ONE_SIDED_CALLS(, int)
TERRACE_ONE_SIDED_CALLS(_c, MPI_Count)

TERRACE_MPI(int, Fetch_and_op,
            (const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint displacement,
             MPI_Op op, MPI_Win win)) {
  const mpi::Side fetched{result, 1, type};
  return mpi::accumulate("MPI_Fetch_and_op", {origin, 1, type}, &fetched,
                         {target, displacement, 1, type}, op, {win, nullptr});
}
TERRACE_MPI(int, Compare_and_swap,
            (const void* origin, const void* compared, void* result, MPI_Datatype type, int target,
             MPI_Aint displacement, MPI_Win win)) {
  return mpi::compare_and_swap(origin, compared, result, type, target, displacement, win);
}
