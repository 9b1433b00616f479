// SPDX-License-Identifier: BSD-3-Clause
// Sections of arrays that are not contiguous, as the module mpi_f08 passes them for buffers. In the
// standard's words, a call sees the elements of a section as if they lay one after the other. What
// our library for Fortran needs of its MPI for that.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
#include <mpi.h>

namespace terrace::fortran {

/// The places of an array's elements, in bytes.
struct Section {
  static constexpr int kMostDimensions = 15;
  struct Dimension {
    std::ptrdiff_t extent, stride;
  };

  std::byte* first = nullptr;
  std::size_t element_bytes = 0;
  int rank = 0;
  Dimension dimensions[kMostDimensions];
};

/// The elements of a section in contiguous memory.
class SectionCopy;

}  // namespace terrace::fortran

extern "C" {

/// A type of which one element, at the section's first byte, is `count` elements of `type` in the
/// section. The caller frees it. Errors: the section is too short.
int MPII_Section_type(const char* function, const terrace::fortran::Section* section,
                      MPI_Count count, MPI_Datatype type, MPI_Datatype* made);

/// `is_written`: the call writes into it. The caller ends it.
terrace::fortran::SectionCopy* MPII_Section_copy(const terrace::fortran::Section* section,
                                                 int is_written);
void* MPII_Section_bytes(const terrace::fortran::SectionCopy* copy);
/// After a call that has done its work: writes the elements back, and frees the copy.
void MPII_Section_end(terrace::fortran::SectionCopy* copy);
/// After a call that has made a request: the request does that whenever it is complete. If it is
/// persistent, it also copies the elements anew whenever it starts.
void MPII_Section_end_with(terrace::fortran::SectionCopy* copy, MPI_Request request);

/// Raises an error that the library for Fortran finds.
int MPII_Fail(const char* function, int error_class, const char* sentence);

}  // extern "C"
#pragma GCC visibility pop
