// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM: of raw values, which have one quantisation.
#include <algorithm>

#include "thimble/reference/raw_pairs.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Maximum&, const OpContext& context) {
  return of_raw_pairs(context, [](int32_t a, int32_t b) { return std::max(a, b); });
}

std::vector<Bytes> evaluate(const Minimum&, const OpContext& context) {
  return of_raw_pairs(context, [](int32_t a, int32_t b) { return std::min(a, b); });
}

}  // namespace thimble::reference
