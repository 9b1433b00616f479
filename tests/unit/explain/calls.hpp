// SPDX-License-Identifier: BSD-3-Clause
// Calls for tests of what is predicted and explained.
#pragma once

#include "choose/chooser.hpp"

namespace terrace::explain {

inline Predicted call_of(Collective collective, std::size_t bytes) {
  Predicted call;
  call.collective = collective;
  call.bytes = bytes;
  return call;
}

}  // namespace terrace::explain
