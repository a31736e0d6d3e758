// SPDX-License-Identifier: Apache-2.0
// The shape of MCUNetV2-large (Lin et al. 2021), as its published .tflite has it: kernels of 3, 5
// and 7, most blocks with squeeze-and-excitation. Its hard sigmoid (ADD, MUL) is a LOGISTIC here.
#include <fmt/format.h>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

struct Block {
  int64_t expanded, kernel, stride, squeezed, channels;
};
constexpr Block kBlocks[] = {
    {96, 3, 2, 0, 24},    {96, 3, 2, 0, 40},    {240, 5, 1, 10, 40},  {240, 5, 1, 10, 40},
    {120, 3, 1, 10, 40},  {240, 5, 2, 10, 64},  {256, 5, 1, 16, 64},  {192, 3, 1, 16, 64},
    {256, 7, 1, 16, 64},  {384, 5, 1, 16, 96},  {384, 5, 1, 24, 96},  {288, 5, 1, 24, 96},
    {384, 7, 2, 24, 144}, {576, 3, 1, 36, 144}, {576, 3, 1, 36, 144}, {576, 5, 1, 0, 240}};

Graph mcunet_v2(const std::string& name, const Parameters& p) {
  Builder net(name, 2110);
  const int64_t side = p.integer("resolution");
  TensorId x = net.conv(net.input({1, side, side, 3}), {.channels = 16, .kernel = 3, .stride = 2});
  x = net.conv(x, {.channels = 16, .activation = Activation::kNone});
  int number = 0;
  for (const Block& b : kBlocks) {
    net.scope(fmt::format("block_{}", number++));
    x = inverted_residual(net, x,
                          {.expanded = b.expanded,
                           .channels = b.channels,
                           .kernel = b.kernel,
                           .stride = b.stride,
                           .squeezed = b.squeezed});
  }
  net.scope("");
  x = net.conv(x, {.channels = 384});
  return net.finish({net.fully_connected(net.mean(x), {.channels = p.integer("classes")})});
}

}  // namespace

std::vector<Network> mcunet_networks() {
  return {{"mcunet_v2_large",
           "the shape of MCUNetV2-large",
           {whole_number("resolution", 224, 32, 1024, "height and width of the image"),
            whole_number("classes", 1000, 2, 10000, "outputs")},
           mcunet_v2}};
}

}  // namespace thimble::zoo
