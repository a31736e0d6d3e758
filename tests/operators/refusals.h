// SPDX-License-Identifier: Apache-2.0
// What breaks each constraint of each operator.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::testing {

struct Refusal {
  const char* kind;    ///< of literal_op
  const char* reason;  ///< a part of the constraint's text
  void (*spoil)(Graph& graph);
};

[[nodiscard]] std::vector<Refusal> refusals();
/// Refusals of operators with a state and of the audio front end, which refusals() has, too.
[[nodiscard]] std::vector<Refusal> refusals_of_sequences();

}  // namespace thimble::testing
