// SPDX-License-Identifier: Apache-2.0
// Long short-term memory in float32, whatever its weights are made of.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

constexpr int32_t kFloatGates = 4;

/// Once each: they are long.
[[gnu::noinline]] inline float logistic_of_gate(float x) noexcept { return real::logistic(x); }
[[gnu::noinline]] inline float tanh_of_gate(float x) noexcept { return real::tanh(x); }

inline float within_floats(float x) noexcept {
  return real::limited(x, -kLargestFloat, kLargestFloat);
}

/// A row of elements.
struct FloatRow {
  const float* data;
  int32_t step;
};

/// Adds the products of `count` values with the weights of all gates, `between` the gates, so that
/// each value is read once. weight(gate, w): what w stands for.
template <class T, class Weight>
inline void add_gate_products(float (&sums)[kFloatGates], const FloatRow& values, const T* weights,
                              int32_t between, int32_t count, Weight weight) noexcept {
  const float* at = values.data;
  for (int32_t k = 0; k < count; ++k, at += values.step) {
    const float value = *at;
#pragma GCC unroll 4
    for (int32_t gate = 0; gate < kFloatGates; ++gate)
      sums[gate] += value * weight(gate, weights[gate * between + k]);
  }
}

/// of_input, of_hidden: what weights of both stand for.
template <class Params, class OfInput, class OfHidden>
inline void float_lstm(const Params& p, const View& x, const View& state, const View& out,
                       const Region& region, OfInput of_input, OfHidden of_hidden) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t batch) {
    FloatRow hidden{pixel<const float>(state, n, y, batch), state.stride[3]};
    float* next = pixel<float>(out, n, y, batch);
    const int32_t step = out.stride[3];
    float* const cells = next + p.times * p.units * step;
    for (int32_t unit = 0; unit < p.units; ++unit)
      cells[unit * step] = hidden.data[(p.units + unit) * hidden.step];
    for (int32_t time = 0; time < p.times; ++time) {
      const FloatRow values{pixel<const float>(x, n, batch, time), x.stride[3]};
      for (int32_t unit = 0; unit < p.units; ++unit) {
        float sums[kFloatGates] = {}, recurrent[kFloatGates] = {};
        add_gate_products(sums, values, p.weights + unit * p.inputs, p.units * p.inputs, p.inputs,
                          of_input);
        add_gate_products(recurrent, hidden, p.recurrent + unit * p.units, p.units * p.units,
                          p.units, of_hidden);
        for (int32_t gate = 0; gate < kFloatGates; ++gate) {
          const float sum =
              within_floats(within_floats(sums[gate] + p.biases[gate * p.units + unit]) +
                            within_floats(recurrent[gate] + 0.0F));
          sums[gate] = gate == 2 ? tanh_of_gate(sum) : logistic_of_gate(sum);
        }
        float& cell = cells[unit * step];
        cell = real::limited(sums[1] * cell + sums[0] * sums[2], -p.cell_limit, p.cell_limit);
        next[unit * step] = sums[3] * tanh_of_gate(cell);
      }
      hidden = {next, step};
      next += p.units * step;
    }
  });
}

}  // namespace thimble::runtime
