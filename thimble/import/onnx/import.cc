// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "thimble/import/file_bytes.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/network_builder.h"
#include "thimble/import/onnx.h"
#include "thimble/import/onnx/fold.h"
#include "thimble/import/onnx/patterns.h"
#include "thimble/import/onnx/reading.h"
#include "thimble/import/refusal.h"
#include "thimble/import/unsupported.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace onnx {
namespace {

constexpr int64_t kLeastOpset = 7;

/// What names stand for, and how often nodes read them. A branch sees what is around it.
struct Scope {
  const Scope* around = nullptr;
  std::unordered_map<std::string_view, Value> values = {};
  std::unordered_map<std::string_view, int> uses = {};
  std::map<std::string_view, const AttributeRecord*> attributes = {};  ///< of a function's call

  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around) {
      const auto found = scope->values.find(name);
      if (found != scope->values.end()) return &found->second;
    }
    return nullptr;
  }
};

std::string printable(std::string_view text) { return thimble::printable(std::string(text)); }

/// All names that a node reads, those of its branches too.
template <class Take>
void for_each_read(const NodeRecord& node, Take take) {
  for (const std::string_view input : node.inputs)
    if (!input.empty()) take(input);
  for (const AttributeRecord& attribute : node.attributes)
    for (const GraphRecord& graph : attribute.graphs) {
      for (const NodeRecord& inner : graph.nodes) for_each_read(inner, take);
      for (const ValueRecord& output : graph.outputs) take(output.name);
    }
}

/// Nodes that the wanted names need, each behind what it reads where the file has it otherwise.
std::vector<const NodeRecord*> needed_in_order(const std::vector<NodeRecord>& nodes,
                                               const std::vector<std::string_view>& wanted) {
  std::unordered_map<std::string_view, size_t> maker;
  for (size_t k = 0; k < nodes.size(); ++k)
    for (const std::string_view output : nodes[k].outputs)
      if (!output.empty()) maker.emplace(output, k);
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(nodes.size(), State::kNew);
  std::vector<const NodeRecord*> order;
  std::vector<std::pair<size_t, bool>> stack;
  const auto want = [&](std::string_view name) {
    const auto found = maker.find(name);
    if (found != maker.end() && states[found->second] == State::kNew)
      stack.emplace_back(found->second, false);
  };
  for (const std::string_view name : wanted) {
    want(name);
    while (!stack.empty()) {
      const auto [k, read] = stack.back();
      stack.pop_back();
      if (read) {
        states[k] = State::kDone;
        order.push_back(&nodes[k]);
      } else if (states[k] == State::kNew) {
        states[k] = State::kOpen;
        stack.emplace_back(k, true);
        for_each_read(nodes[k], want);
      }
    }
  }
  // As the file has them, where that is an order.
  std::vector<size_t> place(nodes.size(), nodes.size());
  for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k] - nodes.data())] = k;
  bool sorted = true;
  for (const NodeRecord* node : order) {
    const auto own = static_cast<size_t>(node - nodes.data());
    for_each_read(*node, [&](std::string_view name) {
      const auto found = maker.find(name);
      if (found != maker.end() && found->second >= own) sorted = false;
    });
  }
  if (sorted) std::ranges::sort(order);
  return order;
}

class Importer {
 public:
  Importer(const ModelRecord& model, std::string where, std::string folder)
      : model_(model), where_(std::move(where)), folder_(std::move(folder)) {}

  Graph graph(const std::string& name, const ImportOptions& options) {
    check_versions();
    Scope scope;
    const std::vector<std::string_view> outputs = wanted_outputs(options);
    add_constants(model_.graph, scope);
    std::vector<TensorId> inputs = add_inputs(scope, options);
    const std::vector<const NodeRecord*> nodes = needed_in_order(model_.graph.nodes, outputs);
    refuse_unsupported(nodes);
    count_uses(nodes, outputs, scope);
    for (const NodeRecord* node : nodes) read(*node, scope, static_cast<int>(number_of(*node)));
    return built(name, inputs, outputs, scope);
  }

 private:
  size_t number_of(const NodeRecord& node) const {
    return static_cast<size_t>(&node - model_.graph.nodes.data());
  }

