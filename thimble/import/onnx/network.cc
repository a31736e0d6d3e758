// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "thimble/import/onnx/factors.h"
#include "thimble/import/onnx/movement.h"
#include "thimble/model/error.h"

namespace thimble::onnx {
namespace {

// The axes that have more than one index, in an order: all that bytes tell of it.
Order long_axes(const Shape& shape, const Order& order) {
  Order result;
  std::ranges::copy_if(order, std::back_inserter(result),
                       [&](int axis) { return shape[static_cast<size_t>(axis)] > 1; });
  return result;
}

Bytes turned(const Bytes& from, const Shape& shape, const Order& order, size_t element_bytes) {
  std::vector<size_t> own(shape.size(), element_bytes);
  for (size_t k = shape.size(); k-- > 1;) own[k - 1] = own[k] * static_cast<size_t>(shape[k]);
  const Shape to = in_order(shape, order);
  std::vector<size_t> stride;
  for (const int axis : order) stride.push_back(own[static_cast<size_t>(axis)]);
  Bytes result(from.size());
  std::vector<int64_t> index(to.size());
  size_t at = 0;
  for (size_t k = 0; k < result.size(); k += element_bytes) {
    std::memcpy(result.data() + k, from.data() + at, element_bytes);
    for (size_t axis = to.size(); axis-- > 0;) {
      at += stride[axis];
      if (++index[axis] < to[axis]) break;
      at -= stride[axis] * static_cast<size_t>(to[axis]);
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace

TensorId Network::add(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  shifted_.push_back(false);
  makers_.push_back(-1);
  named_.push_back(false);
  return {static_cast<int32_t>(tensors_.size()) - 1};
}

Value Network::add_input(const std::string& name, DType type, const Shape& shape,
                         const Order& order) {
  const TensorId tensor = add({.name = name, .shape = in_order(shape, order), .type = type});
  named_[tensor.index()] = true;
  return {.type = type,
          .shape = shape,
          .constant = nullptr,
          .tensor = tensor,
          .order = order,
          .reshaped = nullptr,
          .name = name};
}

TensorId Network::constant(Constant constant, std::string name) {
  const TensorId made = add({.name = std::move(name),
                             .shape = constant.shape,
                             .type = constant.type,
                             .data = std::move(constant.data)});
  constant.data = nullptr;
  if (!constant.scales.empty()) integers_.emplace(made, std::move(constant));
  return made;
}

void Network::quantise(TensorId id, const Quantization& quantization) {
  tensors_[id.index()].quantization = quantization;
  const Op* op = maker(id);
  if (op != nullptr && is_movement(op->attributes) &&
      (*this)[op->inputs[0]].quantization.scales.empty())
    quantise(op->inputs[0], quantization);
}

TensorId Network::make(const Node& node, Attributes attributes, std::vector<TensorId> inputs,
                       DType type, Shape shape) {
  const std::string_view name =
      node.record->outputs.empty() ? std::string_view() : node.record->outputs[0];
  const TensorId made = add({.name = fmt::format("{}/{}", name, tensors_.size()),
                             .shape = std::move(shape),
                             .type = type});
  makers_[made.index()] = static_cast<int>(steps_.size());
  keep_integers(node, attributes, inputs, made);
  steps_.push_back({{std::move(attributes), std::move(inputs), {made}, node.number}, node.where});
  return made;
}

void Network::keep_integers(const Node& node, const Attributes& attributes,
                            const std::vector<TensorId>& inputs, TensorId made) {
  const bool moves = is_movement(attributes);
  for (const TensorId id : inputs) {
    if (is_shifted(id) && !moves && !std::holds_alternative<Dequantize>(attributes) &&
        !std::holds_alternative<Quantize>(attributes))
      node.refuse(
          "is not supported on uint8 that a QuantizeLinear makes; between a "
          "DequantizeLinear and a QuantizeLinear it is");
  }
  if (!moves || (*this)[inputs[0]].type != (*this)[made].type) return;
  tensors_[made.index()].quantization = (*this)[inputs[0]].quantization;
  shifted_[made.index()] = is_shifted(inputs[0]);
}

Value Network::value(const Node& node, Attributes attributes, std::vector<TensorId> inputs,
                     DType type, const Shape& shape, const Order& order) {
  const TensorId made =
      make(node, std::move(attributes), std::move(inputs), type, in_order(shape, order));
  return {.type = type,
          .shape = shape,
          .constant = nullptr,
          .tensor = made,
          .order = order,
          .reshaped = nullptr,
          .name = {}};
}

namespace {

// Axes that stay side by side become one.
void merge_neighbours(std::vector<int>& permutation, Shape& from, Shape& to) {
  for (size_t k = 0; k + 1 < permutation.size();) {
    const int axis = permutation[k];
    if (permutation[k + 1] != axis + 1) {
      ++k;
      continue;
    }
    to[k] *= to[k + 1];
    to.erase(to.begin() + static_cast<ptrdiff_t>(k) + 1);
    from[static_cast<size_t>(axis)] *= from[static_cast<size_t>(axis) + 1];
    from.erase(from.begin() + axis + 1);
    permutation.erase(permutation.begin() + static_cast<ptrdiff_t>(k) + 1);
    for (int& other : permutation) other -= other > axis ? 1 : 0;
  }
}

}  // namespace

Order natural_order(const Value& value) {
  if (value.constant != nullptr) return same_order(value.rank());
  if (value.reshaped == nullptr) return value.order;
  const Value& before = *value.reshaped;
  if (before.constant == nullptr && before.reshaped == nullptr) {
    if (const std::optional<Factors> factors = factors_of(before.shape, value.shape)) {
      Order order = order_behind(*factors, before.order, value.rank());
      const bool is_whole =
          in_tensor(factors->before, before.order) == in_tensor(factors->behind, order);
      if (is_whole || order == channels_last(value.rank())) return order;
    }
  }
  return same_order(value.rank());
}

TensorId Network::tensor(const Node& node, const Value& value, const Order& order) {
  if (value.constant != nullptr) {
    const auto key = std::pair(value.constant->data.get(), std::pair(value.shape, order));
    const auto known = constants_.find(key);
    if (known != constants_.end()) return known->second;
    Constant content = *value.constant;
    content.shape = in_order(value.shape, order);
    if (long_axes(value.shape, order) != long_axes(value.shape, same_order(value.rank())))
      content.data =
          std::make_shared<const Bytes>(turned(*value.constant->data, value.shape, order,
                                               static_cast<size_t>(size_bytes(content.type))));
    const TensorId made = constant(std::move(content), value.name);
    // The key's bytes have to stay where they are.
    constants_.emplace(key, made);
    kept_.push_back(value.constant);
    return made;
  }
  if (value.reshaped != nullptr) return reshaped(node, value, order);
  if (value.order == order) return value.tensor;
  const TurnedKey key = {value.tensor, value.shape, value.order, order};
  const auto known = turned_.find(key);
  if (known != turned_.end()) return known->second;
  Attributes how = Reshape{};  // where only axes of one index change their places
  if (long_axes(value.shape, order) != long_axes(value.shape, value.order)) {
    Transpose transpose;
    for (const int axis : order)
      transpose.permutation.push_back(
          static_cast<int>(std::ranges::find(value.order, axis) - value.order.begin()));
    how = std::move(transpose);
  }
  const TensorId made =
      make(node, std::move(how), {value.tensor}, value.type, in_order(value.shape, order));
  return turned_.emplace(key, made).first->second;
}

TensorId Network::reshaped(const Node& node, const Value& value, const Order& order) {
  const Value& before = *value.reshaped;
  const bool computed = before.constant == nullptr && before.reshaped == nullptr;
  const std::optional<Factors> factors =
      computed ? factors_of(before.shape, value.shape) : std::nullopt;
  const Order from_order = factors ? before.order : same_order(before.rank());
  const TensorId from = factors ? before.tensor : tensor(node, before, from_order);
  const Shape shape = in_order(value.shape, order);
  const TurnedKey key = {from, value.shape, from_order, order};
  const auto known = turned_.find(key);
  if (known != turned_.end()) return known->second;
  const auto in_shape = [&](TensorId id, const Shape& wanted) {
    return (*this)[id].shape == wanted ? id : make(node, Reshape{}, {id}, value.type, wanted);
  };
  if (!factors) {
    Value after = value;
    after.reshaped = nullptr;
    after.order = same_order(value.rank());
    after.tensor = in_shape(from, value.shape);
    return turned_.emplace(key, tensor(node, after, order)).first->second;
  }
  const std::vector<size_t> places = in_tensor(factors->before, from_order);
  const std::vector<size_t> wanted = in_tensor(factors->behind, order);
  TensorId made = from;
  if (places != wanted) {
    Shape apart, turned;
    Transpose turn;
    for (const size_t place : places) apart.push_back(factors->extents[place]);
    for (const size_t place : wanted) {
      turned.push_back(factors->extents[place]);
      turn.permutation.push_back(
          static_cast<int>(std::ranges::find(places, place) - places.begin()));
    }
    merge_neighbours(turn.permutation, apart, turned);
    made = in_shape(made, apart);
    made = make(node, std::move(turn), {made}, value.type, std::move(turned));
  }
  return turned_.emplace(key, in_shape(made, shape)).first->second;
}

Value Network::with_rank(const Node& node, const Value& value, size_t rank) {
  if (value.rank() >= rank) return value;
  Value result = value;
  result.shape.insert(result.shape.begin(), rank - value.rank(), 1);
  if (value.constant != nullptr) {
    Constant content = *value.constant;
    content.shape = result.shape;
    result.constant = std::make_shared<const Constant>(std::move(content));
    return result;
  }
  const auto more = static_cast<int>(rank - value.rank());
  const Order order = value.reshaped == nullptr ? value.order : natural_order(value);
  const TensorId own = tensor(node, value, order);
  result.reshaped = nullptr;
  result.order = same_order(static_cast<size_t>(more));
  for (const int axis : order) result.order.push_back(axis + more);
  result.tensor = make(node, Reshape{}, {own}, value.type, in_order(result.shape, result.order));
  return result;
}

Op* Network::maker(TensorId id) {
  const int step = makers_[id.index()];
  return step < 0 ? nullptr : &steps_[static_cast<size_t>(step)].op;
}

void Network::name_if_new(TensorId id, const std::string& name) {
  if (named_[id.index()]) return;
  named_[id.index()] = true;
  tensors_[id.index()].name = name;
}

}  // namespace thimble::onnx
