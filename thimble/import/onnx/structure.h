// SPDX-License-Identifier: Apache-2.0
// Nodes that become no operator of the network: constants, what asks for shapes, branches and loops
// whose way is known.
#pragma once

#include <string_view>

#include "thimble/import/onnx/network.h"

namespace thimble::onnx {

/// Constant, Shape, Size, If, Loop.
[[nodiscard]] bool is_structure(std::string_view op);

/// A constant as a value, with a name of the file.
[[nodiscard]] Value known(Constant constant, std::string_view name);

}  // namespace thimble::onnx
