// SPDX-License-Identifier: Apache-2.0
// Arithmetic on two tensors, either of which may be broadcast or constant.
#include <algorithm>
#include <cmath>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {
namespace {

bool all_int8(const Operands& t, Method method) {
  return method == Method::kCompute && t.count() == 2 && t.in(0).type == DType::kInt8 &&
         t.in(1).type == DType::kInt8 && t.out().type == DType::kInt8;
}

double twice_larger_scale(const Operands& t) {
  return 2 * static_cast<double>(std::max(scale_of(t.in(0)), scale_of(t.in(1))));
}

// Both operands, shifted left, are brought to twice the larger scale; result_scale is that of what
// is then computed of them.
KernelUse scaled_pair_use(Family family, const Operands& t, Activation activation, int left_shift,
                          double result_scale) {
  const ClampRange clamp = clamp_range(activation, t.out());
  runtime::AddParams params{};
  params.left_shift = left_shift;
  for (size_t k = 0; k < 2; ++k) {
    params.zero_point[k] = zero_point_of(t.in(k));
    params.scale[k] =
        quantize_scale(static_cast<double>(scale_of(t.in(k))) / twice_larger_scale(t));
  }
  params.output_zero_point = zero_point_of(t.out());
  params.output_scale = quantize_scale(result_scale / static_cast<double>(scale_of(t.out())));
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return elementwise_use(portable_kernel(family), params, {t.in(0).shape, t.in(1).shape},
                         t.out().shape);
}

// Of sums and differences.
KernelUse sum_or_difference_use(Family family, const Operands& t, Activation activation) {
  constexpr int kLeftShift = 20;
  return scaled_pair_use(family, t, activation, kLeftShift,
                         std::ldexp(twice_larger_scale(t), -kLeftShift));
}

}  // namespace

bool supported(const Add&, const Operands& t, Method method) { return all_int8(t, method); }

bool supported(const Mul&, const Operands& t, Method method) { return all_int8(t, method); }

bool supported(const Sub&, const Operands& t, Method method) { return all_int8(t, method); }

bool supported(const SquaredDifference&, const Operands& t, Method method) {
  return all_int8(t, method);
}

std::vector<KernelUse> uses(const Add& a, const Operands& t, Method) {
  return {sum_or_difference_use(Family::kAdd, t, a.activation)};
}

std::vector<KernelUse> uses(const Sub& a, const Operands& t, Method) {
  return {sum_or_difference_use(Family::kSub, t, a.activation)};
}

std::vector<KernelUse> uses(const SquaredDifference&, const Operands& t, Method) {
  constexpr int kLeftShift = 7;  // the square has 30 bits
  const double square = twice_larger_scale(t) * twice_larger_scale(t);
  return {scaled_pair_use(Family::kSquaredDifference, t, Activation::kNone, kLeftShift,
                          std::ldexp(square, -2 * kLeftShift))};
}

std::vector<KernelUse> uses(const Mul& a, const Operands& t, Method) {
  const ClampRange clamp = clamp_range(a.activation, t.out());
  runtime::MulParams params{};
  for (size_t k = 0; k < 2; ++k) params.zero_point[k] = zero_point_of(t.in(k));
  params.output_zero_point = zero_point_of(t.out());
  params.output_scale = quantize_scale(static_cast<double>(scale_of(t.in(0))) *
                                       static_cast<double>(scale_of(t.in(1))) /
                                       static_cast<double>(scale_of(t.out())));
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return {elementwise_use(portable_kernel(Family::kMul), params, {t.in(0).shape, t.in(1).shape},
                          t.out().shape)};
}

}  // namespace thimble
