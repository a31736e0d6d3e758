// SPDX-License-Identifier: Apache-2.0
// What operators with constant weights and an optional bias share (inputs: x, weights, bias).
// Private to thimble/operators.
#pragma once

#include "thimble/operators/predicates.h"

namespace thimble {

bool has_weights(const Graph& graph, const Op& op);
inline constexpr Constraint kHasWeights{
    "there are 2 or 3 inputs: the activation, the weights, and a bias or none", has_weights};

bool image_ranks(const Graph& graph, const Op& op);
inline constexpr Constraint kImageRanks{
    "input, weights and output have 4 axes (NHWC), and the bias has 1", image_ranks};

bool weighted_types(const Graph& graph, const Op& op);
inline constexpr Constraint kWeightedTypes{
    "weights are int8, input and output both int8 or both int16, and the bias is int32 (of int16: "
    "or int64); or all are float32",
    weighted_types};
inline constexpr Constraint kWeightedOrHybridTypes{
    "weights are int8, input and output both int8 or both int16, and the bias is int32 (of int16: "
    "or int64); or all are float32, but for constant weights that may be int8 with one scale, or "
    "one per output channel, and one zero point",
    weighted_types};

bool bias_is_constant(const Graph& graph, const Op& op);
bool weights_and_bias_are_constant(const Graph& graph, const Op& op);
inline constexpr Constraint kBiasIsConstant{"the bias is a constant", bias_is_constant};
inline constexpr Constraint kWeightsAndBiasAreConstant{"weights and bias are constants",
                                                       weights_and_bias_are_constant};

bool x_and_output_have_one_scale(const Graph& graph, const Op& op);
inline constexpr Constraint kXAndOutputHaveOneScale{
    "input and output have one positive, finite scale each and a zero point within int8 (int16: 0)",
    x_and_output_have_one_scale, true};

/// One scale, or one per element of axis `channel_axis`; zero points are 0.
bool weights_are_symmetric(const Graph& graph, const Op& op, size_t channel_axis);
bool multipliers_are_moderate(const Graph& graph, const Op& op);
bool bias_has_size(const Graph& graph, const Op& op, size_t channel_axis);
bool sums_fit(const Graph& graph, const Op& op, size_t channel_axis);
/// Channels whose sums do not fit and whose multiplier is 0. Relies on all that is asked before.
std::vector<size_t> silent_overflows(const Graph& graph, const Op& op);

template <size_t kChannelAxis>
inline constexpr Constraint kWeightsAreSymmetric{
    "the weights have one positive, finite scale, or one per output channel, and zero points 0",
    [](const Graph& graph, const Op& op) { return weights_are_symmetric(graph, op, kChannelAxis); },
    true};

/// Symmetric weights; or one scale and a zero point, of int8 that a convolution takes.
bool weights_are_quantised(const Graph& graph, const Op& op, size_t channel_axis);

template <size_t kChannelAxis>
inline constexpr Constraint kWeightsAreQuantised{
    "the weights have one positive, finite scale and a zero point within int8 (int16 inputs: 0), "
    "or one scale per output channel and zero points 0",
    [](const Graph& graph, const Op& op) { return weights_are_quantised(graph, op, kChannelAxis); },
    true};

/// What follows types and quantisation.
template <size_t kChannelAxis>
std::vector<Constraint> sum_constraints() {
  return {
      {"input scale x weight scale / output scale is below 2^30", multipliers_are_moderate, true},
      {"the bias has one element per output channel",
       [](const Graph& graph, const Op& op) { return bias_has_size(graph, op, kChannelAxis); }},
      {"whatever the input, an output channel's sum of products, and that with its bias, shifted "
       "left where its multiplier is above 1, stays within 32 bits; where sums of int16 have 64 "
       "bits (int64 bias, or none), within 47, and the result within 30",
       [](const Graph& graph, const Op& op) { return sums_fit(graph, op, kChannelAxis); }, true,
       true},
  };
}

/// Constraints of a convolution, after the shapes. quantised: that of its weights.
template <size_t kChannelAxis>
std::vector<Constraint> convolution_constraints(const Constraint& types,
                                                const Constraint& quantised) {
  return join({{types, kWeightsAndBiasAreConstant, kXAndOutputHaveOneScale, quantised},
               sum_constraints<kChannelAxis>()});
}

}  // namespace thimble
