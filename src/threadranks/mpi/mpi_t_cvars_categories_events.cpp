// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI_T for kinds of things of which there are none: control variables,
// categories, enumerations, events and sources. Each index, name or handle is wrong.
#include "threadranks/mpi/mpi_t.hpp"

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_NONE(name, error, parameters)           \
  TERRACE_MPI(int, T_##name, parameters) {              \
    const mpi::RankCall call;                           \
    const int unready = mpi::readiness_of_tools();      \
    return unready ? unready : static_cast<int>(error); \
  }

TERRACE_NONE(category_get_info, MPI_T_ERR_INVALID_INDEX,
             (int, char*, int*, char*, int*, int*, int*, int*))
TERRACE_NONE(category_get_num_events, MPI_T_ERR_INVALID_INDEX, (int, int*))
TERRACE_NONE(category_get_cvars, MPI_T_ERR_INVALID_INDEX, (int, int, int*))
TERRACE_NONE(category_get_pvars, MPI_T_ERR_INVALID_INDEX, (int, int, int*))
TERRACE_NONE(category_get_events, MPI_T_ERR_INVALID_INDEX, (int, int, int*))
TERRACE_NONE(category_get_categories, MPI_T_ERR_INVALID_INDEX, (int, int, int*))
TERRACE_NONE(category_get_index, MPI_T_ERR_INVALID_NAME, (const char*, int*))

TERRACE_NONE(cvar_get_info, MPI_T_ERR_INVALID_INDEX,
             (int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*))
TERRACE_NONE(cvar_get_index, MPI_T_ERR_INVALID_NAME, (const char*, int*))
TERRACE_NONE(cvar_handle_alloc, MPI_T_ERR_INVALID_INDEX, (int, void*, MPI_T_cvar_handle*, int*))
TERRACE_NONE(cvar_handle_free, MPI_T_ERR_INVALID_HANDLE, (MPI_T_cvar_handle*))
TERRACE_NONE(cvar_read, MPI_T_ERR_INVALID_HANDLE, (MPI_T_cvar_handle, void*))
TERRACE_NONE(cvar_write, MPI_T_ERR_INVALID_HANDLE, (MPI_T_cvar_handle, const void*))

TERRACE_NONE(enum_get_info, MPI_T_ERR_INVALID_HANDLE, (MPI_T_enum, int*, char*, int*))
TERRACE_NONE(enum_get_item, MPI_T_ERR_INVALID_HANDLE, (MPI_T_enum, int, int*, char*, int*))

TERRACE_NONE(event_get_index, MPI_T_ERR_INVALID_NAME, (const char*, int*))
TERRACE_NONE(event_get_info, MPI_T_ERR_INVALID_INDEX,
             (int, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*, MPI_T_enum*, MPI_Info*, char*,
              int*, int*))
TERRACE_NONE(event_handle_alloc, MPI_T_ERR_INVALID_INDEX,
             (int, void*, MPI_Info, MPI_T_event_registration*))
TERRACE_NONE(event_handle_free, MPI_T_ERR_INVALID_HANDLE,
             (MPI_T_event_registration, void*, MPI_T_event_free_cb_function))
TERRACE_NONE(event_handle_get_info, MPI_T_ERR_INVALID_HANDLE, (MPI_T_event_registration, MPI_Info*))
TERRACE_NONE(event_handle_set_info, MPI_T_ERR_INVALID_HANDLE, (MPI_T_event_registration, MPI_Info))
TERRACE_NONE(event_register_callback, MPI_T_ERR_INVALID_HANDLE,
             (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function))
TERRACE_NONE(event_callback_get_info, MPI_T_ERR_INVALID_HANDLE,
             (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*))
TERRACE_NONE(event_callback_set_info, MPI_T_ERR_INVALID_HANDLE,
             (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info))
TERRACE_NONE(event_set_dropped_handler, MPI_T_ERR_INVALID_HANDLE,
             (MPI_T_event_registration, MPI_T_event_dropped_cb_function))
TERRACE_NONE(event_copy, MPI_T_ERR_INVALID_HANDLE, (MPI_T_event_instance, void*))
TERRACE_NONE(event_read, MPI_T_ERR_INVALID_HANDLE, (MPI_T_event_instance, int, void*))
TERRACE_NONE(event_get_source, MPI_T_ERR_INVALID_HANDLE, (MPI_T_event_instance, int*))
TERRACE_NONE(event_get_timestamp, MPI_T_ERR_INVALID_HANDLE, (MPI_T_event_instance, MPI_Count*))

TERRACE_NONE(source_get_info, MPI_T_ERR_INVALID_INDEX,
             (int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*,
              MPI_Info*))
TERRACE_NONE(source_get_timestamp, MPI_T_ERR_INVALID_INDEX, (int, MPI_Count*))

TERRACE_MPI(int, T_category_changed, (int* stamp)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  *stamp = 0;  // nothing ever changes
  return MPI_SUCCESS;
}
