// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {
namespace {

constexpr int kIntegerBits = 5;          // of the scaled differences
constexpr int64_t kMostChannels = 4095;  // the sum of exponentials has 12 integer bits

}  // namespace

bool supported(const Softmax&, const Operands& t, Method method) {
  const Shape& x = t.in(0).shape;
  return method == Method::kCompute && has_row(Family::kSoftmax, t) && !x.empty() &&
         x.back() <= kMostChannels;
}

std::vector<KernelUse> uses(const Softmax& a, const Operands& t, Method) {
  const double most = 2147483647.0;
  const double real =
      std::min(static_cast<double>(a.beta) * static_cast<double>(scale_of(t.in(0))) *
                   (1 << (31 - kIntegerBits)),
               most);
  runtime::SoftmaxParams params{};
  params.input_scale = quantize_scale(real);
  // Differences below have an exponential of zero.
  const double radius = std::ldexp(static_cast<double>((1 << kIntegerBits) - 1),
                                   31 - kIntegerBits - params.input_scale.shift);
  params.diff_min = -static_cast<int32_t>(std::min(std::floor(radius), most));
  params.channels = static_cast<int32_t>(t.in(0).shape.back());
  return {elementwise_use(portable_kernel(Family::kSoftmax, t.in(0).type, t.out().type), params,
                          {t.in(0).shape}, t.out().shape)};
}

}  // namespace thimble
