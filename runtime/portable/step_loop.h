// SPDX-License-Identifier: Apache-2.0
// A step of a recurrent layer for all times of a sequence, but for its products.
#pragma once

#include "lstm.h"
#include "multiplied_pair.h"
#include "scaled_pair.h"

namespace thimble::runtime {

/// The struct at `at`, which then lies behind it.
template <class Struct>
inline Struct take(const int32_t*& at) noexcept {
  Struct result;
  __builtin_memcpy(&result, at, sizeof(result));
  at += sizeof(result) / sizeof(*at);
  return result;
}

inline void copy_row(const int8_t* from, int32_t from_step, int8_t* to, int32_t to_step,
                     int32_t count) noexcept {
  for (; count > 0; --count, from += from_step, to += to_step) *to = *from;
}

/// The rows of a call, side by side in memory.
struct StepRows {
  const int8_t *first, *second;
  int8_t* out;
  int32_t count;
};

/// add_products(sums, x, weights, between, count): of four rows of weights.
template <class AddProducts>
inline void connect_fully(const StepProducts& p, const int32_t* biases, const StepRows& rows,
                          AddProducts add_products) noexcept {
  const int32_t *const multipliers = biases + rows.count, *const shifts = multipliers + rows.count;
  for (int32_t begin = 0; begin < rows.count; begin += 4) {
    const int32_t left = rows.count - begin, count = left < 4 ? left : 4;
    uint32_t sums[4] = {};
    for (int32_t k = 0; k < count; ++k) sums[k] = static_cast<uint32_t>(biases[begin + k]);
    add_products(sums, rows.first, rows.second + begin * p.columns, p.columns, p.columns);
    for (int32_t k = 0; k < count; ++k) {
      const int32_t value =
          requantise(static_cast<int32_t>(sums[k]), multipliers[begin + k], shifts[begin + k]);
      rows.out[begin + k] =
          static_cast<int8_t>(limit(value + p.output_zero_point, p.clamp_min, p.clamp_max));
    }
  }
}

template <class Function>
inline void map_rows(const StepRows& rows, Function function) noexcept {
  for (int32_t k = 0; k < rows.count; ++k)
    rows.out[k] = static_cast<int8_t>(function(rows.first[k], rows.second[k]));
}

/// What instruction sets do in their own way: these functions do all of it in C++.
struct StepFunctions {
  static void add_products(uint32_t (&sums)[kGates], const int8_t* x, const int8_t* weights,
                           int32_t between, int32_t count) noexcept {
    add_gate_products(sums, {x, 1}, weights, between, count);
  }
  /// sign: -1 of a difference.
  static void sum(const AddParams& p, int32_t sign, const StepRows& rows) noexcept {
    map_rows(rows, [&](int32_t a, int32_t b) {
      return scaled_pair(p, a, b, [sign](int32_t x, int32_t y) { return x + sign * y; });
    });
  }
  static void product(const MulParams& p, const StepRows& rows) noexcept {
    map_rows(rows, [&p](int32_t a, int32_t b) { return multiplied_pair(p, a, b); });
  }
};

/// Executes the call at `at`; returns where the next one is.
template <class Functions>
inline const int32_t* execute(const int32_t* at, const int8_t* bytes, int8_t* scratch) noexcept {
  const StepCall call = take<StepCall>(at);
  const auto row = [=](int32_t place) { return place < 0 ? bytes + ~place : scratch + place; };
  const StepRows rows{row(call.in[0]), row(call.in[1]), scratch + call.out, call.count};
  switch (call.kind) {
    case kStepProducts: {
      const StepProducts p = take<StepProducts>(at);
      connect_fully(p, at, rows, Functions::add_products);
      return at + 3 * call.count;
    }
    case kStepSum:
    case kStepDifference:
      Functions::sum(take<AddParams>(at), call.kind == kStepSum ? 1 : -1, rows);
      return at;
    case kStepProduct:
      Functions::product(take<MulParams>(at), rows);
      return at;
    case kStepLookup:
      for (int32_t k = 0; k < rows.count; ++k) rows.out[k] = rows.second[128 + rows.first[k]];
      return at;
    default:
      copy_row(rows.first, 1, rows.out, 1, rows.count);
      return at;
  }
}

template <class Functions>
inline void step_loop_with(const StepLoopParams& p, const View& x, const View& state,
                           const View& out, const Region& region, int8_t* scratch) noexcept {
  for (int32_t axis = 0; axis < 4; ++axis)
    if (region.begin[axis] == region.end[axis]) return;
  const int32_t n = region.begin[0], y = region.begin[1];
  int8_t* const states = scratch + p.inputs;
  copy_row(pixel<const int8_t>(state, n, y, 0), state.stride[3], states, 1, p.state_bytes);
  for (int32_t k = 0; k < p.times; ++k) {
    const int32_t time = p.reverse != 0 ? p.times - 1 - k : k;
    copy_row(pixel<const int8_t>(x, n, y, time), x.stride[3], scratch, 1, p.inputs);
    const int32_t* at = p.calls;
    for (int32_t call = 0; call < p.call_count; ++call)
      at = execute<Functions>(at, p.bytes, scratch);
    if (p.last_alone == 0)
      copy_row(states, 1, pixel<int8_t>(out, n, y, time), out.stride[3], p.units);
  }
  if (p.last_alone != 0) copy_row(states, 1, pixel<int8_t>(out, n, y, 0), out.stride[3], p.units);
}

}  // namespace thimble::runtime
