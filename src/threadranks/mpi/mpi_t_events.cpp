// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI_T for kinds of things of which there are none: enumerations, events and
// sources. Each index, name or handle is wrong.
#include "threadranks/mpi/mpi_t.hpp"

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_NONE(name, error, parameters)           \
  TERRACE_MPI(int, T_##name, parameters) {              \
    const mpi::RankCall call;                           \
    const int unready = mpi::readiness_of_tools();      \
    return unready ? unready : static_cast<int>(error); \
  }

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

#undef TERRACE_NONE

#define TERRACE_NO(name)                    \
  TERRACE_MPI(int, name, (int* how_many)) { \
    const mpi::RankCall call;               \
    return mpi::put_count(0, how_many);     \
  }
TERRACE_NO(T_event_get_num)
TERRACE_NO(T_source_get_num)
#undef TERRACE_NO
