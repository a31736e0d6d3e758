// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {
namespace {

// One window, which covers the input.
bool pools_all(const Window& w, const Operands& t) {
  const Shape &x = t.in(0).shape, &out = t.out().shape;
  return out[1] == 1 && out[2] == 1 && w.kernel_h - w.padding.top >= x[1] &&
         w.kernel_w - w.padding.left >= x[2];
}

Family average_family(const Operands& t) {
  return t.is_uint8() ? Family::kAveragePool2DTiesUp : Family::kAveragePool2D;
}

Family family_of(const MaxPool2D& a) { return a.least ? Family::kMinPool2D : Family::kMaxPool2D; }

KernelId kernel_of(Family family, const Operands& t) {
  return portable_kernel(family, t.in(0).type, t.out().type);
}

KernelParams pool_params(const Window& window, Activation activation, const Operands& t) {
  const runtime::Window2D walked = window_of(window, t.in(0).shape);
  if (is_float32(t)) {
    const runtime::FloatClampParams clamp = float_clamp(activation);
    return runtime::FloatPool2DParams{walked, clamp.clamp_min, clamp.clamp_max};
  }
  const ClampRange clamp = clamp_range(activation, t.out());
  return runtime::Pool2DParams{walked, clamp.min, clamp.max};
}

KernelUse pool_use(KernelId kernel, const Window& window, Activation activation,
                   const Operands& t) {
  return {.kernel = kernel,
          .params = pool_params(window, activation, t),
          .inputs = {0},
          .in = {identity_axes(4)},
          .out = identity_axes(4),
          .limits = limits_of(identity_axes(4), t.out().shape)};
}

}  // namespace

bool supported(const AveragePool2D& a, const Operands& t, Method method) {
  if (!has_row(average_family(t), t) || method == Method::kInPlace) return false;
  if (t.is_uint8()) return method == Method::kCompute;
  return method == Method::kCompute || (!is_float32(t) && pools_all(a.window, t));
}

bool supported(const MaxPool2D& a, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(family_of(a), t);
}

bool supported(const L2Pool2D&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kL2Pool2D, t);
}

std::vector<KernelUse> uses(const AveragePool2D& a, const Operands& t, Method method) {
  if (method == Method::kAccumulate)
    return {sum_use(t, {false, true, true, false}, identity_axes(4))};
  const bool finalise = method == Method::kFinalise;
  return {pool_use(
      finalise ? portable_kernel(Family::kAveragePool2DFinalise, DType::kInt32, t.out().type)
               : kernel_of(average_family(t), t),
      a.window, a.activation, t)};
}

std::vector<KernelUse> uses(const MaxPool2D& a, const Operands& t, Method) {
  return {pool_use(kernel_of(family_of(a), t), a.window, a.activation, t)};
}

std::vector<KernelUse> uses(const L2Pool2D& a, const Operands& t, Method) {
  return {pool_use(float_kernel(Family::kL2Pool2D), a.window, a.activation, t)};
}

}  // namespace thimble
