// SPDX-License-Identifier: BSD-3-Clause
// The functions of <terrace/mpix.h> with Fortran's calling convention, on top of the C functions.
// The modules terrace_mpix and terrace_mpix_f08 call terrace_mpix_..._f; programs with mpif.h call
// the same functions by the names that Fortran compilers generate.
//
// All arguments are passed by address. The length of a text comes last, by value: compilers add it
// as a hidden int or size_t, and reading an int serves both.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "communicators/library/mpi.hpp"

using AbiWord = std::uintptr_t;

#define TERRACE_ENTRY extern "C" __attribute__((visibility("default")))

TERRACE_ENTRY int MPIX_Comm_split_type(AbiWord comm, int type, int key, AbiWord info,
                                       void* newcomm);
TERRACE_ENTRY int MPIX_Comm_hsplit_with_roots(AbiWord comm, AbiWord info, void* newcomm,
                                              void* rootscomm);
TERRACE_ENTRY int MPIX_Comm_hsplit_all(AbiWord comm, AbiWord info, int most_levels, int* levels,
                                       void* newcomms, void* rootscomms, char** types);
TERRACE_ENTRY int MPIX_Comm_get_hlevel_info(AbiWord comm, int* num_comms, int* index, char** type);
TERRACE_ENTRY int MPIX_Comm_get_info(AbiWord comm, void* info);
TERRACE_ENTRY int MPIX_Get_hw_resource_info(void* info);
TERRACE_ENTRY int MPIX_Comm_get_min_hlevel(AbiWord comm, int nranks, const int* ranks, char** type);
TERRACE_ENTRY int MPIX_Comm_distance(AbiWord comm, int rank_a, int rank_b, int* levels);
TERRACE_ENTRY int MPIX_Comm_get_hcoords(AbiWord comm, int rank, int most_levels, int* levels,
                                        int* sizes, int* coordinates, char** types);

