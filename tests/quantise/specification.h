// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's specification of int8 (lite/g3doc/performance/quantization_spec.md), read apart
// from the quantiser.
#pragma once

#include <string>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// The first demand that an operator on int8 does not meet, with its name; empty: all are met.
[[nodiscard]] std::string specification_fault(const Graph& graph);

}  // namespace thimble::testing
