// SPDX-License-Identifier: Apache-2.0
#include "float_convolve.h"

namespace thimble::runtime {
namespace {

struct FloatConvolution {
  const FloatConv2DParams& p;
  const View& x;

  template <int32_t kChannels, bool kOneGroup>
  void channels(const FloatSite& at, int32_t o, float* to, int32_t step) const noexcept {
    convolve_channels<kChannels, kOneGroup>(p, x, at, o, to, step,
                                            [](int32_t, float weight) { return weight; });
  }
};

}  // namespace

void conv_2d_f32(const FloatConv2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  convolve_pixels(p, out, region, FloatConvolution{p, x});
}

}  // namespace thimble::runtime
