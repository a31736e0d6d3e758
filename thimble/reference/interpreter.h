// SPDX-License-Identifier: Apache-2.0
// The slow, plain interpreter that defines what every plan must compute. It follows the arithmetic
// of TensorFlow Lite Micro's reference kernels and shares no code with runtime/.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/tensor_values.h"

namespace thimble {

/// inputs: one per Graph::inputs, in the bytes of the port (its `order`). Throws CompileError if
/// their number or sizes differ from the network's.
/// Variables start with their initial values.
[[nodiscard]] TensorValues interpret(const Graph& graph, const std::vector<Bytes>& inputs);

/// The values of variables, one per Graph::states.
using StateValues = std::vector<Bytes>;
[[nodiscard]] StateValues initial_state(const Graph& graph);
/// interpret() with variables that start as given; they are left as they are after the inference.
[[nodiscard]] TensorValues interpret(const Graph& graph, const std::vector<Bytes>& inputs,
                                     StateValues& state);

/// One operator alone: `values` holds its inputs; returns its outputs.
[[nodiscard]] std::vector<Bytes> interpret_op(const Graph& graph, const Op& op,
                                              const TensorValues& values);

/// Bytes of a port as the caller sees them <-> row-major bytes of its tensor.
[[nodiscard]] Bytes from_port(const Graph& graph, const Port& port, const Bytes& bytes);
[[nodiscard]] Bytes to_port(const Graph& graph, const Port& port, const Bytes& bytes);

}  // namespace thimble
