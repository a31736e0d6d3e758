// SPDX-License-Identifier: Apache-2.0
// A complex transform, decimated in time, with the roundings of kissfft's 16-bit arithmetic: every
// stage divides by its radix first, and what is stored has 16 bits. It is made in place, of
// elements that stand in the order of the last stage.
#pragma once

#include <stdint.h>

namespace thimble::runtime {
namespace {

struct Complex {
  int16_t re, im;
};

inline int16_t wrap(int32_t value) noexcept { return static_cast<int16_t>(value); }
inline int16_t rounded(int32_t product) noexcept { return wrap((product + (1 << 14)) >> 15); }
inline int16_t scaled(int16_t a, int16_t b) noexcept { return rounded(int32_t{a} * b); }

inline Complex operator+(Complex a, Complex b) noexcept {
  return {wrap(a.re + b.re), wrap(a.im + b.im)};
}
inline Complex operator-(Complex a, Complex b) noexcept {
  return {wrap(a.re - b.re), wrap(a.im - b.im)};
}
inline Complex operator*(Complex a, Complex b) noexcept {
  return {rounded(a.re * b.re - a.im * b.im), rounded(a.re * b.im + a.im * b.re)};
}
/// Divided by the radix, as a product.
inline Complex share(Complex a, int32_t radix) noexcept {
  const int16_t part = wrap(32767 / radix);
  return {scaled(a.re, part), scaled(a.im, part)};
}

struct Twiddles {
  const int16_t* pairs;
  Complex operator[](int32_t k) const noexcept { return {pairs[2 * k], pairs[2 * k + 1]}; }
};

/// Elements of the transform where they stand in the output.
struct Spectrum {
  int16_t* data;
  int32_t step;
  Complex get(int32_t k) const noexcept { return {data[2 * k * step], data[(2 * k + 1) * step]}; }
  void put(int32_t k, Complex value) const noexcept {
    data[2 * k * step] = value.re;
    data[(2 * k + 1) * step] = value.im;
  }
};

/// `count` butterflies, whose elements are `count` apart, from `first` on; the twiddles of the
/// k-th are k * stride apart.
struct Stage {
  int32_t first, count, stride;
};

inline void butterflies_2(const Spectrum& s, const Stage& stage,
                          const Twiddles& twiddles) noexcept {
  for (int32_t k = 0; k < stage.count; ++k) {
    const int32_t at = stage.first + k;
    const Complex a = share(s.get(at), 2);
    const Complex b = share(s.get(at + stage.count), 2) * twiddles[k * stage.stride];
    s.put(at, a + b);
    s.put(at + stage.count, a - b);
  }
}

inline void butterflies_3(const Spectrum& s, const Stage& stage,
                          const Twiddles& twiddles) noexcept {
  const int16_t third = twiddles[stage.count * stage.stride].im;
  for (int32_t k = 0; k < stage.count; ++k) {
    const int32_t at = stage.first + k;
    const Complex a = share(s.get(at), 3);
    const Complex b = share(s.get(at + stage.count), 3) * twiddles[k * stage.stride];
    const Complex c = share(s.get(at + 2 * stage.count), 3) * twiddles[2 * k * stage.stride];
    const Complex sum = b + c, difference = b - c;
    const Complex middle = {wrap(a.re - (sum.re >> 1)), wrap(a.im - (sum.im >> 1))};
    const Complex turned = {scaled(difference.re, third), scaled(difference.im, third)};
    s.put(at, a + sum);
    s.put(at + stage.count, {wrap(middle.re - turned.im), wrap(middle.im + turned.re)});
    s.put(at + 2 * stage.count, {wrap(middle.re + turned.im), wrap(middle.im - turned.re)});
  }
}

template <bool kInverse>
inline void butterflies_4(const Spectrum& s, const Stage& stage,
                          const Twiddles& twiddles) noexcept {
  for (int32_t k = 0; k < stage.count; ++k) {
    const int32_t at = stage.first + k;
    const Complex a = share(s.get(at), 4);
    const Complex b = share(s.get(at + stage.count), 4) * twiddles[k * stage.stride];
    const Complex c = share(s.get(at + 2 * stage.count), 4) * twiddles[2 * k * stage.stride];
    const Complex d = share(s.get(at + 3 * stage.count), 4) * twiddles[3 * k * stage.stride];
    const Complex even = a + c, odd = a - c, sum = b + d, difference = b - d;
    s.put(at, even + sum);
    s.put(at + 2 * stage.count, even - sum);
    const Complex turned = {difference.im, wrap(-difference.re)};
    s.put(at + (kInverse ? 3 : 1) * stage.count, odd + turned);
    s.put(at + (kInverse ? 1 : 3) * stage.count, odd - turned);
  }
}

inline void butterflies_5(const Spectrum& s, const Stage& stage,
                          const Twiddles& twiddles) noexcept {
  const Complex ya = twiddles[stage.count * stage.stride];
  const Complex yb = twiddles[2 * stage.count * stage.stride];
  for (int32_t k = 0; k < stage.count; ++k) {
    const int32_t at = stage.first + k;
    const Complex a = share(s.get(at), 5);
    Complex turned[5];
    for (int32_t q = 1; q < 5; ++q)
      turned[q] = share(s.get(at + q * stage.count), 5) * twiddles[q * k * stage.stride];
    const Complex outer = turned[1] + turned[4], outer_apart = turned[1] - turned[4];
    const Complex inner = turned[2] + turned[3], inner_apart = turned[2] - turned[3];
    const Complex near = {wrap(a.re + scaled(outer.re, ya.re) + scaled(inner.re, yb.re)),
                          wrap(a.im + scaled(outer.im, ya.re) + scaled(inner.im, yb.re))};
    const Complex near_apart = {
        wrap(scaled(outer_apart.im, ya.im) + scaled(inner_apart.im, yb.im)),
        wrap(-scaled(outer_apart.re, ya.im) - scaled(inner_apart.re, yb.im))};
    const Complex far = {wrap(a.re + scaled(outer.re, yb.re) + scaled(inner.re, ya.re)),
                         wrap(a.im + scaled(outer.im, yb.re) + scaled(inner.im, ya.re))};
    const Complex far_apart = {wrap(-scaled(outer_apart.im, yb.im) + scaled(inner_apart.im, ya.im)),
                               wrap(scaled(outer_apart.re, yb.im) - scaled(inner_apart.re, ya.im))};
    s.put(at, {wrap(a.re + outer.re + inner.re), wrap(a.im + outer.im + inner.im)});
    s.put(at + stage.count, near - near_apart);
    s.put(at + 2 * stage.count, far + far_apart);
    s.put(at + 3 * stage.count, far - far_apart);
    s.put(at + 4 * stage.count, near + near_apart);
  }
}

/// Fours as long as they divide, then a two, threes, fives.
inline int32_t radix_of(int32_t size) noexcept {
  return size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : size % 3 == 0 ? 3 : 5;
}

/// The sample that stands at `place` before the first butterfly.
inline int32_t dealt(int32_t place, int32_t size) noexcept {
  int32_t sample = 0;
  for (int32_t left = size, stride = 1; left > 1;) {
    const int32_t radix = radix_of(left);
    left /= radix;
    sample += place / left * stride;
    place %= left;
    stride *= radix;
  }
  return sample;
}

template <bool kInverse>
void transform(const Spectrum& s, int32_t size, const Twiddles& twiddles) noexcept {
  // From the innermost stage outwards: `done` elements are transformed, `left` after this stage.
  for (int32_t done = 1; done < size;) {
    int32_t left = size;
    while (left / radix_of(left) > done) left /= radix_of(left);
    const int32_t radix = radix_of(left);
    for (int32_t first = 0; first < size; first += left) {
      const Stage stage{first, done, size / left};
      if (radix == 2) butterflies_2(s, stage, twiddles);
      if (radix == 3) butterflies_3(s, stage, twiddles);
      if (radix == 4) butterflies_4<kInverse>(s, stage, twiddles);
      if (radix == 5) butterflies_5(s, stage, twiddles);
    }
    done = left;
  }
}

}  // namespace
}  // namespace thimble::runtime
