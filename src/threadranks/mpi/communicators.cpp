// SPDX-License-Identifier: BSD-3-Clause
// Communicators: who is in them, making and freeing them, Cartesian topologies.
#include <algorithm>
#include <memory>
#include <vector>

#include "threadranks/mpi/attributes.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Of a communicator that another was made of: errors are treated alike.
int put_new(const Communicator& old, Communicator* made, MPI_Comm* comm) {
  if (made != nullptr) copy_errhandler(old, *made);
  *comm = handle_of(made);
  return MPI_SUCCESS;
}

int split(const char* function, MPI_Comm comm, int color, int key, MPI_Comm* made) {
  Caller caller(function, comm);
  if (!caller.error() && color < 0 && color != MPI_UNDEFINED)
    caller.fail(MPI_ERR_ARG, "the color " + std::to_string(color) + " is negative");
  if (caller.error()) return caller.error();
  return put_new(caller.communicator(), threadranks::split(caller.communicator(), color, key),
                 made);
}

int duplicate(const char* function, MPI_Comm comm, MPI_Comm* made) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Communicator& old = caller.communicator();
  Communicator* const copy = threadranks::duplicate(old);
  if (old.cartesian) copy->cartesian = std::make_unique<Cartesian>(*old.cartesian);
  put_new(old, copy, made);
  return copy_attributes(old, *copy);
}

