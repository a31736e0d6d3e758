// SPDX-License-Identifier: Apache-2.0
// What TensorFlow Lite's specification of quantisation demands of the scales of an operator's
// tensors.
#pragma once

#include <optional>
#include <vector>

#include "thimble/quantise/format.h"

namespace thimble {

struct Demands {
  enum class Output : uint8_t {
    kFree,    ///< a scale of its own
    kTied,    ///< the scale of `tied`
    kFixed,   ///< `fixed`
    kInteger  ///< none: the output is no real number
  };
  Format format = Format::kInt8;
  Output output = Output::kFree;
  std::vector<size_t> tied = {};  ///< operands that have the output's scale
  Quantization fixed = {};
  bool weighted = false;                 ///< operand 1 is weights if constant, operand 2 their bias
  std::optional<int> weights_axis = {};  ///< of their scales; nothing: they have one
};

/// operands: how many the operator has. Nothing: it stays in float32, as there is no such form, or
/// as `format` wants it.
[[nodiscard]] std::optional<Demands> demands_of(const Attributes& attributes, size_t operands,
                                                Format format);

}  // namespace thimble
