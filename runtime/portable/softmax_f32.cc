// SPDX-License-Identifier: Apache-2.0
#include "float_softmax.h"

namespace thimble::runtime {

void softmax_f32(const FloatSoftmaxParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  const int32_t step = x.stride[3], out_step = out.stride[3];
  each_softmax_row(x, out, region, [&](const float* from, float* to) {
    const float most = most_of(from, step, p.channels);
    float sum = 0;
    for (int32_t c = 0; c < p.channels; ++c) {
      const float power = real::exp((from[c * step] - most) * p.beta);
      to[c * out_step] = power;
      sum += power;
    }
    for (int32_t c = 0; c < p.channels; ++c) to[c * out_step] = to[c * out_step] / sum;
  });
}

}  // namespace thimble::runtime
