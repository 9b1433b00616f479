// SPDX-License-Identifier: BSD-3-Clause
// The blocks that each collective of an intercommunicator exchanges.
#include "threadranks/mpi/collective/intercomm_collectives.hpp"

#include <numeric>
#include <optional>

namespace terrace::threadranks::mpi {

namespace {

/// Shares the elements of a vector out among `count` ranks.
std::vector<std::int64_t> shares(std::int64_t elements, int count) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back(elements * (i + 1) / count - elements * i / count);
  return all;
}

/// The members of the other group that get a block of this member, and those that give it one.
struct PeersInCall {
  BlockNumbers takers, givers;
  bool has_block_for_each = false;  ///< otherwise all takers get the same
};

PeersInCall peers_of(Collective plan, int root, std::size_t count) {
  const bool has_block_for_each = plan == Collective::scatter || plan == Collective::alltoall;
  const BlockNumbers all{0, count};
  if (!is_rooted(plan)) return {all, all, has_block_for_each};
  if (root == MPI_PROC_NULL) return {};
  const bool is_root = root == MPI_ROOT;
  const BlockNumbers others = is_root ? all : BlockNumbers{static_cast<std::size_t>(root), 1};
  const bool gives = is_root == (plan == Collective::scatter || plan == Collective::bcast);
  return {gives ? others : BlockNumbers{}, gives ? BlockNumbers{} : others, has_block_for_each};
}

/// Dense bytes that stay in place for as long as the exchange lasts.
void add_bytes(PackedBlocks& blocks, int number, void* at, std::size_t bytes) {
  blocks.add(static_cast<std::size_t>(number), Block{static_cast<std::byte*>(at), bytes});
}

/// Checks a layout; the caller has the error if there is none.
Layout layout_of(Caller& caller, const BufferSide& side) {
  return caller.layout(side.buffer, side.count, side.type);
}

}  // namespace

bool IntercommCollective::begin(Caller& caller) {
  if (caller.error()) return false;
  communicator_ = &caller.communicator();
  return true;
}

IntercommCollective::Exchange& IntercommCollective::add_exchange() {
  Exchange& exchange = exchanges_.emplace_back();
  exchange.in.set_numbers(communicator_->shared().members.size());
  exchange.out.set_numbers(communicator_->shared().members.size());
  return exchange;
}

bool IntercommCollective::has_call() {
  if (totals_.told < Totals::kWords) return true;
  if (next_ == 0 && stage_ == Stage::lengths) heed_totals();
  for (; next_ < exchanges_.size(); ++next_, stage_ = Stage::lengths) {
    Exchange& exchange = exchanges_[next_];
    if (stage_ == Stage::lengths) return true;
    if (stage_ == Stage::told) {
      stage_ = Stage::blocks;
      heed_lengths(exchange);
    }
    if (stage_ == Stage::blocks && exchange.most > 0) return true;
    if (exchange.then && (exchange.moves || truncation_.empty())) exchange.then();
  }
  return false;
}

/// Begins with an agreement of all members that combine: `mine` is the same if their vectors are
/// alike, and 0 for a member that has none.
void IntercommCollective::compare_totals(std::uint64_t mine) {
  totals_.are_compared = true;
  totals_.own = {mine, mine == 0 ? 0 : ~mine};
  totals_.words = totals_.own;
  totals_.told = 0;
}

/// All members come to the same end: without equal vectors, none goes on.
void IntercommCollective::heed_totals() {
  const auto [most, least] = totals_.words;
  if (most == 0 || most == ~least) return;
  truncation_ = "not all members of both groups give vectors of the same length";
  next_ = exchanges_.size();
}

