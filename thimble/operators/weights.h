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

/// Quantisation of the weights, which may be per element of axis `channel_axis`.
bool weights_are_quantised(const Graph& graph, const Op& op, size_t channel_axis);
bool bias_fits(const Graph& graph, const Op& op, size_t channel_axis);
bool sums_fit(const Graph& graph, const Op& op, size_t channel_axis);

bool weighted_types(const Graph& graph, const Op& op);
bool weights_are_constant(const Graph& graph, const Op& op);
bool x_and_output_have_one_scale(const Graph& graph, const Op& op);
bool multipliers_are_moderate(const Graph& graph, const Op& op);

template <size_t kChannelAxis>
std::vector<Constraint> weights_constraints() {
  return {
      {"input, weights and output are int8, and the bias is int32", weighted_types},
      {"weights and bias are constants", weights_are_constant},
      {"input and output have one positive, finite scale each and a zero point within int8",
       x_and_output_have_one_scale},
      {"the weights have one positive, finite scale, or one per output channel, and zero points 0",
       [](const Graph& graph, const Op& op) {
         return weights_are_quantised(graph, op, kChannelAxis);
       }},
      {"input scale x weight scale / output scale is below 2^30", multipliers_are_moderate},
      {"the bias has one element per output channel",
       [](const Graph& graph, const Op& op) { return bias_fits(graph, op, kChannelAxis); }},
      {"whatever the input, an output channel's sum of products and bias, shifted left where its "
       "multiplier is above 1, stays within 32 bits",
       [](const Graph& graph, const Op& op) { return sums_fit(graph, op, kChannelAxis); }},
  };
}

}  // namespace thimble
