// SPDX-License-Identifier: Apache-2.0
#include "blend.h"

namespace thimble::runtime {

void resize_bilinear(const ResizeBilinearParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  const int32_t in_step = x.stride[3], out_step = out.stride[3];
  each_blend(p, x, out, region, [&](const Blend& b) {
    int8_t* to = b.to;
    for (int32_t c = 0, at = 0; c < b.count; ++c, at += in_step, to += out_step)
      *to = blended(b, at);
  });
}

}  // namespace thimble::runtime
