// SPDX-License-Identifier: Apache-2.0
// Operators that go along one axis, whichever it is: it is the channels of their kernels.
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

/// The axis last, the others in order before it.
OperandAxes with_axis_last(size_t rank, int axis) {
  OperandAxes axes = identity_axes(rank);
  const size_t lead = axes.axes.size() - rank;
  for (size_t k = static_cast<size_t>(axis); k + 1 < rank; ++k)
    std::swap(axes.axes[lead + k], axes.axes[lead + k + 1]);
  return axes;
}

/// Kernels of an operator whose output has the input's shape.
std::vector<KernelUse> along_axis_use(Family family, KernelParams params, const Operands& t,
                                      int axis) {
  const OperandAxes axes = with_axis_last(t.in(0).shape.size(), axis);
  return {{.kernel = portable_kernel(family, t.in(0).type, t.out().type),
           .params = params,
           .inputs = {0},
           .in = {axes},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

int32_t extent(const Operands& t, int axis) {
  return static_cast<int32_t>(t.in(0).shape[static_cast<size_t>(axis)]);
}

}  // namespace

bool supported(const ArgMax&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kArgMax, t);
}

std::vector<KernelUse> uses(const ArgMax& a, const Operands& t, Method) {
  const size_t rank = t.in(0).shape.size();
  OperandAxes out = identity_axes(rank - 1);
  if (rank <= kKernelAxes) out.axes.erase(out.axes.begin());
  out.axes.emplace_back();  // the axis is not there
  out.shift.assign(out.axes.size(), 0);
  out.step.assign(out.axes.size(), 1);
  return {{.kernel = portable_kernel(Family::kArgMax, t.in(0).type, t.out().type),
           .params = runtime::ArgMaxParams{extent(t, a.axis), a.least ? 1 : 0, a.last ? 1 : 0},
           .inputs = {0},
           .in = {with_axis_last(rank, a.axis)},
           .out = out,
           .limits = limits_of(out, t.out().shape)}};
}

bool supported(const CumSum&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kCumSum, t);
}

std::vector<KernelUse> uses(const CumSum& a, const Operands& t, Method) {
  const int32_t exclusive = a.exclusive ? 1 : 0, reverse = a.reverse ? 1 : 0;
  const int32_t channels = extent(t, a.axis);
  if (is_float32(t)) {
    return along_axis_use(Family::kCumSum, runtime::FloatCumSumParams{exclusive, reverse, channels},
                          t, a.axis);
  }
  const double twice = 2 * static_cast<double>(scale_of(t.in(0)));
  const double scale = twice / (0x1p20 * static_cast<double>(scale_of(t.out())));
  const runtime::CumSumParams params{.scale = quantize_scale(scale),
                                     .input_zero_point = zero_point_of(t.in(0)),
                                     .output_zero_point = zero_point_of(t.out()),
                                     .exclusive = exclusive,
                                     .reverse = reverse,
                                     .channels = channels};
  return along_axis_use(Family::kCumSum, params, t, a.axis);
}

bool supported(const L2Normalization&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kL2Normalization, t);
}

std::vector<KernelUse> uses(const L2Normalization&, const Operands& t, Method) {
  const int last = static_cast<int>(t.in(0).shape.size()) - 1;
  if (is_float32(t)) {
    return along_axis_use(Family::kL2Normalization,
                          runtime::FloatL2NormalizationParams{extent(t, last)}, t, last);
  }
  return along_axis_use(Family::kL2Normalization,
                        runtime::L2NormalizationParams{zero_point_of(t.in(0)), extent(t, last)}, t,
                        last);
}

std::span<const KernelInfo> along_axis_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::arg_max_i8_i32>(
          {.name = "arg_max_i8_i32", .family = kArgMax, .out = kInt32, .progress = kNone}),
      row<runtime::arg_max_f32_i32>({.name = "arg_max_f32_i32",
                                     .family = kArgMax,
                                     .in = kFloat32,
                                     .out = kInt32,
                                     .progress = kNone}),
      row<runtime::cumsum>(
          {.name = "cumsum", .family = kCumSum, .progress = kNone, .whole_axes = kWholeChannels}),
      row<runtime::l2_normalization>({.name = "l2_normalization",
                                      .family = kL2Normalization,
                                      .progress = kNone,
                                      .whole_axes = kWholeChannels}),
      float_row<runtime::cumsum_f32>("cumsum_f32", kCumSum, kNone, nullptr, kWholeChannels),
      float_row<runtime::l2_normalization_f32>("l2_normalization_f32", kL2Normalization, kNone,
                                               nullptr, kWholeChannels),
  };
  return kRows;
}

}  // namespace thimble
