// SPDX-License-Identifier: Apache-2.0
#include "accumulate_narrow.h"

namespace thimble::runtime {

void conv_2d_accumulate_i16(const Conv2DNarrowParams& p, const View& x, const View& accumulators,
                            const Region& region, int32_t begin_channel,
                            int32_t end_channel) noexcept {
  accumulate_narrow<int16_t>(p, x, accumulators, region, begin_channel, end_channel);
}

}  // namespace thimble::runtime
