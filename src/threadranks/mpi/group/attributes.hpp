// SPDX-License-Identifier: BSD-3-Clause
// Attributes that programs attach to communicators, types and windows, and a communicator's other
// settings.
#pragma once

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/windows/window.hpp"

namespace terrace::threadranks::mpi {

/// Gives a duplicate its attributes, as the keys' copy functions decide. Returns an error of these
/// functions.
int copy_attributes(Communicator& from, Attributes& copies);
int copy_attributes(Datatype& from, Attributes& copies);
/// Calls the delete functions before the object is freed, in reverse order of setting.
int delete_attributes(Communicator& communicator);
int delete_attributes(Datatype& type);
int delete_attributes(Window& window);

/// MPI_Comm_set_attr and MPI_Comm_get_attr for each language; those of types likewise.
int set_attribute(const char* function, MPI_Comm comm, const Attribute& attribute);
int get_attribute(const char* function, MPI_Comm comm, int number, Attribute::Kind wanted,
                  void* value, int* flag);
int set_type_attribute(const char* function, MPI_Datatype type, const Attribute& attribute);
int get_type_attribute(const char* function, MPI_Datatype type, int number, Attribute::Kind wanted,
                       void* value, int* flag);
int set_window_attribute(const char* function, MPI_Win win, const Attribute& attribute);
int get_window_attribute(const char* function, MPI_Win win, int number, Attribute::Kind wanted,
                         void* value, int* flag);
int remove_window_attribute(MPI_Win win, int number);
/// The functions that call those of a key for a program that is not in C.
void set_proxies_of_key(int number, void (*copies)(), void (*deletes)());

/// The handle of a new communicator, which inherits the error handler of the old one.
int put_new(const Communicator& old, Communicator* made, MPI_Comm* comm);

/// The greatest error class or code, which programs can add to.
int last_used_code();

}  // namespace terrace::threadranks::mpi
