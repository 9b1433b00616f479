// SPDX-License-Identifier: BSD-3-Clause
// external32, the data representation that all MPIs know: big-endian, with fixed lengths.
#pragma once

#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

/// Bytes of an element.
std::size_t external_bytes(const Datatype& type);
/// `packed` has room for as many bytes as the elements have.
void pack_external(const Layout& from, std::byte* packed);
void unpack_external(const std::byte* packed, const Layout& to);

}  // namespace terrace::threadranks
