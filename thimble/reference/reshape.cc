// SPDX-License-Identifier: Apache-2.0
// RESHAPE: the same elements in row-major order.
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Reshape&, const OpContext& context) {
  return {context.input_bytes(0)};
}

}  // namespace thimble::reference
