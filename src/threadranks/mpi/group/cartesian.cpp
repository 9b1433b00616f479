// SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {
namespace {

const Cartesian* topology(Caller& caller) {
  if (caller.error()) return nullptr;
  const auto* const found = dynamic_cast<const Cartesian*>(caller.communicator().topology());
  if (found == nullptr) caller.fail(MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
  return found;
}

/// Checks that a program's arrays have room for all dimensions. Returns MPI's error.
int check_room(Caller& caller, const Cartesian& grid, int room) {
  const std::size_t wanted = grid.sizes.size();
  if (room >= 0 && wanted <= static_cast<std::size_t>(room)) return MPI_SUCCESS;
  return caller.fail(MPI_ERR_ARG, "the grid has " + std::to_string(wanted) +
                                      " dimensions, the arrays " + std::to_string(room));
}

/// Counts the places of a grid: more than any communicator has ranks if there are too many for an
/// int.
std::int64_t places_of(int count, const int* sizes) {
  std::int64_t places = 1;
  for (int i = 0; i < count; ++i)
    places = std::min<std::int64_t>(places * sizes[i], INT_MAX + std::int64_t{1});
  return places;
}

int cartesian(MPI_Comm comm, int count, const int* sizes, const int* periods, MPI_Comm* made) {
  Caller caller("MPI_Cart_create", comm);
  caller.check_intracomm();
  if (!caller.error() && count < 0) caller.fail(MPI_ERR_DIMS, "a negative number of dimensions");
  if (caller.error()) return caller.error();
  if (std::any_of(sizes, sizes + count, [](int size) { return size < 1; }))
    return caller.fail(MPI_ERR_DIMS, "a dimension without ranks");
  const std::int64_t wanted = places_of(count, sizes);
  Communicator& old = caller.communicator();
  if (wanted > old.size())
    return caller.fail(MPI_ERR_DIMS, "the grid has " + std::to_string(wanted) +
                                         " places, the communicator " + std::to_string(old.size()) +
                                         " ranks");
  Communicator* const grid = threadranks::split(old, old.rank() < wanted ? 0 : -1, old.rank());
  if (grid != nullptr)
    grid->set_topology(std::make_unique<Cartesian>(std::vector<int>(sizes, sizes + count),
                                                   std::vector<int>(periods, periods + count)));
  return put_new(old, grid, made);
}

/// The sub-grids that some dimensions of a grid span.
int sub_grid(MPI_Comm comm, const int* remains, MPI_Comm* made) {
  Caller caller("MPI_Cart_sub", comm);
  const Cartesian* const whole = topology(caller);
  if (whole == nullptr) return caller.error();
  Communicator& old = caller.communicator();
  const std::vector<int> mine = whole->coordinates_of(old.rank());
  auto part = std::make_unique<Cartesian>();
  int color = 0;
  const bool has_any =
      std::any_of(remains, remains + mine.size(), [](int one) { return one != 0; });
  if (!has_any && old.rank() > 0) color = MPI_UNDEFINED;  // one rank is all of a grid of none
  for (std::size_t i = 0; has_any && i < mine.size(); ++i) {
    if (remains[i]) {
      part->sizes.push_back(whole->sizes[i]);
      part->periods.push_back(whole->periods[i]);
    } else {
      color = color * whole->sizes[i] + mine[i];
    }
  }
  Communicator* const grid = threadranks::split(old, color < 0 ? -1 : color, old.rank());
  if (grid != nullptr) grid->set_topology(std::move(part));
  return put_new(old, grid, made);
}

/// Finds the factors of a number for MPI_Dims_create: of all ways, one with the least difference of
/// greatest and least factor, and of those with the greatest least one, as MPICH does.
class BalancedFactors {
 public:
  explicit BalancedFactors(int number) : number_(number) {
    for (int i = 1; std::int64_t{i} * i <= number; ++i) {
      if (number % i != 0) continue;
      divisors_.push_back(i);
      if (i != number / i) divisors_.push_back(number / i);
    }
    std::sort(divisors_.begin(), divisors_.end());
  }

  /// `count` of them, none greater than the one before it.
  std::vector<int> find(int count) {
    std::vector<int> best;
    int difference = number_;  // more than any
    for (std::size_t i = divisors_.size(); i-- > 0;) {
      const int least = divisors_[i];
      if (power(least, count) > number_) continue;
      // The greatest is at least the root, and so this far from one that is no greater.
      if (power(std::int64_t{least} + difference - 1, count) < number_) break;
      std::vector<int> others;
      const int most = difference > number_ - least ? number_ : least + difference - 1;
      if (!find_between(number_ / least, count - 1, {least, most}, others)) continue;
      others.push_back(least);
      difference = others.front() - least;
      best = std::move(others);
      if (difference == 0) break;
    }
    return best;
  }

 private:
  struct Range {
    int least, most;
  };

  /// The power, or one more than the number if it is greater.
  std::int64_t power(std::int64_t base, int exponent) const {
    std::int64_t product = 1;
    for (int i = 0; i < exponent && product <= number_; ++i) product *= base;
    return std::min(product, std::int64_t{number_} + 1);
  }

  /// Finds those of `left` whose greatest is least, and then the second, and so on. False: there
  /// are none.
  bool find_between(int left, int count, const Range& range, std::vector<int>& found) const {
    if (count == 0) return left == 1;
    for (auto factor = std::lower_bound(divisors_.begin(), divisors_.end(), range.least);
         factor != divisors_.end() && *factor <= std::min(range.most, left); ++factor) {
      if (left % *factor != 0 || power(*factor, count) < left) continue;
      const int rest = left / *factor;
      if (power(range.least, count - 1) > rest) return false;
      found.push_back(*factor);
      if (find_between(rest, count - 1, {range.least, *factor}, found)) return true;
      found.pop_back();
    }
    return false;
  }

  int number_;
  std::vector<int> divisors_;
};

int fill_dimensions(int nodes, int count, int* sizes) {
  if (nodes < 1) return fail("MPI_Dims_create", MPI_ERR_ARG, std::to_string(nodes) + " ranks");
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
  const std::vector<int> found = BalancedFactors(left).find(static_cast<int>(open.size()));
  for (std::size_t i = 0; i < open.size(); ++i) sizes[open[i]] = found[i];
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Cartesian;

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
  if (const int error = mpi::check_room(caller, *grid, most)) return error;
  const std::vector<int> own = grid->coordinates_of(caller.communicator().rank());
  for (std::size_t i = 0; i < own.size(); ++i) {
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
  caller.check_member(rank);
  const Cartesian* const grid = mpi::topology(caller);
  if (grid == nullptr) return caller.error();
  if (const int error = mpi::check_room(caller, *grid, most)) return error;
  const std::vector<int> found = grid->coordinates_of(rank);
  std::copy(found.begin(), found.end(), coordinates);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Cart_shift, (MPI_Comm comm, int direction, int distance, int* from, int* to)) {
  mpi::Caller caller("MPI_Cart_shift", comm);
  const Cartesian* const grid = mpi::topology(caller);
  if (grid == nullptr) return caller.error();
  if (direction < 0 || direction >= static_cast<int>(grid->sizes.size()))
    return caller.fail(MPI_ERR_DIMS, "the grid has no such dimension");
  const int rank = caller.communicator().rank();
  const auto dimension = static_cast<std::size_t>(direction);
  *to = mpi::their_rank(grid->shifted(rank, dimension, distance));
  *from = mpi::their_rank(grid->shifted(rank, dimension, -distance));
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Cart_map, (MPI_Comm comm, int count, const int* sizes, const int*, int* rank)) {
  mpi::Caller caller("MPI_Cart_map", comm);
  if (!caller.error() && count < 0) caller.fail(MPI_ERR_DIMS, "a negative number of dimensions");
  if (caller.error()) return caller.error();
  if (std::any_of(sizes, sizes + count, [](int size) { return size < 0; }))
    return caller.fail(MPI_ERR_DIMS, "a negative dimension");
  const std::int64_t places = mpi::places_of(count, sizes);
  if (places > caller.communicator().size())
    return caller.fail(MPI_ERR_DIMS, "the grid has more places than the communicator has ranks");
  const int own = caller.communicator().rank();
  *rank = own < places ? own : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
