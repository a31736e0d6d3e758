// SPDX-License-Identifier: Apache-2.0
// The words of runtime::Conv2DWordsParams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thimble/target/kernels/operands.h"

namespace thimble {

/// A convolution of int16 as the model has it: its weights by output channels.
struct UnfoldedWeights {
  std::span<const int8_t> weights;  ///< [out channel][inputs]
  std::span<const int64_t> bias;    ///< [out channel]
  std::span<const runtime::Scale> scales;
  bool rounds_once = false;
};

/// Whether the words can hold all of its multipliers.
[[nodiscard]] bool takes_words(std::span<const runtime::Scale> scales, bool rounds_once);
[[nodiscard]] std::vector<int32_t> words_of(const UnfoldedWeights& unfolded, WeightForm form);
[[nodiscard]] runtime::Conv2DWordsParams words_params(const runtime::UnfoldedConv2DParams& p,
                                                      int32_t groups);

}  // namespace thimble
