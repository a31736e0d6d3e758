// SPDX-License-Identifier: Apache-2.0
// What operators make of constants: shapes that exporters compute, weights that they scale.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "thimble/import/onnx/constant.h"
#include "thimble/import/onnx/node.h"

namespace thimble::onnx {

/// Whether fold() knows the operator; another one is the network's, whatever it reads.
[[nodiscard]] bool is_folded(std::string_view op);

/// What a node makes of constants; null inputs are absent. Throws CompileError for operands that
/// do not go together, and for more elements than a network may have.
[[nodiscard]] std::vector<Constant> fold(const Node& node,
                                         const std::vector<const Constant*>& inputs);

}  // namespace thimble::onnx
