// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/histogram.h"

#include <algorithm>
#include <cmath>

#include "thimble/quantise/scales.h"

namespace thimble {
namespace {

constexpr int64_t kMostBins = 2048;
/// So that no index leaves 31 bits.
constexpr int kIndexBits = 30;

/// The least exponent by which both ends are indices, and no more than kMostBins lie between them.
int exponent_for(double min, double max, int least) {
  const double magnitude = std::max(std::abs(min), std::abs(max));
  int exponent = least;
  if (magnitude > 0) exponent = std::max(exponent, std::ilogb(magnitude) + 1 - kIndexBits);
  const auto bins = [&] {
    return std::floor(std::ldexp(max, -exponent)) - std::floor(std::ldexp(min, -exponent)) + 1;
  };
  while (bins() > kMostBins) ++exponent;
  return exponent;
}

double squared_error(const Histogram& histogram, const Range& range) {
  const Quantization q = int8_scale(range);
  const double scale = q.scales[0], zero = q.zero_points[0];
  double error = 0;
  histogram.visit([&](double value, int64_t count) {
    const double steps = std::clamp(std::round(value / scale) + zero, -128.0, 127.0);
    const double difference = (steps - zero) * scale - value;
    error += difference * difference * static_cast<double>(count);
  });
  return error;
}

}  // namespace

double Histogram::centre(size_t k) const {
  return std::ldexp(static_cast<double>(first_ + static_cast<int64_t>(k)) + 0.5, exponent_);
}

int64_t Histogram::bin_of(double value) const {
  return static_cast<int64_t>(std::floor(std::ldexp(value, -exponent_)));
}

void Histogram::widen(int exponent) {
  const int shift = exponent - exponent_;
  exponent_ = exponent;
  if (shift == 0 || counts_.empty()) return;
  // All indices have 31 bits: beyond that there are two bins, below and above 0.
  const int by = std::min(shift, 40);
  const int64_t first = first_ >> by;
  std::vector<int64_t> counts;
  for (size_t k = 0; k < counts_.size(); ++k) {
    const auto index = static_cast<size_t>(((first_ + static_cast<int64_t>(k)) >> by) - first);
    if (counts.size() <= index) counts.resize(index + 1);
    counts[index] += counts_[k];
  }
  first_ = first;
  counts_ = std::move(counts);
}

void Histogram::cover(int64_t first, int64_t last) {
  if (counts_.empty()) first_ = first;
  if (first < first_) {
    counts_.insert(counts_.begin(), static_cast<size_t>(first_ - first), 0);
    first_ = first;
  }
  const auto size = static_cast<size_t>(last - first_ + 1);
  if (counts_.size() < size) counts_.resize(size);
}

void Histogram::add(const std::vector<float>& values) {
  if (values.empty()) return;
  const auto [least, most] = std::ranges::minmax(values);
  double min = least, max = most;
  if (!empty()) {
    min = std::min(min, centre(0));
    max = std::max(max, centre(counts_.size() - 1));
  }
  widen(exponent_for(min, max, exponent_));
  cover(bin_of(min), bin_of(max));
  const float per_unit = std::ldexp(1.0F, std::clamp(-exponent_, -126, 126));
  for (const float value : values)
    ++counts_[static_cast<size_t>(static_cast<int64_t>(std::floor(value * per_unit)) - first_)];
}

void Histogram::include(const Histogram& other) {
  if (other.empty()) return;
  Histogram added = other;
  double min = added.centre(0), max = added.centre(added.counts_.size() - 1);
  if (!empty()) {
    min = std::min(min, centre(0));
    max = std::max(max, centre(counts_.size() - 1));
  }
  const int exponent = exponent_for(min, max, std::max(exponent_, added.exponent_));
  widen(exponent);
  added.widen(exponent);
  cover(added.first_, added.first_ + std::ssize(added.counts_) - 1);
  for (size_t k = 0; k < added.counts_.size(); ++k)
    counts_[static_cast<size_t>(added.first_ - first_) + k] += added.counts_[k];
}

Range least_error_range(const Histogram& histogram, const Range& seen) {
  constexpr int kTried = 24;  // each end from where it was seen down to 0.4 of that
  if (histogram.empty() || !seen.is_finite()) return seen;
  Range best = seen;
  double least = squared_error(histogram, seen);
  for (int a = 0; a <= (seen.min < 0 ? kTried : 0); ++a) {
    for (int b = 0; b <= (seen.max > 0 ? kTried : 0); ++b) {
      const Range tried = {seen.min * (1 - static_cast<float>(a) / 40),
                           seen.max * (1 - static_cast<float>(b) / 40)};
      const double error = squared_error(histogram, tried);
      if (error >= least) continue;
      least = error;
      best = tried;
    }
  }
  return best;
}

Range percentile_range(const Histogram& histogram, const Range& seen, double share) {
  if (histogram.empty() || !seen.is_finite()) return seen;
  double count = 0, below = 0;
  histogram.visit([&](double, int64_t n) { count += static_cast<double>(n); });
  const double outside = share * count;
  Range range;
  histogram.visit([&](double value, int64_t n) {
    below += static_cast<double>(n);
    const auto at = static_cast<float>(value);
    if (below > outside) range.min = std::min(range.min, at);
    if (count - below + static_cast<double>(n) > outside) range.max = std::max(range.max, at);
  });
  return {std::max(range.min, seen.min), std::min(range.max, seen.max)};
}

void include(Histograms& all, const Histograms& some) {
  all.resize(some.size());
  for (size_t t = 0; t < some.size(); ++t) all[t].include(some[t]);
}

}  // namespace thimble
