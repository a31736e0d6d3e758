// SPDX-License-Identifier: Apache-2.0
// Addition and multiplication of two tensors, either of which may be broadcast or constant.
#include <algorithm>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {
namespace {

bool all_int8(const Operands& t, Method method) {
  return method == Method::kCompute && t.count() == 2 && t.in(0).type == DType::kInt8 &&
         t.in(1).type == DType::kInt8 && t.out().type == DType::kInt8;
}

}  // namespace

bool supported(const Add&, const Operands& t, Method method) { return all_int8(t, method); }

bool supported(const Mul&, const Operands& t, Method method) { return all_int8(t, method); }

std::vector<KernelUse> uses(const Add& a, const Operands& t, Method) {
  constexpr int kLeftShift = 20;  // of int8
  const double twice_larger =
      2 * static_cast<double>(std::max(scale_of(t.in(0)), scale_of(t.in(1))));
  const ClampRange clamp = clamp_range(a.activation, t.out());
  runtime::AddParams params{};
  params.left_shift = kLeftShift;
  for (size_t k = 0; k < 2; ++k) {
    params.zero_point[k] = zero_point_of(t.in(k));
    params.scale[k] = quantize_scale(static_cast<double>(scale_of(t.in(k))) / twice_larger);
  }
  params.output_zero_point = zero_point_of(t.out());
  params.output_scale =
      quantize_scale(twice_larger / ((1 << kLeftShift) * static_cast<double>(scale_of(t.out()))));
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  return {elementwise_use(portable_kernel(Family::kAdd), params, {t.in(0).shape, t.in(1).shape},
                          t.out().shape)};
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