/// Fits this member's blocks to what the others give, and notes one that does not fit. The exchange
/// still takes place: others wait for it.
void IntercommCollective::heed_lengths(Exchange& exchange) {
  const std::size_t members = communicator_->shared().members.size();
  const auto place = static_cast<Rank>(communicator_->place_of_member(communicator_->rank()));
  const auto first_peer = static_cast<Rank>(communicator_->place_of_peer(0));
  const auto peers = static_cast<Rank>(communicator_->peer_count());
  exchange.most = exchange.lengths.most().value_or(0);
  for (Rank giver = 0; giver < members; ++giver) {
    const std::size_t given = exchange.lengths.given_by(giver), wanted = exchange.out[giver].bytes;
    if (given == wanted || (given < wanted && exchange.moves)) continue;
    const bool is_peer = giver - first_peer < peers;
    const int rank = is_peer ? static_cast<int>(giver - first_peer)
                             : static_cast<int>(giver) - communicator_->place_of_member(0);
    truncation_ = "wants " + std::to_string(wanted) + " bytes of rank " + std::to_string(rank) +
                  " of " + (is_peer ? "the other" : "its own") + " group, which gives " +
                  std::to_string(given);
  }
  const std::optional<Truncation> found = exchange.out.fit_to(
      exchange.lengths, {Collective::alltoallv, static_cast<Rank>(members), place, 0});
  if (found && !found->has_memory)
    communicator_->state().end_job(MPI_ERR_NO_MEM,
                                   "there is no memory for a block that is longer than wanted");
}

void IntercommCollective::restart() {
  next_ = 0;
  stage_ = Stage::lengths;
  truncation_.clear();
  if (totals_.are_compared) compare_totals(totals_.own[0]);
  for (Exchange& exchange : exchanges_) {
    exchange.in.pack();
    exchange.out.restore();
  }
  if (reduction_.packed) read_operands();
}

bool IntercommCollective::barrier(Caller& caller) {
  if (!begin(caller)) return false;
  add_exchange().is_barrier = true;
  return true;
}

template <class Side>
bool IntercommCollective::move_blocks(Caller& caller, Collective collective, const Side& given,
                                      const Side& wanted, int root) {
  if (is_rooted(collective)) caller.check_root(root);
  if (!begin(caller)) return false;
  Exchange& exchange = add_exchange();
  exchange.moves = true;
  const auto first = static_cast<std::size_t>(communicator_->place_of_peer(0));
  const auto [takers, givers, has_block_for_each] =
      peers_of(planned_as(collective), root, static_cast<std::size_t>(communicator_->peer_count()));
  const std::size_t blocks =
      has_block_for_each ? takers.count : std::min(takers.count, std::size_t{1});
  check_arrays(caller, given, blocks);
  check_arrays(caller, wanted, givers.count);
  for (std::size_t i = 0; !caller.error() && i < blocks; ++i) {
    const Layout block = given.block(caller, i);
    if (!caller.error()) exchange.in.add(first + takers.first + i, KeptElements(block));
  }
  for (std::size_t i = 0; !caller.error() && i < givers.count; ++i) {
    const Layout block = wanted.block(caller, i);
    if (!caller.error()) exchange.out.add(first + givers.first + i, KeptElements(block));
  }
  make_room(exchange.in, caller);
  make_room(exchange.out, caller);
  if (caller.error()) return false;
  exchange.in.pack();
  for (std::size_t i = blocks; i < takers.count; ++i)
    exchange.in.add(first + takers.first + i, exchange.in[first + takers.first]);
  exchange.then = [&exchange] { exchange.out.unpack(); };
  return true;
}
template bool IntercommCollective::move_blocks(Caller&, Collective, const BufferSide&,
                                               const BufferSide&, int);
template bool IntercommCollective::move_blocks(Caller&, Collective, const VectorBuffer&,
                                               const VectorBuffer&, int);

/// Packs this member's contribution. False: an error.
bool IntercommCollective::find_operands(Caller& caller, const Layout& vector, MPI_Op op) {
  if (!find_combining(caller, vector, op, reduction_.combining)) return false;
  reduction_.vector = KeptElements(vector);
  reduction_.packed = std::make_unique<std::byte[]>(vector.bytes() + 1);
  read_operands();
  compare_totals((static_cast<std::uint64_t>(vector.count) << 20) + element_bytes());
  return true;
}

void IntercommCollective::hold_result(const Layout& result) {
  reduction_.result = KeptElements(result);
  reduction_.packed_result = std::make_unique<std::byte[]>(result.bytes() + 1);
}