int release(const char* function, MPI_Comm* comm) {
  Caller caller(function, *comm);
  if (caller.error()) return caller.error();
  Communicator& old = caller.communicator();
  if (old.is_predefined)
    return caller.fail(MPI_ERR_COMM, "MPI_COMM_WORLD and MPI_COMM_SELF cannot be freed");
  if (!old.is_idle()) caller.state().wait([&] { return old.is_idle(); });
  if (const int error = delete_attributes(old)) return error;
  release_errhandler(old);
  delete &old;
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

const Cartesian* topology(Caller& caller) {
  if (caller.error()) return nullptr;
  const Cartesian* const found = caller.communicator().cartesian.get();
  if (found == nullptr) caller.fail(MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
  return found;
}

int cartesian(MPI_Comm comm, int count, const int* sizes, const int* periods, MPI_Comm* made) {
  Caller caller("MPI_Cart_create", comm);
  if (caller.error()) return caller.error();
  std::int64_t wanted = 1;
  for (int i = 0; i < count; ++i) {
    if (sizes[i] < 1) return caller.fail(MPI_ERR_DIMS, "a dimension without ranks");
    wanted *= sizes[i];
  }
  Communicator& old = caller.communicator();
  if (wanted > old.size())
    return caller.fail(MPI_ERR_DIMS, "the grid has " + std::to_string(wanted) +
                                         " places, the communicator " + std::to_string(old.size()) +
                                         " ranks");
  Communicator* const grid = threadranks::split(old, old.rank() < wanted ? 0 : -1, old.rank());
  if (grid != nullptr)
    grid->cartesian =
        std::make_unique<Cartesian>(Cartesian{{sizes, sizes + count}, {periods, periods + count}});
  return put_new(old, grid, made);
}

/// The grids that some dimensions of a grid make.
int sub_grid(MPI_Comm comm, const int* remains, MPI_Comm* made) {
  Caller caller("MPI_Cart_sub", comm);
  const Cartesian* const whole = topology(caller);
  if (whole == nullptr) return caller.error();
  Communicator& old = caller.communicator();
  const std::vector<int> mine = whole->coordinates_of(old.rank());
  auto part = std::make_unique<Cartesian>();
  int color = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (remains[i]) {
      part->sizes.push_back(whole->sizes[i]);
      part->periods.push_back(whole->periods[i]);
    } else {
      color = color * whole->sizes[i] + mine[i];
    }
  }
  Communicator* const grid = threadranks::split(old, color, old.rank());
  grid->cartesian = std::move(part);
  return put_new(old, grid, made);
}

/// Puts the largest factor of what is left where the dimension is the smallest.
int fill_dimensions(int nodes, int count, int* sizes) {
  int left = nodes;
  std::vector<int> open;
  for (int i = 0; i < count; ++i) {
    if (sizes[i] < 0) return fail("MPI_Dims_create", MPI_ERR_DIMS, "a negative dimension");
    if (sizes[i] == 0)
      open.push_back(i);
    else if (left % sizes[i] != 0)
      return fail("MPI_Dims_create", MPI_ERR_DIMS, "the given dimensions do not divide the ranks");
    else
      left /= sizes[i];
  }
  if (open.empty())
    return left == 1 ? MPI_SUCCESS
                     : fail("MPI_Dims_create", MPI_ERR_DIMS, "the dimensions are given and differ");
  std::vector<int> factors, found(open.size(), 1);
  for (int factor = 2; left > 1; ++factor)
    for (; left % factor == 0; left /= factor) factors.push_back(factor);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor)
    *std::min_element(found.begin(), found.end()) *= *factor;
  std::sort(found.rbegin(), found.rend());
  for (std::size_t i = 0; i < open.size(); ++i) sizes[open[i]] = found[i];
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Cartesian;

TERRACE_MPI(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  mpi::Caller caller("MPI_Comm_rank", comm);
  if (!caller.error()) *rank = caller.communicator().rank();
  return caller.error();
}
TERRACE_MPI(int, Comm_size, (MPI_Comm comm, int* size)) {
  mpi::Caller caller("MPI_Comm_size", comm);
  if (!caller.error()) *size = caller.communicator().size();
  return caller.error();
}
TERRACE_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made)) {
  return mpi::split("MPI_Comm_split", comm, color, key, made);
}
TERRACE_MPI(int, Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* made)) {
  // All ranks share memory. Narrower levels are not told apart yet: nobody is in those.
  const int color = type == MPI_COMM_TYPE_SHARED ? 0 : MPI_UNDEFINED;
  return mpi::split("MPI_Comm_split_type", comm, color, key, made);
}
TERRACE_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm* made)) {
  return mpi::duplicate("MPI_Comm_dup", comm, made);
}
TERRACE_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info, MPI_Comm* made)) {
  return mpi::duplicate("MPI_Comm_dup_with_info", comm, made);
}
TERRACE_MPI(int, Comm_free, (MPI_Comm * comm)) {
  return mpi::release("MPI_Comm_free", comm);
}
TERRACE_MPI(int, Comm_disconnect, (MPI_Comm * comm)) {
  return mpi::release("MPI_Comm_disconnect", comm);
}
TERRACE_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made)) {
  mpi::Caller caller("MPI_Comm_create", comm);
  const auto* const ours = mpi::group_of(group);
  if (!caller.error() && ours == nullptr) caller.fail(MPI_ERR_GROUP, "this is no group");
  if (caller.error()) return caller.error();
  const int place = ours->rank_of(caller.state().rank());
  return mpi::put_new(caller.communicator(),
                      terrace::threadranks::split(caller.communicator(), place < 0 ? -1 : 0, place),
                      made);
}
TERRACE_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made)) {
  mpi::Caller caller("MPI_Comm_create_group", comm);
  const auto* const ours = mpi::group_of(group);
  if (!caller.error() && ours == nullptr) caller.fail(MPI_ERR_GROUP, "this is no group");
  if (caller.error()) return caller.error();
  return mpi::put_new(caller.communicator(),
                      terrace::threadranks::of_group(caller.communicator(), *ours, tag), made);
}
TERRACE_MPI(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
  mpi::Caller caller("MPI_Comm_test_inter", comm);
  *flag = 0;
  return caller.error();
}
TERRACE_MPI(int, Comm_get_parent, (MPI_Comm * parent)) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Comm_set_name, (MPI_Comm comm, const char* name)) {
  mpi::Caller caller("MPI_Comm_set_name", comm);
  if (!caller.error()) caller.communicator().name = name;
  return caller.error();
}
TERRACE_MPI(int, Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  mpi::Caller caller("MPI_Comm_get_name", comm);
  return caller.error()
             ? caller.error()
             : mpi::put_text(caller.communicator().name, name, MPI_MAX_OBJECT_NAME, length);
}

