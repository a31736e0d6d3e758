// SPDX-License-Identifier: Apache-2.0
// CONCATENATION: copies raw elements, for every element type; operands share one quantisation.
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Concat& op, const OpContext& context) {
  const Tensor& output = context.output();
  check(op.activation == Activation::kNone, "a concatenation has no fused activation");
  const size_t axis = static_cast<size_t>(op.axis);
  check(axis < output.shape.size(), "the axis of a concatenation is one of its output's");
  // Row-major: the output is rows of everything from the axis on, each made of one piece per
  // operand.
  int64_t rows = 1;
  for (size_t i = 0; i < axis; ++i) rows *= output.shape[i];
  Bytes result;
  result.reserve(static_cast<size_t>(output.size_bytes()));
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < context.op.inputs.size(); ++i) {
      const Bytes& bytes = context.input_bytes(i);
      const int64_t piece = static_cast<int64_t>(bytes.size()) / rows;
      const auto begin = bytes.begin() + row * piece;
      result.insert(result.end(), begin, begin + piece);
    }
  }
  return {result};
}

RealValues real_of(const Concat& op, const RealContext& c) { return moved(op, c); }

ValueRanges bounds_of(const Concat& op, const BoundsContext& c) {
  ValueRanges result;
  for (size_t i = 0; i < c.op.inputs.size(); ++i) {
    const ValueRanges& part = c.input_bounds(i);
    if (part.empty()) return {};
    if (op.axis == static_cast<int>(c.output().shape.size()) - 1) {
      result.insert(result.end(), part.begin(), part.end());
      continue;
    }
    if (result.empty()) result = part;
    for (size_t k = 0; k < part.size(); ++k) result[k] = hull(result[k], part[k]);
  }
  return result;
}

}  // namespace thimble::reference
