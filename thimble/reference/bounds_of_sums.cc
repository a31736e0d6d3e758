// SPDX-License-Identifier: Apache-2.0
// Operators that add up: each product at its least and at its most, in 64 bits.
#include <algorithm>

#include "thimble/reference/bounds_parts.h"
#include "thimble/reference/factors.h"

namespace thimble::reference {
namespace {

SumBounds operator+(SumBounds a, SumBounds b) { return {a.low + b.low, a.high + b.high}; }

SumBounds operator-(SumBounds a, SumBounds b) { return {a.low - b.low, a.high - b.high}; }

SumBounds times(int64_t weight, SumBounds x) {
  const int64_t a = weight * x.low, b = weight * x.high;
  return {std::min(a, b), std::max(a, b)};
}

SumBounds product(SumBounds a, SumBounds b) {
  const SumBounds low = times(a.low, b), high = times(a.high, b);
  return {std::min(low.low, high.low), std::max(low.high, high.high)};
}

std::vector<SumBounds> centred(const ValueRanges& values, int32_t zero_point) {
  std::vector<SumBounds> result;
  for (const ValueRange& i : values) {
    result.push_back({int64_t{i.low} - zero_point, int64_t{i.high} - zero_point});
  }
  return result;
}

/// Many sums of weights times values of the same channels: the inner loop has neither branches nor
/// 64 bits.
class Products {
 public:
  /// Values are of 8 bits.
  Products(const ValueRanges& values, int32_t zero_point) {
    for (const ValueRange& i : values) {
      low_.push_back(i.low - zero_point);
      high_.push_back(i.high - zero_point);
    }
  }

  /// Bounds of the sum over the values [first, first + count).
  [[nodiscard]] SumBounds sum(const int8_t* weights, int32_t weight_zero_point, size_t first,
                              size_t count) const {
    constexpr size_t kMostAtOnce = 16384;  // products below 2^16
    SumBounds result;
    for (size_t begin = 0; begin < count; begin += kMostAtOnce) {
      const size_t end = std::min(begin + kMostAtOnce, count);
      int32_t low = 0, high = 0;
      for (size_t i = begin; i < end; ++i) {
        const int32_t weight = weights[i] - weight_zero_point;
        const int32_t positive = std::max(weight, 0), negative = std::min(weight, 0);
        low += positive * low_[first + i] + negative * high_[first + i];
        high += positive * high_[first + i] + negative * low_[first + i];
      }
      result = result + SumBounds{low, high};
    }
    return result;
  }

 private:
  std::vector<int32_t> low_, high_;
};

/// The operator is of int8; its weights and bias are constant, its sums have 32 bits.
bool is_plain(const BoundsContext& c) {
  const size_t operands = c.op.inputs.size();
  return c.input(0).type == DType::kInt8 && c.input(1).is_constant() &&
         (operands < 3 || c.input(2).is_constant()) &&
         find_accumulator(c.graph, c.op.outputs[0]) == nullptr;
}

ValueRanges within_activation(const BoundsContext& c, Activation activation) {
  const ActivationRange range = activation_range(activation, c.output());
  return everywhere(c.output(), {range.min, range.max});
}

std::vector<int32_t> constant_bias(const BoundsContext& c, size_t channels) {
  if (c.op.inputs.size() < 3) return std::vector<int32_t>(channels, 0);
  return elements_from<int32_t>(*c.input(2).data);
}

/// The sums of every tap of every output channel: [channel][kernel row][kernel column].
struct TapSums {
  const Window& window;
  Image in, out;
  std::vector<SumBounds> taps;

