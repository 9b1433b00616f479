// SPDX-License-Identifier: BSD-3-Clause
// The adapters, one per ABI: adapter.cpp as built for each.
#pragma once

#include "preload/below.hpp"

namespace terrace::preload {

/// What an adapter makes of the MPI in this process.
struct Finding {
  bool is_early = false;  ///< before MPI_Init nothing can be known yet
  MpiBelow* adapter = nullptr;
};

namespace mpich {
Finding look();
}
namespace openmpi {
Finding look();
}
namespace standard {
Finding look();
}

}  // namespace terrace::preload
