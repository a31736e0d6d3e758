// SPDX-License-Identifier: Apache-2.0
// Members of Reader: constants, what asks for shapes, functions, branches and loops whose way is
// known.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "thimble/import/onnx/reader.h"
#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"

namespace thimble::onnx {
namespace {

constexpr int kMostCalls = 16;
constexpr int64_t kMostTurns = 1024;

const GraphRecord& branch_of(const Node& node, const char* name) {
  const AttributeRecord* attribute = node.attribute(name);
  if (attribute == nullptr || attribute->graphs.size() != 1)
    node.damaged(fmt::format("it has no {}", name));
  return attribute->graphs[0];
}

}  // namespace

bool is_structure(std::string_view op) {
  static constexpr std::array<std::string_view, 5> kOps = {"Constant", "Shape", "Size", "If",
                                                           "Loop"};
  return std::ranges::find(kOps, op) != kOps.end();
}

void Reader::call(const FunctionRecord& function, const Node& node,
                  const std::vector<const Value*>& inputs, Scope& scope) {
  if (++depth_ > kMostCalls) node.refuse("calls itself, or functions more than 16 deep");
  Scope inner{.around = nullptr};
  Scope none;
  inner.around = &none;  // it sees nothing of its caller
  for (const AttributeRecord& usual : function.defaults)
    inner.attributes.emplace(usual.name, &usual);
  for (const std::string_view name : function.attributes)
    if (const AttributeRecord* given = node.attribute(name)) inner.attributes[name] = given;
  for (const AttributeRecord& usual : function.defaults)
    if (const AttributeRecord* given = node.attribute(usual.name))
      inner.attributes[usual.name] = given;
  for (size_t k = 0; k < function.inputs.size() && k < inputs.size(); ++k)
    if (inputs[k] != nullptr) set(inner, function.inputs[k], *inputs[k]);
  const std::vector<const NodeRecord*> nodes =
      needed_in_order(function.nodes, function.outputs, node.where);
  for (const NodeRecord* each : nodes) read(*each, inner, node.number);
  for (size_t k = 0; k < node.record->outputs.size() && k < function.outputs.size(); ++k) {
    const Value* made = inner.find(function.outputs[k]);
    if (made == nullptr) node.damaged("its function makes no such output");
    set(scope, node.record->outputs[k], *made);
  }
  --depth_;
}

/// What a branch makes, with what is around it in sight.
std::vector<Value> Reader::branch(const GraphRecord& graph, const Node& node, const Scope& scope,
                                  const std::vector<Value>& arguments) {
  if (++depth_ > kMostCalls) node.refuse("has branches in branches, more than 16 deep");
  Scope inner{.around = &scope};
  if (node.of_call != nullptr) inner.attributes = *node.of_call;
  add_constants(graph, inner);
  for (size_t k = 0; k < graph.inputs.size() && k < arguments.size(); ++k)
    set(inner, graph.inputs[k].name, arguments[k]);
  std::vector<std::string_view> outputs;
  for (const ValueRecord& output : graph.outputs) outputs.push_back(output.name);
  for (const NodeRecord* each : needed_in_order(graph.nodes, outputs, node.where))
    read(*each, inner, node.number);
  std::vector<Value> made;
  for (const std::string_view name : outputs) {
    const Value* value = inner.find(name);
    if (value == nullptr) node.damaged(fmt::format("its branch makes no '{}'", printable(name)));
    made.push_back(*value);
  }
  --depth_;
  return made;
}

void Reader::structure(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
  const NodeRecord& record = *node.record;
  if (record.outputs.empty()) return;
  if (record.op == "Constant")
    return set(scope, record.outputs[0], known(constant_node(node), record.outputs[0]));
  if (record.op == "If") return choose(node, inputs, scope);
  if (record.op == "Loop") return loop(node, inputs, scope);
  if (inputs.empty() || inputs[0] == nullptr) node.damaged("its input is missing");
  if (inputs[0]->list != nullptr) node.refuse("is not supported of a sequence");
  const Shape& shape = inputs[0]->shape;
  if (record.op == "Size")
    return set(
        scope, record.outputs[0],
        known(constant_of(Shape{}, std::vector<int64_t>{elements(shape)}), record.outputs[0]));
  const auto rank = static_cast<int64_t>(shape.size());
  const auto end_of = [&](const char* name, int64_t otherwise) {
    const int64_t given = node.whole(name, otherwise);
    return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const int64_t begin = end_of("start", 0), end = std::max(end_of("end", rank), begin);
  const std::vector<int64_t> extents(shape.begin() + begin, shape.begin() + end);
  set(scope, record.outputs[0], known(constant_of({end - begin}, extents), record.outputs[0]));
}

Constant Reader::constant_node(const Node& node) const {
  if (const AttributeRecord* value = node.attribute("value"))
    if (!value->tensors.empty()) return constant_of(value->tensors[0], folder_, node.where);
  if (const AttributeRecord* value = node.attribute("value_float"))
    return constant_of(Shape{}, std::vector<float>{value->f});
  if (const AttributeRecord* value = node.attribute("value_floats"))
    return constant_of({std::ssize(value->floats)}, value->floats);
  if (const AttributeRecord* value = node.attribute("value_int"))
    return constant_of(Shape{}, std::vector<int64_t>{value->i});
  if (const AttributeRecord* value = node.attribute("value_ints"))
    return constant_of({std::ssize(value->ints)}, value->ints);
  node.refuse("is not supported with a value of this kind; numbers and tensors are");
}

void Reader::choose(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
  if (inputs.empty() || inputs[0] == nullptr) node.damaged("its condition is missing");
  if (inputs[0]->constant == nullptr || inputs[0]->constant->size() != 1)
    throw Refusal(node.where,
                  "is not supported where its condition is computed from the network's inputs; "
                  "export the branch that is taken",
                  Help::kUnroll);
  const bool holds = wholes(*inputs[0]->constant)[0] != 0;
  const std::vector<Value> made =
      branch(branch_of(node, holds ? "then_branch" : "else_branch"), node, scope, {});
  for (size_t k = 0; k < node.record->outputs.size(); ++k) {
    if (k >= made.size()) node.damaged("its branch makes fewer outputs");
    set(scope, node.record->outputs[k], made[k]);
  }
}

void Reader::loop(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
  const GraphRecord& body = branch_of(node, "body");
  if (inputs.empty() || inputs[0] == nullptr || inputs[0]->constant == nullptr)
    throw Refusal(node.where,
                  "is not supported where its count is computed from the network's inputs; "
                  "unroll the loop before exporting",
                  Help::kUnroll);
  const int64_t turns = one_whole(node, *inputs[0]->constant, "its count");
  if (turns > kMostTurns)
    node.refuse(fmt::format("of {} turns is not supported; up to {} are", turns, kMostTurns));
  std::vector<Value> carried;
  for (size_t k = 2; k < inputs.size(); ++k) {
    if (inputs[k] == nullptr) node.damaged("a value that it carries is missing");
    carried.push_back(*inputs[k]);
  }
  if (body.outputs.size() != carried.size() + 1)
    node.refuse("is not supported with outputs of each turn; with those of the last it is");
  bool goes_on = true;
  if (inputs.size() > 1 && inputs[1] != nullptr) {
    if (inputs[1]->constant == nullptr)
      throw Refusal(node.where, "is not supported where it begins by what is computed",
                    Help::kUnroll);
    goes_on = one_whole(node, *inputs[1]->constant, "its condition") != 0;
  }
  if (node.record->outputs.size() > carried.size()) node.damaged("it has more outputs than values");
  for (int64_t turn = 0; turn < turns && goes_on; ++turn) {
    std::vector<Value> arguments = {
        known(constant_of(Shape{}, std::vector<int64_t>{turn}), "turn"),
        known(constant_of(Shape{}, std::vector<int64_t>{1}, DType::kBool), "condition")};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    std::vector<Value> made = branch(body, node, scope, arguments);
    if (made[0].constant == nullptr)
      throw Refusal(node.where, "is not supported where it ends by what it computes",
                    Help::kUnroll);
    goes_on = one_whole(node, *made[0].constant, "its condition") != 0;
    carried.assign(made.begin() + 1, made.end());
  }
  for (size_t k = 0; k < node.record->outputs.size(); ++k)
    set(scope, node.record->outputs[k], carried[k]);
}

}  // namespace thimble::onnx
