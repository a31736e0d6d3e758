// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements: pad, reshape, transpose, concatenation, slice.
#include <algorithm>
#include <optional>
#include <utility>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

bool copies(const Operands& t, Method method) {
  const DType type = t.out().type;
  if (method != Method::kCompute) return false;
  for (size_t k = 0; k < t.count(); ++k) {
    if (t.in(k).type != type) return false;
  }
  return true;
}

KernelUse copy_use(const Operands& t, int input, OperandAxes in, OperandAxes out) {
  Region limits = limits_of(out, t.out().shape);
  return {.kernel = copy_kernel(t.out().type),
          .params = {},
          .inputs = {input},
          .in = {std::move(in)},
          .out = std::move(out),
          .limits = std::move(limits)};
}

// Axes of a tensor, in order: of one index before the rows, of the rows, behind them.
struct RowAxes {
  size_t begin, end;
};

// The least that rows can have in common beginning at the first axes of several indices. Nothing if
// a row would be a single element.
std::optional<std::pair<RowAxes, RowAxes>> common_rows(const Shape& x, const Shape& out) {
  RowAxes a{0, 0}, b{0, 0};
  const auto skip_ones = [](const Shape& shape, RowAxes& axes) {
    while (axes.begin < shape.size() && shape[axes.begin] == 1) ++axes.begin;
    axes.end = axes.begin;
  };
  skip_ones(x, a);
  skip_ones(out, b);
  int64_t a_rows = 1, b_rows = 1;
  while (a_rows != b_rows || a_rows == 1) {
    const bool from_x = a_rows <= b_rows;
    RowAxes& axes = from_x ? a : b;
    const Shape& shape = from_x ? x : out;
    if (axes.end == shape.size()) return std::nullopt;
    (from_x ? a_rows : b_rows) *= shape[axes.end++];
  }
  if (a_rows == elements(x)) return std::nullopt;
  return std::pair(a, b);
}

OperandAxes row_axes(const RowAxes& rows, size_t rank) {
  OperandAxes result = identity_axes(0);
  for (size_t axis = 0; axis < rank; ++axis) {
    const size_t k = axis < rows.begin ? 1 : axis < rows.end ? 2 : 3;
    result.axes[k].push_back(static_cast<int>(axis));
  }
  return result;
}

// By the size of the elements.
KernelId pad_kernel(const Operands& t) {
  const DType type = t.out().type == DType::kFloat32 ? DType::kInt32 : t.out().type;
  return portable_kernel(Family::kPad, type, type);
}

}  // namespace

bool supported(const Pad& a, const Operands& t, Method method) {
  // Axes before the last four are loops around the call, which adds nothing there.
  for (size_t axis = 0; axis + 4 < a.before.size(); ++axis) {
    if (a.before[axis] != 0 || a.after[axis] != 0) return false;
  }
  return method == Method::kCompute && t.in(0).type == t.out().type && pad_kernel(t).valid();
}

std::vector<KernelUse> uses(const Pad& a, const Operands& t, Method) {
  const Shape& x = t.in(0).shape;
  runtime::PadParams params{};
  params.value = a.value;
  std::copy_n(last_extents(x).begin(), 4, params.in_extent);
  const size_t count = std::min<size_t>(x.size(), 4);
  for (size_t k = 0; k < count; ++k) {
    params.before[4 - count + k] = static_cast<int32_t>(a.before[x.size() - count + k]);
  }
  const OperandAxes axes = identity_axes(x.size());
  return {{.kernel = pad_kernel(t),
           .params = params,
           .inputs = {0},
           .in = {axes},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

bool supported(const Reshape&, const Operands& t, Method method) { return copies(t, method); }

// Input and output have the same rows, as pieces by rows need them, or all is one row.
std::vector<KernelUse> uses(const Reshape&, const Operands& t, Method) {
  const Shape& x = t.in(0).shape;
  const Shape& out = t.out().shape;
  const auto rows = common_rows(x, out);
  if (!rows) return {copy_use(t, 0, merged_axes(x.size()), merged_axes(out.size()))};
  return {copy_use(t, 0, row_axes(rows->first, x.size()), row_axes(rows->second, out.size()))};
}

bool supported(const Transpose&, const Operands& t, Method method) { return copies(t, method); }

std::vector<KernelUse> uses(const Transpose& a, const Operands& t, Method) {
  const OperandAxes out = identity_axes(t.out().shape.size());
  OperandAxes in = out;
  const size_t lead = in.axes.size() - a.permutation.size();
  for (size_t k = 0; k < a.permutation.size(); ++k) in.axes[lead + k] = {a.permutation[k]};
  return {copy_use(t, 0, in, out)};
}

bool supported(const Concat& a, const Operands& t, Method method) {
  return copies(t, method) && a.activation == Activation::kNone;
}

std::vector<KernelUse> uses(const Concat& a, const Operands& t, Method) {
  const OperandAxes out = identity_axes(t.out().shape.size());
  const auto axis = static_cast<size_t>(a.axis);
  const size_t kernel_axis = out.axes.size() - t.out().shape.size() + axis;
  std::vector<KernelUse> result;
  int64_t offset = 0;
  for (size_t k = 0; k < t.count(); ++k) {
    OperandAxes in = out;
    in.shift[kernel_axis] = offset;
    const int64_t extent = t.in(k).shape[axis];
    result.push_back(copy_use(t, static_cast<int>(k), std::move(in), out));
    result.back().limits[kernel_axis] = {offset, offset + extent};
    offset += extent;
  }
  return result;
}

bool supported(const Slice&, const Operands& t, Method method) { return copies(t, method); }

// The kernel's axes are the input's: along those that are dropped it stands at index 0.
std::vector<KernelUse> uses(const Slice& a, const Operands& t, Method) {
  OperandAxes in = identity_axes(t.in(0).shape.size());
  OperandAxes out = in;
  const size_t lead = in.axes.size() - a.begin.size();
  int kept = 0;
  for (size_t axis = 0; axis < a.begin.size(); ++axis) {
    in.shift[lead + axis] = -a.begin[axis];
    in.step[lead + axis] = a.stride[axis];
    const bool dropped =
        std::binary_search(a.dropped.begin(), a.dropped.end(), static_cast<int>(axis));
    out.axes[lead + axis] = dropped ? std::vector<int>{} : std::vector<int>{kept++};
  }
  return {copy_use(t, 0, std::move(in), std::move(out))};
}

std::span<const KernelInfo> moves_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::pad>({.name = "pad", .family = kPad, .progress = kNone}),
      row<runtime::pad_16>(
          {.name = "pad_16", .family = kPad, .in = kInt16, .out = kInt16, .progress = kNone}),
      row<runtime::pad_32>(
          {.name = "pad_32", .family = kPad, .in = kInt32, .out = kInt32, .progress = kNone}),
      row<runtime::copy_8>({.name = "copy_8", .family = kCopy}),
      row<runtime::copy_16>({.name = "copy_16", .family = kCopy, .in = kInt16, .out = kInt16}),
      row<runtime::copy_32>({.name = "copy_32", .family = kCopy, .in = kInt32, .out = kInt32}),
      row<runtime::copy_64>({.name = "copy_64", .family = kCopy, .in = kInt64, .out = kInt64}),
      row<runtime::transpose_in_place_8>({.name = "transpose_in_place_8",
                                          .family = kTransposeInPlace,
                                          .progress = kWhole,
                                          .rings = false,
                                          .whole_axes = kWholeRegion}),
  };
  return kRows;
}

}  // namespace thimble
