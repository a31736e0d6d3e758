// SPDX-License-Identifier: Apache-2.0
// What a random network of one operator is drawn from: extents, quantisations, operands. The file
// of an operator's subject defines how it is drawn (make).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble::testing {

/// Elements over the range of their type; float32: over [-float_range, float_range].
[[nodiscard]] Bytes random_bytes_of(DType type, int64_t count, double float_range,
                                    zoo::Random& random);

/// Draws the attributes, operands and output of one operator.
class OpDraw {
 public:
  explicit OpDraw(zoo::Random& random) : random_(random) {}

  /// A network of one operator of this kind, whose attributes are drawn.
  [[nodiscard]] Graph network(const Attributes& kind);

  zoo::Random& random() { return random_; }
  Graph& graph() { return graph_; }
  int64_t some(int64_t lowest, int64_t highest) { return random_.between(lowest, highest); }
  bool maybe(double probability) { return random_.chance(probability); }
  Shape some_shape(int64_t lowest_rank, int64_t highest_rank);
  Shape image() { return {maybe(0.2) ? 2 : 1, some(1, 9), some(1, 9), some(1, 17)}; }
  Activation activation() { return static_cast<Activation>(some(0, 3)); }
  /// Powers of two make ties in rounding.
  Quantization int8_quantization();
  TensorId tensor(const Shape& shape, DType type, const Quantization& q);
  TensorId int8(const Shape& shape) { return tensor(shape, DType::kInt8, int8_quantization()); }
  TensorId float32(const Shape& shape) { return raw(shape, DType::kFloat32); }
  /// Without a scale.
  TensorId raw(const Shape& shape, DType type) { return tensor(shape, type, {}); }
  void fill(TensorId t);
  TensorId maybe_constant(TensorId t, double probability);
  const Tensor& at(TensorId t) const { return graph_.tensor(t); }
  /// The output's shape follows from the inputs where `shape` is not given.
  void op(Attributes attributes, std::vector<TensorId> inputs, DType type, const Quantization& q,
          const std::optional<Shape>& shape = {});
  Window window(int64_t most_dilation);
  /// int8, or sometimes int16.
  DType some_activation() { return maybe(0.75) ? DType::kInt8 : DType::kInt16; }
  /// x, weights, maybe a bias; scales under which outputs spread over the range.
  std::vector<TensorId> weighted(TensorId x, const Shape& shape, int axis, const Quantization& out);
  TensorId some_tensor(const Shape& shape);
  /// A tensor of a type that is copied.
  TensorId copied(const Shape& shape);
  /// A scale with which the type covers a few units.
  Quantization quantization_of(DType type);
  /// A constant with one scale and zero point 0.
  TensorId symmetric(const Shape& shape, DType type, float scale);
  /// Under which sums of `count` products of noise spread over the range of int8.
  Quantization quantization_of_sums(float product, int64_t count);

 private:
#define THIMBLE_OPERATOR(Kind, name) void make(const Kind&);
#include "thimble/model/operators.def"
  /// One with which sums of a channel just reach an end of int32.
  int32_t extreme_bias(const Tensor& x, const Tensor& weights, int axis, size_t channel);

  zoo::Random& random_;
  Graph graph_;
};

}  // namespace thimble::testing
