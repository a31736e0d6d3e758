// SPDX-License-Identifier: Apache-2.0
// The columns `pack` of the table: an operator's constants as its kernels hold them, in the order
// of the pointers in their parameters. Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/operands.h"

namespace thimble {

[[nodiscard]] std::vector<PackedConstant> pack_conv_2d(const Operands& t);
/// For conv_2d_pairs_dsp and conv_2d_pairs_compact_dsp, and their parameters (columns `pack`,
/// `scratch_bytes` and `adapt`).
enum class PairWeights : uint8_t { kWide, kCompact };
template <PairWeights kForm>
[[nodiscard]] std::vector<PackedConstant> pack_conv_2d_pairs(const Operands& t);
[[nodiscard]] int64_t conv_2d_pairs_scratch_bytes(const KernelParams& portable);
template <PairWeights kForm>
[[nodiscard]] KernelParams conv_2d_pairs(const Operands& t, const KernelParams& portable);
/// Columns `pack`, `scratch_bytes` and `adapt` of conv_2d_mve.
[[nodiscard]] std::vector<PackedConstant> pack_conv_2d_fours(const Operands& t);
[[nodiscard]] int64_t conv_2d_fours_scratch_bytes(const KernelParams& portable);
[[nodiscard]] KernelParams conv_2d_fours(const Operands& t, const KernelParams& portable);
/// Sums in an accumulator of Graph::accumulators.
[[nodiscard]] std::vector<PackedConstant> pack_narrow_conv_2d(const Operands& t);
/// For conv_2d_i16 and transposed convolutions.
[[nodiscard]] std::vector<PackedConstant> pack_unfolded_conv_2d(const Operands& t);
/// Convolutions of int16 in words, for the kernels of DSP cores; kRows: for those in MVE.
enum class WordsForm : uint8_t { kWide, kCompact, kDepthwise, kRows };
template <WordsForm kForm>
[[nodiscard]] std::vector<PackedConstant> pack_conv_2d_words(const Operands& t);
[[nodiscard]] KernelParams conv_2d_words(const Operands& t, const KernelParams& portable);
[[nodiscard]] std::vector<PackedConstant> pack_fully_connected(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_depthwise_conv_2d(const Operands& t);
/// Depthwise convolutions of DSP cores, a row for each tail: calls that it takes, and its
/// constants, which kCompact has in 8 bits.
enum class DepthwiseForm : uint8_t { kWide, kCompact };
[[nodiscard]] bool is_depthwise_relu(const KernelUse& use);
[[nodiscard]] bool is_depthwise_shifted(const KernelUse& use);
[[nodiscard]] bool is_depthwise_clamped(const KernelUse& use);
template <DepthwiseTail kTail, DepthwiseForm kForm>
[[nodiscard]] std::vector<PackedConstant> pack_depthwise(const Operands& t);
template <DepthwiseForm kForm>
[[nodiscard]] int64_t depthwise_scratch_bytes(const KernelParams& portable);
template <DepthwiseForm kForm>
[[nodiscard]] int64_t depthwise_scratch_within(const KernelParams& portable,
                                               const CallExtents& call, int64_t room);
[[nodiscard]] int64_t depthwise_in_place_scratch_bytes(const KernelParams& portable);
[[nodiscard]] int64_t depthwise_in_place_scratch_within(const KernelParams& portable,
                                                        const CallExtents& call, int64_t room);
[[nodiscard]] KernelParams adapt_depthwise(const Operands& t, const KernelParams& portable);
/// What the reference interpreter gives for each of the 256 values.
[[nodiscard]] std::vector<PackedConstant> pack_lookup(const Operands& t);
/// What the reference interpolates between.
[[nodiscard]] std::vector<PackedConstant> pack_sigmoid(const Operands& t);
/// Exponentials and reciprocals, which softmax of int16 interpolates between.
[[nodiscard]] std::vector<PackedConstant> pack_softmax_tables(const Operands& t);
/// The exponential of every difference of two int8, and the parameters that it replaces.
[[nodiscard]] std::vector<PackedConstant> pack_softmax_exponentials(const Operands& t);
[[nodiscard]] KernelParams softmax_exponentials(const Operands& t, const KernelParams& portable);
/// Packers of SVDF and LSTM.
[[nodiscard]] std::vector<PackedConstant> pack_svdf_features(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_svdf(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_lstm(const Operands& t);
/// Audio front end: twiddles; weights and bands; gains; the logarithm between powers of two.
[[nodiscard]] std::vector<PackedConstant> pack_signal_rfft(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_signal_irfft(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_signal_filter_bank(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_signal_pcan(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_signal_log(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_resize_nearest_neighbor(const Operands& t);

/// Anchors of boxes.
[[nodiscard]] std::vector<PackedConstant> pack_detection_post_process(const Operands& t);

/// Weights by output channels, and a bias (zeros if there is none).
[[nodiscard]] std::vector<PackedConstant> pack_float_conv_2d(const Operands& t);
/// Weights of int8 by output channels, a bias (zeros if there is none), and the weights' scales.
[[nodiscard]] std::vector<PackedConstant> pack_hybrid_conv_2d(const Operands& t);
/// Parameters of conv_2d_f32 for a call of conv_2d_hybrid_f32.
[[nodiscard]] KernelParams expanded_float_conv_2d(const Operands& t, const KernelParams& params);
/// Weights of float32 or int8, and biases.
[[nodiscard]] std::vector<PackedConstant> pack_float_lstm(const Operands& t);
[[nodiscard]] std::vector<PackedConstant> pack_float_resize_bilinear(const Operands& t);

}  // namespace thimble
