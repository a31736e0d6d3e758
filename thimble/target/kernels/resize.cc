// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/resize.h"

#include <cstring>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/packing.h"

namespace thimble {
namespace {

bool resizes(Family family, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(family, t);
}

KernelUse resize_use(const Operands& t, Family family, KernelParams params) {
  const OperandAxes axes = identity_axes(4);
  return {.kernel = portable_kernel(family, t.in(0).type, t.out().type),
          .params = params,
          .inputs = {0},
          .in = {axes},
          .out = axes,
          .limits = limits_of(axes, t.out().shape)};
}

PackedConstant packed_rows(const char* role, const std::vector<int64_t>& rows) {
  const std::vector<int16_t> narrow(rows.begin(), rows.end());
  PackedConstant result{role, DType::kInt16, {static_cast<int64_t>(rows.size())}, {}};
  result.data.resize(narrow.size() * sizeof(int16_t));
  std::memcpy(result.data.data(), narrow.data(), result.data.size());
  return result;
}

runtime::LinearAxis linear_axis(const ResizeBilinear& a, int64_t in, int64_t out) {
  const LinearPositions positions = linear_positions(a, in, out);
  return {static_cast<int32_t>(positions.step), static_cast<int32_t>(positions.offset),
          static_cast<int32_t>(in)};
}

}  // namespace

bool supported(const ResizeNearestNeighbor&, const Operands& t, Method method) {
  return resizes(Family::kResizeNearestNeighbor, t, method);
}

std::vector<KernelUse> uses(const ResizeNearestNeighbor&, const Operands& t, Method) {
  return {resize_use(t, Family::kResizeNearestNeighbor, runtime::ResizeNearestNeighborParams{})};
}

std::vector<PackedConstant> pack_resize_nearest_neighbor(const Operands& t) {
  const auto& a = std::get<ResizeNearestNeighbor>(t.op.attributes);
  const Shape& x = t.in(0).shape;
  const Shape& y = t.out().shape;
  return {packed_rows("rows", nearest_rows(a, x[1], y[1])),
          packed_rows("columns", nearest_rows(a, x[2], y[2]))};
}

bool supported(const ResizeBilinear&, const Operands& t, Method method) {
  return resizes(Family::kResizeBilinear, t, method);
}

std::vector<KernelUse> uses(const ResizeBilinear& a, const Operands& t, Method) {
  const Shape& x = t.in(0).shape;
  const Shape& y = t.out().shape;
  return {resize_use(
      t, Family::kResizeBilinear,
      runtime::ResizeBilinearParams{linear_axis(a, x[1], y[1]), linear_axis(a, x[2], y[2])})};
}

}  // namespace thimble