  /// Over all ways in which the window lies on the image: beyond it a tap adds nothing.
  [[nodiscard]] std::vector<SumBounds> over_positions() const {
    std::vector<SumBounds> result(static_cast<size_t>(out.c), {INT64_MAX, INT64_MIN});
    const std::vector<Taps> rows = ways_of_rows(window, in.h, out.h);
    const std::vector<Taps> columns = ways_of_columns(window, in.w, out.w);
    for (size_t o = 0; o < result.size(); ++o) {
      const std::vector<SumBounds> before = sums_before(o);
      const auto at = [&](int64_t y, int64_t x) {
        return before[static_cast<size_t>(y * (window.kernel_w + 1) + x)];
      };
      for (const Taps& row : rows) {
        for (const Taps& column : columns) {
          const SumBounds sum = at(row.end, column.end) - at(row.begin, column.end) -
                                at(row.end, column.begin) + at(row.begin, column.begin);
          result[o] = {std::min(result[o].low, sum.low), std::max(result[o].high, sum.high)};
        }
      }
    }
    return result;
  }

 private:
  /// Sums of a channel's taps above and to the left: [kernel rows + 1][kernel columns + 1].
  [[nodiscard]] std::vector<SumBounds> sums_before(size_t o) const {
    const auto width = static_cast<size_t>(window.kernel_w);
    const auto height = static_cast<size_t>(window.kernel_h);
    std::vector<SumBounds> result((height + 1) * (width + 1));
    for (size_t y = 0; y < height; ++y) {
      SumBounds row;
      for (size_t x = 0; x < width; ++x) {
        row = row + taps[(o * height + y) * width + x];
        result[(y + 1) * (width + 1) + x + 1] = result[y * (width + 1) + x + 1] + row;
      }
    }
    return result;
  }
};

ValueRanges requantised_channels(const BoundsContext& c, const std::vector<SumBounds>& sums,
                                 const std::vector<FixedFactor>& factors, Activation activation) {
  const std::vector<int32_t> bias = constant_bias(c, sums.size());
  const ActivationRange range = activation_range(activation, c.output());
  const int32_t zero_point = zero_point_of(c.output());
  ValueRanges result;
  for (size_t o = 0; o < sums.size(); ++o) {
    const SumBounds sum = sums[o] + SumBounds{bias[o], bias[o]};
    result.push_back(requantised(sum, factors[o], zero_point, range));
  }
  return result;
}

std::vector<FixedFactor> factors_of(const BoundsContext& c) {
  return convolution_factors(c.op.attributes.arithmetic, c.input(0), c.input(1),
                             scale_of(c.output()), c.output().shape.back());
}

}  // namespace

ValueRanges bounds_of(const Conv2D& op, const BoundsContext& c) {
  if (!is_plain(c)) return within_activation(c, op.activation);
  const std::vector<int8_t> weights = elements_from<int8_t>(*c.input(1).data);
  const int32_t weight_zero_point = weight_zero_point_of(c.input(1));
  const Products x(c.of(0), zero_point_of(c.input(0)));
  TapSums sums{op.window, Image(c.input(0).shape), Image(c.output().shape), {}};
  const auto per_group = static_cast<size_t>(c.input(1).shape.at(3));
  const auto channels = static_cast<size_t>(sums.out.c);
  const size_t groups = c.of(0).size() / per_group;
  const size_t taps = weights.size() / per_group / channels;
  for (size_t o = 0; o < channels; ++o) {
    const size_t first = o / (channels / groups) * per_group;
    for (size_t tap = 0; tap < taps; ++tap)
      sums.taps.push_back(
          x.sum(&weights[(o * taps + tap) * per_group], weight_zero_point, first, per_group));
  }
  return requantised_channels(c, sums.over_positions(), factors_of(c), op.activation);
}

ValueRanges bounds_of(const DepthwiseConv2D& op, const BoundsContext& c) {
  if (!is_plain(c)) return within_activation(c, op.activation);
  const std::vector<int8_t> weights = elements_from<int8_t>(*c.input(1).data);
  const int32_t weight_zero_point = weight_zero_point_of(c.input(1));
  const std::vector<SumBounds> x = centred(c.of(0), zero_point_of(c.input(0)));
  TapSums sums{op.window, Image(c.input(0).shape), Image(c.output().shape), {}};
  const auto channels = static_cast<size_t>(sums.out.c);
  const size_t taps = weights.size() / channels;
  for (size_t o = 0; o < channels; ++o) {
    const SumBounds& of_channel = x[o / static_cast<size_t>(op.multiplier)];
    for (size_t tap = 0; tap < taps; ++tap)
      sums.taps.push_back(times(weights[tap * channels + o] - weight_zero_point, of_channel));
  }
  return requantised_channels(c, sums.over_positions(), factors_of(c), op.activation);
}

ValueRanges bounds_of(const FullyConnected& op, const BoundsContext& c) {
  const Tensor& weights_tensor = c.input(1);
  const size_t channels = static_cast<size_t>(weights_tensor.shape.at(0));
  if (!is_plain(c) || channels_of(c.output()) != channels)
    return within_activation(c, op.activation);
  const std::vector<int8_t> weights = elements_from<int8_t>(*weights_tensor.data);
  const int32_t weight_zero_point = weight_zero_point_of(weights_tensor);
  const size_t depth = weights.size() / channels;
  const Products x(reshaped(c.of(0), depth), zero_point_of(c.input(0)));
  std::vector<SumBounds> sums;
  for (size_t o = 0; o < channels; ++o)
    sums.push_back(x.sum(&weights[o * depth], weight_zero_point, 0, depth));
  return requantised_channels(
      c, sums,
      fully_connected_factors(c.input(0), weights_tensor, scale_of(c.output()),
                              static_cast<int64_t>(channels)),
      op.activation);
}

ValueRanges bounds_of(const BatchMatMul& op, const BoundsContext& c) {
  if (c.output().type == DType::kInt16) return any_value(c.output());  // sums of 64 bits
  const Tensor &x = c.input(0), &y = c.input(1);
  const auto depth =
      static_cast<size_t>(op.adjoint_x ? x.shape.at(x.shape.size() - 2) : x.shape.back());
  // By index of the summed axis, and by output channel: known where these are a last axis.
  ValueRanges left(depth, hull(c.of(0)));
  if (!op.adjoint_x) left = c.of(0);
  ValueRanges right(channels_of(c.output()), hull(c.of(1)));
  if (!op.adjoint_y) right = c.of(1);
  const std::vector<SumBounds> a = centred(left, zero_point_of(x));
  const std::vector<SumBounds> b = centred(right, zero_point_of(y));
  const float scales = scale_of(x) * scale_of(y);  // in float32, as the original's
  const FixedFactor factor = to_fixed_factor(double{scales} / double{scale_of(c.output())});
  const ActivationRange range = activation_range(Activation::kNone, c.output());
  ValueRanges result;
  for (const SumBounds& column : b) {
    SumBounds sum;
    for (const SumBounds& value : a) sum = sum + product(value, column);
    result.push_back(requantised(sum, factor, zero_point_of(c.output()), range));
  }
  return result;
}

namespace {

ValueRanges of_reduction(const std::vector<int>& axes, bool divides, const BoundsContext& c) {
  const Tensor &in = c.input(0), &out = c.output();
  int64_t count = 1;
  bool over_channels = false;
  for (const int axis : axes) {
    count *= in.shape.at(static_cast<size_t>(axis));
    over_channels = over_channels || axis == static_cast<int>(in.shape.size()) - 1;
  }
  FixedFactor factor = to_fixed_factor(double{scale_of(in)} / double{scale_of(out)});
  if (divides) factor = divided(factor, count);
  const ActivationRange range = activation_range(Activation::kNone, out);
  const std::vector<SumBounds> x = centred(c.of(0), zero_point_of(in));
  const auto mean_of = [&](SumBounds sum, int64_t times_each) {
    return requantised(times(times_each, sum), factor, zero_point_of(out), range);
  };
  if (over_channels) {
    SumBounds all;
    for (const SumBounds& channel : x) all = all + channel;
    return everywhere(out, mean_of(all, count / static_cast<int64_t>(x.size())));
  }
  ValueRanges result;
  for (const SumBounds& channel : x) result.push_back(mean_of(channel, count));
  return reshaped(result, channels_of(out));
}

}  // namespace

ValueRanges bounds_of(const Mean& op, const BoundsContext& c) {
  return of_reduction(op.axes, true, c);
}

ValueRanges bounds_of(const Sum& op, const BoundsContext& c) {
  return of_reduction(op.axes, false, c);
}

}  // namespace thimble::reference
