// SPDX-License-Identifier: Apache-2.0
// Loops and branches of a .tflite file. What decides on them has to be known when compiling: then a
// loop is its body as many times as it runs, and a branch is the one that is taken.
#pragma once

#include "thimble/import/tflite/file.h"

namespace thimble {

/// The file with a network without WHILE and IF; as it is if there is none. What their bodies
/// compute of known integers alone (counters, conditions, positions) becomes constants, and of
/// lists that they slice and join again, as converters write layers over a sequence, the parts are
/// left:
///   list = CONCATENATION(SLICE(list, 0, i), state, SLICE(list, i + 1))   for all i
///   becomes    CONCATENATION(state, state, ...)   behind the loop
/// Throws Refusal for what depends on data, ImportError for what takes too many operators and for
/// open shapes, Damage for subgraphs that there are not or whose operands do not go with those of
/// the operator.
[[nodiscard]] TfliteFile without_control_flow(const TfliteFile& file);

}  // namespace thimble
