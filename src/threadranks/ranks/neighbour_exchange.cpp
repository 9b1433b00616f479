// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives all messages at once.
#include "threadranks/ranks/neighbour_exchange.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

/// Tags below those of programs, which no wildcard matches.
int own_tag(const Neighbour& neighbour) {
  constexpr int kFirst = -16;
  return kFirst - neighbour.tag;
}

}  // namespace

NeighbourExchange::~NeighbourExchange() {
  for (const auto* list : {&given_, &wanted_})
    for (const Parcel& parcel : *list) parcel.layout.type->release();
}

void NeighbourExchange::send(const Neighbour& to, const Layout& from) {
  TERRACE_ASSERT(!has_begun_);
  from.type->retain();
  given_.push_back({to, from});
}

void NeighbourExchange::receive(const Neighbour& from, const Layout& to) {
  TERRACE_ASSERT(!has_begun_);
  to.type->retain();
  wanted_.push_back({from, to});
}

void NeighbourExchange::begin(Communicator& on) {
  Mailbox& own = on.state().messages().mailbox();
  TERRACE_ASSERT(receivings_.empty() && sendings_.empty());
  for (const Parcel& parcel : wanted_) {
    if (parcel.neighbour.rank == kProcNull) continue;
    PostedRecv& receiving = receivings_.emplace_back();
    receiving.source = parcel.neighbour.rank;
    receiving.tag = own_tag(parcel.neighbour);
    receiving.to = parcel.layout;
    on.match_queues().receive(receiving, own);
  }
  for (const Parcel& parcel : given_) {
    if (parcel.neighbour.rank == kProcNull) continue;
    const Address address = on.address_of(parcel.neighbour.rank, own_tag(parcel.neighbour));
    RendezvousSend* const sending =
        threadranks::send(address, parcel.layout, SendMode::standard, own, false);
    if (sending != nullptr) sendings_.push_back(sending);
  }
}

void NeighbourExchange::restart() {
  TERRACE_ASSERT(sendings_.empty());
  receivings_.clear();
  has_begun_ = false;
}

bool NeighbourExchange::advance(Communicator& on) {
  if (!has_begun_) {
    has_begun_ = true;
    begin(on);
  }
  std::erase_if(sendings_, [](RendezvousSend* sending) {
    if (!sending->is_done()) return false;
    sending->release();
    return true;
  });
  const bool is_there = std::all_of(receivings_.begin(), receivings_.end(),
                                    [](const PostedRecv& one) { return one.is_done; });
  if (!is_there || !sendings_.empty()) return false;
  for (const PostedRecv& receiving : receivings_)
    if (receiving.status.outcome != Completion::done) outcome = receiving.status.outcome;
  return true;
}

}  // namespace terrace::threadranks
