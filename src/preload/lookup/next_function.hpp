// SPDX-License-Identifier: BSD-3-Clause
// A function of another library, and conversions of handles for calling it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/found_function.hpp"
#include "base/handles.hpp"
#include "preload/lookup/symbol_lookup.hpp"

namespace terrace::preload {

/// A handle in the register that it arrived in, forwarded unchanged: one library serves all ABIs,
/// and handles fill a word in some of them but not in others.
using HandleWord = std::uintptr_t;
template <class Native>
HandleWord word_of(Native native) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<HandleWord>(native);
  else  // some processors sign-extend integers to the whole register
    return static_cast<HandleWord>(static_cast<std::intptr_t>(native));
}

/// One function, found by name.
template <class Signature>
struct NextFunction : FoundFunction<Signature> {
  explicit NextFunction(const char* name) : NextFunction(find_next(name)) {}
  explicit NextFunction(void* found) : FoundFunction<Signature>(found) {}
};

}  // namespace terrace::preload
