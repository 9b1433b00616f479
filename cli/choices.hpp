// SPDX-License-Identifier: BSD-3-Clause
// The algorithm that runs, by ranks and bytes: `terrace draw choices`.
#pragma once

namespace CLI {
class App;
}

/// Adds what is drawn to the verb.
void add_choices_kind(CLI::App& draw);
