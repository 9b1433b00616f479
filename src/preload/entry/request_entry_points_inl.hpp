// SPDX-License-Identifier: BSD-3-Clause
// The entry points of functions that take requests. Included once for each kind, as
// entry_points_inl.hpp is. A call of MPI_X goes to a tool that comes after Terrace. At PMPI_X,
// requests are looked at for all callers: one that stands for a call of Terrace's would look
// complete to the MPI.

#define TERRACE_UNPACKED(...) __VA_ARGS__
#define TERRACE_TAKES_REQUESTS(NAME, LOWER, FUNCTION, PARAMETERS, ARGUMENTS) \
  TERRACE_ENTRY(NAME) PARAMETERS {                                           \
    const NextRequestFunctions& next = next_request_functions<kNames>();     \
    if (!next.LOWER) return kErrorOther;                                     \
    const bool is_ours = kNames == Names::pmpi || TERRACE_IS_OURS(NAME);     \
    if (!has_requests() || !is_ours) return next.LOWER ARGUMENTS;            \
    return terrace::preload::FUNCTION(next, TERRACE_UNPACKED ARGUMENTS);     \
  }
TERRACE_TAKES_REQUESTS(MPI_Wait, wait, wait, (void* request, void* status), (request, status))
TERRACE_TAKES_REQUESTS(MPI_Waitall, waitall, wait_all, (int count, void* requests, void* statuses),
                       (count, requests, statuses))
TERRACE_TAKES_REQUESTS(MPI_Waitany, waitany, wait_any,
                       (int count, void* requests, int* index, void* status),
                       (count, requests, index, status))
TERRACE_TAKES_REQUESTS(MPI_Waitsome, waitsome, wait_some,
                       (int count, void* requests, int* out_count, int* indices, void* statuses),
                       (count, requests, out_count, indices, statuses))
TERRACE_TAKES_REQUESTS(MPI_Test, test, test, (void* request, int* flag, void* status),
                       (request, flag, status))
TERRACE_TAKES_REQUESTS(MPI_Testall, testall, test_all,
                       (int count, void* requests, int* flag, void* statuses),
                       (count, requests, flag, statuses))
TERRACE_TAKES_REQUESTS(MPI_Testany, testany, test_any,
                       (int count, void* requests, int* index, int* flag, void* status),
                       (count, requests, index, flag, status))
TERRACE_TAKES_REQUESTS(MPI_Testsome, testsome, test_some,
                       (int count, void* requests, int* out_count, int* indices, void* statuses),
                       (count, requests, out_count, indices, statuses))
TERRACE_TAKES_REQUESTS(MPI_Request_get_status, request_get_status, get_status,
                       (HandleWord request, int* flag, void* status), (request, flag, status))
TERRACE_TAKES_REQUESTS(MPI_Request_free, request_free, free_request, (void* request), (request))
TERRACE_TAKES_REQUESTS(MPI_Cancel, cancel, cancel, (void* request), (request))
TERRACE_TAKES_REQUESTS(MPI_Start, start, start, (void* request), (request))
TERRACE_TAKES_REQUESTS(MPI_Startall, startall, start_all, (int count, void* requests),
                       (count, requests))

// Functions of MPI 4.1, defined only where the MPI has them.
#if TERRACE_LARGE_COUNTS
TERRACE_TAKES_REQUESTS(MPI_Request_get_status_all, request_get_status_all, get_status_all,
                       (int count, const void* requests, int* flag, void* statuses),
                       (count, requests, flag, statuses))
TERRACE_TAKES_REQUESTS(MPI_Request_get_status_any, request_get_status_any, get_status_any,
                       (int count, const void* requests, int* index, int* flag, void* status),
                       (count, requests, index, flag, status))
TERRACE_TAKES_REQUESTS(MPI_Request_get_status_some, request_get_status_some, get_status_some,
                       (int count, const void* requests, int* out_count, int* indices,
                        void* statuses),
                       (count, requests, out_count, indices, statuses))
#endif
#undef TERRACE_TAKES_REQUESTS
#undef TERRACE_UNPACKED
