// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI that take requests, where some of these may stand for calls of Terrace's:
// to the MPI inactive ones, which its functions pass over, and whose statuses are empty.
#pragma once

#include "preload/lookup/next_functions.hpp"

namespace terrace::preload {

// Each as MPI's function of that name, which comes `next`. They return its error code. Requests,
// statuses and flags are the program's, in its ABI.

int wait(const NextRequestFunctions& next, void* request, void* status);
int wait_all(const NextRequestFunctions& next, int count, void* requests, void* statuses);
int wait_any(const NextRequestFunctions& next, int count, void* requests, int* index, void* status);
int wait_some(const NextRequestFunctions& next, int count, void* requests, int* out_count,
              int* indices, void* statuses);
int test(const NextRequestFunctions& next, void* request, int* flag, void* status);
int test_all(const NextRequestFunctions& next, int count, void* requests, int* flag,
             void* statuses);
int test_any(const NextRequestFunctions& next, int count, void* requests, int* index, int* flag,
             void* status);
int test_some(const NextRequestFunctions& next, int count, void* requests, int* out_count,
              int* indices, void* statuses);
int get_status(const NextRequestFunctions& next, HandleWord request, int* flag, void* status);
int get_status_all(const NextRequestFunctions& next, int count, const void* requests, int* flag,
                   void* statuses);
int get_status_any(const NextRequestFunctions& next, int count, const void* requests, int* index,
                   int* flag, void* status);
int get_status_some(const NextRequestFunctions& next, int count, const void* requests,
                    int* out_count, int* indices, void* statuses);
int free_request(const NextRequestFunctions& next, void* request);
int cancel(const NextRequestFunctions& next, void* request);
int start(const NextRequestFunctions& next, void* request);
int start_all(const NextRequestFunctions& next, int count, void* requests);

}  // namespace terrace::preload
