// SPDX-License-Identifier: Apache-2.0
// The words of runtime::Conv2DFoursParams.
#pragma once

#include "thimble/target/kernels/convolution/conv_2d_pairs.h"

namespace thimble {

struct Fours {
  runtime::FoursRounding rounding = runtime::FoursRounding::kAny;
  std::vector<int32_t> words;
};
/// In 8 bits (kRows), or in 4 bits (kNibbles) if nibble_fours_hold().
[[nodiscard]] Fours fours_of(const FoldedWeights& folded, WeightForm form);
[[nodiscard]] bool nibble_fours_hold(const FoldedWeights& folded);

}  // namespace thimble
