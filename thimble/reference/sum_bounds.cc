// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/sum_bounds.h"

#include <algorithm>
#include <utility>

#include "thimble/reference/elements.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"

namespace thimble::reference {
namespace {

SumBounds operator-(SumBounds a, SumBounds b) { return {a.low - b.low, a.high - b.high}; }

std::vector<int32_t> constant_bias(const BoundsContext& c, size_t channels) {
  if (c.op.inputs.size() < 3) return std::vector<int32_t>(channels, 0);
  return elements_from<int32_t>(*c.input(2).data);
}

}  // namespace

SumBounds operator+(SumBounds a, SumBounds b) { return {a.low + b.low, a.high + b.high}; }

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

Products::Products(const ValueRanges& values, int32_t zero_point) {
  for (const ValueRange& i : values) {
    low_.push_back(i.low - zero_point);
    high_.push_back(i.high - zero_point);
  }
}

SumBounds Products::sum(const int8_t* weights, int32_t weight_zero_point, size_t first,
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

bool is_plain(const BoundsContext& c) {
  const size_t operands = c.op.inputs.size();
  return c.input(0).type == DType::kInt8 && c.input(1).is_constant() &&
         (operands < 3 || c.input(2).is_constant()) &&
         find_accumulator(c.graph, c.op.outputs[0]) == nullptr;
}

std::vector<SumBounds> TapSums::over_positions() const {
  std::vector<SumBounds> result(static_cast<size_t>(out.c), {INT64_MAX, INT64_MIN});
  const std::vector<Taps> rows = distinct_taps_of_rows(window, in.h, out.h);
  const std::vector<Taps> columns = distinct_taps_of_columns(window, in.w, out.w);
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

std::vector<SumBounds> TapSums::sums_before(size_t o) const {
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

std::vector<FixedFactor> convolution_factors_of(const BoundsContext& c) {
  return convolution_factors(c.op.attributes.arithmetic, c.input(0), c.input(1),
                             scale_of(c.output()), c.output().shape.back());
}

}  // namespace thimble::reference
