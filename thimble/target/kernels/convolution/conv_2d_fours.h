// SPDX-License-Identifier: Apache-2.0
// The words of runtime::Conv2DFoursParams.
#pragma once

#include "thimble/target/kernels/convolution/conv_2d_pairs.h"

namespace thimble {

struct Fours {
  runtime::FoursRounding rounding = runtime::FoursRounding::kAny;
  std::vector<int32_t> words;
};
[[nodiscard]] Fours fours_of(const FoldedWeights& folded);

}  // namespace thimble
