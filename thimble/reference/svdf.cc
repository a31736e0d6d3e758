// SPDX-License-Identifier: Apache-2.0
// SVDF in three steps: features of the input, which are shifted into the state, and sums of the
// state over time. A fused activation is ignored, as the original does.
#include <algorithm>
#include <limits>
#include <utility>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

/// Both operations are in float32.
FixedFactor svdf_factor(const Tensor& a, const Tensor& b, const Tensor& out) {
  return to_fixed_factor(double{scale_of(a) * scale_of(b) / scale_of(out)});
}

/// Elements that follow one another along the axis.
int64_t run_of(const ShiftIn& a, const Shape& shape) {
  return elements(Shape(shape.begin() + a.axis, shape.end()));
}

/// Of each run of the state all but its beginning, then a run of what is new.
template <class Values>
Values shifted(const Values& state, const Values& newest, int64_t run, int64_t new_run) {
  Values result;
  result.reserve(state.size());
  auto added = newest.begin();
  for (auto at = state.begin(); at != state.end(); at += run, added += new_run) {
    result.insert(result.end(), at + new_run, at + run);
    result.insert(result.end(), added, added + new_run);
  }
  return result;
}

template <class T>
std::vector<Bytes> features_of(const OpContext& context) {
  const std::vector<int8_t> x = context.read<int8_t>(0), weights = context.read<int8_t>(1);
  const Tensor& out = context.output();
  const FixedFactor factor = svdf_factor(context.input(0), context.input(1), out);
  const int32_t zero_point = zero_point_of(context.input(0));
  const auto depth = static_cast<size_t>(context.input(1).shape[1]);
  std::vector<T> result;
  for (size_t batch = 0; batch < x.size(); batch += depth) {
    for (size_t row = 0; row < weights.size(); row += depth) {
      uint32_t sum = 0;
      for (size_t k = 0; k < depth; ++k)
        sum += static_cast<uint32_t>((x[batch + k] - zero_point) * weights[row + k]);
      const int32_t clamped =
          std::clamp<int32_t>(multiply(static_cast<int32_t>(sum), factor),
                              std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      result.push_back(static_cast<T>(clamped + zero_point_of(out)));  // wraps around
    }
  }
  return {bytes_from(result)};
}

}  // namespace

std::vector<Bytes> evaluate(const SvdfFeatures&, const OpContext& context) {
  return context.output().type == DType::kInt16 ? features_of<int16_t>(context)
                                                : features_of<int8_t>(context);
}

std::vector<Bytes> evaluate(const ShiftIn& a, const OpContext& context) {
  const int64_t size = size_bytes(context.output().type);
  return {shifted(context.input_bytes(0), context.input_bytes(1),
                  size * run_of(a, context.input(0).shape),
                  size * run_of(a, context.input(1).shape))};
}

std::vector<Bytes> evaluate(const SvdfOutput&, const OpContext& context) {
  const Tensor &state_tensor = context.input(0), &weights_tensor = context.input(1);
  const std::vector<int32_t> state = integers_from(context.input_bytes(0), state_tensor.type);
  const std::vector<int32_t> weights = integers_from(context.input_bytes(1), weights_tensor.type);
  const std::vector<int32_t> bias = context.read<int32_t>(2);
  const FixedFactor factor = svdf_factor(state_tensor, weights_tensor, context.output());
  const int32_t state_zero_point = zero_point_of(state_tensor);
  const int64_t zero_point = zero_point_of(context.output());
  const size_t of_unit = weights.size() / bias.size();
  std::vector<int8_t> result;
  for (size_t at = 0; at < state.size(); at += of_unit) {
    auto sum = static_cast<uint32_t>(bias[at / of_unit % bias.size()]);
    for (size_t k = at; k < at + of_unit; ++k)
      sum += static_cast<uint32_t>((state[k] - state_zero_point) * weights[k % weights.size()]);
    const int64_t value = multiply(static_cast<int32_t>(sum), factor) + zero_point;
    result.push_back(static_cast<int8_t>(std::clamp<int64_t>(value, INT8_MIN, INT8_MAX)));
  }
  return {bytes_from(result)};
}

RealValues real_of(const SvdfFeatures&, const RealContext& c) {
  const RealValues &x = *c.inputs[0], &weights = *c.inputs[1];
  const auto depth = static_cast<size_t>(c.shape(1)[1]);
  RealValues result;
  for (size_t batch = 0; batch < x.size(); batch += depth) {
    for (size_t row = 0; row < weights.size(); row += depth) {
      float sum = 0;
      for (size_t k = 0; k < depth; ++k) sum += x[batch + k] * weights[row + k];
      result.push_back(sum);
    }
  }
  return clamped(Activation::kNone, std::move(result));  // beyond all numbers is the largest one
}

ValueRanges bounds_of(const SvdfFeatures&, const BoundsContext& c) { return any_value(c.output()); }

RealValues real_of(const ShiftIn& a, const RealContext& c) {
  return shifted(*c.inputs[0], *c.inputs[1], run_of(a, c.shape(0)), run_of(a, c.shape(1)));
}

ValueRanges bounds_of(const ShiftIn&, const BoundsContext& c) { return any_value(c.output()); }

RealValues real_of(const SvdfOutput& op, const RealContext& c) {
  const RealValues &state = *c.inputs[0], &weights = *c.inputs[1], &bias = *c.inputs[2];
  const auto memory = static_cast<size_t>(c.shape(1)[1]);
  const size_t rank = static_cast<size_t>(c.shape(1)[0]) / bias.size();
  RealValues result;
  for (size_t at = 0; at < state.size(); at += rank * memory) {
    float sum = bias[at / (rank * memory) % bias.size()];
    for (size_t filter = at; filter < at + rank * memory; filter += memory) {
      float of_filter = 0;
      for (size_t k = filter; k < filter + memory; ++k)
        of_filter += state[k] * weights[k % weights.size()];
      sum += of_filter;
    }
    result.push_back(sum);
  }
  return clamped(op.activation, std::move(result));
}

ValueRanges bounds_of(const SvdfOutput&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
