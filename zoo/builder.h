// SPDX-License-Identifier: Apache-2.0
// The vocabulary of layers that networks are built from. Weights are seeded random numbers; the
// scales of an int8 network follow when it is finished (calibrate.h).
//
//   Builder net("tiny", 1);
//   TensorId x = net.conv(net.input({1, 8, 8, 3}), {.channels = 4, .kernel = 3});
//   Graph graph = net.finish({net.softmax(net.fully_connected(x, {.channels = 10}))});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble::zoo {

/// TensorFlow's: kSame gives ceil(extent / stride) outputs.
enum class Pads { kSame, kValid };

/// Along height and width; one number stands for both.
struct Size2D {
  int64_t h, w;

  constexpr Size2D(int64_t both) : h(both), w(both) {}  // NOLINT: `.kernel = 3` is the point
  constexpr Size2D(int64_t high, int64_t wide) : h(high), w(wide) {}
};

struct ConvLayer {
  int64_t channels = 1;
  Size2D kernel = 1, stride = 1, dilation = 1;
  Activation activation = Activation::kRelu6;
  Pads pads = Pads::kSame;
  int64_t groups = 1;
};

struct DepthwiseLayer {
  Size2D kernel = 3, stride = 1, dilation = 1;
  int64_t multiplier = 1;
  Activation activation = Activation::kRelu6;
  Pads pads = Pads::kSame;
};

struct TransposeConvLayer {
  int64_t channels = 1;
  Size2D kernel = 2, stride = 2;
  Activation activation = Activation::kNone;
  Pads pads = Pads::kSame;  ///< kSame gives extent * stride outputs; kValid all that windows reach
};

struct FullyConnectedLayer {
  int64_t channels = 1;
  Activation activation = Activation::kNone;
  bool keep_axes = false;  ///< each row along the last axis by itself; else x is one row
};

struct PoolLayer {
  Size2D kernel = 2, stride = 2;
  Pads pads = Pads::kValid;
};

class Builder {
 public:
  Builder(const std::string& name, uint64_t seed);

  TensorId input(const Shape& shape);
  TensorId conv(TensorId x, const ConvLayer& layer);
  TensorId depthwise(TensorId x, const DepthwiseLayer& layer);
  TensorId transpose_conv(TensorId x, const TransposeConvLayer& layer);
  TensorId fully_connected(TensorId x, const FullyConnectedLayer& layer);
  TensorId average_pool(TensorId x, const PoolLayer& layer);
  TensorId max_pool(TensorId x, const PoolLayer& layer);
  /// Over height and width: [N,C], or [N,1,1,C] if they are kept.
  TensorId mean(TensorId x, bool keep = false);
  /// Over the last axis, which is kept.
  TensorId mean_of_channels(TensorId x);
  TensorId add(TensorId a, TensorId b, Activation activation = Activation::kNone);
  TensorId mul(TensorId a, TensorId b);
  TensorId sub(TensorId a, TensorId b);
  TensorId squared_difference(TensorId a, TensorId b);
  TensorId rsqrt(TensorId x);
  TensorId gelu(TensorId x, bool approximate = false);
  TensorId batch_matmul(TensorId x, TensorId y, bool adjoint_y = false);
  TensorId relu(TensorId x);
  /// alpha: of a shape that broadcasts to that of x.
  TensorId prelu(TensorId x, TensorId alpha);
  TensorId concat(const std::vector<TensorId>& inputs, int axis = 3);
  TensorId pad(TensorId x, const std::vector<int64_t>& before, const std::vector<int64_t>& after);
  /// extents: of the output.
  TensorId slice(TensorId x, const std::vector<int64_t>& begin, const Shape& extents);
  /// To the height and width of `image`, a shape; nearest, as Keras does it (half-pixel centers).
  TensorId upsample(TensorId x, const Shape& image);
  /// To that height and width, bilinear; align_corners: the outermost pixels' centers lie on those
  /// of the input.
  TensorId upsample_bilinear(TensorId x, const Shape& image, bool align_corners = false);
  TensorId sigmoid(TensorId x);
  TensorId reshape(TensorId x, const Shape& shape);
  TensorId softmax(TensorId x);
  TensorId transpose(TensorId x, const std::vector<int>& permutation);
  /// x stays float32 in the finished network: an input as the caller has it.
  TensorId quantize(TensorId x);
  /// The output is float32 in the finished network: one that goes to the caller.
  TensorId dequantize(TensorId x);

  /// One number of the caller's, int32: a row for GATHER.
  TensorId index_input();
  /// What keep() of the inference before has left; zeros at first.
  TensorId state(const std::string& name, const Shape& shape, DType type = DType::kFloat32);
  void keep(TensorId state, TensorId after);
  /// The rows of x that the indices say, in place of its first axis.
  TensorId gather(TensorId x, TensorId indices);
  TensorId update_slice(TensorId x, TensorId update, TensorId begins);
  TensorId compare(Relation relation, TensorId a, TensorId b);
  TensorId select(TensorId condition, TensorId x, TensorId y);

  /// Operands that are constant: one number; one per channel, uniform in [least, most]; all zero.
  TensorId number(const std::string& name, float value);
  TensorId vector(const std::string& name, int64_t channels, double least, double most);
  TensorId zeros(const std::string& name, const Shape& shape);
  /// Uniform, of unit deviation.
  TensorId random_table(const std::string& name, const Shape& shape);
  TensorId table(const std::string& name, const Shape& shape, const std::vector<float>& values);
  TensorId integers(const std::string& name, const std::vector<int32_t>& values);

  [[nodiscard]] const Shape& shape(TensorId t) const { return graph_.tensor(t).shape; }
  [[nodiscard]] int64_t channels(TensorId t) const { return shape(t).back(); }
  /// Layers from here on are named "scope/conv_2d", until the next call; empty: without a scope.
  void scope(const std::string& name) { scope_ = name; }
  /// The int8 network with these outputs. Throws CompileError for operators that are not supported,
  /// as parameters may bring about.
  [[nodiscard]] Graph finish(const std::vector<TensorId>& outputs);

 private:
  /// out: as of op().
  TensorId weighted(TensorId x, Attributes attributes, const Shape& weights, int channel_axis,
                    Shape out = {});
  /// A tensor that no operator computes.
  TensorId variable(const std::string& name, const Shape& shape, DType type);
  TensorId constant(const std::string& name, const Shape& shape, DType type, Bytes data);
  /// A shape that is not given follows from the inputs.
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, Shape shape = {});
  std::string unique(const std::string& name);

  /// Activations and biases are float32, weights int8 with provisional scales. States begin with
  /// nothing yet.
  Graph graph_;
  uint64_t seed_;
  Random random_;
  std::string scope_;
  std::map<std::string, int> names_;  ///< how often each has been given
};

}  // namespace thimble::zoo
