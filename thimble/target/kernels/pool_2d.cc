// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/weights.h"

namespace thimble {
namespace {

// One window, which covers the input.
bool pools_all(const Window& w, const Operands& t) {
  const Shape &x = t.in(0).shape, &out = t.out().shape;
  return out[1] == 1 && out[2] == 1 && w.kernel_h - w.padding.top >= x[1] &&
         w.kernel_w - w.padding.left >= x[2];
}

Family family_of(const MaxPool2D& a) { return a.least ? Family::kMinPool2D : Family::kMaxPool2D; }

KernelId kernel_of(Family family, const Operands& t) {
  return portable_kernel(family, t.in(0).type, t.out().type);
}

KernelUse pool_use(KernelId kernel, const Window& window, Activation activation,
                   const Operands& t) {
  const ClampRange clamp = clamp_range(activation, t.out());
  const runtime::Pool2DParams params{window_of(window, t.in(0).shape), clamp.min, clamp.max};
  return {.kernel = kernel,
          .params = params,
          .inputs = {0},
          .in = {identity_axes(4)},
          .out = identity_axes(4),
          .limits = limits_of(identity_axes(4), t.out().shape)};
}

}  // namespace

bool supported(const AveragePool2D& a, const Operands& t, Method method) {
  if (!has_row(Family::kAveragePool2D, t) || method == Method::kInPlace) return false;
  return method == Method::kCompute || pools_all(a.window, t);
}

bool supported(const MaxPool2D& a, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(family_of(a), t);
}

std::vector<KernelUse> uses(const AveragePool2D& a, const Operands& t, Method method) {
  if (method == Method::kAccumulate)
    return {sum_use(t, {false, true, true, false}, identity_axes(4))};
  const bool finalise = method == Method::kFinalise;
  return {pool_use(
      finalise ? portable_kernel(Family::kAveragePool2DFinalise, DType::kInt32, t.out().type)
               : kernel_of(Family::kAveragePool2D, t),
      a.window, a.activation, t)};
}

std::vector<KernelUse> uses(const MaxPool2D& a, const Operands& t, Method) {
  return {pool_use(kernel_of(family_of(a), t), a.window, a.activation, t)};
}

}  // namespace thimble
