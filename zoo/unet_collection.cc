// SPDX-License-Identifier: Apache-2.0
// The large networks of TinySeg's table 4 as keras-unet-collection (github yingkaisha, 13e0e7e)
// builds them with the options of its user guide, at 128 x 128: V-Net in two dimensions (Milletari
// et al. 2016), Attention U-Net (Oktay et al. 2018), ResUNet-a (Diakogiannis et al. 2020). Batch
// normalisations are folded. A convolution of 2 x 2 that strides halves the image.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "zoo/builder.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

ConvLayer with_relu(int64_t channels, int64_t kernel, int64_t dilation = 1) {
  return {.channels = channels,
          .kernel = kernel,
          .dilation = dilation,
          .activation = Activation::kRelu};
}

TensorId halved(Builder& net, TensorId x, int64_t channels, Activation activation) {
  return net.conv(x, {.channels = channels, .kernel = 2, .stride = 2, .activation = activation});
}

TensorId per_pixel(Builder& net, TensorId x, int64_t channels) {
  return net.conv(x, {.channels = channels, .activation = Activation::kNone});
}

Shape doubled(const Shape& image) { return {image[0], 2 * image[1], 2 * image[2], image[3]}; }

/// Those of levels, each twice that of the one before.
std::vector<int64_t> filters(const Parameters& p, int levels) {
  std::vector<int64_t> result;
  for (int k = 0; k < levels; ++k) result.push_back(p.integer("filters") << k);
  return result;
}

class VNet {
 public:
  explicit VNet(Builder& net) : net_(net) {}

  TensorId activated(TensorId x) { return net_.prelu(x, slopes(net_.shape(x))); }

  TensorId convolution(TensorId x, int64_t channels) {
    return activated(
        net_.conv(x, {.channels = channels, .kernel = 3, .activation = Activation::kNone}));
  }

  /// One convolution on the first level, two on the second, three below.
  TensorId residual(TensorId x, TensorId skip, int64_t channels, int level) {
    for (int k = 0; k < std::min(1 + level, 3); ++k) x = convolution(x, channels);
    return activated(net_.add(skip, x));
  }

 private:
  /// Keras has one for each element of an image, all zero before training; the converter merges
  /// equal constants.
  TensorId slopes(const Shape& x) {
    const Shape image(x.begin() + 1, x.end());
    const auto known = slopes_.find(image);
    if (known != slopes_.end()) return known->second;
    return slopes_[image] = net_.zeros("alpha", image);
  }

  Builder& net_;
  std::map<Shape, TensorId> slopes_;
};

Graph vnet_2d(const std::string& name, const Parameters& p) {
  Builder net(name, 2016);
  VNet vnet(net);
  const int64_t side = p.integer("resolution");
  const std::vector<int64_t> channels = filters(p, 5);
  TensorId x = vnet.convolution(net.input({1, side, side, 1}), channels[0]);
  std::vector<TensorId> skipped;
  for (int level = 0; level < 5; ++level) {
    net.scope(fmt::format("down_{}", level));
    const int64_t wanted = channels[static_cast<size_t>(level)];
    if (level > 0) x = vnet.activated(halved(net, x, wanted, Activation::kNone));
    x = vnet.residual(x, x, wanted, level);
    skipped.push_back(x);
  }
  for (int level = 3; level >= 0; --level) {
    net.scope(fmt::format("up_{}", level));
    const auto l = static_cast<size_t>(level);
    const TensorId up =
        vnet.activated(net.transpose_conv(x, {.channels = channels[l], .kernel = 3}));
    x = vnet.residual(net.concat({up, skipped[l]}), up, channels[l], level);
  }
  net.scope("");
  return net.finish({net.softmax(per_pixel(net, x, p.integer("labels")))});
}

/// What of x counts, by the coarser g (Oktay et al. 2018, figure 2, both at the size of x).
TensorId gated(Builder& net, TensorId x, TensorId g, int64_t between) {
  const TensorId theta = per_pixel(net, x, between);
  const TensorId phi = per_pixel(net, g, between);
  const TensorId psi = per_pixel(net, net.add(theta, phi, Activation::kRelu), 1);
  return net.mul(x, net.sigmoid(psi));
}

