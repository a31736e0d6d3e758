// SPDX-License-Identifier: Apache-2.0
// The audio front end up to energies: window, scaling to 15 bits, real transform with the roundings
// of kissfft's 16-bit fixed point (v130: C_FIXDIV by multiplication, halves by shifts).
#include <algorithm>
#include <cmath>

#include "thimble/reference/evaluate.h"
#include "thimble/reference/signal_tables.h"

namespace thimble::reference {
namespace {

constexpr double kPi = 3.14159265358979323846;

int16_t low_16(int64_t value) { return static_cast<int16_t>(static_cast<uint64_t>(value)); }

/// A product of two numbers of which one has 15 bits of fraction.
int16_t rounded_product(int64_t product) { return low_16((product + 0x4000) >> 15); }

struct Sample {
  int16_t re = 0, im = 0;
};

Sample plus(Sample a, Sample b) { return {low_16(a.re + b.re), low_16(a.im + b.im)}; }
Sample minus(Sample a, Sample b) { return {low_16(a.re - b.re), low_16(a.im - b.im)}; }
Sample times(Sample a, Twiddle w) {
  return {rounded_product(int64_t{a.re} * w.re - int64_t{a.im} * w.im),
          rounded_product(int64_t{a.re} * w.im + int64_t{a.im} * w.re)};
}
Sample scaled_by(Sample a, int64_t factor) {
  return {rounded_product(a.re * factor), rounded_product(a.im * factor)};
}
Sample divided_by(Sample a, int64_t radix) { return scaled_by(a, 32767 / radix); }
/// a times -i.
Sample turned_back(Sample a) { return {a.im, low_16(-a.re)}; }

Twiddle twiddle(double phase, Direction direction) {
  if (direction == Direction::kInverse) phase = -phase;
  const auto rounded = [](double x) { return static_cast<int16_t>(std::floor(0.5 + 32767 * x)); };
  return {rounded(std::cos(phase)), rounded(std::sin(phase))};
}

/// What a butterfly makes of the k-th elements of its parts, each turned by its twiddle already.
std::vector<Sample> butterfly(const std::vector<Sample>& x, const std::vector<Twiddle>& roots,
                              Direction direction) {
  const size_t radix = x.size();
  if (radix == 2) return {plus(x[0], x[1]), minus(x[0], x[1])};
  if (radix == 3) {
    const Sample sum = plus(x[1], x[2]);
    const Sample apart = scaled_by(minus(x[1], x[2]), roots[1].im);
    const Sample middle = minus(x[0], {low_16(sum.re >> 1), low_16(sum.im >> 1)});
    return {plus(x[0], sum), plus(middle, {low_16(-apart.im), apart.re}),
            plus(middle, {apart.im, low_16(-apart.re)})};
  }
  if (radix == 4) {
    const Sample even = plus(x[0], x[2]), odd = minus(x[0], x[2]);
    const Sample sum = plus(x[1], x[3]), apart = turned_back(minus(x[1], x[3]));
    const Sample above = plus(odd, apart), below = minus(odd, apart);
    const bool inverse = direction == Direction::kInverse;
    return {plus(even, sum), inverse ? below : above, minus(even, sum), inverse ? above : below};
  }
  const Sample outer = plus(x[1], x[4]), outer_apart = minus(x[1], x[4]);
  const Sample inner = plus(x[2], x[3]), inner_apart = minus(x[2], x[3]);
  // Real and imaginary parts of a pair of outputs, which differ in the sign of the latter.
  const auto along = [&](Twiddle of_outer, Twiddle of_inner) {
    return plus(x[0], plus(scaled_by(outer, of_outer.re), scaled_by(inner, of_inner.re)));
  };
  const auto across = [&](int64_t of_outer, int64_t of_inner) {
    return turned_back(plus(scaled_by(outer_apart, of_outer), scaled_by(inner_apart, of_inner)));
  };
  const Sample near = along(roots[1], roots[2]), near_apart = across(roots[1].im, roots[2].im);
  const Sample far = along(roots[2], roots[1]);
  // -(a) is not the rounding of -a: the signs stay outside of the products.
  const Sample by_outer = scaled_by(outer_apart, roots[2].im);
  const Sample by_inner = scaled_by(inner_apart, roots[1].im);
  const Sample far_apart = minus(turned_back(by_inner), turned_back(by_outer));
  return {plus(x[0], plus(outer, inner)), minus(near, near_apart), plus(far, far_apart),
          minus(far, far_apart), plus(near, near_apart)};
}

/// Decimation in time: the samples at offset + k * stride, as many as the size that is left.
std::vector<Sample> transform(const std::vector<Sample>& x, size_t offset, size_t stride,
                              const std::vector<Twiddle>& roots, Direction direction) {
  const size_t size = x.size() / stride;
  if (size == 1) return {x[offset]};
  size_t radix = 5;
  for (const size_t factor : {size_t{3}, size_t{2}, size_t{4}}) {
    if (size % factor == 0) radix = factor;
  }
  check(size % radix == 0, "a transform whose size has a prime factor above 5");
  std::vector<std::vector<Sample>> parts;
  for (size_t q = 0; q < radix; ++q)
    parts.push_back(transform(x, offset + q * stride, stride * radix, roots, direction));
  const size_t length = size / radix;
  std::vector<Twiddle> of_radix;
  for (size_t q = 0; q < radix; ++q) of_radix.push_back(roots[q * length * stride]);
  std::vector<Sample> result(size);
  for (size_t k = 0; k < length; ++k) {
    std::vector<Sample> turned;
    for (size_t q = 0; q < radix; ++q) {
      const Sample share = divided_by(parts[q][k], static_cast<int64_t>(radix));
      turned.push_back(q == 0 ? share : times(share, roots[q * k * stride]));
    }
    const std::vector<Sample> made = butterfly(turned, of_radix, direction);
    for (size_t q = 0; q < radix; ++q) result[k + q * length] = made[q];
  }
  return result;
}

/// Frequencies 0 to size / 2 of `size` real samples.
std::vector<Sample> real_transform(const std::vector<int16_t>& samples) {
  const size_t half = samples.size() / 2;
  std::vector<Sample> pairs(half);
  for (size_t k = 0; k < half; ++k) pairs[k] = {samples[2 * k], samples[2 * k + 1]};
  const auto size = static_cast<int64_t>(samples.size());
  constexpr Direction kForward = Direction::kForward;
  const std::vector<Sample> mixed = transform(pairs, 0, 1, twiddles(size / 2, kForward), kForward);
  const std::vector<Twiddle> last = last_twiddles(size, kForward);
  std::vector<Sample> result(half + 1);
  const Sample first = divided_by(mixed[0], 2);
  result[0] = {low_16(first.re + first.im), 0};
  result[half] = {low_16(first.re - first.im), 0};
  for (size_t k = 1; k <= half / 2; ++k) {
    const Sample mirrored{mixed[half - k].re, low_16(-mixed[half - k].im)};
    const Sample a = divided_by(mixed[k], 2), b = divided_by(mirrored, 2);
    const Sample sum = plus(a, b), turned = times(minus(a, b), last[k - 1]);
    result[k] = {low_16((sum.re + turned.re) >> 1), low_16((sum.im + turned.im) >> 1)};
    result[half - k] = {low_16((sum.re - turned.re) >> 1), low_16((turned.im - sum.im) >> 1)};
  }
  return result;
}

/// The samples, in pairs, that have this spectrum of size / 2 + 1 frequencies.
std::vector<Sample> inverse_real_transform(const std::vector<Sample>& spectrum) {
  const size_t half = spectrum.size() - 1;
  const auto size = static_cast<int64_t>(2 * half);
  constexpr Direction kInverse = Direction::kInverse;
  const std::vector<Twiddle> last = last_twiddles(size, kInverse);
  std::vector<Sample> mixed(half);
  mixed[0] = divided_by(
      {low_16(spectrum[0].re + spectrum[half].re), low_16(spectrum[0].re - spectrum[half].re)}, 2);
  for (size_t k = 1; k <= half / 2; ++k) {
    const Sample mirrored{spectrum[half - k].re, low_16(-spectrum[half - k].im)};
    const Sample a = divided_by(spectrum[k], 2), b = divided_by(mirrored, 2);
    const Sample even = plus(a, b), odd = times(minus(a, b), last[k - 1]);
    mixed[k] = plus(even, odd);
    const Sample below = minus(even, odd);
    mixed[half - k] = {below.re, low_16(-below.im)};  // in the middle it replaces the former
  }
  return transform(mixed, 0, 1, twiddles(size / 2, kInverse), kInverse);
}

}  // namespace

std::vector<Twiddle> twiddles(int64_t size, Direction direction) {
  std::vector<Twiddle> result;
  for (int64_t k = 0; k < size; ++k) {
    result.push_back(
        twiddle(-2 * kPi * static_cast<double>(k) / static_cast<double>(size), direction));
  }
  return result;
}

std::vector<Twiddle> last_twiddles(int64_t size, Direction direction) {
  const int64_t half = size / 2;
  std::vector<Twiddle> result;
  for (int64_t k = 0; k < size / 4; ++k) {
    const double turn = static_cast<double>(k + 1) / static_cast<double>(half) + 0.5;
    result.push_back(twiddle(-kPi * turn, direction));
  }
  return result;
}

std::vector<Bytes> evaluate(const SignalWindow& op, const OpContext& context) {
  const auto x = context.read<int16_t>(0), weights = context.read<int16_t>(1);
  std::vector<int16_t> result;
  for (size_t k = 0; k < x.size(); ++k) {
    const int64_t product = int64_t{x[k]} * weights[k % weights.size()];
    result.push_back(
        static_cast<int16_t>(std::clamp<int64_t>(product >> op.shift, INT16_MIN, INT16_MAX)));
  }
  return {bytes_from(result)};
}

// The original keeps the largest magnitude in an int16. That of -32768 is -32768 there, and what
// comes next replaces it.
std::vector<Bytes> evaluate(const SignalAutoShift&, const OpContext& context) {
  int16_t most = 0;
  for (const int16_t sample : context.read<int16_t>(0)) {
    if (sample > most) {
      most = sample;
    } else if (-sample > most) {
      most = low_16(-sample);
    }
  }
  int32_t shift = 0;
  for (int32_t value = most; value > 0 && value < 0x4000; value *= 2) ++shift;
  return {bytes_from(std::vector<int32_t>{shift})};
}

std::vector<Bytes> evaluate(const SignalShift&, const OpContext& context) {
  const int32_t shift = context.read<int32_t>(1).at(0) & 31;
  std::vector<int16_t> result;
  for (const int16_t sample : context.read<int16_t>(0))
    result.push_back(low_16(sample * (int64_t{1} << shift)));
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalRfft& op, const OpContext& context) {
  const auto x = context.read<int16_t>(0);
  const auto count = static_cast<size_t>(context.input(0).shape.back());
  std::vector<int16_t> result;
  for (size_t row = 0; row < x.size(); row += count) {
    std::vector<int16_t> samples(x.begin() + static_cast<int64_t>(row),
                                 x.begin() + static_cast<int64_t>(row + count));
    samples.resize(static_cast<size_t>(op.size), 0);
    for (const Sample& frequency : real_transform(samples)) {
      result.push_back(frequency.re);
      result.push_back(frequency.im);
    }
  }
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalIrfft& op, const OpContext& context) {
  const auto x = context.read<int16_t>(0);
  const auto count = static_cast<size_t>(op.size) + 2;
  std::vector<int16_t> result;
  for (size_t row = 0; row < x.size(); row += count) {
    std::vector<Sample> spectrum;
    for (size_t k = row; k < row + count; k += 2) spectrum.push_back({x[k], x[k + 1]});
    for (const Sample& pair : inverse_real_transform(spectrum)) {
      result.push_back(pair.re);
      result.push_back(pair.im);
    }
  }
  return {bytes_from(result)};
}

std::vector<Bytes> evaluate(const SignalEnergy& op, const OpContext& context) {
  const auto x = context.read<int16_t>(0);
  std::vector<uint32_t> result(x.size() / 2, 0);
  for (auto k = static_cast<size_t>(op.begin); k < static_cast<size_t>(op.end); ++k) {
    const int64_t re = x[2 * k], im = x[2 * k + 1];
    result[k] = static_cast<uint32_t>(re * re + im * im);
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
