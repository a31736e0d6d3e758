// SPDX-License-Identifier: Apache-2.0
// Parameters of operators that move elements or mix neighbours, and of detections.
#include <algorithm>

#include "thimble/model/resize.h"
#include "thimble/program/fault_of.h"
#include "thimble/program/float_constants.h"

namespace thimble {
namespace {

std::string rows_fault(const ReadBack& r, size_t constant, const std::vector<int64_t>& wanted) {
  const auto rows = unpacked<int16_t>(r, constant, DType::kInt16, wanted.size());
  return std::ranges::equal(rows, wanted) ? "" : "its table of rows or columns is wrong";
}

// Constants `rows` and `rows` + 1.
void compare_rows(const ReadBack& r, size_t constant, const std::vector<RealRows>& wanted,
                  Difference& d) {
  const auto rows = unpacked<int16_t>(r, constant, DType::kInt16, 2 * wanted.size());
  const auto fractions = unpacked<float>(r, constant + 1, DType::kFloat32, wanted.size());
  if (rows.empty() || fractions.empty()) {
    d.fail("one of its tables has another type or size");
    return;
  }
  for (size_t k = 0; k < wanted.size(); ++k) {
    d.expect("rows", rows[2 * k], wanted[k].first).expect("rows", rows[2 * k + 1], wanted[k].last);
    d.expect_float("fractions", fractions[k], wanted[k].fraction);
  }
}

}  // namespace

std::string fault_of(const Pad& a, const ReadBack& r) {
  const auto* p = r.as<runtime::PadParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  std::vector<int64_t> before(kKernelAxes, 0);
  for (size_t k = 0; k < std::min(kKernelAxes, a.before.size()); ++k)
    before[kKernelAxes - 1 - k] = a.before[a.before.size() - 1 - k];
  compare_four("before", p->before, before, d);
  compare_four("in_extent", p->in_extent, last_four(r.in(0).shape), d);
  return d.expect("value", p->value, a.value).text();
}

std::string fault_of(const Gather& a, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  const auto* p = r.as<runtime::GatherParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect("extent", p->extent, r.in(0).shape.at(static_cast<size_t>(a.axis)))
      .text();
}

std::string fault_of(const UpdateSlice&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  const auto* p = r.as<runtime::UpdateSliceParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  const std::vector<int64_t> extent = last_four(r.in(1).shape);
  std::vector<int64_t> room = last_four(r.in(0).shape);
  for (size_t k = 0; k < kKernelAxes; ++k) room[k] -= extent[k];
  compare_four("extent", p->extent, extent, d);
  compare_four("room", p->room, room, d);
  return d.expect("axes", p->axes, std::ssize(r.in(0).shape)).text();
}

std::string fault_of(const ResizeNearestNeighbor& a, const ReadBack& r) {
  if (r.as<runtime::ResizeNearestNeighborParams>() == nullptr) return kOtherKernel;
  const Shape &x = r.in(0).shape, &y = r.out().shape;
  const std::string rows = rows_fault(r, 0, nearest_rows(a, x[1], y[1]));
  return rows.empty() ? rows_fault(r, 1, nearest_rows(a, x[2], y[2])) : rows;
}

std::string fault_of(const ResizeBilinear& a, const ReadBack& r) {
  if (r.is_float()) {
    if (r.as<runtime::FloatResizeBilinearParams>() == nullptr) return kOtherKernel;
    const Shape &x = r.in(0).shape, &y = r.out().shape;
    Difference d;
    compare_rows(r, 0, real_rows(a, x[1], y[1]), d);
    compare_rows(r, 2, real_rows(a, x[2], y[2]), d);
    return d.text();
  }
  const auto* p = r.as<runtime::ResizeBilinearParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  const auto compare = [&](const runtime::LinearAxis& given, size_t axis) {
    const int64_t in = r.in(0).shape[axis];
    const LinearPositions wanted = linear_positions(a, in, r.out().shape[axis]);
    d.expect("step", given.step, wanted.step).expect("offset", given.offset, wanted.offset);
    d.expect("in_extent", given.in_extent, in);
  };
  compare(p->rows, 1);
  compare(p->columns, 2);
  return d.text();
}

std::string fault_of(const DetectionPostProcess& a, const ReadBack& r) {
  if (!r.is_float()) return kOtherKernel;
  const auto* p = r.as<runtime::DetectionPostProcessParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("boxes", p->boxes, r.in(0).shape.at(1));
  d.expect("classes", p->classes, a.classes);
  d.expect("label_offset", p->label_offset, r.in(1).shape.at(2) - a.classes);
  d.expect("max_detections", p->max_detections, a.max_detections);
  d.expect("detections_per_class", p->detections_per_class, a.detections_per_class);
  d.expect("regular", p->regular, a.regular ? 1 : 0);
  d.expect_float("score_threshold", p->score_threshold, a.score_threshold);
  d.expect_float("iou_threshold", p->iou_threshold, a.iou_threshold);
  for (size_t k = 0; k < 4; ++k) d.expect_float("scales", p->scales[k], a.scales[k]);
  compare_floats(
      r, 0, r.in(2), [](size_t k) { return k; }, d);
  return d.text();
}

std::string fault_of(const Reshape&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Transpose&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Concat&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Slice&, const ReadBack&) { return kOtherKernel; }

}  // namespace thimble
