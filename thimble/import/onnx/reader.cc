// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "thimble/import/file_limits.h"
#include "thimble/import/file_op.h"
#include "thimble/import/onnx/fold.h"
#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"

namespace thimble::onnx {
namespace {

constexpr size_t kMostReads = 100'000;  // loops unrolled

[[noreturn]] void refuse_length(const std::string& where) {
  throw ImportError(where, fmt::format("has more than {} operators, loops unrolled, which is not "
                                       "supported",
                                       kMostReads));
}

bool is_standard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

size_t input_count(const GraphRecord& graph) {
  std::set<std::string_view> defaults;
  for (const TensorRecord& tensor : graph.initializers) defaults.insert(tensor.name);
  return static_cast<size_t>(std::ranges::count_if(
      graph.inputs, [&](const ValueRecord& v) { return !defaults.contains(v.name); }));
}

}  // namespace

Value known(Constant constant, std::string_view name) {
  Value value{.type = constant.type, .shape = constant.shape};
  value.constant = std::make_shared<const Constant>(std::move(constant));
  value.name = name;
  return value;
}

Shape recorded_shape(const ValueRecord& input, const std::string& where) {
  if (!input.dims)
    throw Refusal(where, "has no shape in the file; --shape NAME=1x3x32x32 gives it one",
                  Help::kFixShapes);
  Shape shape;
  for (size_t k = 0; k < input.dims->size(); ++k) {
    const Dimension& dim = (*input.dims)[k];
    if (dim.extent <= 0 && k > 0) {
      const std::string axis =
          dim.name.empty() ? fmt::format("axis {}", k) : "'" + printable(dim.name) + "'";
      throw Refusal(
          where,
          fmt::format("has an open extent ({}); --shape NAME=1x3x32x32 says what it is", axis),
          Help::kFixShapes);
    }
    shape.push_back(dim.extent > 0 ? dim.extent : 1);  // an open batch
  }
  return shape;
}

Order port_order(size_t rank, PortLayout layout) {
  return layout == PortLayout::kChannelsLast ? channels_last(rank) : same_order(rank);
}

Reader::Reader(const ModelRecord& model, std::string where, std::string folder)
    : model_(model), where_(std::move(where)), folder_(std::move(folder)) {}

int64_t Reader::opset_of(std::string_view domain) const {
  for (const Opset& opset : model_.opsets) {
    if (opset.domain == domain || (is_standard(domain) && is_standard(opset.domain)))
      return opset.version;
  }
  return 1;
}

void Reader::add_constants(const GraphRecord& graph, Scope& scope) {
  for (const TensorRecord& tensor : graph.initializers) {
    const std::string where = fmt::format("{}: initializer '{}'", where_, printable(tensor.name));
    set(scope, tensor.name, known(constant_of(tensor, folder_, where), tensor.name));
  }
  if (graph.sparse_initializers.empty()) return;
  throw ImportError(where_, fmt::format("its initializer '{}' is sparse, which is not supported",
                                        printable(graph.sparse_initializers[0])));
}

void Reader::set(Scope& scope, std::string_view name, Value value) {
  if (name.empty()) return;
  if (!scope.values.emplace(name, std::move(value)).second)
    throw Damage(where_, fmt::format("'{}' has two values", printable(name)));
}

std::optional<Shape> Reader::given_shape(const ValueRecord& input, const ImportOptions& options,
                                         std::vector<bool>& used) const {
  for (size_t k = 0; k < options.shapes.size(); ++k) {
    const NamedShape& given = options.shapes[k];
    if (given.input != input.name && !(given.input.empty() && input_count(model_.graph) == 1))
      continue;
    used[k] = true;
    if (input.dims && input.dims->size() != given.shape.size())
      throw CompileError("--shape", fmt::format("'{}' has {} axes, not {}", printable(input.name),
                                                input.dims->size(), given.shape.size()));
    return given.shape;
  }
  return std::nullopt;
}

std::vector<TensorId> Reader::begin(const ImportOptions& options) {
  if (model_.graph.nodes.size() > kMostReads) refuse_length(where_);
  add_constants(model_.graph, top_);
  std::vector<TensorId> inputs;
  std::vector<bool> used(options.shapes.size());
  for (const ValueRecord& input : model_.graph.inputs) {
    if (top_.values.contains(input.name)) continue;  // a default, as before IR 4
    const std::string where = fmt::format("{}: input '{}'", where_, printable(input.name));
    const std::optional<DType> type = type_of(input.type);
    if (!input.is_tensor || !type)
      throw ImportError(where, input.is_tensor ? fmt::format("is of {}, which is not supported",
                                                             onnx::name(input.type))
                                               : "is no tensor, which is not supported");
    const std::optional<Shape> given = given_shape(input, options, used);
    const Shape shape = given ? *given : recorded_shape(input, where);
    if (elements(shape) > kMaxTensorBytes)
      throw ImportError(where, fmt::format("{} is more than is supported", to_string(shape)));
    Value value = network_.add_input(std::string(input.name), *type, shape,
                                     port_order(shape.size(), options.port_layout));
    inputs.push_back(value.tensor);
    set(top_, input.name, std::move(value));
  }
  const auto left = std::ranges::find(used, false);
  if (left != used.end())
    throw CompileError("--shape",
                       fmt::format("{} has no input '{}'", where_,
                                   options.shapes[static_cast<size_t>(left - used.begin())].input));
  return inputs;
}

std::vector<const NodeRecord*> Reader::nodes(const std::vector<std::string_view>& wanted) {
  std::vector<const NodeRecord*> needed = needed_in_order(model_.graph.nodes, wanted, where_);
  for (const NodeRecord* node : needed)
    for_each_read(*node, [&](std::string_view name) { ++top_.uses[name]; });
  for (const std::string_view name : wanted) ++top_.uses[name];
  return needed;
}

const FunctionRecord* Reader::function_of(const NodeRecord& node) const {
  for (const FunctionRecord& function : model_.functions)
    if (function.name == node.op && function.domain == node.domain &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

std::string Reader::unknown(const NodeRecord& node) const {
  const bool standard = is_standard(node.domain);
  if (read_node(node.domain, node.op) != nullptr || function_of(node) != nullptr ||
      (standard && (is_structure(node.op) || is_folded(node.op))))
    return "";
  return standard ? printable(node.op)
                  : fmt::format("{} of domain {}", printable(node.op), printable(node.domain));
}

bool Reader::is_ready(const NodeRecord& node) const {
  bool ready = true;
  for_each_read(node, [&](std::string_view name) {
    // Names within branches are theirs.
    const bool own = std::ranges::find(node.inputs, name) != node.inputs.end();
    ready = ready && (!own || find(name) != nullptr);
  });
  return ready;
}

void Reader::assume(std::string_view name, DType type, const Shape& shape) {
  set(top_, name, network_.add_input(std::string(name), type, shape, same_order(shape.size())));
}

void Reader::read(const NodeRecord& record, Scope& scope, int number) {
  if (++read_ > kMostReads) refuse_length(where_);
  const std::string_view name =
      record.name.empty() && !record.outputs.empty() ? record.outputs[0] : record.name;
  Node node{.record = &record,
            .opset = opset_of(record.domain),
            .number = number,
            .where = fmt::format(
                "{} '{}'", place_of(where_, printable(record.op), static_cast<size_t>(number)),
                printable(name)),
            .of_call = scope.around == nullptr ? nullptr : &scope.attributes};
  std::vector<const Value*> inputs;
  for (const std::string_view input : record.inputs) {
    inputs.push_back(input.empty() ? nullptr : scope.find(input));
    if (!input.empty() && inputs.back() == nullptr)
      node.damaged(
          fmt::format("it reads '{}', which is no input or initializer, and which no "
                      "node makes before it",
                      printable(input)));
  }
  if (const FunctionRecord* function = function_of(record))
    return call(*function, node, inputs, scope);
  const bool standard = is_standard(record.domain);
  const bool reads_list = std::ranges::any_of(
      inputs, [](const Value* v) { return v != nullptr && v->list != nullptr; });
  if (reads_list && !(standard && sequence_operators().contains(record.op)) &&
      !is_structure(record.op))
    node.refuse("is not supported of a sequence; SequenceAt and ConcatFromSequence are");
  if (standard && is_structure(record.op)) return structure(node, inputs, scope);
  // The stretching of opset 6 is known to what makes operators alone.
  const bool all_known =
      node.attribute("broadcast") == nullptr && std::ranges::all_of(inputs, [](const Value* v) {
        return v == nullptr || v->constant != nullptr;
      });
  if (standard && all_known && is_folded(record.op)) return fold_node(node, inputs, scope);
  read_node_of_network(node, std::move(inputs), scope);
}

void Reader::fold_node(const Node& node, const std::vector<const Value*>& inputs, Scope& scope) {
  std::vector<const Constant*> constants;
  for (const Value* value : inputs)
    constants.push_back(value == nullptr ? nullptr : value->constant.get());
  std::vector<Constant> made = fold(node, constants);
  const std::vector<std::string_view>& outputs = node.record->outputs;
  for (size_t k = 0; k < std::min(outputs.size(), made.size()); ++k)
    set(scope, outputs[k], known(std::move(made[k]), outputs[k]));
}

void Reader::read_node_of_network(const Node& node, std::vector<const Value*> inputs,
                                  Scope& scope) {
  const ReadNode how = read_node(node.record->domain, node.record->op);
  if (how == nullptr) node.refuse("is not supported but on constants");
  Reading reading(node, network_, std::move(inputs));
  reading.count_uses([&](std::string_view name) {
    const auto found = scope.uses.find(name);
    return found == scope.uses.end() ? 2 : found->second;
  });
  how(reading);
  for (size_t k = 0; k < node.record->outputs.size(); ++k) {
    std::optional<Value>& made = reading.made()[k];
    if (!made) continue;
    made->name = node.record->outputs[k];
    if (made->tensor.valid() && made->reshaped == nullptr)
      network_.name_if_new(made->tensor, made->name);
    set(scope, node.record->outputs[k], std::move(*made));
  }
}

}  // namespace thimble::onnx
