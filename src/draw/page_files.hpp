// SPDX-License-Identifier: BSD-3-Clause
// The files of draw/page/ as text; the build writes page_files.cpp from them.
#pragma once

namespace terrace {

extern const char* const kPageFrame;   ///< page.html, with marks for what comes into it
extern const char* const kPageStyle;   ///< page.css
extern const char* const kPageScript;  ///< page.js

}  // namespace terrace
