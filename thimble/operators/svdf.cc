// SPDX-License-Identifier: Apache-2.0
// SVDF but for its state: features of the input, and sums of the state over time.
#include <cmath>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool is_int8_or_int16(DType type) { return type == DType::kInt8 || type == DType::kInt16; }

bool svdf_scale_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const float scale = v.in(0).quantization.scales[0] * v.in(1).quantization.scales[0] /
                      v.out().quantization.scales[0];
  return std::isfinite(scale) && scale < 0x1p30F;
}

bool features_ranks_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 2 && v.weights().size() == 2 && v.out().shape.size() == 3;
}

bool features_types_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return is_float32(graph, op) || (v.in(0).type == DType::kInt8 && v.in(1).type == DType::kInt8 &&
                                   is_int8_or_int16(v.out().type));
}

bool svdf_weights_are_constant(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(1).is_constant();
}

bool svdf_weights_are_symmetric(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(1).quantization.zero_points[0] == 0;
}

bool svdf_integers_are_not_clamped(const Graph&, const Op& op) {
  return std::get<SvdfOutput>(op.attributes).activation == Activation::kNone;
}

bool depths_are_equal(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().back() == v.weights().back();
}

bool svdf_inputs(const Graph&, const Op& op) { return op.inputs.size() == 3; }

bool svdf_ranks_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 3 && v.weights().size() == 2 && v.in(2).shape.size() == 1 &&
         v.out().shape.size() == 2;
}

bool svdf_types_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return is_float32(graph, op) || (is_int8_or_int16(v.in(0).type) && v.in(1).type == v.in(0).type &&
                                   v.in(2).type == DType::kInt32 && v.out().type == DType::kInt8);
}

bool svdf_operands_have_one_scale(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return has_one_scale(v.in(0)) && has_one_scale(v.in(1)) && has_one_scale(v.out());
}

bool filters_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Shape &state = v.x(), &weights = v.weights();
  return v.in(2).is_constant() && state[1] == weights[0] && state[2] == weights[1] &&
         state[1] % v.in(2).shape[0] == 0;
}

}  // namespace

AccessMap access_map_of(const SvdfFeatures&, const OpView&) {
  return {{.axes = {Affine{.out_axis = 0}, Reduced{}}},
          {.axes = {Affine{.out_axis = 1}, Reduced{}}}};
}

int64_t macs_of(const SvdfFeatures&, const OpView& v, const Region& region) {
  return elements(region) * v.x()[1];
}

Shape output_shape_of(const SvdfFeatures&, const OpView& v) {
  return {v.x()[0], v.weights()[0], 1};
}

Traits traits_of(const SvdfFeatures&) { return {}; }

std::vector<Constraint> constraints_of(const SvdfFeatures&) {
  return {kTwoInputs,
          {"input and weights have 2 axes, the output has 3", features_ranks_fit},
          {"input and weights are int8, the output is int8 or int16; or all are float32",
           features_types_fit},
          kAllHaveOneScale,
          {"the weights are a constant", svdf_weights_are_constant},
          {"the weights' zero point is 0", svdf_weights_are_symmetric, true},
          {"each row of the weights is as long as one of the input", depths_are_equal},
          {"input scale x weight scale / output scale is below 2^30", svdf_scale_is_moderate, true},
          kOutputShape};
}

AccessMap access_map_of(const SvdfOutput&, const OpView& v) {
  const int64_t rank = v.x()[1] / v.out().shape[1];
  const Grouped filters{.out_axis = 1, .in_per_group = rank};
  return {{.axes = {Affine{.out_axis = 0}, filters, Reduced{}}},
          {.axes = {filters, Reduced{}}},
          channel_map(1)};
}

int64_t macs_of(const SvdfOutput&, const OpView& v, const Region& region) {
  return elements(region) * (v.x()[1] / v.out().shape[1] * v.x()[2]);
}

Shape output_shape_of(const SvdfOutput&, const OpView& v) { return {v.x()[0], v.in(2).shape[0]}; }

Traits traits_of(const SvdfOutput&) { return {}; }

std::vector<Constraint> constraints_of(const SvdfOutput&) {
  return {{"there are 3 inputs: the state, the weights over time and the bias", svdf_inputs},
          {"the state has 3 axes, weights and output have 2, the bias has 1", svdf_ranks_fit},
          {"state and weights over time are both int8 or both int16, the bias is int32 and the "
           "output int8; or all are float32",
           svdf_types_fit},
          {"state, weights and output have one positive, finite scale each and a zero point within "
           "the type",
           svdf_operands_have_one_scale, true},
          {"there is no fused activation", svdf_integers_are_not_clamped, true},
          {"the weights are a constant", svdf_weights_are_constant},
          {"the weights' zero point is 0", svdf_weights_are_symmetric, true},
          {"there are weights for every filter and time of the state, and as many filters for each "
           "element of the bias, a constant",
           filters_fit},
          {"state scale x weight scale / output scale is below 2^30", svdf_scale_is_moderate, true},
          kOutputShape};
}

}  // namespace thimble
