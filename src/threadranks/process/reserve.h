/* SPDX-License-Identifier: BSD-3-Clause
 * How much thread-local memory a program whose ranks are threads may have. Every thread of the
 * process has it, so it is not simply huge. */
#ifndef TERRACE_THREADRANKS_RESERVE_H
#define TERRACE_THREADRANKS_RESERVE_H

#define TERRACE_RESERVE_BYTES 65536
#define TERRACE_RESERVE_ALIGNMENT 4096

#endif
