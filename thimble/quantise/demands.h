// SPDX-License-Identifier: Apache-2.0
// What TensorFlow Lite's int8 specification demands of the scales of an operator's tensors.
#pragma once

#include <optional>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct Demands {
  enum class Output : uint8_t {
    kFree,    ///< a scale of its own
    kTied,    ///< the scale of `tied`
    kFixed,   ///< `fixed`
    kInteger  ///< none: the output is no real number
  };
  Output output = Output::kFree;
  std::vector<size_t> tied = {};  ///< operands that have the output's scale
  Quantization fixed = {};
  bool weighted = false;                 ///< operand 1 is weights if constant, operand 2 their bias
  std::optional<int> weights_axis = {};  ///< of their scales; nothing: they have one
};

/// operands: how many the operator has. Nothing: there is no form in int8.
[[nodiscard]] std::optional<Demands> int8_demands(const Attributes& attributes, size_t operands);

}  // namespace thimble
