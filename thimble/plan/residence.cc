// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/residence.h"

namespace thimble {

std::vector<Transfer> transfers(const std::vector<Residence>& residences) {
  std::vector<Transfer> result;
  for (size_t b = 0; b < residences.size(); ++b) {
    for (size_t k = 1; k < residences[b].size(); ++k) {
      const Stay &from = residences[b][k - 1], &to = residences[b][k];
      if (from.memory != to.memory)
        result.push_back({{static_cast<int32_t>(b)}, from.memory, to.memory, to.steps.begin});
    }
  }
  return result;
}

}  // namespace thimble
