// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/tensors.h"

namespace thimble::testing {

int32_t Random::between(int32_t low, int32_t high) {
  // Standard distributions differ between libraries.
  const uint32_t count = static_cast<uint32_t>(high) - static_cast<uint32_t>(low) + 1;  // 0: 2^32
  const auto drawn = static_cast<uint32_t>(engine_());
  return static_cast<int32_t>(static_cast<uint32_t>(low) + (count == 0 ? drawn : drawn % count));
}

std::vector<int8_t> Random::bytes(int64_t count) {
  std::vector<int8_t> result(static_cast<size_t>(count));
  for (int8_t& value : result) value = static_cast<int8_t>(between(-128, 127));
  return result;
}

int64_t count(const Extents& extents) {
  return int64_t{extents[0]} * extents[1] * extents[2] * extents[3];
}

runtime::Region whole(const Extents& extents) {
  return {{0, 0, 0, 0}, {extents[0], extents[1], extents[2], extents[3]}};
}

runtime::Region random_region(Random& random, const Extents& extents) {
  runtime::Region region{};
  for (size_t k = 0; k < 4; ++k) {
    region.begin[k] = random.between(0, extents[k] - 1);
    region.end[k] = random.between(region.begin[k] + 1, extents[k]);
  }
  return region;
}

}  // namespace thimble::testing
