// SPDX-License-Identifier: Apache-2.0
// Small ONNX files that are wrong, for the page of hostile inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace thimble::testing {

/// What is wrong with each, and its bytes.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> hostile_onnx();

}  // namespace thimble::testing
