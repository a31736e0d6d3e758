// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/reading.h"

#include <fmt/format.h>

#include <algorithm>

namespace thimble::onnx {

const Value& Reading::input(size_t k) const {
  if (!has(k)) node.damaged(fmt::format("input {} is missing", k));
  return *inputs_[k];
}

int64_t one_whole(const Node& node, const Constant& constant, const char* what) {
  if (constant.size() != 1) node.damaged(fmt::format("{} is not one number", what));
  return wholes(constant)[0];
}

float one_real(const Node& node, const Constant& constant, const char* what) {
  if (constant.size() != 1) node.damaged(fmt::format("{} is not one number", what));
  return reals(constant)[0];
}

const Constant& Reading::constant(size_t k, const char* what) const {
  if (input(k).constant == nullptr)
    node.refuse(
        fmt::format("is not supported with {} that are computed from the network's inputs; "
                    "they have to be constant",
                    what));
  return *input(k).constant;
}

std::vector<const Constant*> Reading::constants() const {
  std::vector<const Constant*> result;
  for (const Value* value : inputs_)
    result.push_back(value == nullptr ? nullptr : value->constant.get());
  return result;
}

Order Reading::order_of(const Value& value) { return natural_order(value); }

Order Reading::order_of(const std::vector<Value>& values) {
  // What a tensor has where only its axes of more than one index count.
  const auto long_axes = [](const Value& value, const Order& order) {
    Order result;
    for (const int axis : order)
      if (value.shape[static_cast<size_t>(axis)] != 1) result.push_back(axis);
    return result;
  };
  Order best = same_order(values.at(0).rank());
  int64_t least = -1;
  for (const Value& value : values) {
    if (value.constant != nullptr) continue;
    const Order order = order_of(value);
    int64_t turned = 0;
    for (const Value& other : values) {
      const bool turns =
          other.constant == nullptr && long_axes(other, order_of(other)) != long_axes(other, order);
      turned += turns ? elements(other.shape) : 0;
    }
    if (least >= 0 && turned >= least) continue;
    least = turned;
    best = order;
  }
  return best;
}

Value Reading::settled(const Value& value) const {
  if (value.reshaped == nullptr && value.constant == nullptr) return value;
  Value result = value;
  result.order = natural_order(value);
  result.tensor = network.tensor(node, value, result.order);
  result.constant = nullptr;
  result.reshaped = nullptr;
  return result;
}

Value Reading::turned_at_port(const Value& value) const {
  constexpr size_t kImage = 4;
  Value result = settled(value);
  if (value.constant != nullptr || result.rank() != kImage || result.order != same_order(kImage) ||
      network.maker(result.tensor) != nullptr)
    return result;
  result.order = channels_last(kImage);
  result.tensor = network.tensor(node, value, result.order);
  return result;
}

Value Reading::each(Attributes attributes, const Value& of, DType type) const {
  const Value from = settled(of);
  return value(std::move(attributes), {from.tensor}, type, from.shape, from.order);
}

Value Reading::each(Attributes attributes, const Value& a, const Value& b, DType type) const {
  const Shape shape = broadcast(node, a.shape, b.shape);
  const Value x = network.with_rank(node, a, shape.size()),
              y = network.with_rank(node, b, shape.size());
  // The order of the one that is computed, and of two of the larger one.
  const bool by_y =
      x.constant != nullptr || (y.constant == nullptr && elements(x.shape) < elements(y.shape));
  const Order order = order_of(by_y ? y : x);
  return value(std::move(attributes),
               {network.tensor(node, x, order), network.tensor(node, y, order)}, type, shape,
               order);
}

Value Reading::number(float number) const {
  return known(constant_of(Shape{1}, std::vector{number}));
}

Value Reading::known(Constant constant) const {
  Value result{.type = constant.type, .shape = constant.shape};
  result.constant = std::make_shared<const Constant>(std::move(constant));
  return result;
}

Op* Reading::maker(size_t k) const {
  const Value& x = input(k);
  if (x.constant != nullptr || x.reshaped != nullptr || uses_(node.record->inputs[k]) != 1)
    return nullptr;
  Op* op = network.maker(x.tensor);
  while (op != nullptr && std::holds_alternative<Reshape>(op->attributes))
    op = network.maker(op->inputs[0]);
  return op;
}

bool Reading::fused(size_t k, Activation activation) const {
  Op* op = maker(k);
  if (op == nullptr || activation == Activation::kRelu0To1) return false;
  const auto set = [&](auto& kind) {
    using Kind = std::remove_cvref_t<decltype(kind)>;
    if constexpr (kIsOneOf<Kind, Conv2D, DepthwiseConv2D, TransposeConv, FullyConnected, Add, Mul,
                           Sub, AveragePool2D, MaxPool2D>) {
      if (kind.activation != Activation::kNone) return false;
      kind.activation = activation;
      return true;
    } else {
      return false;
    }
  };
  return std::visit(set, op->attributes);
}

namespace {

const ReadNodes& all_operators() {
  static const ReadNodes all = [] {
    ReadNodes nodes;
    for (const ReadNodes& some :
         {window_operators(), function_operators(), arithmetic_operators(), shape_operators(),
          product_operators(), reduction_operators(), normalisation_operators(), resize_operators(),
          trigonometric_operators(), position_operators(), choice_operators(), einsum_operators(),
          loss_operators(), quantised_operators(), recurrent_operators(), sequence_operators(),
          spectrum_operators()})
      nodes.insert(some.begin(), some.end());
    return nodes;
  }();
  return all;
}

}  // namespace

std::vector<std::string> read_operators() {
  std::vector<std::string> names;
  for (const auto& [name, how] : all_operators()) names.emplace_back(name);
  return names;
}

ReadNode read_node(std::string_view domain, std::string_view op) {
  const ReadNodes& all = all_operators();
  const bool standard = domain.empty() || domain == "ai.onnx";
  const auto found = all.find(standard ? std::string(op) : fmt::format("{}.{}", domain, op));
  return found == all.end() ? nullptr : found->second;
}

}  // namespace thimble::onnx
