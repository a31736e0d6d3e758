// SPDX-License-Identifier: Apache-2.0
// Elements of steps (portable/step_loop.h) whose second rounding goes with the first.
#pragma once

#include "../portable/step_loop.h"
#include "rounded_scale.h"

namespace thimble::runtime {

inline bool is_rounded_once(const Scale& scale) noexcept {
  return scale.multiplier > 0 && scale.shift <= -1 && scale.shift >= -22;
}

struct RoundedStepFunctions : StepFunctions {
  static constexpr int32_t kSumShift = 20;  // AddParams::left_shift

  /// As add_dsp, where one operand is only halved.
  static void sum(const AddParams& p, int32_t sign, const StepRows& rows) noexcept {
    const bool first = is_half(p.scale[0]);
    const int32_t halved = first ? 0 : 1, other = 1 - halved;
    if (p.left_shift != kSumShift || !is_half(p.scale[halved]) ||
        !is_rounded_once(p.output_scale) ||
        !(is_half(p.scale[other]) || is_rounded_once(p.scale[other])))
      return StepFunctions::sum(p, sign, rows);
    const Rounded out = rounded(p.output_scale, p.output_zero_point);
    const int32_t of_halved = (first ? 1 : sign) * (1 << kSumShift),
                  of_other = (first ? sign : 1) * 2;
    const int32_t halved_zero = p.zero_point[halved], other_zero = p.zero_point[other];
    const int32_t low = p.clamp_min, high = p.clamp_max;
    const StepRows of{first ? rows.first : rows.second, first ? rows.second : rows.first, rows.out,
                      rows.count};
    if (is_half(p.scale[other])) {
      return map_rows(of, [=](int32_t a, int32_t b) {
        const int32_t part = (b - other_zero) * (1 << (kSumShift - 1));
        return limit(out.of((a - halved_zero) * of_halved + part * of_other), low, high);
      });
    }
    const Rounded scaled = rounded(p.scale[other], 0);
    map_rows(of, [=](int32_t a, int32_t b) {
      const int32_t part = scaled.of((b - other_zero) * (1 << (kSumShift + 1)));
      return limit(out.of((a - halved_zero) * of_halved + part * of_other), low, high);
    });
  }

  static void product(const MulParams& p, const StepRows& rows) noexcept {
    if (!is_rounded_once(p.output_scale)) return StepFunctions::product(p, rows);
    const Rounded out = rounded(p.output_scale, p.output_zero_point);
    const int32_t first_zero = p.zero_point[0], second_zero = p.zero_point[1];
    const int32_t low = p.clamp_min, high = p.clamp_max;
    map_rows(rows, [=](int32_t a, int32_t b) {
      return limit(out.of((a - first_zero) * (b - second_zero) * 2), low, high);
    });
  }
};

/// kAddFourRows: add_four_rows of an instruction set (row_products.h).
template <auto kAddFourRows>
struct StepsInFours : RoundedStepFunctions {
  static void add_products(uint32_t (&sums)[4], const int8_t* x, const int8_t* weights,
                           int32_t between, int32_t count) noexcept {
    kAddFourRows(sums, x, 0, weights, between, count);
  }
};

}  // namespace thimble::runtime
