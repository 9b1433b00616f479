// SPDX-License-Identifier: BSD-3-Clause
// Exchanges messages with all neighbours as one collective, apart from the program's own messages.
#pragma once

#include <deque>

#include "threadranks/ranks/communicator.hpp"

namespace terrace::threadranks {

class NeighbourExchange final : public Operation {
 public:
  ~NeighbourExchange() override;

  // Before it begins; in the order of the topology's lists.
  void send(const Neighbour& to, const Layout& from);
  void receive(const Neighbour& from, const Layout& to);

  bool advance(Communicator& on) override;
  void restart() override;

 private:
  /// A message to or from a neighbour.
  struct Parcel {
    Neighbour neighbour;
    Layout layout;
  };
  void begin(Communicator& on);

  std::deque<Parcel> given_, wanted_;
  std::deque<PostedRecv> receivings_;  ///< stay where they are
  std::vector<RendezvousSend*> sendings_;
  bool has_begun_ = false;
};

}  // namespace terrace::threadranks