namespace terrace::communicators {
namespace {

/// Makes room for what C puts into an array of `count`. Null where there is no memory, which C then
/// complains of to all ranks.
template <class Item>
using Array = std::unique_ptr<Item[]>;
template <class Item>
Array<Item> array_of(int count) {
  return Array<Item>(count > 0 ? new (std::nothrow) Item[static_cast<std::size_t>(count)]
                               : nullptr);
}

/// Calls `work`, which returns the error code, with the MPI.
template <class Work>
void with_mpi(int* error, Work work) {
  Mpi* const mpi = mpi_of_this_process();
  *error = mpi == nullptr ? kErrorWithoutMpi : work(*mpi);
}

/// A text of C as Fortran has it, filled with blanks; none is blank.
void put_text(const char* text, char* place, int length) {
  if (length <= 0) return;
  const std::size_t room = static_cast<std::size_t>(length);
  const std::size_t letters = text == nullptr ? 0 : std::min(std::strlen(text), room);
  std::memcpy(place, text, letters);
  std::memset(place + letters, ' ', room - letters);
}

char* text_at(char* texts, int index, int length) {
  return texts + std::ptrdiff_t{index} * std::max(length, 0);
}

/// Room for communicators, which are null until C puts others there.
Array<AbiWord> comms_of(const Mpi& mpi, int count) {
  Array<AbiWord> comms = array_of<AbiWord>(count);
  for (std::size_t i = 0; comms && i < static_cast<std::size_t>(count); ++i)
    mpi.put_at(mpi.null(), comms.get(), i);
  return comms;
}

void put_comms(const Mpi& mpi, const AbiWord* made, int count, int* comms) {
  for (int i = 0; i < count; ++i)
    comms[i] = mpi.comm_in_fortran(
        made == nullptr ? mpi.null() : mpi.taken_from(made, static_cast<std::size_t>(i)));
}

}  // namespace

/// Defines terrace_mpix_NAME_f, of which the others are names.
#define TERRACE_FORTRAN(NAME, UPPER, PARAMETERS)                                         \
  TERRACE_ENTRY void terrace_mpix_##NAME##_f PARAMETERS;                                 \
  TERRACE_ENTRY __attribute__((                                                          \
      alias("terrace_mpix_" #NAME "_f"))) decltype(terrace_mpix_##NAME##_f) mpix_##NAME, \
      mpix_##NAME##_, mpix_##NAME##__, UPPER;                                            \
  TERRACE_ENTRY void terrace_mpix_##NAME##_f PARAMETERS

TERRACE_FORTRAN(comm_split_type, MPIX_COMM_SPLIT_TYPE,
                (const int* comm, const int* type, const int* key, const int* info, int* newcomm,
                 int* error)) {
  with_mpi(error, [&](const Mpi& mpi) {
    AbiWord made = 0;
    mpi.put(mpi.null(), &made);
    const int own_error = MPIX_Comm_split_type(mpi.comm_of_fortran(*comm), *type, *key,
                                               mpi.info_of_fortran(*info), &made);
    put_comms(mpi, &made, 1, newcomm);
    return own_error;
  });
}

TERRACE_FORTRAN(comm_hsplit_with_roots, MPIX_COMM_HSPLIT_WITH_ROOTS,
                (const int* comm, const int* info, int* newcomm, int* rootscomm, int* error)) {
  with_mpi(error, [&](const Mpi& mpi) {
    AbiWord made = 0, roots = 0;
    mpi.put(mpi.null(), &made);
    mpi.put(mpi.null(), &roots);
    const int own_error = MPIX_Comm_hsplit_with_roots(mpi.comm_of_fortran(*comm),
                                                      mpi.info_of_fortran(*info), &made, &roots);
    put_comms(mpi, &made, 1, newcomm);
    put_comms(mpi, &roots, 1, rootscomm);
    return own_error;
  });
}

/// `rootscomms` may be null.
TERRACE_FORTRAN(comm_hsplit_all, MPIX_COMM_HSPLIT_ALL,
                (const int* comm, const int* info, const int* most_levels, int* levels,
                 int* newcomms, int* rootscomms, char* types, int* error, int length)) {
  *levels = 0;
  with_mpi(error, [&](const Mpi& mpi) {
    const int most = *most_levels;
    const Array<AbiWord> made = comms_of(mpi, most);
    const Array<AbiWord> roots = comms_of(mpi, rootscomms == nullptr ? 0 : most);
    const Array<char*> names = array_of<char*>(most);
    const bool has_room = made && names && (roots || rootscomms == nullptr);
    const int own_error =
        MPIX_Comm_hsplit_all(mpi.comm_of_fortran(*comm), mpi.info_of_fortran(*info), most, levels,
                             has_room ? made.get() : nullptr, roots.get(), names.get());
    put_comms(mpi, made.get(), most, newcomms);
    if (rootscomms != nullptr) put_comms(mpi, roots.get(), most, rootscomms);
    for (int i = 0; i < most; ++i)
      put_text(names && i < *levels ? names[static_cast<std::size_t>(i)] : nullptr,
               text_at(types, i, length), length);
    return own_error;
  });
}

TERRACE_FORTRAN(comm_get_hlevel_info, MPIX_COMM_GET_HLEVEL_INFO,
                (const int* comm, int* num_comms, int* index, char* type, int* error, int length)) {
  with_mpi(error, [&](const Mpi& mpi) {
    char* name = nullptr;
    const int own_error =
        MPIX_Comm_get_hlevel_info(mpi.comm_of_fortran(*comm), num_comms, index, &name);
    put_text(name, type, length);
    return own_error;
  });
}

TERRACE_FORTRAN(comm_get_info, MPIX_COMM_GET_INFO, (const int* comm, int* info_used, int* error)) {
  with_mpi(error, [&](const Mpi& mpi) {
    AbiWord made = 0;
    const int own_error = MPIX_Comm_get_info(mpi.comm_of_fortran(*comm), &made);
    if (own_error == 0) *info_used = mpi.info_in_fortran(mpi.taken_from(&made, 0));
    return own_error;
  });
}

TERRACE_FORTRAN(get_hw_resource_info, MPIX_GET_HW_RESOURCE_INFO, (int* hw_info, int* error)) {
  with_mpi(error, [&](const Mpi& mpi) {
    AbiWord made = 0;
    const int own_error = MPIX_Get_hw_resource_info(&made);
    if (own_error == 0) *hw_info = mpi.info_in_fortran(mpi.taken_from(&made, 0));
    return own_error;
  });
}

TERRACE_FORTRAN(comm_get_min_hlevel, MPIX_COMM_GET_MIN_HLEVEL,
                (const int* comm, const int* nranks, const int* ranks, char* type, int* error,
                 int length)) {
  with_mpi(error, [&](const Mpi& mpi) {
    char* name = nullptr;
    const int own_error =
        MPIX_Comm_get_min_hlevel(mpi.comm_of_fortran(*comm), *nranks, ranks, &name);
    put_text(name, type, length);
    return own_error;
  });
}

TERRACE_FORTRAN(comm_distance, MPIX_COMM_DISTANCE,
                (const int* comm, const int* rank_a, const int* rank_b, int* levels, int* error)) {
  *levels = 0;
  with_mpi(error, [&](const Mpi& mpi) {
    return MPIX_Comm_distance(mpi.comm_of_fortran(*comm), *rank_a, *rank_b, levels);
  });
}

/// Leaves what is beyond `levels` as it was.
TERRACE_FORTRAN(comm_get_hcoords, MPIX_COMM_GET_HCOORDS,
                (const int* comm, const int* rank, const int* most_levels, int* levels, int* sizes,
                 int* coordinates, char* types, int* error, int length)) {
  *levels = 0;
  with_mpi(error, [&](const Mpi& mpi) {
    const int most = *most_levels;
    const Array<char*> names = array_of<char*>(most);
    if (most > 0 && !names) return mpi.error_code(Failure::other);
    const int own_error = MPIX_Comm_get_hcoords(mpi.comm_of_fortran(*comm), *rank, most, levels,
                                                sizes, coordinates, names.get());
    for (int i = 0; own_error == 0 && i < std::min(*levels, most); ++i)
      put_text(names[static_cast<std::size_t>(i)], text_at(types, i, length), length);
    return own_error;
  });
}

}  // namespace terrace::communicators
