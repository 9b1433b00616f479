// SPDX-License-Identifier: BSD-3-Clause
// external32, MPI's portable data representation: big-endian, with fixed lengths.
#pragma once

#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

/// Bytes of a basic element in external32.
std::size_t external_bytes(const NamedType& type);
/// Bytes of an element.
std::size_t external_bytes(const Datatype& type);
/// `packed` must have room for all elements.
void pack_external(const Layout& from, std::byte* packed);
void unpack_external(const std::byte* packed, const Layout& to);

}  // namespace terrace::threadranks
