// SPDX-License-Identifier: Apache-2.0
// Tiny U-Net, which TinySeg (Chae, Kim and Heo) measures: the kind of U-Net (Ronneberger et al.
// 2015, figure 1) with three levels and transposed convolutions. Layers and channels are those of
// the authors' public definition (github coslab-kr/tinyseg, model/models/unet.py).
#include <fmt/format.h>

#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

TensorId two_convolutions(Builder& net, TensorId x, int64_t channels) {
  const ConvLayer layer{.channels = channels, .kernel = 3, .activation = Activation::kRelu};
  return net.conv(net.conv(x, layer), layer);
}

/// As the converter leaves the network, with a PAD of nothing in each stage of the decoder, which
/// remove_no_ops() takes away. SHAPE, STRIDED_SLICE and PACK in front of each transposed
/// convolution, which compute the extents of its output from those of its input, are left out:
/// extents are static here.
Graph tiny_unet(const std::string& name, const Parameters& p) {
  Builder net(name, 80);
  const bool real_ports = p.text("ports") == "float";
  const int64_t channels = p.integer("channels");
  TensorId x = net.input({1, p.integer("rows"), p.integer("columns"), 3});
  if (real_ports) x = net.quantize(x);
  std::vector<TensorId> skipped;
  for (const int level : {0, 1, 2}) {
    net.scope(fmt::format("down_{}", level));
    skipped.push_back(two_convolutions(net, x, channels << level));
    x = net.max_pool(skipped.back(), {});
  }
  net.scope("bottom");
  x = two_convolutions(net, x, channels << 3);
  for (const int level : {2, 1, 0}) {
    net.scope(fmt::format("up_{}", level));
    x = net.transpose_conv(x, {.channels = (channels << level) / 2, .pads = Pads::kValid});
    x = net.pad(x, {0, 0, 0, 0}, {0, 0, 0, 0});
    x = two_convolutions(net, net.concat({skipped.back(), x}), channels << level);
    skipped.pop_back();
  }
  net.scope("");
  x = net.conv(x, {.channels = 1, .activation = Activation::kNone});
  return net.finish({real_ports ? net.dequantize(x) : x});
}

}  // namespace

std::vector<Network> tiny_unet_networks() {
  return {{"tiny_unet",
           "segmentation: Tiny U-Net of TinySeg, with transposed convolutions",
           {one_of("ports", {"float", "int8"},
                   "of input and output; float: quantised inside, as the paper measures it"),
            multiple_of(8, "rows", 80, 8, 1024, "height of the image"),
            multiple_of(8, "columns", 120, 8, 1024, "width of the image"),
            whole_number("channels", 8, 2, 256, "of the first layer; up to eight times as many")},
           tiny_unet}};
}

}  // namespace thimble::zoo
