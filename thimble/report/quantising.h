// SPDX-License-Identifier: Apache-2.0
// What a float32 network would need in int8: an estimate from its tensors alone.
#pragma once

#include <optional>
#include <string>

#include "thimble/model/graph.h"

namespace thimble {

struct Quantising {
  int64_t float_weight_bytes = 0;  ///< weights and tables, biases apart (which stay 32 bits wide)
  bool all_activations = true;     ///< are float32
};
/// Nothing if quantising would save nothing: no weights are float32, and some activations neither.
[[nodiscard]] std::optional<Quantising> quantising(const Graph& graph);

/// "in int8 instead of float32, estimated: weights about 76.2 KiB (78,008 B) instead of 303.5 KiB
/// (310,832 B), SRAM about ..."; empty if there is nothing to say. The bytes are those of float32.
[[nodiscard]] std::string quantising_text(const Graph& graph, int64_t weight_bytes,
                                          int64_t sram_bytes);

}  // namespace thimble
