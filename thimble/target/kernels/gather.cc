// SPDX-License-Identifier: Apache-2.0
// Operators that read where other operands say, and detections.
#include <algorithm>
#include <array>
#include <numeric>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

/// By the size of the elements.
KernelId moving_kernel(Family family, const Operands& t) {
  switch (size_bytes(t.out().type)) {
    case 1:
      return portable_kernel(family);
    case 2:
      return portable_kernel(family, DType::kInt16, DType::kInt16);
    case 4:
      return portable_kernel(family, DType::kInt32, DType::kInt32);
    default:
      return {};
  }
}

/// Axes [begin, begin + count), which become one.
std::vector<int> run_of_axes(int begin, int count) {
  std::vector<int> axes(static_cast<size_t>(count));
  std::iota(axes.begin(), axes.end(), begin);
  return axes;
}

OperandAxes axes_of(std::array<std::vector<int>, kKernelAxes> axes) {
  OperandAxes result;
  result.axes.assign(axes.begin(), axes.end());
  result.shift.assign(kKernelAxes, 0);
  result.step.assign(kKernelAxes, 1);
  return result;
}

int rank_of(const Tensor& t) { return static_cast<int>(t.shape.size()); }

}  // namespace

bool supported(const Gather&, const Operands& t, Method method) {
  return method == Method::kCompute && t.in(1).type == DType::kInt32 &&
         moving_kernel(Family::kGather, t).valid();
}

// (n, y, x, c) are the batches, the axes between them and the gathered one, that one, and the rest.
std::vector<KernelUse> uses(const Gather& a, const Operands& t, Method) {
  const int batch = a.batch_axes, outer = a.axis - batch, inner = rank_of(t.in(0)) - a.axis - 1;
  const int positions = rank_of(t.in(1)) - batch;
  const OperandAxes out =
      axes_of({run_of_axes(0, batch), run_of_axes(batch, outer), run_of_axes(a.axis, positions),
               run_of_axes(a.axis + positions, inner)});
  const auto extent = static_cast<int32_t>(t.in(0).shape[static_cast<size_t>(a.axis)]);
  return {{.kernel = moving_kernel(Family::kGather, t),
           .params = runtime::GatherParams{extent},
           .inputs = {0, 1},
           .in = {axes_of({run_of_axes(0, batch), run_of_axes(batch, outer), run_of_axes(a.axis, 1),
                           run_of_axes(a.axis + 1, inner)}),
                  axes_of({run_of_axes(0, batch), {}, run_of_axes(batch, positions), {}})},
           .out = out,
           .limits = limits_of(out, t.out().shape)}};
}

bool supported(const UpdateSlice&, const Operands& t, Method method) {
  return method == Method::kCompute && t.in(2).type == DType::kInt32 &&
         moving_kernel(Family::kUpdateSlice, t).valid();
}

std::vector<KernelUse> uses(const UpdateSlice&, const Operands& t, Method) {
  const std::array<int32_t, 4> x = last_extents(t.in(0).shape),
                               update = last_extents(t.in(1).shape);
  runtime::UpdateSliceParams params{.axes = rank_of(t.in(0)), .extent = {}, .room = {}};
  for (size_t k = 0; k < kKernelAxes; ++k) {
    params.extent[k] = update[k];
    params.room[k] = x[k] - update[k];
  }
  const OperandAxes axes = identity_axes(t.in(0).shape.size());
  return {{.kernel = moving_kernel(Family::kUpdateSlice, t),
           .params = params,
           .inputs = {0, 1, 2},
           .in = {axes, axes, identity_axes(1)},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

bool supported(const DetectionPostProcess&, const Operands& t, Method method) {
  return method == Method::kCompute && is_float32(t) && t.in(2).is_constant();
}

std::vector<KernelUse> uses(const DetectionPostProcess& a, const Operands& t, Method) {
  runtime::DetectionPostProcessParams params{
      .anchors = nullptr,
      .boxes = static_cast<int32_t>(t.in(0).shape[1]),
      .classes = a.classes,
      .label_offset = static_cast<int32_t>(t.in(1).shape[2]) - a.classes,
      .max_detections = a.max_detections,
      .detections_per_class = a.detections_per_class,
      .regular = a.regular ? 1 : 0,
      .score_threshold = a.score_threshold,
      .iou_threshold = a.iou_threshold,
      .scales = {}};
  std::ranges::copy(a.scales, params.scales);
  const OperandAxes out = identity_axes(1), boxes = identity_axes(3);
  return {{.kernel = float_kernel(Family::kDetectionPostProcess),
           .params = params,
           .inputs = {0, 1},
           .in = {boxes, boxes},
           .out = out,
           .limits = limits_of(out, t.out().shape)}};
}

namespace {

std::vector<PackedConstant> pack_detection_post_process(const Operands& t) {
  return {{"anchors", DType::kFloat32, t.in(2).shape, *t.in(2).data}};
}

}  // namespace

std::span<const KernelInfo> gather_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      moving_row<runtime::gather_8>("gather_8", kGather, kInt8, kNone),
      moving_row<runtime::gather_16>("gather_16", kGather, kInt16, kNone),
      moving_row<runtime::gather_32>("gather_32", kGather, kInt32, kNone),
      moving_row<runtime::update_slice_8>("update_slice_8", kUpdateSlice, kInt8),
      moving_row<runtime::update_slice_16>("update_slice_16", kUpdateSlice, kInt16),
      moving_row<runtime::update_slice_32>("update_slice_32", kUpdateSlice, kInt32),
      row<runtime::detection_post_process_f32>({.name = "detection_post_process_f32",
                                                .family = kDetectionPostProcess,
                                                .in = kFloat32,
                                                .out = kFloat32,
                                                .progress = kNone,
                                                .rings = false,
                                                .whole_axes = kWholeRegion,
                                                .dense_output = true,
                                                .pack = pack_detection_post_process}),
  };
  return kRows;
}

}  // namespace thimble
