// SPDX-License-Identifier: BSD-3-Clause
// Info objects by their handles.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// In the order in which keys were set first.
struct InfoObject : Numbered<ObjectKind::info> {
  std::vector<std::pair<std::string, std::string>> entries;

  std::string* find(const std::string& key) {
    for (auto& entry : entries)
      if (entry.first == key) return &entry.second;
    return nullptr;
  }
  void set(const std::string& key, std::string value) {
    if (std::string* const old = find(key))
      *old = std::move(value);
    else
      entries.emplace_back(key, std::move(value));
  }
};

/// Null: the handle is no info object.
InfoObject* info_of(MPI_Info info);

}  // namespace terrace::threadranks::mpi
