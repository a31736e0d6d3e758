// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL: each row of a matrix times all columns of another, for each batch.
#include <algorithm>
#include <cmath>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

const BatchMatMul& matmul_of(const OpView& v) { return std::get<BatchMatMul>(v.op.attributes); }

/// Extents of a matrix, the adjoint's turned back.
struct Matrix {
  int64_t rows, columns;
};
Matrix matrix_of(const Shape& shape, bool adjoint) {
  const int64_t high = shape[shape.size() - 2], wide = shape.back();
  return adjoint ? Matrix{wide, high} : Matrix{high, wide};
}
Matrix left_of(const OpView& v) { return matrix_of(v.in(0).shape, matmul_of(v).adjoint_x); }
Matrix right_of(const OpView& v) { return matrix_of(v.in(1).shape, matmul_of(v).adjoint_y); }

Shape batches_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

bool depths_agree(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return left_of(v).columns == right_of(v).rows;
}

bool batches_broadcast(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Shape batches = broadcast_shape(batches_of(v.in(0).shape), batches_of(v.in(1).shape));
  return std::ranges::find(batches, 0) == batches.end();
}

double multiplier_of(const OpView& v) {
  return static_cast<double>(v.in(0).quantization.scales[0]) * v.in(1).quantization.scales[0] /
         v.out().quantization.scales[0];
}

bool multiplier_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return multiplier_of(v) < (v.out().type == DType::kInt16 ? 0x1p14 : 0x1p30);
}

/// A difference to a zero point is at most 255. Sums of int16 have 64 bits.
bool products_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  if (v.out().type == DType::kInt16) return true;
  int exponent = 0;
  std::frexp(multiplier_of(v), &exponent);
  const double most = 255.0 * 255.0 * static_cast<double>(left_of(v).columns);
  return most * std::ldexp(1.0, std::max(exponent, 0)) <= 0x1p31 - 512;
}

/// The batches, then the axis that follows the output's and the one that is summed over.
InputMap operand_map(const Shape& shape, const Shape& out, bool summed_first, int out_axis) {
  InputMap map = broadcast_map(batches_of(shape), batches_of(out));
  map.axes.insert(map.axes.end(), {Affine{out_axis}, Reduced{}});
  if (summed_first) std::swap(map.axes.back(), map.axes[map.axes.size() - 2]);
  return map;
}

}  // namespace

AccessMap access_map_of(const BatchMatMul& a, const OpView& v) {
  const Shape& out = v.out().shape;
  const int columns = static_cast<int>(out.size()) - 1;
  return {operand_map(v.in(0).shape, out, a.adjoint_x, columns - 1),
          operand_map(v.in(1).shape, out, !a.adjoint_y, columns)};
}

int64_t macs_of(const BatchMatMul&, const OpView& v, const Region& region) {
  return elements(region) * left_of(v).columns;
}

Shape output_shape_of(const BatchMatMul&, const OpView& v) {
  Shape shape = broadcast_shape(batches_of(v.in(0).shape), batches_of(v.in(1).shape));
  shape.insert(shape.end(), {left_of(v).rows, right_of(v).columns});
  return shape;
}

Traits traits_of(const BatchMatMul&) { return {}; }

std::vector<Constraint> constraints_of(const BatchMatMul&) {
  return {kTwoInputs,
          {"the operands have 2 to 6 axes", ranks_within<2, 6>},
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          {"each row of the first input is as long as each column of the second", depths_agree},
          {"the leading extents, aligned at the matrices, are equal or 1", batches_broadcast},
          {"the product of the input scales / output scale is below 2^30 (int16: 2^14)",
           multiplier_is_moderate, true},
          {"whatever the inputs, a sum of products, shifted left where the multiplier is above 1, "
           "stays within 32 bits",
           products_fit, true},
          kOutputShape};
}

}  // namespace thimble
