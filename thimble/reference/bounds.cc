// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/bounds.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "thimble/reference/bounds_parts.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace reference {

size_t channels_of(const Tensor& tensor) {
  return tensor.shape.empty() ? 1 : static_cast<size_t>(tensor.shape.back());
}

ValueRanges everywhere(const Tensor& tensor, ValueRange interval) {
  return ValueRanges(channels_of(tensor), interval);
}

ValueRanges any_value(const Tensor& tensor) {
  switch (tensor.type) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kInt32:
      break;
    case DType::kBool:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      return {};
  }
  const IntegerRange range = range_of(tensor.type);
  return everywhere(tensor, {static_cast<int32_t>(range.min), static_cast<int32_t>(range.max)});
}

ValueRange hull(ValueRange a, ValueRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

ValueRange hull(const ValueRanges& intervals) {
  ValueRange result = intervals.at(0);
  for (const ValueRange& interval : intervals) result = hull(result, interval);
  return result;
}

// An element's number modulo the extents' common divisor is all that both have in common.
ValueRanges reshaped(const ValueRanges& intervals, size_t channels) {
  const size_t shared = std::gcd(intervals.size(), channels);
  ValueRanges merged(intervals.begin(), intervals.begin() + static_cast<int64_t>(shared));
  for (size_t c = shared; c < intervals.size(); ++c)
    merged[c % shared] = hull(merged[c % shared], intervals[c]);
  ValueRanges result;
  for (size_t c = 0; c < channels; ++c) result.push_back(merged[c % shared]);
  return result;
}

ValueRange requantised(SumBounds sum, FixedFactor factor, int32_t zero_point,
                       ActivationRange range) {
  const ValueRange any{range.min, range.max};
  const int left = std::max(factor.shift, 0);
  int32_t ends[2];
  for (const auto& [end, value] : {std::pair{0, sum.low}, {1, sum.high}}) {
    if (left > 31 || value < INT32_MIN || value > INT32_MAX) return any;
    const int64_t shifted = value * (int64_t{1} << left);
    if (shifted < INT32_MIN || shifted > INT32_MAX) return any;
    const int64_t scaled = multiply(static_cast<int32_t>(value), factor);
    if (scaled + zero_point < INT32_MIN || scaled + zero_point > INT32_MAX) return any;
    ends[end] = requantised(static_cast<int32_t>(value), factor, zero_point, range);
  }
  return {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

namespace {

template <class TapsAt>
std::vector<Taps> distinct_ways(int64_t out, const TapsAt& taps_at) {
  std::vector<Taps> ways;  // taps fall on later rows, one by one: those alike are neighbours
  for (int64_t k = 0; k < out; ++k) {
    const Taps taps = taps_at(k);
    if (ways.empty() || ways.back().begin != taps.begin || ways.back().end != taps.end)
      ways.push_back(taps);
  }
  return ways;
}

/// What the interpreter makes of values, one by one: an operator that goes element by element.
std::vector<int32_t> evaluated(const BoundsContext& c,
                               const std::vector<std::vector<int32_t>>& operands) {
  Graph graph;
  Op op{.attributes = c.op.attributes, .inputs = {}, .outputs = {}};
  TensorValues values;
  const Shape list{static_cast<int64_t>(operands[0].size())};
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor& t = c.input(i);
    op.inputs.push_back(TensorId{static_cast<int32_t>(i)});
    graph.tensors.push_back({"", list, t.type, t.quantization, nullptr});
    values.push_back(bytes_from_integers(operands[i], t.type));
  }
  op.outputs.push_back(TensorId{static_cast<int32_t>(operands.size())});
  graph.tensors.push_back({"", list, c.output().type, c.output().quantization, nullptr});
  return integers_from(interpret_op(graph, op, values)[0], c.output().type);
}

/// A function of one value, by its table.
ValueRanges of_each_value(const BoundsContext& c) {
  const ValueRanges& x = c.of(0);
  if (x.empty() || c.input(0).type == DType::kInt32) return any_value(c.output());
  const ValueRange all = hull(x);
  std::vector<int32_t> arguments(static_cast<size_t>(all.high - all.low + 1));
  std::iota(arguments.begin(), arguments.end(), all.low);
  const std::vector<int32_t> table = evaluated(c, {arguments});
  std::map<std::pair<int32_t, int32_t>, ValueRange> known;
  ValueRanges result;
  for (const ValueRange& i : x) {
    const auto [it, is_new] = known.try_emplace({i.low, i.high});
    if (is_new) {
      const auto [least, most] = std::minmax_element(table.begin() + (i.low - all.low),
                                                     table.begin() + (i.high - all.low) + 1);
      it->second = {*least, *most};
    }
    result.push_back(it->second);
  }
  return result;
}

/// Operand i broadcast along the last axis.
ValueRange of_channel(const BoundsContext& c, size_t i, size_t channel) {
  return c.of(i)[channel % c.of(i).size()];
}

/// A function that rises or falls with each of two operands: its values where both are at an end.
/// largest_shift: of the last factor, above which sums may exceed 32 bits.
ValueRanges at_corners(const BoundsContext& c, FixedFactor last, int largest_shift) {
  if (last.shift > largest_shift || c.of(0).empty() || c.of(1).empty())
    return any_value(c.output());
  const size_t channels = channels_of(c.output());
  std::vector<std::vector<int32_t>> operands(2);
  for (size_t channel = 0; channel < channels; ++channel) {
    const ValueRange a = of_channel(c, 0, channel), b = of_channel(c, 1, channel);
    operands[0].insert(operands[0].end(), {a.low, a.low, a.high, a.high});
    operands[1].insert(operands[1].end(), {b.low, b.high, b.low, b.high});
  }
  const std::vector<int32_t> corners = evaluated(c, operands);
  ValueRanges result;
  for (size_t k = 0; k < corners.size(); k += 4) {
    const auto [least, most] =
        std::minmax({corners[k], corners[k + 1], corners[k + 2], corners[k + 3]});
    result.push_back({least, most});
  }
  return result;
}

/// The factor of ADD, SUB and SQUARED_DIFFERENCE from twice the larger scale to the output's.
double ratio_to_output(const BoundsContext& c) {
  return 2 * double{std::max(scale_of(c.input(0)), scale_of(c.input(1)))} /
         double{scale_of(c.output())};
}

ValueRanges clamped(const ValueRanges& intervals, ActivationRange range) {
  ValueRanges result;
  for (const ValueRange& i : intervals) {
    result.push_back(
        {std::clamp(i.low, range.min, range.max), std::clamp(i.high, range.min, range.max)});
  }
  return result;
}

struct BoundsOf {
  const BoundsContext& c;

  // Weights are taken value by value. Of operators without a bound below, any value may come.
  template <class Operator>
  ValueRanges operator()(const Operator& op) const {
    if constexpr (requires { bounds_of(op, c); }) {
      return bounds_of(op, c);
    } else {
      return any_value(c.output());
    }
  }

  // An average of values, rounded, lies among them.
  ValueRanges operator()(const AveragePool2D& op) const {
    return clamped(c.of(0), activation_range(op.activation, c.output()));
  }
  ValueRanges operator()(const MaxPool2D& op) const {
    const Image in(c.input(0).shape), out(c.output().shape);
    const auto misses = [](const Taps& taps) { return taps.count() == 0; };
    ValueRanges result = c.of(0);
    if (std::ranges::any_of(ways_of_rows(op.window, in.h, out.h), misses) ||
        std::ranges::any_of(ways_of_columns(op.window, in.w, out.w), misses)) {
      const IntegerRange values = range_of(c.output().type);
      for (ValueRange& i : result) {
        if (op.least) {
          i.high = static_cast<int32_t>(values.max);
        } else {
          i.low = static_cast<int32_t>(values.min);
        }
      }
    }
    return clamped(result, activation_range(op.activation, c.output()));
  }

  // Operands are below 2^27 at the common scale, sums below 2^28.
  ValueRanges operator()(const Add&) const { return of_sum(); }
  ValueRanges operator()(const Sub&) const { return of_sum(); }
  [[nodiscard]] ValueRanges of_sum() const {
    if (c.output().type == DType::kInt32) return any_value(c.output());  // they wrap around
    const bool wide = c.input(0).type == DType::kInt16;  // below 2^29, sums below 2^30
    return at_corners(c, to_fixed_factor(ratio_to_output(c) / (wide ? 1 << 15 : 1 << 20)),
                      wide ? 0 : 2);
  }
  // Products are below 2^16, of int16 below 2^31.
  ValueRanges operator()(const Mul&) const {
    if (c.output().type == DType::kInt32) return any_value(c.output());
    return at_corners(
        c, product_factor(c.op.attributes.arithmetic, c.input(0), c.input(1), c.output()),
        c.input(0).type == DType::kInt16 ? 0 : 14);
  }
  // Squares are below 2^30. In between the difference may be 0, whose square is the least.
  ValueRanges operator()(const SquaredDifference&) const {
    const double common = ratio_to_output(c) * double{scale_of(c.output())};
    const bool wide = c.output().type == DType::kInt16;
    const FixedFactor last =
        to_fixed_factor(common * common / ((wide ? 1 : 1 << 14) * double{scale_of(c.output())}));
    ValueRanges result = at_corners(c, last, 0);
    const int32_t square_of_0 = zero_point_of(c.output());
    for (size_t k = 0; k < result.size(); ++k) {
      if (!of_channel(c, 0, k).is_constant() || !of_channel(c, 1, k).is_constant())
        result[k].low = std::min(result[k].low, square_of_0);
    }
    return result;
  }

  ValueRanges operator()(const Pad& op) const {
    const ValueRange frame{op.value, op.value};
    ValueRanges result = c.of(0);
    if (result.empty()) return {};
    const size_t last = op.before.size() - 1;
    for (size_t axis = 0; axis < last; ++axis) {
      if (op.before[axis] == 0 && op.after[axis] == 0) continue;
      for (ValueRange& i : result) i = hull(i, frame);
    }
    result.insert(result.begin(), static_cast<size_t>(op.before[last]), frame);
    result.insert(result.end(), static_cast<size_t>(op.after[last]), frame);
    return result;
  }
  ValueRanges operator()(const Reshape&) const {
    return c.of(0).empty() ? ValueRanges{} : reshaped(c.of(0), channels_of(c.output()));
  }
  ValueRanges operator()(const Transpose& op) const {
    const bool keeps_channels =
        op.permutation.empty() ||
        op.permutation.back() == static_cast<int>(op.permutation.size()) - 1;
    if (keeps_channels || c.of(0).empty()) return c.of(0);
    return everywhere(c.output(), hull(c.of(0)));
  }
  ValueRanges operator()(const Concat& op) const {
    ValueRanges result;
    for (size_t i = 0; i < c.op.inputs.size(); ++i) {
      const ValueRanges& part = c.of(i);
      if (part.empty()) return {};
      if (op.axis == static_cast<int>(c.output().shape.size()) - 1) {
        result.insert(result.end(), part.begin(), part.end());
        continue;
      }
      if (result.empty()) result = part;
      for (size_t k = 0; k < part.size(); ++k) result[k] = hull(result[k], part[k]);
    }
    return result;
  }
  ValueRanges operator()(const Slice& op) const {
    if (c.of(0).empty()) return {};
    const size_t last = op.begin.size() - 1;
    if (std::ranges::count(op.dropped, static_cast<int>(last)) > 0)
      return everywhere(c.output(), c.of(0)[static_cast<size_t>(op.begin[last])]);
    ValueRanges result;
    for (int64_t k = 0; k < static_cast<int64_t>(channels_of(c.output())); ++k)
      result.push_back(c.of(0)[static_cast<size_t>(op.begin[last] + k * op.stride[last])]);
    return result;
  }
  ValueRanges operator()(const ResizeNearestNeighbor&) const { return c.of(0); }
  // Between pixels: a weighted mean, rounded, lies among them.
  ValueRanges operator()(const ResizeBilinear&) const { return c.of(0); }

  ValueRanges operator()(const Relu&) const { return of_each_value(c); }
  ValueRanges operator()(const Relu6&) const { return of_each_value(c); }
  ValueRanges operator()(const LeakyRelu&) const { return of_each_value(c); }
  ValueRanges operator()(const Quantize&) const { return of_each_value(c); }
  ValueRanges operator()(const Maximum&) const { return between_corners(); }
  ValueRanges operator()(const Minimum&) const { return between_corners(); }
  [[nodiscard]] ValueRanges between_corners() const { return at_corners(c, {}, 0); }

  // Sums of 64 bits.
  ValueRanges operator()(const TransposeConv& op) const {
    const ActivationRange range = activation_range(op.activation, c.output());
    return everywhere(c.output(), {range.min, range.max});
  }
  ValueRanges operator()(const Tanh&) const { return of_each_value(c); }
  ValueRanges operator()(const Elu&) const { return of_each_value(c); }
  ValueRanges operator()(const HardSwish&) const { return of_each_value(c); }
  ValueRanges operator()(const Abs&) const { return of_each_value(c); }
  ValueRanges operator()(const Logistic&) const { return of_each_value(c); }
  ValueRanges operator()(const Rsqrt&) const { return of_each_value(c); }
  ValueRanges operator()(const Gelu&) const { return of_each_value(c); }
  // A quotient may jump from one end to the other where the divisor changes its sign.
  ValueRanges operator()(const Div& op) const {
    if (c.output().type == DType::kInt32) return any_value(c.output());
    const ActivationRange range = activation_range(op.activation, c.output());
    return everywhere(c.output(), {range.min, range.max});
  }
  ValueRanges operator()(const Comparison&) const { return {}; }
  ValueRanges operator()(const Select&) const {
    if (any_value(c.output()).empty()) return {};
    ValueRanges result;
    for (size_t channel = 0; channel < channels_of(c.output()); ++channel)
      result.push_back(hull(of_channel(c, 1, channel), of_channel(c, 2, channel)));
    return result;
  }
  ValueRanges operator()(const Gather& op) const {
    if (any_value(c.output()).empty()) return {};
    // Channels stay what they are where the axis is another one.
    if (op.axis + 1 == std::ssize(c.input(0).shape)) return everywhere(c.output(), hull(c.of(0)));
    return c.of(0);
  }
  ValueRanges operator()(const UpdateSlice&) const {
    if (any_value(c.output()).empty()) return {};
    return everywhere(c.output(), hull(hull(c.of(0)), hull(c.of(1))));
  }
  ValueRanges operator()(const DetectionPostProcess&) const { return {}; }
  ValueRanges operator()(const ArgMax& op) const {
    const int64_t count = c.input(0).shape.at(static_cast<size_t>(op.axis));
    return everywhere(c.output(), {0, static_cast<int32_t>(count) - 1});
  }
  ValueRanges operator()(const Dequantize&) const { return {}; }
};

}  // namespace

std::vector<Taps> ways_of_rows(const Window& window, int64_t in, int64_t out) {
  return distinct_ways(out, [&](int64_t y) { return taps_of_row(window, y, in); });
}

std::vector<Taps> ways_of_columns(const Window& window, int64_t in, int64_t out) {
  return distinct_ways(out, [&](int64_t x) { return taps_of_column(window, x, in); });
}

}  // namespace reference

namespace {

/// Weights and biases are read value by value, not as intervals.
template <class A>
bool is_weighted(const A&) {
  return std::is_same_v<A, Conv2D> || std::is_same_v<A, DepthwiseConv2D> ||
         std::is_same_v<A, FullyConnected>;
}

}  // namespace

ValueRanges constant_bounds(const Tensor& constant) {
  using namespace reference;
  if (any_value(constant).empty()) return {};
  const std::vector<int32_t> values = integers_from(*constant.data, constant.type);
  const size_t channels = channels_of(constant);
  ValueRanges result;
  for (size_t k = 0; k < values.size(); ++k) {
    const ValueRange value{values[k], values[k]};
    if (k < channels) {
      result.push_back(value);
    } else {
      result[k % channels] = hull(result[k % channels], value);
    }
  }
  return result;
}

ValueRanges output_bounds(const Graph& graph, const Op& op,
                          const std::vector<ValueRanges>& of_tensors) {
  if (is_float32(graph, op)) return {};
  const reference::BoundsContext context{graph, op, of_tensors};
  return std::visit(reference::BoundsOf{context}, op.attributes);
}

std::vector<ValueRanges> channel_bounds(const Graph& graph) {
  std::vector<ValueRanges> result(graph.tensors.size());
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (!graph.tensors[t].is_constant()) result[t] = reference::any_value(graph.tensors[t]);
  }
  for (const Op& op : graph.ops) {
    const bool weighted = std::visit([](const auto& a) { return is_weighted(a); }, op.attributes);
    for (size_t i = 0; i < (weighted ? 1 : op.inputs.size()); ++i) {
      const TensorId t = op.inputs[i];
      if (result[t.index()].empty() && graph.tensor(t).is_constant())
        result[t.index()] = constant_bounds(graph.tensor(t));
    }
    result[op.outputs[0].index()] = output_bounds(graph, op, result);
  }
  return result;
}

bool reaches_padding(const Window& window, const Shape& in, const Shape& out) {
  const reference::Image from(in), to(out);
  const auto is_cut = [](int64_t kernel) {
    return [kernel](const reference::Taps& taps) { return taps.count() < kernel; };
  };
  return std::ranges::any_of(reference::ways_of_rows(window, from.h, to.h),
                             is_cut(window.kernel_h)) ||
         std::ranges::any_of(reference::ways_of_columns(window, from.w, to.w),
                             is_cut(window.kernel_w));
}

}  // namespace thimble
