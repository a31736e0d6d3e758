// SPDX-License-Identifier: Apache-2.0
#include "convolve_pixels.h"
#include "nibbles.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void conv_2d_nibbles(const Conv2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  ConvolutionSite site = convolution_site(p, x, 0, p.in_per_group);
  site.pitch += site.pitch % 2;  // each channel begins with a byte
  convolve_pixels(p, x, out, region, site, Nibbles{p.weights, 0});
}

}  // namespace thimble::runtime
