// SPDX-License-Identifier: Apache-2.0
// Gates of recurrent layers in float32.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

/// Once each: they are long.
[[gnu::noinline]] inline float logistic_of_gate(float x) noexcept { return real::logistic(x); }
[[gnu::noinline]] inline float tanh_of_gate(float x) noexcept { return real::tanh(x); }

inline float within_floats(float x) noexcept {
  return real::limited(x, -kLargestFloat, kLargestFloat);
}

/// What a gate's function takes: the sum of its products with inputs and its bias, and that of its
/// products with hidden states.
inline float gate_sum(float of_input, float bias, float of_hidden) noexcept {
  return within_floats(within_floats(of_input + bias) + within_floats(of_hidden + 0.0F));
}

/// A row of elements.
struct FloatRow {
  const float* data;
  int32_t step;
};

/// Adds the products of `count` values with the weights of all gates, `between` the gates, to the
/// gates' sums, so that each value is read once. weight(gate, w): what w stands for.
template <int32_t kGateCount, class T, class Weight>
inline void add_float_products(float* sums, const FloatRow& values, const T* weights,
                               int32_t between, int32_t count, Weight weight) noexcept {
  const float* at = values.data;
  for (int32_t k = 0; k < count; ++k, at += values.step) {
    const float value = *at;
#pragma GCC unroll 4
    for (int32_t gate = 0; gate < kGateCount; ++gate)
      sums[gate] += value * weight(gate, weights[gate * between + k]);
  }
}

/// Weights of float32 stand for themselves.
inline float as_it_is(int32_t, float weight) noexcept { return weight; }

}  // namespace thimble::runtime