TERRACE_MPI(int, Dims_create, (int nodes, int count, int* sizes)) {
  return mpi::fill_dimensions(nodes, count, sizes);
}
TERRACE_MPI(int, Cart_create,
            (MPI_Comm comm, int count, const int* sizes, const int* periods, int, MPI_Comm* made)) {
  return mpi::cartesian(comm, count, sizes, periods, made);
}
TERRACE_MPI(int, Cart_sub, (MPI_Comm comm, const int* remains, MPI_Comm* made)) {
  return mpi::sub_grid(comm, remains, made);
}
TERRACE_MPI(int, Cartdim_get, (MPI_Comm comm, int* count)) {
  mpi::Caller caller("MPI_Cartdim_get", comm);
  if (const Cartesian* const grid = mpi::topology(caller))
    *count = static_cast<int>(grid->sizes.size());
  return caller.error();
}
TERRACE_MPI(int, Cart_get, (MPI_Comm comm, int most, int* sizes, int* periods, int* mine)) {
  mpi::Caller caller("MPI_Cart_get", comm);
  const Cartesian* const grid = mpi::topology(caller);
  if (grid == nullptr) return caller.error();
  const std::vector<int> own = grid->coordinates_of(caller.communicator().rank());
  for (std::size_t i = 0; i < std::min(own.size(), static_cast<std::size_t>(most)); ++i) {
    sizes[i] = grid->sizes[i];
    periods[i] = grid->periods[i];
    mine[i] = own[i];
  }
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Cart_rank, (MPI_Comm comm, const int* coordinates, int* rank)) {
  mpi::Caller caller("MPI_Cart_rank", comm);
  const Cartesian* const grid = mpi::topology(caller);
  if (grid == nullptr) return caller.error();
  *rank = grid->rank_at(coordinates);
  return *rank >= 0 ? MPI_SUCCESS : caller.fail(MPI_ERR_ARG, "coordinates outside of the grid");
}
TERRACE_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int most, int* coordinates)) {
  mpi::Caller caller("MPI_Cart_coords", comm);
  caller.check_root(rank);
  const Cartesian* const grid = mpi::topology(caller);
  if (grid == nullptr) return caller.error();
  const std::vector<int> found = grid->coordinates_of(rank);
  std::copy_n(found.begin(), std::min(found.size(), static_cast<std::size_t>(most)), coordinates);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Cart_shift, (MPI_Comm comm, int direction, int distance, int* from, int* to)) {
  mpi::Caller caller("MPI_Cart_shift", comm);
  const Cartesian* const grid = mpi::topology(caller);
  if (grid == nullptr) return caller.error();
  if (direction < 0 || direction >= static_cast<int>(grid->sizes.size()))
    return caller.fail(MPI_ERR_DIMS, "the grid has no such dimension");
  std::vector<int> place = grid->coordinates_of(caller.communicator().rank());
  int& moved = place[static_cast<std::size_t>(direction)];
  moved += distance;
  *to = mpi::their_rank(grid->rank_at(place.data()));
  moved -= 2 * distance;
  *from = mpi::their_rank(grid->rank_at(place.data()));
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Cart_map, (MPI_Comm comm, int count, const int* sizes, const int*, int* rank)) {
  mpi::Caller caller("MPI_Cart_map", comm);
  if (caller.error()) return caller.error();
  int places = 1;
  for (int i = 0; i < count; ++i) places *= sizes[i];
  const int own = caller.communicator().rank();
  *rank = own < places ? own : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Topo_test, (MPI_Comm comm, int* status)) {
  mpi::Caller caller("MPI_Topo_test", comm);
  if (!caller.error())
    *status = caller.communicator().cartesian ? int{MPI_CART} : int{MPI_UNDEFINED};
  return caller.error();
}
