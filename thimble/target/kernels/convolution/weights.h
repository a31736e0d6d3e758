// SPDX-License-Identifier: Apache-2.0
// Packed constants of operators with weights. Private to thimble/target/kernels.
#pragma once

#include <optional>
#include <span>

#include "thimble/target/kernels/operands.h"

namespace thimble {

/// x and output int8 with one scale each, weights int8 with zero points 0, bias int32 or absent;
/// weights and bias constant.
[[nodiscard]] bool has_foldable_weights(const Operands& t);

/// How the elements of the weights belong to output channels.
enum class WeightOrder {
  kChannelFirst,  ///< [out channel][...]
  kChannelLast,   ///< [...][out channel]
};

/// bias - input zero point * (sum of the channel's weights); nothing if one does not fit 32 bits.
/// The sum of term(weight), each a few thousand at most, in blocks whose length compilers know:
/// they add many at once. Searches ask for sums of all weights again and again.
template <class Term>
[[nodiscard]] int64_t sum_of_weights(std::span<const int8_t> weights, Term term) {
  constexpr size_t kBlock = 64;
  int64_t sum = 0;
  size_t k = 0;
  for (; k + kBlock <= weights.size(); k += kBlock) {
    int32_t block = 0;
    for (size_t j = 0; j < kBlock; ++j) block += term(weights[k + j]);
    sum += block;
  }
  for (; k < weights.size(); ++k) sum += term(weights[k]);
  return sum;
}

[[nodiscard]] std::optional<std::vector<int32_t>> folded_bias(const Operands& t, WeightOrder order);

/// Whether there is such a bias: most of the time the extents alone say so.
[[nodiscard]] bool bias_folds(const Operands& t, WeightOrder order);

/// input scale * weight scale / result scale of each output channel. Per-tensor weights of a fully
/// connected layer, and of what was uint8, multiply the first two in float32, as the reference
/// does.
[[nodiscard]] std::vector<runtime::Scale> channel_scales(const Operands& t, size_t channels,
                                                         float result_scale);

/// Constants of operators that has_foldable_weights() holds for: weights, bias, multipliers,
/// shifts.
[[nodiscard]] std::vector<PackedConstant> weight_constants(const Operands& t, WeightOrder order,
                                                           Shape packed_shape);
/// bias as it is (zeros if absent), multipliers, shifts.
[[nodiscard]] std::vector<PackedConstant> unfolded_constants(const Operands& t, size_t channels,
                                                             float result_scale);
/// The weights by output channels, the bias in two words each (zeros if absent), multipliers,
/// shifts.
[[nodiscard]] std::vector<PackedConstant> pack_unfolded_conv_2d(const Operands& t);
/// The weights themselves.
[[nodiscard]] PackedConstant packed_weights(const Operands& t, Shape packed_shape);

/// Whether all are integers of 4 bits, -8 to 7.
[[nodiscard]] bool fit_nibbles(std::span<const int8_t> weights);
/// Two of these as a byte, the first one in its lower half.
[[nodiscard]] inline uint8_t nibble_pair(int32_t first, int32_t second) {
  return static_cast<uint8_t>((static_cast<uint32_t>(first) & 15U) |
                              (static_cast<uint32_t>(second) & 15U) << 4U);
}
/// weight_constants of weights by output channels, those in 4 bits: each channel begins with a
/// byte.
[[nodiscard]] std::vector<PackedConstant> nibble_constants(const Operands& t);

/// Multipliers, shifts.
[[nodiscard]] std::vector<PackedConstant> packed_scales(const std::vector<runtime::Scale>& scales);
/// A constant of words.
[[nodiscard]] PackedConstant packed_words(std::string role, const std::vector<int32_t>& words);
/// Two int16 in one, of which only the lower halves count.
[[nodiscard]] int32_t pair_word(int32_t low, int32_t high);

[[nodiscard]] runtime::Window2D window_of(const Window& w, const Shape& x);

}  // namespace thimble
