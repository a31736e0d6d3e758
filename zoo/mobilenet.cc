// SPDX-License-Identifier: Apache-2.0
// MobileNetV1 (Howard et al. 2017, table 1) and MobileNetV2 (Sandler et al. 2018, table 2), with
// the two variants of V2 that figure 5 of Pex shows.
#include <fmt/format.h>

#include <algorithm>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

Graph v1(const std::string& name, const Parameters& p) {
  struct Layer {
    int64_t channels, stride;
  };
  constexpr Layer kLayers[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                               {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                               {512, 1}, {1024, 2}, {1024, 1}};
  Builder net(name, 1704);
  const double width = p.real("width");
  const int64_t side = p.integer("resolution");
  const auto scaled = [&](int64_t c) { return multiple_of_8(width * static_cast<double>(c)); };
  TensorId x = net.conv(net.input({1, side, side, p.integer("channels")}),
                        {.channels = scaled(32), .kernel = 3, .stride = 2});
  int number = 1;
  for (const Layer& layer : kLayers) {
    net.scope(fmt::format("block_{}", number++));
    x = separable(net, x, scaled(layer.channels), layer.stride);
  }
  net.scope("");
  return net.finish({classifier(net, x, p.integer("classes"))});
}

Graph v2(const std::string& name, const Parameters& p) {
  struct V2Stage {
    int64_t expansion, channels, repeats, stride;
  };
  constexpr V2Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  Builder net(name, 1801);
  const double width = p.real("width");
  const int64_t side = p.integer("resolution");
  // Of small images the first layers keep every pixel.
  int64_t unstrided = p.integer("unstrided");
  const auto stride = [&](int64_t usual) { return usual == 2 && unstrided-- > 0 ? 1 : usual; };
  const bool redistributed = p.text("variant") == "redistributed";
  const bool downsampled = p.text("variant") == "downsampled";
  TensorId x = net.conv(net.input({1, side, side, p.integer("channels")}),
                        {.channels = multiple_of_8(32 * width), .kernel = 3, .stride = stride(2)});
  int number = 0;
  for (const V2Stage& stage : stages) {
    for (int64_t k = 0; k < stage.repeats; ++k) {
      net.scope(fmt::format("block_{}", number));
      InvertedResidual block{.expanded = net.channels(x) * stage.expansion,
                             .channels = multiple_of_8(width * static_cast<double>(stage.channels)),
                             .stride = k == 0 ? stride(stage.stride) : 1};
      // Assumed: of the first four blocks those without a stride have depthwise kernels of 1 x 1,
      // which leaves the 294 M MACs that Pex prints; MCUNetV2's own definition is not public.
      if (redistributed && number <= 3 && block.stride == 1) block.kernel = 1;
      // The first projection strides in place of the second block's depthwise convolution. Assumed:
      // its kernel is 3 x 3, which gives the 295 M MACs that Pex prints (1 x 1 would be 282 M).
      if (downsampled && number == 0) block.projection = {.kernel = 3, .stride = 2};
      if (downsampled && number == 1) block.stride = 1;
      x = inverted_residual(net, x, block);
      ++number;
    }
  }
  net.scope("");
  x = net.conv(x, {.channels = std::max<int64_t>(1280, multiple_of_8(1280 * width))});
  return net.finish({classifier(net, x, p.integer("classes"))});
}

std::vector<Parameter> common(int64_t resolution, int64_t channels, int64_t classes) {
  return {real_number("width", "1.0", 0.05, 4, "multiplier of all channels"),
          whole_number("resolution", resolution, 32, 1024, "height and width of the image"),
          whole_number("channels", channels, 1, 16, "of the image"),
          whole_number("classes", classes, 2, 10000, "outputs")};
}

}  // namespace

std::vector<Network> mobilenet_networks() {
  std::vector<Parameter> of_v2 = common(224, 3, 1000);
  of_v2.push_back(one_of("variant", {"plain", "redistributed", "downsampled"},
                         "redistributed receptive field (MCUNetV2), or downsampling in the first "
                         "projection (Pex)"));
  of_v2.push_back(whole_number("unstrided", 0, 0, 5,
                               "layers of stride 2, from the first, that have stride 1 instead"));
  return {{"mobilenet_v1", "MobileNetV1", common(224, 3, 1000), v1},
          {"mobilenet_v2", "MobileNetV2", of_v2, v2}};
}

}  // namespace thimble::zoo