  [[nodiscard]] int64_t opset_of(std::string_view domain) const {
    for (const Opset& opset : model_.opsets) {
      const bool standard = domain.empty() || domain == "ai.onnx";
      if (opset.domain == domain ||
          (standard && (opset.domain.empty() || opset.domain == "ai.onnx")))
        return opset.version;
    }
    return domain.empty() ? kLeastOpset : 1;
  }

  void check_versions() const {
    const int64_t opset = opset_of("");
    if (opset < kLeastOpset)
      throw ImportError(
          where_, fmt::format("is of opset {}; from {} on they are supported", opset, kLeastOpset));
  }

  [[nodiscard]] std::vector<std::string_view> wanted_outputs(const ImportOptions& options) const {
    std::vector<std::string_view> outputs;
    for (const std::string& name : options.until) outputs.push_back(name);
    if (outputs.empty())
      for (const ValueRecord& output : model_.graph.outputs) outputs.push_back(output.name);
    return outputs;
  }

  void add_constants(const GraphRecord& graph, Scope& scope) {
    for (const TensorRecord& tensor : graph.initializers) {
      const std::string name(tensor.name);
      set(scope, tensor.name,
          known(constant_of(tensor, folder_,
                            fmt::format("{}: initializer '{}'", where_, printable(name))),
                name));
    }
    for (const std::string_view sparse : graph.sparse_initializers)
      throw ImportError(
          where_,
          fmt::format("its initializer '{}' is sparse, which is not supported", printable(sparse)));
  }

  static Value known(Constant constant, std::string_view name) {
    Value value{.type = constant.type, .shape = constant.shape};
    value.constant = std::make_shared<const Constant>(std::move(constant));
    value.name = name;
    return value;
  }

  void set(Scope& scope, std::string_view name, Value value) {
    if (name.empty()) return;
    if (!scope.values.emplace(name, std::move(value)).second)
      throw Damage(where_, fmt::format("'{}' has two values", printable(name)));
  }

  std::vector<TensorId> add_inputs(Scope& scope, const ImportOptions& options) {
    std::vector<TensorId> inputs;
    std::vector<bool> used(options.shapes.size());
    for (const ValueRecord& input : model_.graph.inputs) {
      if (scope.values.contains(input.name)) continue;  // a default, as before IR 4
      const std::string where = fmt::format("{}: input '{}'", where_, printable(input.name));
      const std::optional<DType> type = type_of(input.type);
      if (!input.is_tensor || !type)
        throw ImportError(where, input.is_tensor ? fmt::format("is of {}, which is not supported",
                                                               onnx::name(input.type))
                                                 : "is no tensor, which is not supported");
      const Shape shape = shape_of(input, options, used, where);
      Value value = network_.add_input(std::string(input.name), *type, shape);
      inputs.push_back(value.tensor);
      set(scope, input.name, std::move(value));
    }
    for (size_t k = 0; k < used.size(); ++k) {
      if (!used[k])
        throw CompileError("--shape",
                           fmt::format("{} has no input '{}'", where_, options.shapes[k].input));
    }
    return inputs;
  }

  [[nodiscard]] size_t input_count() const {
    std::set<std::string_view> defaults;
    for (const TensorRecord& tensor : model_.graph.initializers) defaults.insert(tensor.name);
    return static_cast<size_t>(std::ranges::count_if(
        model_.graph.inputs, [&](const ValueRecord& v) { return !defaults.contains(v.name); }));
  }

