// SPDX-License-Identifier: Apache-2.0
// Operators that read where other operands say: GATHER and GATHER_ND with positions that are
// computed at run time (constant ones are slices: steps.cc), EMBEDDING_LOOKUP,
// DYNAMIC_UPDATE_SLICE.
#include <functional>
#include <numeric>

#include "thimble/import/tflite/expansions.h"

namespace thimble {
namespace {

Tensor of_int32(Shape shape) {
  return {.name = "",
          .shape = std::move(shape),
          .type = DType::kInt32,
          .quantization = {},
          .data = nullptr};
}

/// Those of int64 by their low bits.
TensorId as_positions(Expansion& steps, TensorId id) {
  const Tensor& given = steps.tensor(id);
  if (given.type != DType::kInt64) return id;
  return steps.make_as(Cast{}, {id}, of_int32(given.shape));
}

}  // namespace

void gather_at_run_time(const TfliteOp& op, Expansion& steps, const Gather& gather) {
  const TensorId positions = as_positions(steps, op.inputs[1]);
  steps.finish(gather, {op.inputs[0], positions});
}

/// The position of a tuple of indices, the first axes being one: each index times what follows it.
void gather_nd_at_run_time(const TfliteOp& op, Expansion& steps, size_t depth) {
  const Shape x = op.input(0).shape;
  if (elements(x) == 0) op.damaged("it gathers from a tensor without elements");
  Shape tuples = op.input(1).shape;
  const auto begin = x.begin() + static_cast<int64_t>(depth);
  Shape flat{std::accumulate(x.begin(), begin, int64_t{1}, std::multiplies<>())};
  flat.insert(flat.end(), begin, x.end());
  const TensorId rows = steps.make(Reshape{}, {op.inputs[0]}, flat);
  const TensorId given = as_positions(steps, op.inputs[1]);
  const int last = static_cast<int>(tuples.size()) - 1;
  tuples.pop_back();
  TensorId sum;
  int64_t step = flat[0];
  for (size_t k = 0; k < depth; ++k) {
    Slice slice{std::vector<int64_t>(tuples.size() + 1, 0),
                std::vector<int64_t>(tuples.size() + 1, 1),
                {last}};
    slice.begin.back() = static_cast<int64_t>(k);
    Tensor column = of_int32(tuples);
    column.quantization = steps.tensor(given).quantization;  // a slice keeps what stands there
    TensorId term = steps.make_as(std::move(slice), {given}, std::move(column));
    step /= x[k];
    if (step != 1) {
      const TensorId factor = steps.make_int32(static_cast<int32_t>(step));
      term = steps.make_as(Mul{}, {term, factor}, of_int32(tuples));
    }
    sum = k == 0 ? term : steps.make_as(Add{}, {sum, term}, of_int32(tuples));
  }
  steps.finish(Gather{}, {rows, sum});
}

/// Rows of a table; those of int8 may become float32.
void embedding_lookup(const TfliteOp& op, Expansion& steps) {
  const Tensor table = op.input(1);
  Tensor rows = op.output();
  if (table.type == rows.type) return steps.finish(Gather{}, {op.inputs[1], op.inputs[0]});
  rows.type = table.type;
  rows.quantization = table.quantization;
  const TensorId found = steps.make_as(Gather{}, {op.inputs[1], op.inputs[0]}, std::move(rows));
  steps.finish(Dequantize{}, {found});
}

void dynamic_update_slice(const TfliteOp& op, Expansion& steps) {
  const TensorId begins = as_positions(steps, op.inputs[2]);
  steps.finish(UpdateSlice{}, {op.inputs[0], op.inputs[1], begins});
}

}  // namespace thimble
