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

}  // namespace thimble::testing
