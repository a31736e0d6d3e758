// SPDX-License-Identifier: Apache-2.0
// A small vocabulary of layers that builds an int8 network in memory: seeded random weights, and
// fixed scales under which noise neither dies out nor saturates on its way through the layers.
//
//   Builder net("tiny", 1);
//   TensorId x = net.conv(net.input({1, 8, 8, 3}), {.channels = 4, .kernel = 3});
//   Graph graph = net.finish({net.softmax(net.fully_connected(x, 10))});
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble::zoo {

/// TensorFlow's: kSame gives ceil(extent / stride) outputs.
enum class Pads { kSame, kValid };

struct ConvLayer {
  int64_t channels = 1;
  int64_t kernel = 1, stride = 1;
  Activation activation = Activation::kRelu6;
  Pads pads = Pads::kSame;
};

struct DepthwiseLayer {
  int64_t kernel = 3, stride = 1, multiplier = 1;
  Activation activation = Activation::kRelu6;
  Pads pads = Pads::kSame;
};

struct PoolLayer {
  int64_t kernel = 2, stride = 2;
  Pads pads = Pads::kValid;
};

class Builder {
 public:
  Builder(const std::string& name, uint64_t seed);

  TensorId input(const Shape& shape);
  TensorId conv(TensorId x, const ConvLayer& layer);
  TensorId depthwise(TensorId x, const DepthwiseLayer& layer);
  /// x is read as one row.
  TensorId fully_connected(TensorId x, int64_t channels);
  TensorId average_pool(TensorId x, const PoolLayer& layer);
  TensorId max_pool(TensorId x, const PoolLayer& layer);
  /// Over height and width, which are dropped.
  TensorId mean(TensorId x);
  TensorId add(TensorId a, TensorId b);
  TensorId mul(TensorId a, TensorId b);
  /// The inputs must have one scale: all of them fused with relu6, or none.
  TensorId concat(const std::vector<TensorId>& inputs, int axis);
  TensorId reshape(TensorId x, const Shape& shape);
  TensorId softmax(TensorId x);

  [[nodiscard]] const Shape& shape(TensorId t) const { return graph_.tensor(t).shape; }
  /// The network with these outputs. Every operator is supported, or InternalError.
  [[nodiscard]] Graph finish(const std::vector<TensorId>& outputs);

 private:
  struct Weighted {
    Attributes attributes;
    Shape weights;
    int channel_axis;
    Activation activation;
    std::string name;
  };
  TensorId weighted(TensorId x, const Weighted& layer);
  TensorId constant(const std::string& name, const Shape& shape, DType type, Bytes data);
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, Tensor output);

  Graph graph_;
  Random random_;
};

}  // namespace thimble::zoo
