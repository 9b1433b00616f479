// SPDX-License-Identifier: BSD-3-Clause
// Statuses: what functions report in them, and how programs read and set them.
#include <cstring>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

int class_of_failure(Completion outcome) {
  if (outcome == Completion::no_memory) return MPI_ERR_NO_MEM;
  if (outcome == Completion::not_attached) return MPI_ERR_RMA_RANGE;
  return outcome == Completion::truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

void put_empty_status(MPI_Status* to) {
  if (to == MPI_STATUS_IGNORE) return;
  put_status({}, to);
  to->MPI_ERROR = MPI_SUCCESS;
}

namespace {

template <class Number>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype type, Number* count) {
  int error;
  const Datatype* const ours = known_type(function, type, error);
  if (error) return error;
  const std::uint64_t bytes = bytes_in(*status);
  if (ours->size() == 0)
    *count = bytes == 0 ? 0 : static_cast<Number>(MPI_UNDEFINED);
  else
    *count = bytes % ours->size() != 0
                 ? static_cast<Number>(MPI_UNDEFINED)
                 : fitted<Number>(static_cast<std::int64_t>(bytes / ours->size()));
  return MPI_SUCCESS;
}

template <class Number>
int get_elements(const char* function, const MPI_Status* status, MPI_Datatype type, Number* count) {
  int error;
  const Datatype* const ours = known_type(function, type, error);
  if (error) return error;
  const std::int64_t elements =
      ours->size() == 0 ? 0 : elements_in(*ours->signature(), bytes_in(*status));
  *count = elements < 0 ? static_cast<Number>(MPI_UNDEFINED) : fitted<Number>(elements);
  return MPI_SUCCESS;
}

int set_elements(const char* function, MPI_Status* status, MPI_Datatype type, std::int64_t count) {
  int error;
  const Datatype* const ours = known_type(function, type, error);
  if (error) return error;
  if (count < 0) return fail(function, MPI_ERR_COUNT, std::to_string(count) + " elements");
  // Basic elements, of which some types have several: whole ones, and the first of another.
  const auto elements = static_cast<std::size_t>(count);
  put_bytes(*status, ours->size() == 0 ? 0 : bytes_of_elements(*ours->signature(), elements));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Get_count, (const MPI_Status* status, MPI_Datatype type, int* count)) {
  return mpi::get_count("MPI_Get_count", status, type, count);
}
TERRACE_MPI(int, Get_count_c, (const MPI_Status* status, MPI_Datatype type, MPI_Count* count)) {
  return mpi::get_count("MPI_Get_count_c", status, type, count);
}
TERRACE_MPI(int, Get_elements, (const MPI_Status* status, MPI_Datatype type, int* count)) {
  return mpi::get_elements("MPI_Get_elements", status, type, count);
}
TERRACE_MPI(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype type, MPI_Count* count)) {
  return mpi::get_elements("MPI_Get_elements_x", status, type, count);
}
TERRACE_MPI(int, Get_elements_c, (const MPI_Status* status, MPI_Datatype type, MPI_Count* count)) {
  return mpi::get_elements("MPI_Get_elements_c", status, type, count);
}
TERRACE_MPI(int, Status_set_elements, (MPI_Status * status, MPI_Datatype type, int count)) {
  return mpi::set_elements("MPI_Status_set_elements", status, type, count);
}
TERRACE_MPI(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype type, MPI_Count count)) {
  return mpi::set_elements("MPI_Status_set_elements_x", status, type, count);
}
TERRACE_MPI(int, Status_set_elements_c, (MPI_Status * status, MPI_Datatype type, MPI_Count count)) {
  return mpi::set_elements("MPI_Status_set_elements_c", status, type, count);
}
TERRACE_MPI(int, Status_set_cancelled, (MPI_Status * status, int flag)) {
  mpi::put_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_get_source, (const MPI_Status* status, int* source)) {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_get_tag, (const MPI_Status* status, int* tag)) {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_get_error, (const MPI_Status* status, int* error)) {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_set_source, (MPI_Status * status, int source)) {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_set_tag, (MPI_Status * status, int tag)) {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_set_error, (MPI_Status * status, int error)) {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_c2f, (const MPI_Status* status, MPI_Fint* numbers)) {
  std::memcpy(numbers, status, sizeof *status);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Status_f2c, (const MPI_Fint* numbers, MPI_Status* status)) {
  std::memcpy(status, numbers, sizeof *status);
  return MPI_SUCCESS;
}
