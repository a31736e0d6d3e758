// SPDX-License-Identifier: Apache-2.0
// Constants of front ends for signals: windows, and the matrix from a spectrum to mel bands.
#pragma once

#include <vector>

#include "thimble/import/onnx/constant.h"
#include "thimble/import/onnx/node.h"

namespace thimble::onnx {

/// HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix, of constants. Throws CompileError.
[[nodiscard]] Constant window_of_signal(const Node& node, const std::vector<const Constant*>& in);
[[nodiscard]] Constant mel_matrix(const Node& node, const std::vector<const Constant*>& in);

}  // namespace thimble::onnx
