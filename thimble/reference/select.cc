// SPDX-License-Identifier: Apache-2.0
// SELECT_V2: raw elements of one of two inputs.
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Select&, const OpContext& context) {
  const Tensor& output = context.output();
  const auto offsets_of = [&](size_t i) {
    return offsets(output.shape, broadcast_strides(context.input(i).shape, output.shape));
  };
  const std::vector<int64_t> condition = offsets_of(0), x = offsets_of(1), y = offsets_of(2);
  const int64_t size = size_bytes(output.type);
  Bytes result;
  for (size_t i = 0; i < condition.size(); ++i) {
    const bool holds = context.input_bytes(0)[static_cast<size_t>(condition[i])] != 0;
    const auto from = context.input_bytes(holds ? 1 : 2).begin() + (holds ? x[i] : y[i]) * size;
    result.insert(result.end(), from, from + size);
  }
  return {result};
}

}  // namespace thimble::reference
