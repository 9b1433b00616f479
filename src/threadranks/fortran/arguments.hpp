// SPDX-License-Identifier: BSD-3-Clause
// How an argument of Fortran becomes one of C. Fortran passes addresses. A status is the same in
// both languages. So are handles in MPICH's ABI, except those of files; in Open MPI's they are
// addresses in C and integers in Fortran. What remains are numbers that C takes by value, strings
// without an end, and constants that Fortran knows by their address.
#pragma once

#include <constants.hpp>

#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace terrace::fortran {

/// The lengths of a call's strings, which follow its arguments.
struct TextLengths {
  std::size_t lengths[2];
  std::size_t used = 0;

  std::size_t next() { return lengths[used++]; }
};

inline const void* buffer_in_c(const void* place) {
  if (is_bottom(place)) return MPI_BOTTOM;
  return is_in_place(place) ? MPI_IN_PLACE : place;
}
inline MPI_Status* status_in_c(MPI_Status* place) {
  if (is_status_ignore(place)) return MPI_STATUS_IGNORE;
  return is_statuses_ignore(place) ? MPI_STATUSES_IGNORE : place;
}
inline const int* weights_in_c(const int* place) {
  if (is_unweighted(place)) return MPI_UNWEIGHTED;
  return is_weights_empty(place) ? MPI_WEIGHTS_EMPTY : place;
}

/// Whether C's handles of this type are addresses.
template <class C>
constexpr bool kIsAddress = false;
template <class C>
constexpr bool kIsAddress<C*> =
    std::is_same_v<C*, MPI_File> || std::is_same_v<C*, MPI_Comm> ||
    std::is_same_v<C*, MPI_Datatype> || std::is_same_v<C*, MPI_Errhandler> ||
    std::is_same_v<C*, MPI_Group> || std::is_same_v<C*, MPI_Info> ||
    std::is_same_v<C*, MPI_Message> || std::is_same_v<C*, MPI_Op> ||
    std::is_same_v<C*, MPI_Request> || std::is_same_v<C*, MPI_Session> ||
    std::is_same_v<C*, MPI_Win>;

template <class C>
C handle_in_c(MPI_Fint number) {
  if constexpr (!kIsAddress<C>)
    return number;
  else if constexpr (std::is_same_v<C, MPI_File>)
    return PMPI_File_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Comm>)
    return PMPI_Comm_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Datatype>)
    return PMPI_Type_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Errhandler>)
    return PMPI_Errhandler_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Group>)
    return PMPI_Group_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Info>)
    return PMPI_Info_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Message>)
    return PMPI_Message_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Op>)
    return PMPI_Op_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Request>)
    return PMPI_Request_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Session>)
    return PMPI_Session_f2c(number);
  else if constexpr (std::is_same_v<C, MPI_Win>)
    return PMPI_Win_f2c(number);
}
template <class C>
MPI_Fint handle_in_fortran(C handle) {
  if constexpr (!kIsAddress<C>)
    return handle;
  else if constexpr (std::is_same_v<C, MPI_File>)
    return PMPI_File_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Comm>)
    return PMPI_Comm_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Datatype>)
    return PMPI_Type_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Errhandler>)
    return PMPI_Errhandler_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Group>)
    return PMPI_Group_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Info>)
    return PMPI_Info_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Message>)
    return PMPI_Message_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Op>)
    return PMPI_Op_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Request>)
    return PMPI_Request_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Session>)
    return PMPI_Session_c2f(handle);
  else if constexpr (std::is_same_v<C, MPI_Win>)
    return PMPI_Win_c2f(handle);
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
requires(!kIsAddress<C> && !kIsAddress<C*>) struct Argument<C*> {
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

/// Handles that are addresses in C.
template <class C>
requires kIsAddress<C>
struct Argument<C> {
  using Type = const MPI_Fint*;
  Argument(Type place, TextLengths&) : value(handle_in_c<C>(*place)) {}
  C in_c() const { return value; }
  C value;
};
template <class C>
requires kIsAddress<C>
struct Argument<C*> {
  using Type = MPI_Fint*;
  Argument(Type its_place, TextLengths&) : place(its_place), value(handle_in_c<C>(*its_place)) {}
  ~Argument() { *place = handle_in_fortran(value); }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  C* in_c() { return &value; }
  MPI_Fint* place;
  C value;
};

/// An array of handles; null: there is none.
template <class C>
class Handles {
 public:
  Handles(MPI_Fint count, MPI_Fint* numbers)
      : count_(count > 0 && numbers != nullptr ? static_cast<std::size_t>(count) : 0),
        numbers_(numbers),
        values_(kIsAddress<C> ? static_cast<C*>(std::malloc((count_ + 1) * sizeof(C))) : nullptr) {
    if constexpr (kIsAddress<C>)
      for (std::size_t i = 0; i < count_; ++i) values_[i] = handle_in_c<C>(numbers_[i]);
  }
  Handles(MPI_Fint count, const MPI_Fint* numbers)
      : Handles(count, const_cast<MPI_Fint*>(numbers)) {
    is_written_ = false;
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    if constexpr (kIsAddress<C>)
      for (std::size_t i = 0; is_written_ && i < count_; ++i)
        numbers_[i] = handle_in_fortran(values_[i]);
    std::free(values_);
  }
  C* in_c() {
    if constexpr (kIsAddress<C>) return values_;
    if constexpr (!kIsAddress<C>) return numbers_;
  }

 private:
  std::size_t count_;
  MPI_Fint* numbers_;
  C* values_;
  bool is_written_ = true;
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
