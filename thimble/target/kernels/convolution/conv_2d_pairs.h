// SPDX-License-Identifier: Apache-2.0
// The words of runtime::Conv2DPairsParams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/tails.h"

namespace thimble {

/// Weights and bias of a convolution with one group, as the portable kernel takes them.
struct FoldedWeights {
  std::span<const int8_t> weights;  ///< [out channel][inputs]
  int32_t weights_zero_point = 0;
  std::span<const int32_t> bias;  ///< [out channel], with the input zero point folded in
  std::span<const runtime::Scale> scales;
  int32_t output_zero_point = 0;
  ClampRange clamp{-128, 127};
  int32_t kernel_h = 1, kernel_w = 1;
};

/// What they are of an operator.
class FoldedConvolution {
 public:
  explicit FoldedConvolution(const Operands& t);
  [[nodiscard]] FoldedWeights view(const ClampRange& clamp) const;

 private:
  std::span<const int8_t> weights_;
  int32_t weights_zero_point_;
  std::vector<int32_t> bias_;
  std::vector<runtime::Scale> scales_;
  int32_t output_zero_point_;
  int32_t kernel_h_ = 1, kernel_w_ = 1;
};

/// What inputs can make of the sums, by channel.
[[nodiscard]] std::vector<TailRange> sum_ranges(const FoldedWeights& folded);

struct Pairs {
  runtime::Tail tail = runtime::Tail::kSums;
  std::vector<int32_t> words;
};
[[nodiscard]] Pairs pairs_of(const FoldedWeights& folded, WeightForm form);
/// Whether all sums fit 32 bits as compact weights and nibbles have them, times 2^8 and 2^12, but
/// those that make no difference.
[[nodiscard]] bool pairs_hold(const FoldedWeights& folded, WeightForm form);

}  // namespace thimble
