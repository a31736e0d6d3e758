// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/shape_rules.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace thimble {

void refuse_operands(const TfliteOp& op) {
  std::string shapes;
  for (const TensorId id : op.inputs) {
    if (!id.valid()) continue;
    fmt::format_to(std::back_inserter(shapes), "{}{}", shapes.empty() ? "" : ", ",
                   to_string(op.tensors[id.index()].shape));
  }
  op.refuse(fmt::format("does not take shapes {}{}", shapes,
                        op.open_shapes ? ", which follow from --shape" : ""));
}

Shape not_followed(const TfliteOp& op) {
  if (op.open_shapes) op.refuse("is not followed by --shape: convert with fixed input shapes");
  op.refuse(
      "leaves the rank of its output open, which does not follow from its inputs: "
      "convert with fixed input shapes");
}

const Shape& shape_of(const TfliteOp& op, size_t input, size_t rank) {
  if (input >= op.inputs.size() || !op.inputs[input].valid() || op.input(input).shape.size() < rank)
    refuse_operands(op);
  return op.input(input).shape;
}

Shape first_input(const TfliteOp& op) { return shape_of(op, 0); }

Shape broadcast_shape(const TfliteOp& op, Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t k = 1; k <= b.size(); ++k) {
    int64_t& extent = a[a.size() - k];
    const int64_t other = b[b.size() - k];
    if (extent != other && extent != 1 && other != 1) refuse_operands(op);
    if (extent == 1) extent = other;
  }
  return a;
}

Shape broadcast_inputs(const TfliteOp& op) {
  return broadcast_shape(op, shape_of(op, 0), shape_of(op, 1));
}

bool always(const TfliteOp&) { return true; }

}  // namespace thimble
