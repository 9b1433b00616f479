// SPDX-License-Identifier: BSD-3-Clause
// The attribute of a communicator: which part of its parent it is, and where its members are.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/locality.hpp"
#include "communicators/names.hpp"
#include "hierarchy/hierarchy.hpp"

namespace terrace::communicators {

/// The places of a communicator's members, and the hierarchy that follows from them, computed at
/// first use.
class Members {
 public:
  explicit Members(std::vector<Locality> localities) : localities_(std::move(localities)) {}

  const std::vector<Locality>& localities() const { return localities_; }
  const Hierarchy& hierarchy() const {
    std::call_once(once_, [this] { hierarchy_ = hierarchy_of(localities_); });
    return hierarchy_;
  }

 private:
  std::vector<Locality> localities_;
  mutable std::once_flag once_;
  mutable Hierarchy hierarchy_;
};

struct CommAttribute {
  int siblings = 1;
  int index = 0;
  std::string type = kUnknown;
  std::shared_ptr<const Members> members;  ///< always there
};

}  // namespace terrace::communicators
