// SPDX-License-Identifier: Apache-2.0
// A node as it is read: what it reads are values, and what it makes of them goes to the network.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/import/onnx/network.h"
#include "thimble/import/onnx/node.h"

namespace thimble::onnx {

class Reading {
 public:
  /// inputs: null where an optional one is absent.
  Reading(const Node& read, Network& made_of, std::vector<const Value*> inputs)
      : node(read),
        network(made_of),
        inputs_(std::move(inputs)),
        made_(read.record->outputs.size()) {}

  const Node& node;
  Network& network;

  [[nodiscard]] size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] bool has(size_t k) const { return k < inputs_.size() && inputs_[k] != nullptr; }
  /// Throws CompileError if it is missing.
  [[nodiscard]] const Value& input(size_t k) const;
  /// Throws CompileError unless it is constant; `what` it is: "weights".
  [[nodiscard]] const Constant& constant(size_t k, const char* what) const;
  /// As fold() and the rules of shapes take them: null where it is not constant, or absent.
  [[nodiscard]] std::vector<const Constant*> constants() const;

  /// An input with its axes in an order.
  [[nodiscard]] TensorId tensor(size_t k, const Order& order) const {
    return network.tensor(node, input(k), order);
  }
  /// What an operator makes of tensors.
  [[nodiscard]] Value value(Attributes attributes, std::vector<TensorId> inputs, DType type,
                            const Shape& shape, const Order& order) const {
    return network.value(node, std::move(attributes), std::move(inputs), type, shape, order);
  }
  /// A function of one value, element by element: of its type and shape, in its order.
  [[nodiscard]] Value each(Attributes attributes, const Value& of) const {
    return each(std::move(attributes), of, of.type);
  }
  [[nodiscard]] Value each(Attributes attributes, const Value& of, DType type) const;
  /// A function of two values, stretched to each other.
  [[nodiscard]] Value each(Attributes attributes, const Value& a, const Value& b, DType type) const;
  [[nodiscard]] Value each(Attributes attributes, const Value& a, const Value& b) const {
    return each(std::move(attributes), a, b, a.type);
  }
  /// A number as a value, to be stretched.
  [[nodiscard]] Value number(float number) const;
  [[nodiscard]] Value known(Constant constant) const;
  /// The order that the values' tensors have, or most of them.
  [[nodiscard]] static Order order_of(const Value& value);
  /// The one in which the fewest elements have to be turned. Values of one rank.
  [[nodiscard]] static Order order_of(const std::vector<Value>& values);
  /// A value whose tensor is there, and no reshape of one.
  [[nodiscard]] Value settled(const Value& value) const;

  /// An image that a caller gives with its channels first is turned before anything else is done
  /// with it: the first operator then reads the caller's bytes through strides.
  [[nodiscard]] Value turned_at_port(const Value& value) const;

  /// How often the file reads a name.
  void count_uses(std::function<int(std::string_view)> uses) { uses_ = std::move(uses); }
  /// The operator that made an input which nobody else reads, so that it may be changed; null:
  /// there is none. Reshapes on the way are looked through.
  [[nodiscard]] Op* maker(size_t input) const;

  /// Whether the operator that made an input does this, too, from now on: a clamp of its output.
  [[nodiscard]] bool fused(size_t input, Activation activation) const;

  void make(size_t output, Value value) { made_.at(output) = std::move(value); }
  [[nodiscard]] std::vector<std::optional<Value>>& made() { return made_; }
  [[nodiscard]] bool wants(size_t output) const {
    return output < node.record->outputs.size() && !node.record->outputs[output].empty();
  }

 private:
  std::vector<const Value*> inputs_;
  std::vector<std::optional<Value>> made_;
  std::function<int(std::string_view)> uses_;
};

/// A constant of one element. Throws CompileError for others; `what` it is: "a length".
[[nodiscard]] int64_t one_whole(const Node& node, const Constant& constant, const char* what);
[[nodiscard]] float one_real(const Node& node, const Constant& constant, const char* what);

using ReadNode = void (*)(Reading&);
/// By "Conv", or "com.microsoft.Gelu".
using ReadNodes = std::map<std::string_view, ReadNode>;

[[nodiscard]] const ReadNodes& window_operators();
[[nodiscard]] const ReadNodes& function_operators();
[[nodiscard]] const ReadNodes& trigonometric_operators();
[[nodiscard]] const ReadNodes& arithmetic_operators();
[[nodiscard]] const ReadNodes& shape_operators();
[[nodiscard]] const ReadNodes& product_operators();
[[nodiscard]] const ReadNodes& reduction_operators();
[[nodiscard]] const ReadNodes& normalisation_operators();
[[nodiscard]] const ReadNodes& resize_operators();
[[nodiscard]] const ReadNodes& position_operators();
[[nodiscard]] const ReadNodes& choice_operators();
[[nodiscard]] const ReadNodes& einsum_operators();
[[nodiscard]] const ReadNodes& loss_operators();
[[nodiscard]] const ReadNodes& quantised_operators();
[[nodiscard]] const ReadNodes& recurrent_operators();
[[nodiscard]] const ReadNodes& sequence_operators();
[[nodiscard]] const ReadNodes& spectrum_operators();

/// "Conv", "com.microsoft.Gelu", ..., sorted.
[[nodiscard]] std::vector<std::string> read_operators();
/// The one for a node; null: it is not supported.
[[nodiscard]] ReadNode read_node(std::string_view domain, std::string_view op);

}  // namespace thimble::onnx