  Shape shape_of(const ValueRecord& input, const ImportOptions& options, std::vector<bool>& used,
                 const std::string& where) const {
    for (size_t k = 0; k < options.shapes.size(); ++k) {
      const NamedShape& given = options.shapes[k];
      if (given.input != input.name && !(given.input.empty() && input_count() == 1)) continue;
      used[k] = true;
      if (input.dims && input.dims->size() != given.shape.size())
        throw CompileError("--shape", fmt::format("'{}' has {} axes, not {}", printable(input.name),
                                                  input.dims->size(), given.shape.size()));
      return given.shape;
    }
    if (!input.dims)
      throw Refusal(where, "has no shape in the file; --shape NAME=1x3x32x32 gives it one",
                    Help::kFixShapes);
    Shape shape;
    for (size_t k = 0; k < input.dims->size(); ++k) {
      const Dimension& dim = (*input.dims)[k];
      if (dim.extent > 0) {
        shape.push_back(dim.extent);
      } else if (k == 0) {
        shape.push_back(1);  // an open batch
      } else {
        throw Refusal(where,
                      fmt::format("has an open extent ({}); --shape NAME=1x3x32x32 says what it is",
                                  dim.name.empty() ? fmt::format("axis {}", k)
                                                   : "'" + printable(dim.name) + "'"),
                      Help::kFixShapes);
      }
    }
    if (elements(shape) > kMaxTensorBytes)
      throw ImportError(where, fmt::format("{} is more than is supported", to_string(shape)));
    return shape;
  }

  [[nodiscard]] const FunctionRecord* function_of(const NodeRecord& node) const {
    for (const FunctionRecord& function : model_.functions)
      if (function.name == node.op && function.domain == node.domain &&
          function.overload == node.overload)
        return &function;
    return nullptr;
  }

  [[nodiscard]] static bool is_structure(const NodeRecord& node) {
    return node.domain.empty() && (node.op == "Constant" || node.op == "Shape" ||
                                   node.op == "Size" || node.op == "If" || node.op == "Loop");
  }

  void refuse_unsupported(const std::vector<const NodeRecord*>& nodes) const {
    UnsupportedOps unsupported;
    for (const NodeRecord* node : nodes) {
      const bool standard = node->domain.empty() || node->domain == "ai.onnx";
      if (is_structure(*node) || read_node(node->domain, node->op) != nullptr ||
          (standard && is_folded(node->op)) || function_of(*node) != nullptr)
        continue;
      unsupported.add(
          standard ? printable(node->op)
                   : fmt::format("{} of domain {}", printable(node->op), printable(node->domain)),
          number_of(*node));
    }
    if (!unsupported.empty()) unsupported.refuse(where_, nodes.size(), Help::kNone);
  }

  static void count_uses(const std::vector<const NodeRecord*>& nodes,
                         const std::vector<std::string_view>& outputs, Scope& scope) {
    for (const NodeRecord* node : nodes)
      for_each_read(*node, [&](std::string_view name) { ++scope.uses[name]; });
    for (const std::string_view name : outputs) ++scope.uses[name];
  }

  // ---- One node

  void read(const NodeRecord& record, Scope& scope, int number) {
    if (++read_ > kMostReads)
      throw ImportError(where_, fmt::format("has more than {} operators, loops unrolled, which is "
                                            "not supported",
                                            kMostReads));
    Node node{.record = &record,
              .opset = opset_of(record.domain),
              .number = number,
              .where = fmt::format(
                  "{} '{}'", place_of(where_, printable(record.op), static_cast<size_t>(number)),
                  printable(record.name.empty() && !record.outputs.empty() ? record.outputs[0]
                                                                           : record.name)),
              .of_call = scope.around == nullptr ? nullptr : &scope.attributes};
    std::vector<const Value*> inputs;
    for (const std::string_view name : record.inputs) {
      inputs.push_back(name.empty() ? nullptr : scope.find(name));
      if (!name.empty() && inputs.back() == nullptr)
        node.damaged(
            fmt::format("it reads '{}', which is no input or initializer, and which no "
                        "node makes before it",
                        printable(name)));
    }
    if (const FunctionRecord* function = function_of(record))
      return call(*function, node, inputs, scope);
    if (is_structure(record)) return structure(node, inputs, scope);
    const bool standard = record.domain.empty() || record.domain == "ai.onnx";
    const bool all_known = std::ranges::all_of(
        inputs, [](const Value* v) { return v == nullptr || v->constant != nullptr; });
    if (standard && all_known && is_folded(record.op)) {
      std::vector<const Constant*> constants;
      for (const Value* value : inputs)
        constants.push_back(value == nullptr ? nullptr : value->constant.get());
      const std::vector<Constant> made = fold(node, constants);
      for (size_t k = 0; k < record.outputs.size(); ++k)
        if (k < made.size()) set(scope, record.outputs[k], known(made[k], record.outputs[k]));
      return;
    }
    const ReadNode how = read_node(record.domain, record.op);
    if (how == nullptr) node.refuse("is not supported but on constants");
    Reading reading(node, network_, inputs);
    reading.count_uses([&](std::string_view name) {
      const auto found = scope.uses.find(name);
      return found == scope.uses.end() ? 2 : found->second;
    });
    how(reading);
    for (size_t k = 0; k < record.outputs.size(); ++k) {
      std::optional<Value>& made = reading.made()[k];
      if (!made) continue;
      made->name = record.outputs[k];
      if (made->tensor.valid() && made->reshaped == nullptr)
        network_.name_if_new(made->tensor, made->name);
      set(scope, record.outputs[k], std::move(*made));
    }
  }

