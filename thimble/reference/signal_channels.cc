// SPDX-License-Identifier: Apache-2.0
// The audio front end from energies to features: filter bank, roots, noise, gain control,
// logarithm.
#include <algorithm>
#include <bit>
#include <cmath>

#include "thimble/reference/evaluate.h"
#include "thimble/reference/signal_tables.h"

namespace thimble::reference {
namespace {

/// The nearest root, where `most` has the bits for it.
uint32_t rounded_root(uint64_t x, uint64_t most) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<long double>(x)));
  root = std::min(root, most);
  while (root * root > x) --root;
  while (root < most && (root + 1) * (root + 1) <= x) ++root;
  return static_cast<uint32_t>(x - root * root > root && root < most ? root + 1 : root);
}

/// Per power of two from 4 on: value at its begin, and the parabola's coefficients.
int16_t wide_dynamic(uint32_t x, const std::vector<int16_t>& gains) {
  if (x <= 2) return gains[x];
  const int width = std::bit_width(x);
  const size_t piece = static_cast<size_t>(4 * width - 6);
  const uint32_t aligned = width < 11 ? x << (11 - width) : x >> (width - 11);
  const int64_t position = aligned & 0x3FF;
  const int64_t slope = (gains[piece + 2] * position >> 5) + int64_t{gains[piece + 1]} * 32;
  const auto rise = static_cast<int32_t>(static_cast<uint32_t>(slope * position + 0x4000));
  return static_cast<int16_t>((rise >> 15) + gains[piece]);
}

uint32_t shrink(uint32_t snr) {
  constexpr int kSnrBits = 12, kGainBits = 6;
  if (snr < (2U << kSnrBits)) return (snr * snr) >> (2 + 2 * kSnrBits - kGainBits);
  return (snr >> (kSnrBits - kGainBits)) - (1U << kGainBits);
}

/// Binary, with 16 bits of fraction.
uint32_t integer_log2(uint32_t x) {
  const int whole = std::bit_width(x) - 1;
  const uint64_t beyond = uint64_t{x} - (uint64_t{1} << whole);
  const auto fraction = static_cast<int32_t>((beyond << 16) >> whole);
  const auto segment = static_cast<size_t>(fraction / 512);
  const int32_t low = logarithm_table()[segment], high = logarithm_table()[segment + 1];
  const int32_t between = ((high - low) * (fraction % 512)) >> 16;
  return (static_cast<uint32_t>(whole) << 16) + static_cast<uint32_t>(fraction + low + between);
}

}  // namespace

const std::array<int16_t, 129>& logarithm_table() {
  static const std::array<int16_t, 129> table = [] {
    std::array<int16_t, 129> values{};
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = static_cast<double>(i) / 128;
      values[i] = static_cast<int16_t>(std::lround((std::log2(1 + x) - x) * 65536));
    }
    return values;
  }();
  return table;
}

std::vector<Bytes> evaluate(const SignalFilterBank&, const OpContext& context) {
  const auto energies = context.read<uint32_t>(0);
  const auto weights = context.read<int16_t>(1), unweights = context.read<int16_t>(2);
  const auto first_energy = context.read<int16_t>(3), first_weight = context.read<int16_t>(4),
             counts = context.read<int16_t>(5);
  std::vector<uint64_t> result(counts.size(), 0);  // channel b - 1 at b
  for (size_t band = 0; band < counts.size(); ++band) {
    for (int64_t k = 0; k < counts[band]; ++k) {
      const uint64_t energy = energies.at(static_cast<size_t>(first_energy[band] + k));
      const auto at = static_cast<size_t>(first_weight[band] + k);
      result[band] += static_cast<uint64_t>(weights.at(at)) * energy;
      if (band + 1 < counts.size())
        result[band + 1] += static_cast<uint64_t>(unweights.at(at)) * energy;
    }
  }
  result.erase(result.begin());
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalSquareRoot&, const OpContext& context) {
  const int32_t shift = context.read<int32_t>(1).at(0) & 31;
  std::vector<uint32_t> result;
  for (const uint64_t x : context.read<uint64_t>(0)) {
    const uint64_t most = x <= UINT32_MAX ? UINT16_MAX : UINT32_MAX;
    result.push_back(rounded_root(x, most) >> shift);
  }
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalNoise& op, const OpContext& context) {
  const auto signal = context.read<uint32_t>(0), before = context.read<uint32_t>(1);
  std::vector<uint32_t> result;
  for (size_t c = 0; c < signal.size(); ++c) {
    const uint32_t scaled = signal[c] << op.smoothing_bits;
    const uint64_t of_signal = uint64_t{scaled} * static_cast<uint64_t>(op.smoothing[c % 2]);
    const uint64_t of_noise =
        uint64_t{before[c]} * static_cast<uint64_t>(op.one_minus_smoothing[c % 2]);
    const auto estimate = static_cast<uint32_t>((of_signal + of_noise) >> op.bits);
    result.push_back(op.clamping ? std::min(estimate, scaled) : estimate);
  }
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalSubtraction& op, const OpContext& context) {
  const auto signal = context.read<uint32_t>(0), noise = context.read<uint32_t>(1);
  std::vector<uint32_t> result;
  for (size_t c = 0; c < signal.size(); ++c) {
    const uint32_t scaled = signal[c] << op.smoothing_bits;
    const uint32_t above = (scaled - std::min(scaled, noise[c])) >> op.smoothing_bits;
    const auto least = static_cast<uint32_t>(
        uint64_t{signal[c]} * static_cast<uint64_t>(op.min_signal_remaining) >> op.bits);
    result.push_back(std::max(above, least));
  }
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalPcan& op, const OpContext& context) {
  const auto signal = context.read<uint32_t>(0), noise = context.read<uint32_t>(1);
  const auto gains = context.read<int16_t>(2);
  std::vector<uint32_t> result;
  for (size_t c = 0; c < signal.size(); ++c) {
    const auto gain = static_cast<uint32_t>(int32_t{wide_dynamic(noise[c], gains)});
    result.push_back(shrink(static_cast<uint32_t>(uint64_t{signal[c]} * gain >> op.shift)));
  }
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalLog& op, const OpContext& context) {
  constexpr uint64_t kLn2 = 45426;  // in 1/65536
  std::vector<int16_t> result;
  for (const uint32_t x : context.read<uint32_t>(0)) {
    const uint32_t shifted = x << op.correction_bits;
    if (shifted <= 1) {
      result.push_back(0);
      continue;
    }
    const auto natural = static_cast<uint32_t>((kLn2 * integer_log2(shifted) + 0x8000) >> 16);
    const uint32_t scaled = (static_cast<uint32_t>(op.scale) * natural + 0x8000) >> 16;
    result.push_back(static_cast<int16_t>(std::min<uint32_t>(scaled, INT16_MAX)));
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
