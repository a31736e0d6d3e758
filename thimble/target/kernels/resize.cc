// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/resize.h"

#include <cstring>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

KernelUse resize_use(const Operands& t, KernelId kernel, KernelParams params) {
  const OperandAxes axes = identity_axes(4);
  return {.kernel = kernel,
          .params = params,
          .inputs = {0},
          .in = {axes},
          .out = axes,
          .limits = limits_of(axes, t.out().shape)};
}

PackedConstant packed_rows(const char* role, const std::vector<int64_t>& rows) {
  const std::vector<int16_t> narrow(rows.begin(), rows.end());
  PackedConstant result{role, DType::kInt16, {static_cast<int64_t>(rows.size())}, {}};
  Bytes bytes(narrow.size() * sizeof(int16_t));
  std::memcpy(bytes.data(), narrow.data(), bytes.size());
  result.data = std::move(bytes);
  return result;
}

runtime::LinearAxis linear_axis(const ResizeBilinear& a, int64_t in, int64_t out) {
  const LinearPositions positions = linear_positions(a, in, out);
  return {static_cast<int32_t>(positions.step), static_cast<int32_t>(positions.offset),
          static_cast<int32_t>(in)};
}

// By the size of the elements.
KernelId nearest_kernel(const Operands& t) {
  const DType type = is_float32(t) ? DType::kInt32 : t.out().type;
  return portable_kernel(Family::kResizeNearestNeighbor, type, type);
}

}  // namespace

bool supported(const ResizeNearestNeighbor&, const Operands& t, Method method) {
  return method == Method::kCompute && t.in(0).type == t.out().type && nearest_kernel(t).valid();
}

std::vector<KernelUse> uses(const ResizeNearestNeighbor&, const Operands& t, Method) {
  return {resize_use(t, nearest_kernel(t), runtime::ResizeNearestNeighborParams{})};
}

bool supported(const ResizeBilinear&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kResizeBilinear, t);
}

std::vector<KernelUse> uses(const ResizeBilinear& a, const Operands& t, Method) {
  if (is_float32(t)) {
    return {
        resize_use(t, float_kernel(Family::kResizeBilinear), runtime::FloatResizeBilinearParams{})};
  }
  const Shape& x = t.in(0).shape;
  const Shape& y = t.out().shape;
  return {resize_use(
      t, portable_kernel(Family::kResizeBilinear),
      runtime::ResizeBilinearParams{linear_axis(a, x[1], y[1]), linear_axis(a, x[2], y[2])})};
}

namespace {

std::vector<PackedConstant> pack_resize_nearest_neighbor(const Operands& t) {
  const auto& a = std::get<ResizeNearestNeighbor>(t.op.attributes);
  const Shape& x = t.in(0).shape;
  const Shape& y = t.out().shape;
  return {packed_rows("rows", nearest_rows(a, x[1], y[1])),
          packed_rows("columns", nearest_rows(a, x[2], y[2]))};
}

std::vector<PackedConstant> pack_float_resize_bilinear(const Operands& t) {
  const auto& a = std::get<ResizeBilinear>(t.op.attributes);
  std::vector<PackedConstant> result;
  for (const size_t axis : {1, 2}) {
    std::vector<int64_t> rows;
    PackedConstant fractions{
        axis == 1 ? "row_fractions" : "column_fractions", DType::kFloat32, {}, {}};
    for (const RealRows& r : real_rows(a, t.in(0).shape[axis], t.out().shape[axis])) {
      rows.insert(rows.end(), {r.first, r.last});
      Bytes& bytes = fractions.data.own();
      const size_t at = bytes.size();
      bytes.resize(at + sizeof r.fraction);
      std::memcpy(&bytes[at], &r.fraction, sizeof r.fraction);
    }
    fractions.shape = {t.out().shape[axis]};
    result.push_back(packed_rows(axis == 1 ? "rows" : "columns", rows));
    result.push_back(std::move(fractions));
  }
  return result;
}

}  // namespace

std::span<const KernelInfo> resize_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::resize_nearest_neighbor>({.name = "resize_nearest_neighbor",
                                             .family = kResizeNearestNeighbor,
                                             .progress = kPixel,
                                             .pack = pack_resize_nearest_neighbor}),
      row<runtime::resize_nearest_neighbor_16>({.name = "resize_nearest_neighbor_16",
                                                .family = kResizeNearestNeighbor,
                                                .in = kInt16,
                                                .out = kInt16,
                                                .progress = kPixel,
                                                .pack = pack_resize_nearest_neighbor}),
      row<runtime::resize_bilinear>(
          {.name = "resize_bilinear", .family = kResizeBilinear, .progress = kPixel}),
      row<runtime::resize_bilinear_mve>({.name = "resize_bilinear_mve",
                                         .family = kResizeBilinear,
                                         .set = kMve,
                                         .progress = kPixel,
                                         .dense_channels = true,
                                         .dense_output = true}),
      float_row<runtime::resize_bilinear_f32>("resize_bilinear_f32", kResizeBilinear, kPixel,
                                              pack_float_resize_bilinear),
      row<runtime::resize_nearest_neighbor_32>({.name = "resize_nearest_neighbor_32",
                                                .family = kResizeNearestNeighbor,
                                                .in = kInt32,
                                                .out = kInt32,
                                                .progress = kPixel,
                                                .pack = pack_resize_nearest_neighbor}),
  };
  return kRows;
}

}  // namespace thimble
