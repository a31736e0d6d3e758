// SPDX-License-Identifier: Apache-2.0
// Two operands at one scale: what additions, subtractions and squared differences begin with.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/reference/evaluate.h"

namespace thimble::reference {

/// Both operands of an operator, one value per element of the output (broadcast): a difference to
/// the zero point, shifted left, at twice the larger input scale.
struct CommonScale {
  double scale = 0;  ///< twice the larger
  std::vector<int32_t> a, b;
};
/// How quotients of scales are formed: SUB does without double, but for uint8.
enum class Quotients : uint8_t { kDouble, kFloat };
[[nodiscard]] double quotient(double a, double b, Quotients quotients);
[[nodiscard]] Quotients difference_quotients(Arithmetic arithmetic);

/// The left shift of sums and differences: 20 bits for int8, 15 for int16.
[[nodiscard]] int sum_left_shift(DType type);
[[nodiscard]] CommonScale at_common_scale(const OpContext& context, int left_shift,
                                          Quotients quotients = Quotients::kDouble);

}  // namespace thimble::reference
