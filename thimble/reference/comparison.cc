// SPDX-License-Identifier: Apache-2.0
// EQUAL, NOT_EQUAL, GREATER, ..: int8 less the zero point, shifted left by 8 bits, is scaled first.
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

/// The bit of accepted(Relation).
int32_t order_of(int32_t a, int32_t b) { return a < b ? 1 : a == b ? 2 : 4; }

int32_t compared(int32_t value, const Tensor& tensor) {
  if (tensor.type != DType::kInt8) return value;
  constexpr int kLeftShift = 8;
  const FixedFactor factor = to_fixed_factor(double{scale_of(tensor)});
  return multiply(wrapping_shift_left(value - zero_point_of(tensor), kLeftShift), factor);
}

}  // namespace

std::vector<Bytes> evaluate(const Comparison& op, const OpContext& context) {
  if (context.input(0).type == DType::kFloat32) {
    const RealValues a = context.read<float>(0), b = context.read<float>(1);
    Bytes result;
    for (const float holds : evaluate_real(context.graph, context.op, {&a, &b}))
      result.push_back(holds != 0 ? 1 : 0);
    return {result};
  }
  return of_raw_pairs(context, [&](int32_t a, int32_t b) {
    const int32_t order = order_of(compared(a, context.input(0)), compared(b, context.input(1)));
    return (accepted(op.relation) & order) != 0 ? 1 : 0;
  });
}

RealValues real_of(const Comparison& op, const RealContext& c) {
  const int32_t wanted = accepted(op.relation);
  return combined(c, [&](float a, float b) {
    const int32_t order = a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
    return (wanted & order) != 0 ? 1.0F : 0.0F;
  });
}

ValueRanges bounds_of(const Comparison&, const BoundsContext&) { return {}; }

}  // namespace thimble::reference
