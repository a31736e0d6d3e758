// SPDX-License-Identifier: Apache-2.0
// Long short-term memory, but for its products.
#pragma once

#include "fixed_point.h"
#include "sigmoid.h"

namespace thimble::runtime {

constexpr int32_t kGates = 4;

inline int32_t limit_16(int32_t x) noexcept { return limit(x, -32768, 32767); }

/// int16 at any address.
inline int16_t load_16(const int8_t* at, int32_t step) noexcept {
  return static_cast<int16_t>(static_cast<uint8_t>(at[0]) |
                              (static_cast<uint32_t>(static_cast<uint8_t>(at[step])) << 8));
}
inline void store_16(int8_t* at, int32_t step, int32_t value) noexcept {
  at[0] = static_cast<int8_t>(value);
  at[step] = static_cast<int8_t>(value >> 8);
}

/// A row of bytes.
template <class T>
struct ByteRow {
  T* data;
  int32_t step;
  T* at(int32_t index) const noexcept { return data + index * step; }
};

inline int32_t scaled_16(uint32_t sum, const Scale& scale) noexcept {
  return limit_16(requantise(static_cast<int32_t>(sum), scale.multiplier, scale.shift));
}

/// Adds the products of `count` values with the weights of all gates, `between` the gates, so that
/// each value is read once. Not inlined: the loop needs all the registers of the smaller cores.
[[gnu::noinline]] inline void add_gate_products(uint32_t (&sums)[kGates],
                                                const ByteRow<const int8_t>& values,
                                                const int8_t* weights, int32_t between,
                                                int32_t count) noexcept {
  const int8_t* at = values.data;
  const int8_t *of_input = weights, *of_forget = of_input + between, *of_cell = of_forget + between,
               *of_output = of_cell + between;
  uint32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  for (int32_t k = 0; k < count; ++k, at += values.step) {
    const int32_t value = *at;
    s0 += static_cast<uint32_t>(value * of_input[k]);
    s1 += static_cast<uint32_t>(value * of_forget[k]);
    s2 += static_cast<uint32_t>(value * of_cell[k]);
    s3 += static_cast<uint32_t>(value * of_output[k]);
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

/// What the gates have for a unit, before their functions.
template <class AddProducts>
inline void gate_sums(const LstmParams& p, int32_t unit, const ByteRow<const int8_t>& x,
                      const ByteRow<const int8_t>& hidden, int32_t (&result)[kGates],
                      AddProducts add_products) noexcept {
  uint32_t of_input[kGates], of_hidden[kGates];
  for (int32_t gate = 0; gate < kGates; ++gate) {
    const int32_t* const biases = p.biases + 2 * (gate * p.units + unit);
    of_input[gate] = static_cast<uint32_t>(biases[0]);
    of_hidden[gate] = static_cast<uint32_t>(biases[1]);
  }
  add_products(of_input, x, p.weights + unit * p.inputs, p.units * p.inputs, p.inputs);
  add_products(of_hidden, hidden, p.recurrent + unit * p.units, p.units * p.units, p.units);
  for (int32_t gate = 0; gate < kGates; ++gate) {
    result[gate] = limit_16(scaled_16(of_input[gate], p.input_scale[gate]) +
                            scaled_16(of_hidden[gate], p.recurrent_scale[gate]));
  }
}

inline int32_t product_16(int32_t a, int32_t b, const Scale& scale) noexcept {
  return scaled_16(static_cast<uint32_t>(a * b), scale);
}

/// add_products: add_gate_products, or the same in other instructions.
template <class AddProducts>
inline void lstm_with(const LstmParams& p, const View& x, const View& state, const View& out,
                      const Region& region, AddProducts add_products) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  const SigmoidParams of_gates{p.table, 3, 0}, of_cell{p.table, p.cell_multiplier, p.cell_shift};
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t batch) {
    const ByteRow<const int8_t> before{pixel<const int8_t>(state, n, y, batch), state.stride[3]};
    const ByteRow<int8_t> after{pixel<int8_t>(out, n, y, batch), out.stride[3]};
    int8_t* const cells = after.at(p.times * p.units);
    for (int32_t k = 0; k < 2 * p.units; ++k) cells[k * after.step] = *before.at(p.units + k);
    ByteRow<const int8_t> hidden = before;
    for (int32_t time = 0; time < p.times; ++time) {
      const ByteRow<const int8_t> values{pixel<const int8_t>(x, n, batch, time), x.stride[3]};
      const ByteRow<int8_t> next{after.at(time * p.units), after.step};
      for (int32_t unit = 0; unit < p.units; ++unit) {
        int32_t gates[kGates];
        gate_sums(p, unit, values, hidden, gates, add_products);
        for (int32_t gate = 0; gate < kGates; ++gate) {
          const int32_t sum = gates[gate];
          gates[gate] = gate == 2 ? tanh_between(of_gates, sum) : logistic_between(of_gates, sum);
        }
        int8_t* const at = cells + 2 * unit * after.step;
        const int32_t kept = product_16(gates[1], load_16(at, after.step), p.forget_scale);
        const int32_t added = product_16(gates[0], gates[2], p.update_scale);
        const int32_t cell = limit(limit_16(kept + added), -p.cell_limit, p.cell_limit);
        store_16(at, after.step, cell);
        const int32_t scaled = requantise(tanh_between(of_cell, cell) * gates[3],
                                          p.output_scale.multiplier, p.output_scale.shift);
        *next.at(unit) = static_cast<int8_t>(limit(scaled + p.output_zero_point, -128, 127));
      }
      hidden = {next.data, next.step};
    }
  });
}

/// Values that are neighbours four gates at a time. add_rows: as of transpose_conv_in_fours.h.
template <class AddRows>
inline void lstm_in_fours(const LstmParams& p, const View& x, const View& state, const View& out,
                          const Region& region, AddRows add_rows) noexcept {
  lstm_with(p, x, state, out, region,
            [add_rows](uint32_t(&sums)[kGates], const ByteRow<const int8_t>& values,
                       const int8_t* weights, int32_t between, int32_t count) noexcept {
              if (values.step == 1) {
                add_rows(sums, values.data, 0, weights, between, count);
              } else {
                add_gate_products(sums, values, weights, between, count);
              }
            });
}

}  // namespace thimble::runtime
