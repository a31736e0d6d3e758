// SPDX-License-Identifier: Apache-2.0
#include "float_convolve.h"

namespace thimble::runtime {
namespace {

struct HybridConvolution {
  const HybridConv2DParams& p;
  const View& x;

  template <int32_t kChannels, bool kOneGroup>
  void channels(const FloatSite& at, int32_t o, float* to, int32_t step) const noexcept {
    float scales[unsigned{kChannels}];
    for (int32_t k = 0; k < kChannels; ++k) scales[k] = p.scales[(o + k) * p.scale_step];
    const int32_t zero_point = p.zero_point;
    convolve_channels<kChannels, kOneGroup>(
        p, x, at, o, to, step, [&scales, zero_point](int32_t k, int8_t weight) {
          return scales[k] * static_cast<float>(weight - zero_point);
        });
  }
};

}  // namespace

void conv_2d_hybrid_f32(const HybridConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  convolve_pixels(p, out, region, HybridConvolution{p, x});
}

}  // namespace thimble::runtime