/// Adds this member's slices, one for each member from that place on.
void IntercommCollective::add_slices(Exchange& exchange, int first,
                                     const std::vector<std::int64_t>& counts) {
  std::byte* at = reduction_.packed.get();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t bytes = static_cast<std::size_t>(counts[i]) * element_bytes();
    add_bytes(exchange.in, first + static_cast<int>(i), at, bytes);
    at += bytes;
  }
}

/// Adds the slices, from each of those members, that this member combines when they have arrived.
void IntercommCollective::take_slices(Exchange& exchange, int first, int givers,
                                      std::int64_t count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * element_bytes();
  reduction_.parts = std::make_unique<std::byte[]>(bytes * static_cast<std::size_t>(givers) + 1);
  reduction_.slice = std::make_unique<std::byte[]>(bytes + 1);
  for (int i = 0; i < givers; ++i)
    add_bytes(exchange.out, first + i, reduction_.parts.get() + bytes * static_cast<std::size_t>(i),
              bytes);
  exchange.then = [this, givers, count] { combine_slices(givers, count); };
}

void IntercommCollective::combine_slices(int givers, std::int64_t count) {
  if (count == 0) return;
  const std::size_t elements = static_cast<std::size_t>(count), bytes = elements * element_bytes();
  std::byte* const sum = reduction_.slice.get();
  std::copy_n(reduction_.parts.get(), bytes, sum);
  const Elements& how = reduction_.combining.elements;
  for (int i = 1; i < givers; ++i) {
    const void* operands[] = {sum, reduction_.parts.get() + bytes * static_cast<std::size_t>(i)};
    void* result = sum;
    if (how.combiner != nullptr)
      how.combiner->combine(operands, 2, &result, 1, elements);
    else
      how.reduction(operands, 2, &result, 1, elements, Stores::cached);
  }
}

/// Takes the slices that other members have combined as the result.
void IntercommCollective::take_result(Exchange& exchange, int first,
                                      const std::vector<std::int64_t>& counts) {
  std::byte* at = reduction_.packed_result.get();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t bytes = static_cast<std::size_t>(counts[i]) * element_bytes();
    add_bytes(exchange.out, first + static_cast<int>(i), at, bytes);
    at += bytes;
  }
  exchange.then = [this] {
    reduction_.result.unpack(reduction_.packed_result.get(), reduction_.result.bytes());
  };
}

bool IntercommCollective::combine(Caller& caller, Collective collective, const void* in, void* out,
                                  std::int64_t count, MPI_Datatype type, MPI_Op op, int root) {
  if (collective == Collective::allreduce)
    return combine_for_all(caller, {in, count, type}, out, op);
  if (collective == Collective::reduce)
    return combine_for_root(caller, {root == MPI_ROOT ? out : in, count, type}, op, root);
  caller.fail(MPI_ERR_COMM, "scans are within a group, and the communicator is between two");
  return false;
}

/// Each group combines the other group's vectors.
bool IntercommCollective::combine_for_all(Caller& caller, const BufferSide& brought, void* out,
                                          MPI_Op op) {
  if (!begin(caller)) return false;
  Exchange& first = add_exchange();
  Exchange& second = add_exchange();
  const Layout vector = layout_of(caller, brought);
  if (!caller.error()) caller.check_buffer({out, vector.count, vector.type});
  if (caller.error() || !find_operands(caller, vector, op)) return false;
  const Communicator& its = *communicator_;
  const int first_peer = its.place_of_peer(0), peers = its.peer_count();
  const std::vector<std::int64_t> slices = shares(brought.count, its.size());
  const std::int64_t own = slices[static_cast<std::size_t>(its.rank())];
  add_slices(first, first_peer, shares(brought.count, peers));
  take_slices(first, first_peer, peers, own);
  for (int i = 0; i < its.size(); ++i)
    add_bytes(second.in, its.place_of_member(i), reduction_.slice.get(),
              static_cast<std::size_t>(own) * element_bytes());
  hold_result({out, vector.count, vector.type});
  take_result(second, its.place_of_member(0), slices);
  return true;
}

