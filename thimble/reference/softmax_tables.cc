// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/softmax_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace thimble::reference {
namespace {

constexpr int32_t kLeast = INT16_MIN, kMost = INT16_MAX;
constexpr float kSteps = 512, kLevels = 65535;

/// function(x) from `first` to `last` in float32, rounded as the original rounds.
template <class Function>
SoftmaxTable table_of(float first, float last, Function function) {
  const float per_unit = 65536 / (2.0F / kLevels * kMost - 2.0F / kLevels * kLeast);
  const float step = (last - first) / kSteps, half_step = step / 2;
  const auto stored = [](float value) {
    return static_cast<int16_t>(std::clamp(value, float{kLeast}, float{kMost}));
  };
  SoftmaxTable table{};
  for (size_t i = 0; i + 1 < table.size(); ++i) {
    const auto k = static_cast<float>(i);
    const float here = std::round(function(first + k * step) * per_unit);
    const float middle = std::round(function(first + k * step + half_step) * per_unit);
    const float next = function(first + (k + 1) * step) * per_unit;
    const float between = std::round((next + here) / 2);
    table[i] = stored(here - std::round((between - middle) / 2));
  }
  table.back() = stored(std::round(function(last) * per_unit));
  return table;
}

/// Between the two steps around the value.
int32_t looked_up(const SoftmaxTable& table, int32_t value) {
  const int32_t step = 256 + (value >> 7);
  const auto index = static_cast<size_t>(step);
  const int32_t slope = table[index + 1] - table[index];
  return table[index] + ((slope * (value & 0x7F) + 64) >> 7);
}

int32_t within_int16(int32_t value) { return std::clamp(value, kLeast, kMost); }

}  // namespace

const SoftmaxTable& exponential_table() {
  constexpr float kScale = 10.0F / kLevels;
  static const SoftmaxTable kTable =
      table_of(kScale * (kLeast - kMost), kScale * 0, [](float x) { return std::exp(x); });
  return kTable;
}

const SoftmaxTable& reciprocal_table() {
  constexpr float kScale = 1.0F / kLevels;
  static const SoftmaxTable kTable =
      table_of(kScale * 0, kScale * (kMost - kLeast), [](float x) { return 1.0F / (1.0F + x); });
  return kTable;
}

FixedFactor softmax_table_factor(float beta, float input_scale) {
  return to_fixed_factor(double{input_scale} * double{beta} / (10.0 / 65535.0));
}

std::vector<int16_t> softmax_of_int16(const std::vector<int16_t>& x, size_t channels,
                                      FixedFactor factor) {
  std::vector<int16_t> result;
  for (size_t row = 0; row < x.size(); row += channels) {
    const int16_t* from = &x[row];
    const int32_t most = *std::max_element(from, from + channels);
    std::vector<int32_t> exponentials;
    int32_t sum = 0;
    for (size_t c = 0; c < channels; ++c) {
      const int32_t scaled = within_int16(multiply(from[c] - most, factor) + kMost);
      exponentials.push_back(looked_up(exponential_table(), scaled));
      sum += exponentials.back();
    }
    // As a number in [1, 2) with 16 bits after the point, less 1 and half a range.
    const int zeros = std::countl_zero(static_cast<uint32_t>(sum));
    const int64_t mantissa = ((int64_t{sum} << (zeros - 1)) + (1 << 13)) >> 14;
    const auto centred = static_cast<int32_t>(mantissa - (1 << 15) - (1 << 16));
    const int64_t reciprocal = looked_up(reciprocal_table(), within_int16(centred));
    const int right = 31 - zeros;
    for (const int64_t exponential : exponentials) {
      const int64_t share = (exponential * reciprocal + (int64_t{1} << (right - 1))) >> right;
      result.push_back(static_cast<int16_t>(std::clamp<int64_t>(share, 0, kMost)));
    }
  }
  return result;
}

}  // namespace thimble::reference
