// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions by their names in Fortran: gfortran's, in lower case with an underscore, where
// the lengths of strings follow all arguments. Each is made from the type of its function in C.
#include <type_traits>

#include "threadranks/fortran/arguments.hpp"

namespace terrace::fortran {
namespace {

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
  static auto* call() {
    if constexpr (kTexts == 0)
      return &without_text;
    else if constexpr (kTexts == 1)
      return &with_text;
    else
      return &with_texts;
  }
  using Type = std::remove_pointer_t<decltype(call())>;
};

}  // namespace
}  // namespace terrace::fortran

// The loader asks the first function for the others. A tool, or the program, may replace the name
// without a P. Open MPI's library for mpi_f08 calls the last one.
#define TERRACE_NAME(symbol, Name, name) \
  extern "C"                             \
      [[gnu::visibility("default"),      \
        gnu::ifunc("terrace_find_" #name)]] terrace::fortran::Binding<&MPI_##Name>::Type symbol;
#define TERRACE_FORTRAN(Name, name)                                                \
  extern "C" terrace::fortran::Binding<&MPI_##Name>::Type* terrace_find_##name() { \
    return terrace::fortran::Binding<&MPI_##Name>::call();                         \
  }                                                                                \
  TERRACE_NAME(pmpi_##name##_, Name, name)                                         \
  TERRACE_NAME(mpi_##name##_, Name, name)                                          \
  TERRACE_NAME(ompi_##name##_f, Name, name)
/// Collectives had another name before MPI 4.0.
#define TERRACE_FORTRAN_PERSISTENT(Name, name) \
  TERRACE_FORTRAN(Name, name)                  \
  TERRACE_NAME(pmpix_##name##_, Name, name)    \
  TERRACE_NAME(mpix_##name##_, Name, name)     \
  TERRACE_NAME(ompix_##name##_f, Name, name)
#include "threadranks/fortran/names.h"

// The module mpi of Open MPI has other names for those whose result is of type(c_ptr).
TERRACE_NAME(pmpi_alloc_mem_cptr_, Alloc_mem, alloc_mem)
TERRACE_NAME(mpi_alloc_mem_cptr_, Alloc_mem, alloc_mem)
TERRACE_NAME(pmpi_win_allocate_cptr_, Win_allocate, win_allocate)
TERRACE_NAME(mpi_win_allocate_cptr_, Win_allocate, win_allocate)
TERRACE_NAME(pmpi_win_allocate_shared_cptr_, Win_allocate_shared, win_allocate_shared)
TERRACE_NAME(mpi_win_allocate_shared_cptr_, Win_allocate_shared, win_allocate_shared)
TERRACE_NAME(pmpi_win_shared_query_cptr_, Win_shared_query, win_shared_query)
TERRACE_NAME(mpi_win_shared_query_cptr_, Win_shared_query, win_shared_query)
