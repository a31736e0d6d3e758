// SPDX-License-Identifier: Apache-2.0
// A small network of the kind of U-Net (Ronneberger et al. 2015, figure 1): an encoder that halves
// the image three times, a decoder that doubles it again, and what the encoder had at each size
// handed over to the decoder. A class per pixel, as logits.
#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

Graph unet(const std::string& name, const Parameters& p) {
  Builder net(name, 15);
  const int64_t side = p.integer("resolution"), channels = p.integer("channels");
  TensorId x = net.conv(net.input({1, side, side, 3}), {.channels = channels, .kernel = 3});
  std::vector<TensorId> skipped;
  for (const int64_t deeper : {2, 3, 4}) {
    net.scope("encoder");
    skipped.push_back(x);
    x = net.conv(x, {.channels = deeper * channels, .kernel = 3, .stride = 2});
  }
  x = separable(net, x, 4 * channels);
  for (const int64_t shallower : {3, 2, 1}) {
    net.scope("decoder");
    const TensorId skip = skipped.back();
    skipped.pop_back();
    x = net.concat({net.upsample(x, net.shape(skip)), skip});
    x = separable(net, x, shallower * channels);
  }
  net.scope("");
  return net.finish(
      {net.conv(x, {.channels = p.integer("classes"), .activation = Activation::kNone})});
}

}  // namespace

std::vector<Network> unet_networks() {
  return {{"unet",
           "segmentation: a small U-Net with nearest upsampling and three skip connections",
           {whole_number("resolution", 96, 8, 1024, "height and width of the image"),
            whole_number("channels", 8, 1, 256, "of the first layer; up to four times as many"),
            whole_number("classes", 2, 1, 1000, "outputs per pixel")},
           unet}};
}

}  // namespace thimble::zoo
