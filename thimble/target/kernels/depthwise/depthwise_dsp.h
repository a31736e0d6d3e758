// SPDX-License-Identifier: Apache-2.0
// The words of runtime::DepthwiseConv2DPackedParams, and which of its kernels is exact. Private to
// thimble/target/kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {

/// What decides how a channel can be requantised.
struct DepthwiseSums {
  std::span<const runtime::Scale> scales;  ///< [out channel]
  std::span<const int64_t> largest;        ///< what the channel's sum can be at most, either way
  int32_t weights_zero_point = 0;
  int32_t output_zero_point = 0;
  ClampRange clamp{-128, 127};
};
/// The cheapest tail that is exact for every channel (runtime/dsp/depthwise_tail.h); nothing: the
/// portable kernel's alone.
[[nodiscard]] std::optional<DepthwiseTail> depthwise_tail(const DepthwiseSums& sums);
/// The operator's tail, by its scales and bias alone: planners ask again and again.
[[nodiscard]] std::optional<DepthwiseTail> depthwise_tail(const Operands& t,
                                                          const ClampRange& clamp);

/// A depthwise convolution as the portable kernel takes it.
struct DepthwiseWeights {
  std::span<const int8_t> weights;  ///< [kernel_h][kernel_w][out channel]
  int32_t weights_zero_point = 0;
  std::span<const int32_t> bias;  ///< [out channel], with the input zero point folded in
  std::span<const runtime::Scale> scales;
};
/// params: the portable kernel's. tail: one that is exact.
[[nodiscard]] std::vector<int32_t> depthwise_words(const DepthwiseWeights& from,
                                                   const runtime::DepthwiseConv2DParams& params,
                                                   DepthwiseTail tail);
/// Words of a depthwise convolution with constants in 8 bits.
[[nodiscard]] std::vector<int32_t> depthwise_compact_words(
    const DepthwiseWeights& from, const runtime::DepthwiseConv2DParams& params, DepthwiseTail tail);
/// Whether the kernels of DSP cores take the call, one that can clamp to any range.
[[nodiscard]] bool is_depthwise_clamped(const KernelUse& use);
/// Without constants.
[[nodiscard]] runtime::DepthwiseConv2DPackedParams depthwise_packed(
    const runtime::DepthwiseConv2DParams& portable);

}  // namespace thimble
