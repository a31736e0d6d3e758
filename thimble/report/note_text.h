// SPDX-License-Identifier: Apache-2.0
// Notes on a plan as sentences.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/plan/note.h"

namespace thimble {

/// graph: the one that was planned. Empty if the note has nothing to say: no operator is in a loop.
[[nodiscard]] std::string sentence(const Note& note, const Graph& graph);
/// Without empty ones.
[[nodiscard]] std::vector<std::string> sentences(const std::vector<Note>& notes,
                                                 const Graph& graph);

}  // namespace thimble
