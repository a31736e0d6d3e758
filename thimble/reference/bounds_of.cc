// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/bounds_of.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "thimble/reference/evaluate.h"
#include "thimble/reference/interpreter.h"

namespace thimble::reference {
namespace {

template <class TapsAt>
std::vector<Taps> distinct_taps(int64_t out, const TapsAt& taps_at) {
  std::vector<Taps> distinct;  // taps fall on later rows, one by one: those alike are neighbours
  for (int64_t k = 0; k < out; ++k) {
    const Taps taps = taps_at(k);
    if (distinct.empty() || distinct.back().begin != taps.begin || distinct.back().end != taps.end)
      distinct.push_back(taps);
  }
  return distinct;
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

}  // namespace

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

std::vector<Taps> distinct_taps_of_rows(const Window& window, int64_t in, int64_t out) {
  return distinct_taps(out, [&](int64_t y) { return taps_of_row(window, y, in); });
}

std::vector<Taps> distinct_taps_of_columns(const Window& window, int64_t in, int64_t out) {
  return distinct_taps(out, [&](int64_t x) { return taps_of_column(window, x, in); });
}

ValueRanges of_each_value(const BoundsContext& c) {
  const ValueRanges& x = c.input_bounds(0);
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

ValueRange of_channel(const BoundsContext& c, size_t i, size_t channel) {
  return c.input_bounds(i)[channel % c.input_bounds(i).size()];
}

ValueRanges at_corners(const BoundsContext& c, FixedFactor last, int largest_shift) {
  if (last.shift > largest_shift || c.input_bounds(0).empty() || c.input_bounds(1).empty())
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

// Operands are below 2^27 at the common scale, sums below 2^28.
ValueRanges of_sum_of_two(const BoundsContext& c) {
  if (c.output().type == DType::kInt32) return any_value(c.output());  // they wrap around
  const bool wide = c.input(0).type == DType::kInt16;  // below 2^29, sums below 2^30
  return at_corners(c, to_fixed_factor(ratio_to_output(c) / (wide ? 1 << 15 : 1 << 20)),
                    wide ? 0 : 2);
}

ValueRanges within_activation(const BoundsContext& c, Activation activation) {
  const ActivationRange range = activation_range(activation, c.output());
  return everywhere(c.output(), {range.min, range.max});
}

}  // namespace thimble::reference
