// SPDX-License-Identifier: BSD-3-Clause
// Type signatures: the basic elements that a packed element consists of, in order. What is repeated
// is there once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_calls/predefined_types_and_operators.hpp"

namespace terrace::threadranks {

/// A run of basic elements of one size.
struct BasicRun {
  std::size_t bytes;
  std::size_t count;
  const NamedType* type = nullptr;  ///< null: halves of pairs
  std::size_t external_bytes = 0;   ///< of each, in external32
};

struct TypeSignature;
/// Types share them. Null: no elements.
using SharedSignature = std::shared_ptr<const TypeSignature>;

struct TypeSignature {
  struct Part {
    BasicRun run;
    SharedSignature repeated;  ///< if not null, this as often as the run says instead

    std::size_t bytes() const { return run.count * (repeated ? repeated->bytes : run.bytes); }
    std::size_t elements() const { return run.count * (repeated ? repeated->elements : 1); }
    std::size_t external_bytes() const {
      return run.count * (repeated ? repeated->external_bytes : run.external_bytes);
    }
  };

  std::vector<Part> parts;
  std::size_t bytes = 0, elements = 0, external_bytes = 0;

  const BasicRun* only_run() const {
    return parts.size() == 1 && parts.front().repeated == nullptr ? &parts.front().run : nullptr;
  }
};

/// Counts the basic elements in the first `bytes` of a packed message; -1: not a whole number.
std::int64_t elements_in(const TypeSignature& signature, std::size_t bytes);
/// Counts the bytes of so many basic elements.
std::size_t bytes_of_elements(const TypeSignature& signature, std::size_t elements);

/// Calls `visit(run)` for all basic elements, in order.
template <class Visit>
void for_basic_runs(const TypeSignature& signature, Visit&& visit) {
  for (const TypeSignature::Part& part : signature.parts)
    if (part.repeated == nullptr)
      visit(part.run);
    else
      for (std::size_t i = 0; i < part.run.count; ++i) for_basic_runs(*part.repeated, visit);
}

/// Joins signatures, one after the other.
class SignatureList {
 public:
  void add(const BasicRun& run);
  /// Adds it as often as `count` says.
  void add(const SharedSignature& signature, std::size_t count);
  /// Ends the list.
  SharedSignature joined();

 private:
  std::vector<TypeSignature::Part> parts_;
};

}  // namespace terrace::threadranks