Graph attention_unet(const std::string& name, const Parameters& p) {
  Builder net(name, 2018);
  const int64_t side = p.integer("resolution");
  const std::vector<int64_t> channels = filters(p, 4);
  const auto stack = [&](TensorId x, int64_t wanted) {
    return net.conv(net.conv(x, with_relu(wanted, 3)), with_relu(wanted, 3));
  };
  TensorId x = net.input({1, side, side, 3});
  std::vector<TensorId> skipped;
  for (size_t level = 0; level < channels.size(); ++level) {
    net.scope(fmt::format("down_{}", level));
    if (level > 0) x = halved(net, x, channels[level], Activation::kRelu);
    x = stack(x, channels[level]);
    skipped.push_back(x);
  }
  for (size_t level = channels.size() - 1; level-- > 0;) {
    net.scope(fmt::format("up_{}", level));
    const TensorId up = net.upsample_bilinear(x, doubled(net.shape(x)));
    const TensorId skip = gated(net, skipped[level], up, channels[level] / 2);
    x = stack(net.concat({up, skip}), channels[level]);
  }
  net.scope("");
  return net.finish({per_pixel(net, x, p.integer("labels"))});
}

/// Sums of two convolutions each at these dilations (Diakogiannis et al. 2020, figure 1b, without
/// the input itself).
TensorId dilated_sums(Builder& net, TensorId x, int64_t channels,
                      const std::vector<int64_t>& dilations) {
  std::vector<TensorId> branches;
  for (const int64_t d : dilations) {
    branches.push_back(net.conv(net.conv(x, with_relu(channels, 3, d)), with_relu(channels, 3, d)));
  }
  TensorId sum = branches[0];
  for (size_t k = 1; k < branches.size(); ++k) sum = net.add(sum, branches[k]);
  return sum;
}

/// Atrous spatial pyramid pooling, with depthwise separable convolutions.
TensorId pyramid(Builder& net, TensorId x, int64_t channels) {
  const TensorId mean = net.conv(net.mean(x, /*keep=*/true), with_relu(channels, 1));
  std::vector<TensorId> parts = {net.upsample_bilinear(mean, net.shape(x), /*align_corners=*/true),
                                 net.conv(x, with_relu(channels, 1))};
  for (const int64_t d : {6, 9, 12}) {
    const TensorId filtered = net.depthwise(x, {.dilation = d, .activation = Activation::kRelu});
    parts.push_back(net.conv(filtered, with_relu(channels, 1)));
  }
  return net.concat(parts);
}

Graph resunet_a(const std::string& name, const Parameters& p) {
  Builder net(name, 2020);
  const int64_t side = p.integer("resolution");
  const std::vector<int64_t> channels = filters(p, 6);
  const std::vector<std::vector<int64_t>> dilations = {
      {1, 3, 15, 31}, {1, 3, 15, 31}, {1, 3, 15}, {1, 3, 15}, {1}, {1}};
  const TensorId first = net.conv(net.input({1, side, side, 3}), with_relu(channels[0], 1));
  TensorId x = first;
  std::vector<TensorId> skipped;
  for (size_t level = 0; level < channels.size(); ++level) {
    net.scope(fmt::format("down_{}", level));
    if (level > 0) x = halved(net, x, channels[level], Activation::kRelu);
    x = dilated_sums(net, x, channels[level], dilations[level]);
    skipped.push_back(x);
  }
  net.scope("bottom");
  x = pyramid(net, x, 8 * channels[0]);
  for (size_t level = channels.size() - 1; level-- > 0;) {
    net.scope(fmt::format("up_{}", level));
    const TensorId up = net.upsample(x, doubled(net.shape(x)));
    x = dilated_sums(net, net.concat({up, skipped[level]}), channels[level], dilations[level]);
  }
  net.scope("top");
  x = pyramid(net, net.concat({first, x}), 4 * channels[0]);
  net.scope("");
  return net.finish({net.sigmoid(per_pixel(net, x, p.integer("labels")))});
}

std::vector<Parameter> segmentation_parameters(int64_t unit, int64_t first_filters, int64_t labels,
                                               int64_t least_labels) {
  return {multiple_of(unit, "resolution", 128, unit, 512, "height and width of the image"),
          whole_number("filters", first_filters, 2, 64,
                       "of the first level; each next one has twice as many"),
          whole_number("labels", labels, least_labels, 1000, "outputs per pixel")};
}

}  // namespace

std::vector<Network> unet_collection_networks() {
  return {{"attention_unet", "segmentation: Attention U-Net, as TinySeg measures it",
           segmentation_parameters(8, 64, 1, 1), attention_unet},
          {"resunet_a", "segmentation: ResUNet-a, as TinySeg measures it",
           segmentation_parameters(32, 32, 2, 1), resunet_a},
          {"vnet_2d", "segmentation: V-Net in two dimensions, as TinySeg measures it",
           segmentation_parameters(16, 16, 2, 2), vnet_2d}};
}

}  // namespace thimble::zoo
