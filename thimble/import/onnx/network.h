// SPDX-License-Identifier: Apache-2.0
// The Graph that nodes become, with no copies for the order of axes: ONNX has channels in front of
// rows and columns, the Graph behind them. A value remembers in which order its tensor has its
// axes; a TRANSPOSE of the file changes what is remembered, and one of the Graph stands where an
// operator needs another order than there is.
//
//   x        1x3x8x8   input      tensor 1x3x8x8                       order 0 1 2 3
//   Conv               TRANSPOSE, CONV_2D -> tensor 1x8x8x16           order 0 2 3 1
//   Relu     1x16x8x8  RELU of that tensor                             order 0 2 3 1
//   Transpose 0 2 3 1  nothing: shape 1x8x8x16 of the same tensor      order 0 1 2 3
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "thimble/import/onnx/constant.h"
#include "thimble/import/onnx/node.h"
#include "thimble/import/onnx/order.h"
#include "thimble/model/graph.h"

namespace thimble::onnx {

/// What a name of the file stands for.
struct Value {
  DType type = DType::kFloat32;
  Shape shape;                               ///< as the file has it
  std::shared_ptr<const Constant> constant;  ///< what is known of it; null: it is computed
  TensorId tensor;                           ///< of what is computed
  Order order;                               ///< of the tensor's axes
  /// Its elements before a Reshape, which nobody has asked for yet; then there is no tensor.
  std::shared_ptr<const Value> reshaped;
  std::string name;
  std::shared_ptr<const std::vector<Value>> list;  ///< a sequence: then there is nothing else

  [[nodiscard]] size_t rank() const { return shape.size(); }
};

/// The order in which a tensor of the value takes no more than a RESHAPE, or has channels last and
/// all others where they were; the file's, if there is none, and of constants.
[[nodiscard]] Order natural_order(const Value& value);

struct Step {
  Op op;
  std::string where;
};

class Network {
 public:
  /// A tensor for an input of the network, whose caller has its axes in an order.
  [[nodiscard]] Value add_input(const std::string& name, DType type, const Shape& shape,
                                const Order& order);
  /// The value as a tensor with its axes in an order: transposed or reshaped, where it is not so.
  [[nodiscard]] TensorId tensor(const Node& node, const Value& value, const Order& order);
  /// Stretched to so many axes in front.
  [[nodiscard]] Value with_rank(const Node& node, const Value& value, size_t rank);

  /// A constant's tensor.
  [[nodiscard]] TensorId constant(Constant constant, std::string name);
  /// A further tensor, which an operator makes of others.
  TensorId make(const Node& node, Attributes attributes, std::vector<TensorId> inputs, DType type,
                Shape shape);
  /// That tensor as a value, with its axes in an order. `shape` is the file's.
  [[nodiscard]] Value value(const Node& node, Attributes attributes, std::vector<TensorId> inputs,
                            DType type, const Shape& shape, const Order& order);

  [[nodiscard]] const Tensor& operator[](TensorId id) const { return tensors_[id.index()]; }
  /// Says what a tensor's integers stand for, and those that it is moved from.
  void quantise(TensorId id, const Quantization& quantization);
  /// A tensor of int8 that stands for the file's uint8, 128 less. What moves it does so, too.
  void shift(TensorId id) { shifted_[id.index()] = true; }
  [[nodiscard]] bool is_shifted(TensorId id) const { return shifted_[id.index()]; }
  /// Scales of constants that were integers.
  [[nodiscard]] const std::map<TensorId, Constant>& integers() const { return integers_; }

  /// The operator that makes a tensor; null: none.
  [[nodiscard]] Op* maker(TensorId id);
  /// The file's name for a tensor that has none of it yet.
  void name_if_new(TensorId id, const std::string& name);

  std::vector<Tensor> take_tensors() { return std::move(tensors_); }
  [[nodiscard]] std::vector<Step>& steps() { return steps_; }

 private:
  [[nodiscard]] TensorId add(Tensor tensor);
  /// What is moved stands for the same numbers.
  void keep_integers(const Node& node, const Attributes& attributes,
                     const std::vector<TensorId>& inputs, TensorId made);

  std::vector<Tensor> tensors_;
  std::vector<int> makers_;  ///< per tensor, of steps; -1: none
  std::vector<bool> named_;  ///< by the file
  std::vector<bool> shifted_;
  std::map<TensorId, Constant> integers_;  ///< without their data
  std::vector<Step> steps_;
  /// Its elements before a Reshape, as a tensor in an order of the axes behind it.
  [[nodiscard]] TensorId reshaped(const Node& node, const Value& value, const Order& order);

  /// A tensor, the order of its axes, and the shape and the order of axes in which it is wanted:
  /// behind a reshape these are others.
  using TurnedKey = std::tuple<TensorId, Shape, Order, Order>;
  /// Constants and turned values are made once for each order.
  std::map<std::pair<const Bytes*, std::pair<Shape, Order>>, TensorId> constants_;
  std::map<TurnedKey, TensorId> turned_;
  std::vector<std::shared_ptr<const Constant>> kept_;  ///< whose bytes are keys
};

}  // namespace thimble::onnx
