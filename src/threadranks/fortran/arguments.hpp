// SPDX-License-Identifier: BSD-3-Clause
// How an argument of Fortran becomes one of C. Fortran passes addresses. In MPICH's ABI, handles
// are integers in both languages, and so is a status; what remains are numbers that C takes by
// value, strings without an end, and constants that Fortran knows by their address.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <cstdlib>
#include <cstring>

namespace terrace::fortran {

/// The COMMON blocks of mpif.h, with MPICH's names and places.
struct Constants1 {
  MPI_Fint bottom, in_place;
  MPI_Status status_ignore;
};
struct Constants2 {
  MPI_Status statuses_ignore;
  MPI_Fint errcodes_ignore;
};
struct ConstantTexts {
  char argvs_null, argv_null;
};

}  // namespace terrace::fortran

#pragma GCC visibility push(default)
extern "C" {
extern terrace::fortran::Constants1 mpipriv1_;
extern terrace::fortran::Constants2 mpipriv2_;
extern terrace::fortran::ConstantTexts mpiprivc_;
extern MPI_Fint mpifcmb5_;  ///< MPI_UNWEIGHTED
extern MPI_Fint mpifcmb9_;  ///< MPI_WEIGHTS_EMPTY
}
#pragma GCC visibility pop

namespace terrace::fortran {

/// The lengths of a call's strings, which follow its arguments.
struct TextLengths {
  std::size_t lengths[2];
  std::size_t used = 0;

  std::size_t next() { return lengths[used++]; }
};

inline const void* buffer_in_c(const void* place) {
  if (place == &mpipriv1_.bottom) return MPI_BOTTOM;
  return place == &mpipriv1_.in_place ? MPI_IN_PLACE : place;
}
inline MPI_Status* status_in_c(MPI_Status* place) {
  if (place == &mpipriv1_.status_ignore) return MPI_STATUS_IGNORE;
  return place == &mpipriv2_.statuses_ignore ? MPI_STATUSES_IGNORE : place;
}
inline const int* weights_in_c(const int* place) {
  if (place == &mpifcmb5_) return MPI_UNWEIGHTED;
  return place == &mpifcmb9_ ? MPI_WEIGHTS_EMPTY : place;
}

/// Numbers and handles, of which Fortran passes the address.
template <class C>
struct Argument {
  using Type = const C*;
  Argument(Type place, TextLengths&) : value(*place) {}
  C in_c() const { return value; }
  C value;
};

/// Results, arrays, and functions of the program.
template <class C>
struct Argument<C*> {
  using Type = C*;
  Argument(Type place, TextLengths&) : value(place) {}
  C* in_c() const { return value; }
  C* value;
};

template <>
struct Argument<const void*> {
  using Type = const void*;
  Argument(Type place, TextLengths&) : value(buffer_in_c(place)) {}
  const void* in_c() const { return value; }
  const void* value;
};
template <>
struct Argument<void*> {
  using Type = void*;
  Argument(Type place, TextLengths&) : value(const_cast<void*>(buffer_in_c(place))) {}
  void* in_c() const { return value; }
  void* value;
};

template <>
struct Argument<MPI_Status*> {
  using Type = MPI_Status*;
  Argument(Type place, TextLengths&) : value(status_in_c(place)) {}
  MPI_Status* in_c() const { return value; }
  MPI_Status* value;
};

template <>
struct Argument<const int*> {
  using Type = const int*;
  Argument(Type place, TextLengths&) : value(weights_in_c(place)) {}
  const int* in_c() const { return value; }
  const int* value;
};
template <>
struct Argument<int*> {
  using Type = int*;
  Argument(Type place, TextLengths&) : value(const_cast<int*>(weights_in_c(place))) {}
  int* in_c() const { return value; }
  int* value;
};

/// A file, whose handle is an address in C.
template <>
struct Argument<MPI_File> {
  using Type = const MPI_Fint*;
  Argument(Type place, TextLengths&) : value(PMPI_File_f2c(*place)) {}
  MPI_File in_c() const { return value; }
  MPI_File value;
};
template <>
struct Argument<MPI_File*> {
  using Type = MPI_Fint*;
  Argument(Type its_place, TextLengths&) : place(its_place), value(PMPI_File_f2c(*its_place)) {}
  ~Argument() { *place = PMPI_File_c2f(value); }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  MPI_File* in_c() { return &value; }
  MPI_Fint* place;
  MPI_File value;
};

/// Text for MPI: without the blanks around it.
template <>
struct Argument<const char*> {
  using Type = const char*;
  Argument(Type text, TextLengths& lengths) {
    std::size_t length = lengths.next();
    while (length > 0 && text[length - 1] == ' ') --length;
    while (length > 0 && *text == ' ') {
      ++text;
      --length;
    }
    copy = static_cast<char*>(std::malloc(length + 1));
    std::memcpy(copy, text, length);
    copy[length] = '\0';
  }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() { std::free(copy); }
  const char* in_c() const { return copy; }
  char* copy;
};

/// Text of MPI's, which Fortran continues with blanks. What MPI does not write stays as it was.
template <>
struct Argument<char*> {
  using Type = char*;
  Argument(Type text, TextLengths& lengths)
      : place(text), room(lengths.next()), copy(static_cast<char*>(std::malloc(kMost))) {
    copy[0] = kUntouched;
    copy[1] = '\0';
  }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() {
    const std::size_t length = std::strlen(copy), copied = length < room ? length : room;
    if (copy[0] != kUntouched) {
      std::memcpy(place, copy, copied);
      std::memset(place + copied, ' ', room - copied);
    }
    std::free(copy);
  }
  char* in_c() const { return copy; }

  static constexpr std::size_t kMost = MPI_MAX_LIBRARY_VERSION_STRING + 1;
  static constexpr char kUntouched = '\177';
  char* place;
  std::size_t room;
  char* copy;
};

}  // namespace terrace::fortran