  void call(const FunctionRecord& function, const Node& node,
            const std::vector<const Value*>& inputs, Scope& scope) {
    if (++depth_ > kMostDepth) node.refuse("calls itself, or functions more than 16 deep");
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
    const std::vector<const NodeRecord*> nodes = needed_in_order(function.nodes, function.outputs);
    for (const NodeRecord* each : nodes) read(*each, inner, node.number);
    for (size_t k = 0; k < node.record->outputs.size() && k < function.outputs.size(); ++k) {
      const Value* made = inner.find(function.outputs[k]);
      if (made == nullptr) node.damaged("its function makes no such output");
      set(scope, node.record->outputs[k], *made);
    }
    --depth_;
  }

  /// What a branch makes, with what is around it in sight.
  std::vector<Value> branch(const GraphRecord& graph, const Node& node, const Scope& scope,
                            const std::vector<Value>& arguments) {
    if (++depth_ > kMostDepth) node.refuse("has branches in branches, more than 16 deep");
    Scope inner{.around = &scope};
    if (node.of_call != nullptr) inner.attributes = *node.of_call;
    add_constants(graph, inner);
    for (size_t k = 0; k < graph.inputs.size() && k < arguments.size(); ++k)
      set(inner, graph.inputs[k].name, arguments[k]);
    std::vector<std::string_view> outputs;
    for (const ValueRecord& output : graph.outputs) outputs.push_back(output.name);
    for (const NodeRecord* each : needed_in_order(graph.nodes, outputs))
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

  void structure(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
    const NodeRecord& record = *node.record;
    if (record.outputs.empty()) return;
    if (record.op == "Constant")
      return set(scope, record.outputs[0], known(constant_node(node), record.outputs[0]));
    if (record.op == "If") return choose(node, inputs, scope);
    if (record.op == "Loop") return loop(node, inputs, scope);
    if (inputs.empty() || inputs[0] == nullptr) node.damaged("its input is missing");
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

  Constant constant_node(const Node& node) const {
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

  static const GraphRecord& branch_of(const Node& node, const char* name) {
    const AttributeRecord* attribute = node.attribute(name);
    if (attribute == nullptr || attribute->graphs.size() != 1)
      node.damaged(fmt::format("it has no {}", name));
    return attribute->graphs[0];
  }

  void choose(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
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

  void loop(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
    constexpr int64_t kMostTurns = 1024;
    const GraphRecord& body = branch_of(node, "body");
    if (inputs.empty() || inputs[0] == nullptr || inputs[0]->constant == nullptr)
      throw Refusal(node.where,
                    "is not supported where its count is computed from the network's inputs; "
                    "unroll the loop before exporting",
                    Help::kUnroll);
    const int64_t turns = wholes(*inputs[0]->constant).at(0);
    if (turns > kMostTurns)
      node.refuse(fmt::format("of {} turns is not supported; up to {} are", turns, kMostTurns));
    std::vector<Value> carried;
    for (size_t k = 2; k < inputs.size(); ++k) {
      if (inputs[k] == nullptr) node.damaged("a value that it carries is missing");
      carried.push_back(*inputs[k]);
    }
    if (body.outputs.size() != carried.size() + 1)
      node.refuse("is not supported with outputs of each turn; with those of the last it is");
    bool goes_on = inputs.size() < 2 || inputs[1] == nullptr || inputs[1]->constant == nullptr ||
                   wholes(*inputs[1]->constant).at(0) != 0;
    for (int64_t turn = 0; turn < turns && goes_on; ++turn) {
      std::vector<Value> arguments = {
          known(constant_of(Shape{}, std::vector<int64_t>{turn}), "turn"),
          known(constant_of(Shape{}, std::vector<int64_t>{1}, DType::kBool), "condition")};
      arguments.insert(arguments.end(), carried.begin(), carried.end());
      std::vector<Value> made = branch(body, node, scope, arguments);
      if (made[0].constant == nullptr)
        throw Refusal(node.where, "is not supported where it ends by what it computes",
                      Help::kUnroll);
      goes_on = wholes(*made[0].constant).at(0) != 0;
      carried.assign(made.begin() + 1, made.end());
    }
    for (size_t k = 0; k < node.record->outputs.size(); ++k)
      set(scope, node.record->outputs[k], carried.at(k));
  }

  // ---- The whole

  /// The type that the file says an output has; nothing: none.
  [[nodiscard]] std::optional<DType> declared_type(std::string_view name) const {
    for (const ValueRecord& output : model_.graph.outputs)
      if (output.name == name && output.is_tensor) return type_of(output.type);
    return std::nullopt;
  }

  Graph built(const std::string& name, const std::vector<TensorId>& inputs,
              const std::vector<std::string_view>& outputs, Scope& scope) {
    std::vector<TensorId> ports;
    const NodeRecord end{.op = "output",
                         .domain = {},
                         .name = {},
                         .overload = {},
                         .inputs = {},
                         .outputs = {},
                         .attributes = {}};
    const Node node{
        .record = &end, .opset = 0, .number = -1, .where = where_ + ": network outputs"};
    for (const std::string_view output : outputs) {
      const Value* value = scope.find(output);
      if (value == nullptr)
        throw ImportError(node.where, fmt::format("nothing makes '{}'", printable(output)));
      TensorId tensor = network_.tensor(node, *value, same_order(value->rank()));
      // Indices are counted in int32.
      if (value->type == DType::kInt32 && declared_type(output) == DType::kInt64)
        tensor = network_.make(node, Cast{}, {tensor}, DType::kInt64, value->shape);
      network_.name_if_new(tensor, std::string(output));
      ports.push_back(tensor);
    }
    std::vector<Step> steps = std::move(network_.steps());
    NetworkBuilder network(name, where_, network_.take_tensors(), inputs, ports);
    std::vector<bool> made(network.tensors().size());
    for (const Step& step : steps)
      for (const TensorId id : step.op.outputs) made[id.index()] = true;
    network.begin(std::move(made));
    for (Step& step : steps) {
      const FileOp from{.where = step.where,
                        .number = step.op.file_index,
                        .tensors = network.tensors(),
                        .inputs = step.op.inputs,
                        .outputs = step.op.outputs};
      network.add({.ops = {std::move(step.op)}, .states = {}, .variables = {}}, from);
    }
    network.check_outputs();
    return network.finish();
  }

  static constexpr int kMostDepth = 16;
  static constexpr size_t kMostReads = 100'000;

  const ModelRecord& model_;
  std::string where_, folder_;
  Network network_;
  int depth_ = 0;
  size_t read_ = 0;
};

}  // namespace
}  // namespace onnx

Graph import_onnx(std::span<const uint8_t> bytes, const std::string& name, const std::string& where,
                  const std::string& folder, const ImportOptions& options) {
  onnx::ModelRecord model = onnx::read_model(bytes, where);
  onnx::recognise_patterns(model.graph);
  return onnx::Importer(model, where, folder).graph(name, options);
}

Graph import_onnx(const std::filesystem::path& file, const ImportOptions& options) {
  const Bytes bytes = read_file(file, kMaxFileBytes);
  const std::filesystem::path folder = file.parent_path();
  return import_onnx(bytes, file.stem().string(), file.string(),
                     folder.empty() ? "." : folder.string(), options);
}

}  // namespace thimble
