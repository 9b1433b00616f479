// SPDX-License-Identifier: BSD-3-Clause
// Makes a subroutine of Fortran from the type of a function in C.
#pragma once

#include <type_traits>

#include "threadranks/fortran/arguments.hpp"

namespace terrace::fortran {

/// Converts a call's arguments from the first to the last, in which order their lengths are, and
/// then calls the function with them.
template <class... C>
struct Arguments;
template <>
struct Arguments<> {
  explicit Arguments(TextLengths&) {}
  template <class Function, class... Converted>
  int call(Function* function, Converted... converted) {
    return function(converted...);
  }
};
template <class First, class... Rest>
struct Arguments<First, Rest...> {
  Arguments(TextLengths& lengths, typename Argument<First>::Type place,
            typename Argument<Rest>::Type... places)
      : first(place, lengths), rest(lengths, places...) {}
  template <class Function, class... Converted>
  int call(Function* function, Converted... converted) {
    return rest.call(function, converted..., first.in_c());
  }
  Argument<First> first;
  Arguments<Rest...> rest;
};

template <class C>
constexpr bool kIsText = false;
template <>
constexpr bool kIsText<char*> = true;
template <>
constexpr bool kIsText<const char*> = true;

template <auto function>
struct Binding;
template <class... C, int (*function)(C...)>
struct Binding<function> {
  static constexpr int kTexts = (0 + ... + (kIsText<C> ? 1 : 0));
  static_assert(kTexts <= 2, "there is room for the lengths of two strings");

  static void without_text(typename Argument<C>::Type... places, MPI_Fint* error) {
    TextLengths lengths{};
    *error = Arguments<C...>(lengths, places...).call(function);
  }
  static void with_text(typename Argument<C>::Type... places, MPI_Fint* error, std::size_t length) {
    TextLengths lengths{{length, 0}};
    *error = Arguments<C...>(lengths, places...).call(function);
  }
  static void with_texts(typename Argument<C>::Type... places, MPI_Fint* error, std::size_t first,
                         std::size_t second) {
    TextLengths lengths{{first, second}};
    *error = Arguments<C...>(lengths, places...).call(function);
  }
  static constexpr auto* call() {
    if constexpr (kTexts == 0)
      return &without_text;
    else if constexpr (kTexts == 1)
      return &with_text;
    else
      return &with_texts;
  }
  using Type = std::remove_pointer_t<decltype(call())>;
};

}  // namespace terrace::fortran
