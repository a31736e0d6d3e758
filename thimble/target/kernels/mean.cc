// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

bool is_reduced(const std::vector<int>& axes, size_t axis) {
  return std::ranges::find(axes, static_cast<int>(axis)) != axes.end();
}

// 1 / count goes into the multiplier, truncated, with as much of it shifted out as there are bits
// in the count.
runtime::Scale scale_over(double real, int64_t count) {
  const runtime::Scale scale = quantize_scale(real);
  int shift = std::bit_width(static_cast<uint64_t>(count)) - 1;
  shift = std::min({shift, 32, 31 + scale.shift});
  const int64_t multiplier = (static_cast<int64_t>(scale.multiplier) << shift) / count;
  return {static_cast<int32_t>(multiplier), scale.shift - shift};
}

// The scale of a sum that is divided by a count.
runtime::Scale reduction_scale(const Operands& t, int64_t count) {
  const float in = scale_of(t.in(0)), out = scale_of(t.out());
  if (t.is_onnx()) return float_scale(in / (out * static_cast<float>(count)));
  const double ratio = static_cast<double>(in) / static_cast<double>(out);
  return count == 1 ? quantize_scale(ratio) : scale_over(ratio, count);
}

}  // namespace

KernelUse sum_use(const Operands& t, const std::vector<bool>& reduced, const OperandAxes& out) {
  const Shape& x = t.in(0).shape;
  runtime::SumParams params{};
  std::copy_n(last_extents(x).begin(), 4, params.in_extent);
  // Kernel axis k is axis k - lead of x.
  const auto lead = static_cast<ptrdiff_t>(4) - static_cast<ptrdiff_t>(x.size());
  for (size_t axis = 0; axis < x.size(); ++axis) {
    const ptrdiff_t k = lead + static_cast<ptrdiff_t>(axis);
    if (reduced[axis]) params.reduced[k] = 1;
    if (axis == kSummedAxis) params.chunk_axis = static_cast<int32_t>(k);
  }
  return {.kernel = portable_kernel(Family::kSumAccumulate, t.in(0).type, DType::kInt32),
          .params = params,
          .inputs = {0},
          .in = {identity_axes(x.size())},
          .out = out,
          .limits = limits_of(out, t.out().shape)};
}

namespace {

bool reduces(const std::vector<int>& axes, const Operands& t, Method method) {
  const Shape& x = t.in(0).shape;
  // Axes before the last four are loops around the call, which cannot sum.
  for (size_t axis = 0; axis + 4 < x.size(); ++axis) {
    if (is_reduced(axes, axis)) return false;
  }
  if (!has_row(Family::kMean, t)) return false;
  if (method == Method::kCompute) return true;
  return method != Method::kInPlace && !is_float32(t) && x.size() > kSummedAxis + 1 &&
         is_reduced(axes, kSummedAxis) && !is_reduced(axes, x.size() - 1);
}

/// Kernels of means; of sums if divides is false.
std::vector<KernelUse> reduction_use(const std::vector<int>& axes, bool divides, const Operands& t,
                                     Method method) {
  const Shape& x = t.in(0).shape;
  const Shape& out = t.out().shape;
  const bool kept = out.size() == x.size();
  OperandAxes out_axes = identity_axes(x.size());
  const size_t lead = out_axes.axes.size() - x.size();
  runtime::MeanParams params{};
  std::copy_n(last_extents(x).begin(), 4, params.in_extent);
  int64_t count = 1;
  int next = 0;  // axis of the output
  std::vector<bool> reduced(x.size());
  for (size_t axis = 0; axis < x.size(); ++axis) {
    std::vector<int>& walked = out_axes.axes[lead + axis];
    walked.clear();
    if (!is_reduced(axes, axis)) {
      walked.push_back(next++);
      continue;
    }
    count *= x[axis];
    reduced[axis] = true;
    params.reduced[lead + axis + 4 - out_axes.axes.size()] = 1;
    if (kept) ++next;
  }
  if (is_float32(t)) {
    runtime::FloatMeanParams sums{};
    std::copy_n(params.in_extent, 4, sums.in_extent);
    std::copy_n(params.reduced, 4, sums.reduced);
    sums.divisor = divides ? static_cast<float>(count) : 1;
    return {{.kernel = float_kernel(Family::kMean),
             .params = sums,
             .inputs = {0},
             .in = {identity_axes(x.size())},
             .out = out_axes,
             .limits = limits_of(out_axes, out)}};
  }
  if (method == Method::kAccumulate) return {sum_use(t, reduced, out_axes)};
  params.scale = reduction_scale(t, divides ? count : 1);
  params.input_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  const bool finalise = method == Method::kFinalise;
  return {{.kernel = finalise ? portable_kernel(Family::kMeanFinalise, DType::kInt32, t.out().type)
                              : portable_kernel(Family::kMean, t.in(0).type, t.out().type),
           .params = params,
           .inputs = {0},
           .in = {finalise ? out_axes : identity_axes(x.size())},
           .out = out_axes,
           .limits = limits_of(out_axes, out)}};
}

}  // namespace

bool supported(const Mean& a, const Operands& t, Method method) {
  return reduces(a.axes, t, method);
}
bool supported(const Sum& a, const Operands& t, Method method) {
  return reduces(a.axes, t, method);
}

std::vector<KernelUse> uses(const Mean& a, const Operands& t, Method method) {
  return reduction_use(a.axes, true, t, method);
}
std::vector<KernelUse> uses(const Sum& a, const Operands& t, Method method) {
  return reduction_use(a.axes, false, t, method);
}

namespace {

bool is_mean_of_pixels(const KernelUse& use) {
  const auto& p = std::get<runtime::MeanParams>(use.params);
  return p.reduced[0] == 0 && p.reduced[3] == 0;
}

template <auto Kernel>
constexpr KernelInfo mean_row(const char* name, InstructionSet set) {
  KernelInfo result = boxes_row<Kernel>(name, Family::kMean, set);
  result.progress = Progress::kNone;
  result.takes = is_mean_of_pixels;
  return result;
}

}  // namespace

std::span<const KernelInfo> mean_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::mean>({.name = "mean", .family = kMean, .progress = kNone}),
      mean_row<runtime::mean_mve>("mean_mve", kMve),
      mean_row<runtime::mean_dsp>("mean_dsp", kDsp),
      row<runtime::mean_finalise>(
          {.name = "mean_finalise", .family = kMeanFinalise, .in = kInt32, .out = kInt8}),
      row<runtime::sum_accumulate>(
          {.name = "sum_accumulate", .family = kSumAccumulate, .out = kInt32, .progress = kNone}),
      row<runtime::mean_i16>(
          {.name = "mean_i16", .family = kMean, .in = kInt16, .out = kInt16, .progress = kNone}),
      row<runtime::mean_finalise_i16>(
          {.name = "mean_finalise_i16", .family = kMeanFinalise, .in = kInt32, .out = kInt16}),
      row<runtime::sum_accumulate_i16>({.name = "sum_accumulate_i16",
                                        .family = kSumAccumulate,
                                        .in = kInt16,
                                        .out = kInt32,
                                        .progress = kNone}),
      float_row<runtime::mean_f32>("mean_f32", kMean, kNone),
  };
  return kRows;
}

}  // namespace thimble
