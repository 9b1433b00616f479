// SPDX-License-Identifier: BSD-3-Clause
// Names of subroutines for the module mpi_f08, where an error need not be asked for.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "threadranks/fortran/arguments.hpp"

namespace terrace::fortran {

/// A subroutine whose last argument, before the lengths of strings, may be null: the error.
template <auto function>
struct WithoutError;
template <class... Given, void (*function)(Given...)>
struct WithoutError<function> {
  static constexpr std::size_t kLengths =
      (std::size_t{0} + ... + (std::is_same_v<Given, std::size_t> ? 1 : 0));

  static void call(Given... given) {
    const std::tuple<Given&...> all(given...);
    auto& error = std::get<sizeof...(Given) - 1 - kLengths>(all);
    MPI_Fint own = MPI_SUCCESS;
    if constexpr (std::is_same_v<decltype(error), MPI_Fint*&>)
      if (error == nullptr) error = &own;
    function(given...);
  }
};

}  // namespace terrace::fortran

/// The names of MPI 5.0, section 20.1.5. The loader asks the first function for the others. A tool,
/// or the program, may replace the name without a P.
#define TERRACE_F08_SYMBOL(symbol, name, function)                                                 \
  extern "C" [[gnu::visibility("default"),                                                         \
               gnu::ifunc("terrace_f08_find_" #name)]] std::remove_reference_t<decltype(function)> \
      symbol;
#define TERRACE_F08_NAMES(name, suffix, function)                                          \
  extern "C" [[gnu::visibility(                                                            \
      "hidden")]] std::remove_reference_t<decltype(function)>* terrace_f08_find_##name() { \
    return &function;                                                                      \
  }                                                                                        \
  TERRACE_F08_SYMBOL(pmpi_##name##suffix, name, function)                                  \
  TERRACE_F08_SYMBOL(mpi_##name##suffix, name, function)

/// Names subroutines that are written by hand.
#define TERRACE_F08_SUBROUTINE(name, parameters) \
  extern "C" void pmpi_##name##_ parameters;     \
  TERRACE_F08_NAMES(name, _f08_, terrace::fortran::WithoutError<&pmpi_##name##_>::call)
#define TERRACE_F08_FUNCTION(Result, name, parameters)                              \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] Result mpi_##name##_f08_ parameters; \
  extern "C" [[gnu::alias("pmpi_" #name "_")]] Result pmpi_##name##_f08_ parameters;
