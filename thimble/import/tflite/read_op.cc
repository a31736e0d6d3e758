// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/read_op.h"

#include <algorithm>
#include <utility>

#include "thimble/import/constants.h"
#include "thimble/import/merged_axes.h"
#include "thimble/import/network_builder.h"
#include "thimble/import/tflite/extents.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/operators/slices.h"
#include "thimble/import/tflite/shapes.h"

namespace thimble {

ReadOperator read_op(const OperatorKind& kind, TfliteOp from, std::vector<Tensor>& tensors) {
  check_tensor_count(from);
  check_operands(kind, from);
  if (fold_extents(from, kind.code, tensors)) return {};
  if (kind.expand != nullptr) {
    check_repeated_shapes(kind, from);
    Expansion steps(from, tensors);
    kind.expand(from, steps);
    return steps.done();
  }
  if (!kind.per_output) {
    Expansion steps(from, tensors);
    if (merge_axes(kind.attributes(from), from, steps)) return steps.done();
  }
  std::vector<Op> made;
  for (size_t k = 0; k < from.outputs.size(); ++k) {
    from.output_number = k;
    if (from.output().shape.empty() && kind.per_output) {  // of one axis
      Expansion steps(from, tensors);
      finish_slice(std::get<Slice>(kind.attributes(from)), {}, from, steps);
      for (Op& op : steps.done().ops) made.push_back(std::move(op));
      continue;
    }
    Op& op = made.emplace_back();
    op.attributes = kind.attributes(from);
    for (size_t i = kind.first_operand; i < std::min(from.inputs.size(), kind.first_parameter);
         ++i) {
      if (from.inputs[i].valid()) op.inputs.push_back(from.inputs[i]);
    }
    if (kind.weights_first) std::swap(op.inputs[0], op.inputs[1]);
    op.outputs = {from.outputs[k]};
    op.file_index = from.number;
    expand_weights(tensors, op);
  }
  check_repeated_shapes(kind, std::move(from));
  return {std::move(made), {}, {}};
}

}  // namespace thimble
