// SPDX-License-Identifier: BSD-3-Clause
// Identifies the host by its name and boot. See host.hpp.
#include "base/host.hpp"

#include <unistd.h>

#include <fstream>

namespace terrace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

}  // namespace terrace
