// SPDX-License-Identifier: Apache-2.0
#include "tests/onnx/small_model.h"

#include "thimble/import/onnx/reader.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"

namespace thimble::onnx {

SmallModel& SmallModel::input(std::string_view name, ElementType type, const Shape& shape) {
  ValueRecord value{.name = name, .is_tensor = true, .type = type};
  value.dims.emplace();
  for (const int64_t extent : shape) value.dims->push_back({.extent = extent});
  model.graph.inputs.push_back(std::move(value));
  return *this;
}

SmallModel& SmallModel::output(std::string_view name, ElementType type) {
  model.graph.outputs.push_back(
      {.name = name, .is_tensor = type != ElementType::kUndefined, .type = type});
  return *this;
}

SmallModel& SmallModel::node(std::string_view op, std::vector<std::string_view> inputs,
                             std::vector<std::string_view> outputs) {
  NodeRecord& made = model.graph.nodes.emplace_back();
  made.op = op;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return *this;
}

SmallModel& SmallModel::whole(std::string_view name, int64_t value) {
  model.graph.nodes.back().attributes.push_back(
      {.name = name, .kind = AttributeKind::kInt, .i = value});
  return *this;
}

SmallModel& SmallModel::wholes(std::string_view name, std::vector<int64_t> values) {
  AttributeRecord given{.name = name, .kind = AttributeKind::kInts};
  given.ints = std::move(values);
  model.graph.nodes.back().attributes.push_back(std::move(given));
  return *this;
}

SmallModel& SmallModel::text(std::string_view name, std::string_view value) {
  model.graph.nodes.back().attributes.push_back(
      {.name = name, .kind = AttributeKind::kString, .s = value});
  return *this;
}

SmallModel& SmallModel::texts(std::string_view name, std::vector<std::string_view> values) {
  AttributeRecord given{.name = name, .kind = AttributeKind::kStrings};
  given.strings = std::move(values);
  model.graph.nodes.back().attributes.push_back(std::move(given));
  return *this;
}

SmallModel& SmallModel::ones(std::string_view name, const Shape& shape) {
  return constant(name, ElementType::kFloat, shape,
                  std::vector<float>(static_cast<size_t>(elements(shape)), 1));
}

SmallModel& SmallModel::constant_of_bytes(std::string_view name, ElementType type,
                                          const Shape& shape, Bytes bytes) {
  TensorRecord tensor{.name = name, .type = type, .dims = shape};
  tensor.typed = std::move(bytes);
  model.graph.initializers.push_back(std::move(tensor));
  return *this;
}

Graph SmallModel::graph() const { return graph_of(model, "small", "small.onnx", "", {}); }

std::string SmallModel::refusal() const {
  try {
    (void)graph();
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

Bytes SmallModel::bytes_made(const Bytes& input, size_t output) const {
  const Graph network = graph();
  const TensorValues values = interpret(network, {input});
  const Port& port = network.outputs.at(output);
  return to_port(network, port, values[port.tensor.index()]);
}

}  // namespace thimble::onnx
