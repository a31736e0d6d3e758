// SPDX-License-Identifier: Apache-2.0
// Random graphs of one operator each.
#pragma once

#include <random>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// Makes one operator with its tensors. The same seed gives the same graph on every machine.
class RandomOp {
 public:
  explicit RandomOp(uint32_t seed) : engine_(seed) {}

  Graph conv_2d();
  Graph depthwise_conv_2d();
  Graph fully_connected();
  Graph average_pool_2d();
  Graph max_pool_2d();
  Graph mean();
  Graph add();
  Graph mul();
  Graph pad();
  Graph reshape();
  Graph transpose();
  Graph softmax();
  Graph relu();
  Graph relu6();
  Graph quantize();
  Graph dequantize();
  Graph concat();

  int64_t between(int64_t low, int64_t high);  ///< both included
  Bytes bytes(int64_t count);

 private:
  float scale();
  Shape shape(size_t lowest_rank, size_t highest_rank);
  Activation activation();
  Tensor tensor(DType type, Shape shape);
  Tensor weights(Shape shape, int channel_axis);
  Tensor bias(int64_t channels);
  Tensor addend(const Shape& shape);
  Window window(const Shape& x, Shape& out);
  Graph pool(bool average);
  Graph arithmetic(bool add);
  static Graph graph(Attributes attributes, std::vector<Tensor> inputs, Tensor output);

  std::mt19937 engine_;
};

}  // namespace thimble::testing
