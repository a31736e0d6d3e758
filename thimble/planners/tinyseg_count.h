// SPDX-License-Identifier: Apache-2.0
// What TinySeg's paper prints of a network: the arena of TFLM's planner after some of its steps.
// A count, not a plan: `thimble compare --paper tinyseg` asks for it.
#pragma once

#include <cstdint>
#include <string>

#include "thimble/model/graph.h"

namespace thimble::tinyseg {

/// The paper's steps, in its order (Table 5): each only with those before it, but spilling needs no
/// quantised scratch.
struct CountedSteps {
  bool scratch16 = false;    ///< "temporary tensor quantization", section 5.3
  bool spill = false;        ///< "tensor spilling"; Fetching by itself
  bool concat = false;       ///< Fetching takes concatenations; the paper's bar has this already
  bool conv = false;         ///< "fused fetching"
  int64_t target_bytes = 0;  ///< of the arena, for spilling
  bool operator==(const CountedSteps&) const = default;
};

/// "scratch16,spill,concat,conv,target=192016"; empty: the network as it is. Throws CompileError.
[[nodiscard]] CountedSteps counted_steps(const std::string& text);

struct Count {
  int64_t original_bytes = 0;  ///< without any step
  int64_t arena_bytes = 0;
  int64_t spilled_bytes = 0;  ///< written per inference, and read as often
  bool operator==(const Count&) const = default;
};

[[nodiscard]] Count count(const Graph& graph, const CountedSteps& steps);

}  // namespace thimble::tinyseg
