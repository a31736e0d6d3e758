// SPDX-License-Identifier: Apache-2.0
// Sums are formed four at a time, since they share loads: of the input where they are neighbouring
// output channels of one pixel, of the weights where they are neighbouring pixels of one channel.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

struct Quad {
  int32_t sum[4];
};

}  // namespace thimble::runtime
