// SPDX-License-Identifier: Apache-2.0
// RELU6: limits raw values to what 0 and 6 are in the input's quantisation. It never requantises:
// neither does the original, even where the scales differ.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Relu6&, const OpContext& context) {
  const ActivationRange range = activation_range(Activation::kRelu6, context.input(0));
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    value = static_cast<int8_t>(std::clamp<int32_t>(value, range.min, range.max));
  }
  return {bytes_from(values)};
}

}  // namespace thimble::reference
