// SPDX-License-Identifier: BSD-3-Clause
// Tests of contracts: a statement that breaks one ends the process with the sentence that says so.
#pragma once

#include <gtest/gtest.h>

/// `condition`: what of the sentence must be there, as a regular expression.
#define EXPECT_BROKEN(statement, condition) \
  EXPECT_DEATH(statement, "broken contract: .*" condition ".*this is a fault in Terrace")

/// Contracts that are looked at in debug and sanitizer builds only.
#if defined(TERRACE_ASSERTIONS) || !defined(NDEBUG)
#define EXPECT_BROKEN_IN_DEBUG_BUILDS(statement, condition) EXPECT_BROKEN(statement, condition)
#else
#define EXPECT_BROKEN_IN_DEBUG_BUILDS(statement, condition) \
  static_cast<void>([&] { statement; })  // compiled, and never called
#endif
