// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE: output axis i is input axis permutation[i], for every element type.
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Transpose& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  return {permute(context.input_bytes(0), input.shape, size_bytes(input.type), op.permutation)};
}

}  // namespace thimble::reference
