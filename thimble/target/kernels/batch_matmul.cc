// SPDX-License-Identifier: Apache-2.0
// Products of matrices; an adjoint one is walked along its axes the other way round.
#include <algorithm>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

/// The operand's batches as the kernel's, then the axis that the output has, then the summed one.
OperandAxes matrix_axes(const Shape& shape, bool summed_first, const OperandAxes& out,
                        size_t out_rank) {
  OperandAxes axes = out;
  const size_t lead = axes.axes.size() - out_rank;  // of those without an axis
  for (std::vector<int>& axis : axes.axes) axis.clear();
  const size_t first = lead + out_rank - shape.size();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool batch = axis + 2 < shape.size();
    if (!batch || shape[axis] != 1) axes.axes[first + axis] = {static_cast<int>(axis)};
  }
  if (summed_first) std::swap(axes.axes.back(), axes.axes[axes.axes.size() - 2]);
  return axes;
}

int32_t depth_of(const BatchMatMul& a, const Shape& x) {
  return static_cast<int32_t>(a.adjoint_x ? x[x.size() - 2] : x.back());
}

runtime::BatchMatMulParams quantised_params(const Operands& t, int32_t depth) {
  runtime::BatchMatMulParams params{};
  params.depth = depth;
  for (size_t k = 0; k < 2; ++k) params.zero_point[k] = zero_point_of(t.in(k));
  params.output_zero_point = zero_point_of(t.out());
  const float product = scale_of(t.in(0)) * scale_of(t.in(1));  // in float32, as the reference
  const float out = scale_of(t.out());
  params.scale = t.is_onnx()
                     ? float_scale(product / out)
                     : quantize_scale(static_cast<double>(product) / static_cast<double>(out));
  return params;
}

}  // namespace

bool supported(const BatchMatMul&, const Operands& t, Method method) {
  return method == Method::kCompute && t.count() == 2 && t.in(0).type == t.in(1).type &&
         has_row(Family::kBatchMatMul, t);
}

std::vector<KernelUse> uses(const BatchMatMul& a, const Operands& t, Method) {
  const Shape& x = t.in(0).shape;
  const Shape& y = t.in(1).shape;
  const Shape& out = t.out().shape;
  const OperandAxes axes = identity_axes(out.size());
  return {{.kernel = portable_kernel(Family::kBatchMatMul, t.in(0).type, t.out().type),
           .params = is_float32(t) ? KernelParams(runtime::FloatMatMulParams{depth_of(a, x)})
                                   : quantised_params(t, depth_of(a, x)),
           .inputs = {0, 1},
           .in = {matrix_axes(x, a.adjoint_x, axes, out.size()),
                  matrix_axes(y, !a.adjoint_y, axes, out.size())},
           .out = axes,
           .limits = limits_of(axes, out)}};
}

std::span<const KernelInfo> batch_matmul_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::batch_matmul>(
          {.name = "batch_matmul", .family = kBatchMatMul, .progress = kPixel}),
      row<runtime::batch_matmul_dsp>({.name = "batch_matmul_dsp",
                                      .family = kBatchMatMul,
                                      .set = kDsp,
                                      .progress = kPixel,
                                      .dense_channels = true}),
      row<runtime::batch_matmul_i16>({.name = "batch_matmul_i16",
                                      .family = kBatchMatMul,
                                      .in = kInt16,
                                      .out = kInt16,
                                      .progress = kPixel}),
      float_row<runtime::batch_matmul_f32>("batch_matmul_f32", kBatchMatMul, kPixel),
  };
  return kRows;
}

}  // namespace thimble
