// SPDX-License-Identifier: Apache-2.0
// Small networks of uint8, as TensorFlow 1's quantisation-aware training makes them: weights of a
// layer with one scale and any zero point.
#pragma once

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble::testing {

class Uint8Network {
 public:
  explicit Uint8Network(uint64_t seed) : random_(seed) { graph_.name = "uint8"; }

  TensorId input(const Shape& shape);
  /// spread: weights reach that far from their zero point; up to 127 they fit int8.
  TensorId conv(TensorId x, int64_t channels, Window window, int64_t spread);
  TensorId depthwise(TensorId x, int64_t multiplier, Window window, int64_t spread);
  TensorId fully_connected(TensorId x, int64_t channels, int64_t spread);
  TensorId transpose_conv(TensorId x, int64_t channels, Window window, int64_t spread);
  TensorId add(TensorId a, TensorId b);
  TensorId sub(TensorId a, TensorId b);
  TensorId div(TensorId a, TensorId b);
  TensorId prelu(TensorId x);
  TensorId mul(TensorId a, TensorId b);
  TensorId concat(TensorId a, TensorId b);
  TensorId average_pool(TensorId x, Window window);
  TensorId max_pool(TensorId x, Window window);
  TensorId mean(TensorId x);
  TensorId pad(TensorId x);
  TensorId flat(TensorId x);
  TensorId logistic(TensorId x);
  TensorId tanh(TensorId x);
  TensorId softmax(TensorId x);

  /// A square window; SAME or VALID padding.
  Window window(TensorId x, int64_t kernel, int64_t stride, bool same) const;
  /// The window of a convolution that leads back to x.
  Window upwards(TensorId x);
  [[nodiscard]] const Shape& shape(TensorId x) const { return graph_.tensor(x).shape; }
  [[nodiscard]] float scale(TensorId x) const { return graph_.tensor(x).quantization.scales[0]; }
  [[nodiscard]] zoo::Random& random() { return random_; }
  [[nodiscard]] Graph finish(const std::vector<TensorId>& outputs);

 private:
  TensorId activation(const Shape& shape, double scale, int64_t zero_point);
  TensorId like(TensorId x, const Shape& shape);
  TensorId weights(const Shape& shape, int64_t spread);
  TensorId weighted(TensorId x, Attributes attributes, TensorId w, const Shape& out);
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, TensorId out);
  Activation any_activation();
  Shape pooled(TensorId x, const Window& window, int64_t channels) const;

  Graph graph_;
  zoo::Random random_;
};

/// Some ten operators of all kinds.
[[nodiscard]] Graph random_uint8_network(uint64_t seed);

/// Random bytes for its inputs.
[[nodiscard]] std::vector<Bytes> random_uint8_inputs(const Graph& graph, uint64_t seed);

}  // namespace thimble::testing
