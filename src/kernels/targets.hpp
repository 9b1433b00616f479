// SPDX-License-Identifier: BSD-3-Clause
// Which instruction sets the kernels are compiled for, and how each file registers what it compiled
// for each. Include it before any header of Highway.
//
// Highway compiles each kernel file once per set (foreach_target.h). Its own dispatcher lives in a
// shared library that we must not need at run time, so we choose with kernel_set.cpp instead and
// use Highway's headers alone.
#pragma once

// SSSE3 gains nothing over SSE4 on a processor from this century's second decade, and AVX3_DL and
// SVE2 add nothing that reductions use. SVE asks the processor how long its vectors are; the sets
// of Highway for one length alone would only spare that question. To find races, which are the
// same with all instructions, one set besides the baseline is enough: the others would take longer
// to compile than all else in that build. To find bad addresses, only the widths matter, and SSE4
// has the baseline's.
#if defined(__SANITIZE_THREAD__)
#define TERRACE_SETS_LEFT_OUT (HWY_SSE4 | HWY_AVX3)
#elif defined(__SANITIZE_ADDRESS__)
#define TERRACE_SETS_LEFT_OUT HWY_SSE4
#else
#define TERRACE_SETS_LEFT_OUT 0
#endif
#define HWY_DISABLED_TARGETS                                                                 \
  (TERRACE_SETS_LEFT_OUT | HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | \
   HWY_RVV)
// The headers then assert nothing at run time, also in sanitizer builds (assertions would need the
// shared library).
#ifndef HWY_IS_DEBUG_BUILD
#define HWY_IS_DEBUG_BUILD 0
#endif

// An initializer list with one function per instruction set, in the order of InstructionSet; null
// where this compiler or architecture lacks the set. Only valid where HWY_ONCE holds.
#define TERRACE_FOR_EACH_SET(function)                                                   \
  {                                                                                      \
    HWY_CHOOSE_FALLBACK(function), HWY_CHOOSE_SSE4(function), HWY_CHOOSE_AVX2(function), \
        HWY_CHOOSE_AVX3(function), HWY_CHOOSE_NEON(function), HWY_CHOOSE_SVE(function)   \
  }
