// SPDX-License-Identifier: Apache-2.0
// Small int8 networks for tests, with seeded weights and scales that keep activations alive.
#pragma once

#include <random>

#include "thimble/model/graph.h"

namespace thimble::testing {

class TestGraph {
 public:
  explicit TestGraph(uint64_t seed) : random_(seed) { graph_.name = "test"; }

  TensorId input(const Shape& shape);
  /// A float32 input that a QUANTIZE turns into what comes back.
  TensorId float_input(const Shape& shape);
  /// SAME padding.
  TensorId conv(TensorId x, int64_t out_channels, int64_t kernel, int64_t stride);
  TensorId depthwise(TensorId x, int64_t kernel, int64_t stride);
  TensorId add(TensorId a, TensorId b);
  TensorId mul(TensorId a, TensorId b);  ///< b's axes are those of a, or 1
  TensorId average_pool(TensorId x, int64_t kernel, int64_t stride);
  TensorId max_pool(TensorId x, int64_t kernel, int64_t stride,
                    Activation activation = Activation::kNone);
  TensorId logistic(TensorId x);
  TensorId mean(TensorId x);  ///< over rows and columns, which stay as axes of 1
  TensorId reshape(TensorId x, const Shape& shape);
  TensorId pad(TensorId x, int64_t before, int64_t after);  ///< rows and columns, by the zero point
  TensorId transpose(TensorId x, const std::vector<int>& permutation);
  TensorId resize(TensorId x, Attributes kind, int64_t rows, int64_t columns);
  TensorId concat(TensorId a, TensorId b);  ///< channels; both quantised alike
  TensorId fully_connected(TensorId x, int64_t out_channels);
  /// Each row along the last axis by itself.
  TensorId linear(TensorId x, int64_t out_channels);
  TensorId batch_matmul(TensorId x, TensorId y, bool adjoint_y);
  TensorId softmax(TensorId x);

  void output(TensorId t) { graph_.outputs.push_back({t, {}}); }
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] Graph& graph() { return graph_; }

 private:
  TensorId activation(const Shape& shape, float scale, int32_t zero_point);
  TensorId constant(const Shape& shape, DType type, int64_t low, int64_t high,
                    const Quantization& quantization);
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, TensorId out);
  TensorId pool(TensorId x, Attributes kind, int64_t stride);
  Window same_window(TensorId x, int64_t kernel, int64_t stride) const;

  Graph graph_;
  std::mt19937_64 random_;
};

/// x 24x24x8 -> conv 3x3/2 -> t 12x12x16 -> depthwise 3x3 -> u; t + u -> y -> conv 1x1 -> z
[[nodiscard]] Graph residual_network();

}  // namespace thimble::testing