/// The group without a root combines its vectors, and sends the slices to the root. `side`: at the
/// root, the destination of the result.
bool IntercommCollective::combine_for_root(Caller& caller, const BufferSide& side, MPI_Op op,
                                           int root) {
  caller.check_root(root);
  if (!begin(caller)) return false;
  Exchange& first = add_exchange();
  Exchange& second = add_exchange();
  if (root == MPI_PROC_NULL) {
    compare_totals(0);
    return true;
  }
  const Layout vector = layout_of(caller, side);
  if (caller.error() || !find_operands(caller, vector, op)) return false;
  const Communicator& its = *communicator_;
  if (root == MPI_ROOT) {
    hold_result(vector);
    take_result(second, its.place_of_peer(0), shares(side.count, its.peer_count()));
    return true;
  }
  const std::vector<std::int64_t> slices = shares(side.count, its.size());
  const std::int64_t own = slices[static_cast<std::size_t>(its.rank())];
  add_slices(first, its.place_of_member(0), slices);
  take_slices(first, its.place_of_member(0), its.size(), own);
  add_bytes(second.in, its.place_of_peer(root), reduction_.slice.get(),
            static_cast<std::size_t>(own) * element_bytes());
  return true;
}

/// Both groups get the same total.
bool IntercommCollective::reduce_scatter_block(Caller& caller, const void* in, void* out,
                                               std::int64_t count, MPI_Datatype type, MPI_Op op) {
  if (!begin(caller)) return false;
  const Communicator& its = *communicator_;
  const std::int64_t total = count * its.size();
  Exchange& exchange = add_exchange();
  const Layout vector = layout_of(caller, {in, total, type});
  if (!caller.error()) caller.check_buffer({out, static_cast<std::size_t>(count), vector.type});
  if (caller.error() || !find_operands(caller, vector, op)) return false;
  hold_result({out, static_cast<std::size_t>(count), vector.type});
  add_slices(exchange, its.place_of_peer(0), shares(total, its.peer_count()));
  take_slices(exchange, its.place_of_peer(0), its.peer_count(), count);
  exchange.then = [this, count, peers = its.peer_count()] {
    combine_slices(peers, count);
    reduction_.result.unpack(reduction_.slice.get(), reduction_.result.bytes());
  };
  return true;
}

/// The other group first tells how its total is cut.
bool IntercommCollective::reduce_scatter(Caller& caller, const void* in, void* out,
                                         const MpiCounts& counts, MPI_Datatype type, MPI_Op op) {
  if (!counts) caller.fail(MPI_ERR_ARG, "the array of counts is null");
  if (!begin(caller)) return false;
  const Communicator& its = *communicator_;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(its.size()); ++i) {
    if (counts[i] < 0) caller.fail(MPI_ERR_COUNT, "a negative count");
    reduction_.wanted.push_back(counts[i]);
    total += counts[i];
  }
  Exchange& lengths = add_exchange();
  Exchange& slices = add_exchange();
  const std::int64_t own = reduction_.wanted[static_cast<std::size_t>(its.rank())];
  const Layout vector = layout_of(caller, {in, total, type});
  if (total > 0) caller.check_not_in_place(out);
  if (!caller.error()) caller.check_buffer({out, static_cast<std::size_t>(own), vector.type});
  if (caller.error() || !find_operands(caller, vector, op)) return false;
  hold_result({out, static_cast<std::size_t>(own), vector.type});
  const int first = its.place_of_peer(0), peers = its.peer_count();
  if (its.rank() == 0)
    for (int i = 0; i < peers; ++i)
      add_bytes(lengths.in, first + i, reduction_.wanted.data(),
                reduction_.wanted.size() * sizeof(std::int64_t));
  reduction_.given.resize(static_cast<std::size_t>(peers));
  add_bytes(lengths.out, first, reduction_.given.data(),
            reduction_.given.size() * sizeof(std::int64_t));
  // Sends no slices if the totals differ: the other group then reports an error.
  lengths.then = [this, &slices, first, total] {
    if (std::accumulate(reduction_.given.begin(), reduction_.given.end(), std::int64_t{0}) == total)
      add_slices(slices, first, reduction_.given);
  };
  take_slices(slices, first, peers, own);
  slices.then = [this, own, peers] {
    combine_slices(peers, own);
    reduction_.result.unpack(reduction_.slice.get(), reduction_.result.bytes());
  };
  return true;
}

}  // namespace terrace::threadranks::mpi
