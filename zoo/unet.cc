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

/// The network with a float32 input and output, as converters leave them: QUANTIZE in front of
/// what it computes, DEQUANTIZE behind.
Graph with_float_ports(Graph graph) {
  const auto real = [&](TensorId t, const char* name) {
    graph.tensors.push_back({name, graph.tensor(t).shape, DType::kFloat32, {}, nullptr});
    return TensorId{static_cast<int32_t>(graph.tensors.size()) - 1};
  };
  const TensorId x = graph.inputs[0].tensor, y = graph.outputs[0].tensor;
  graph.inputs[0].tensor = real(x, "float_input");
  graph.outputs[0].tensor = real(y, "float_output");
  graph.ops.insert(graph.ops.begin(), {Quantize{}, {graph.inputs[0].tensor}, {x}, 0});
  graph.ops.push_back({Dequantize{}, {y}, {graph.outputs[0].tensor}, 0});
  for (size_t k = 0; k < graph.ops.size(); ++k) graph.ops[k].file_index = static_cast<int>(k);
  return graph;
}

/// TinySeg, section 6.1 and Figure 3: three poolings, transposed convolutions, two convolutions at
/// each size, both with the one batch normalisation of their block, folded. With the paper's float
/// ports each transposed convolution has behind it the padding by nothing that converters write.
Graph tiny_unet(const std::string& name, const Parameters& p) {
  Builder net(name, 16);
  const bool float_ports = p.text("ports") == "float";
  const auto block = [&](TensorId x, int64_t channels) {
    for (int twice = 0; twice < 2; ++twice)
      x = net.conv(x, {.channels = channels, .kernel = 3, .activation = Activation::kRelu});
    return x;
  };
  TensorId x = net.input({1, 80, 120, 3});
  std::vector<TensorId> skipped;
  for (const int64_t channels : {8, 16, 32}) {
    net.scope("encoder");
    skipped.push_back(block(x, channels));
    x = net.max_pool(skipped.back(), {});
  }
  x = block(x, 64);
  for (const int64_t channels : {32, 16, 8}) {
    net.scope("decoder");
    TensorId up = net.transposed_conv(x, {.channels = channels / 2,
                                          .kernel = 2,
                                          .stride = 2,
                                          .activation = Activation::kNone});
    if (float_ports) up = net.pad(up, {0, 0, 0, 0}, {0, 0, 0, 0});
    x = block(net.concat({skipped.back(), up}), channels);
    skipped.pop_back();
  }
  net.scope("");
  Graph graph = net.finish({net.conv(x, {.channels = 1, .activation = Activation::kNone})});
  return float_ports ? with_float_ports(std::move(graph)) : graph;
}

}  // namespace

std::vector<Network> unet_networks() {
  return {{"unet",
           "segmentation: a small U-Net with nearest upsampling and three skip connections",
           {whole_number("resolution", 96, 8, 1024, "height and width of the image"),
            whole_number("channels", 8, 1, 256, "of the first layer; up to four times as many"),
            whole_number("classes", 2, 1, 1000, "outputs per pixel")},
           unet},
          {"tiny_unet",
           "segmentation: Tiny U-Net of TinySeg, 80 x 120",
           {one_of("ports", {"float", "int8"}, "type of the image and of the mask")},
           tiny_unet}};
}

}  // namespace thimble::zoo
