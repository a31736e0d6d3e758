// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite/flat_builder.h"
#include "thimble/import/tflite/kinds.h"

namespace thimble {
namespace {

constexpr int64_t kMostWork = 100'000;
constexpr int64_t kMostBytes = int64_t{1} << 28;
constexpr int64_t kOperandsOfWork = 64;
constexpr int kMostDepth = 16;

bool is_loop(const tfl::OperatorRecord& op) { return op.code == tfl::BuiltinOperator::WHILE; }
bool is_branch(const tfl::OperatorRecord& op) { return op.code == tfl::BuiltinOperator::IF; }

bool has_control_flow(const TfliteFile& file) {
  for (size_t i = 0; i < file.op_count(); ++i)
    if (is_loop(file.op(i)) || is_branch(file.op(i))) return true;
  return false;
}

using Numbers = std::vector<int32_t>;  // of tensors of the FlatNetwork, or -1

/// A subgraph whose operators are being read.
struct Scope {
  const TfliteFile& graph;
  int32_t subgraph;
  int depth;
  Numbers flat;  ///< per tensor of the subgraph; -1: has no value yet
};

class Unroller {
 public:
  explicit Unroller(const TfliteFile& file)
      : file_(file), builder_(file), named_(file.subgraph_count()) {}

  std::shared_ptr<const FlatNetwork> run() {
    named_[0] = true;
    Scope scope{file_, 0, 0, Numbers(file_.tensor_count(), -1)};
    for (size_t t = 0; t < scope.flat.size(); ++t) scope.flat[t] = static_cast<int32_t>(t);
    read_ops(scope);
    const Numbers outputs = values_of(scope, file_.outputs(), file_.where() + ": network outputs");
    return builder_.finish(outputs, named_);
  }

 private:
  /// What stands for operands of the subgraph; it gets its constants here.
  Numbers values_of(Scope& scope, std::span<const int32_t> operands, const std::string& where) {
    Numbers result;
    for (const TensorId id : tensor_ids(scope.graph, operands, where)) {
      if (!id.valid()) {
        result.push_back(-1);
        continue;
      }
      int32_t& flat = scope.flat[id.index()];
      if (flat < 0) flat = constant_of(scope, id, where);
      result.push_back(flat);
    }
    return result;
  }

  int32_t constant_of(const Scope& scope, TensorId id, const std::string& where) {
    const tfl::TensorRecord from = scope.graph.tensor(id.index());
    if (from.is_variable)
      throw Refusal(where, "has variable tensors, which is not supported in loops and branches",
                    Help::kUnroll);
    if (!file_.has_data(from.buffer))
      throw Damage(where, fmt::format("nothing has made tensor {} by then", id.value));
    const auto [known, added] = constants_.try_emplace({scope.subgraph, id.value}, 0);
    if (added) known->second = builder_.tensor(from);
    return known->second;
  }

  void read_ops(Scope& scope) {
    for (size_t i = 0; i < scope.graph.op_count(); ++i) {
      const std::string name = kind_of(scope.graph, i).name;
      const std::string where = place_of(scope.graph.where(), name, i);
      const tfl::OperatorRecord op = scope.graph.op(i);
      spend(where, 1);
      const Numbers inputs = values_of(scope, op.inputs, where);
      const std::vector<TensorId> outputs = tensor_ids(scope.graph, op.outputs, where);
      if (std::ranges::any_of(outputs, [](TensorId id) { return !id.valid(); }))
        throw Damage(where, "an output is absent");
      if (is_loop(op)) {
        give(scope, outputs, loop(scope, op, inputs, where), where);
      } else if (is_branch(op)) {
        give(scope, outputs, branch(scope, op, inputs, where), where);
      } else {
        add(scope, i, inputs, outputs, where);
      }
    }
  }

  void add(Scope& scope, size_t number, const Numbers& inputs, const std::vector<TensorId>& outputs,
           const std::string& where) {
    Numbers made;
    for (const TensorId id : outputs) {
      if (scope.depth > 0) scope.flat[id.index()] = builder_.tensor(scope.graph.tensor(id.index()));
      made.push_back(scope.flat[id.index()]);
    }
    spend(where,
          builder_.add(kind_of(scope.graph, number).kind, scope.graph.op(number), inputs, made));
  }

  /// What a loop or branch made is what the operator's outputs are called.
  void give(Scope& scope, const std::vector<TensorId>& outputs, const Numbers& values,
            const std::string& where) {
    if (values.size() != outputs.size())
      throw Damage(where, fmt::format("{} outputs for {} values", outputs.size(), values.size()));
    for (size_t k = 0; k < outputs.size(); ++k) {
      check_same(builder_.record(values[k]), scope.graph.tensor(outputs[k].index()), where);
      scope.flat[outputs[k].index()] = values[k];
      if (scope.depth == 0) builder_.rename(values[k], scope.graph.tensor(outputs[k].index()).name);
    }
  }

  Numbers loop(Scope& scope, const tfl::OperatorRecord& op, Numbers values,
               const std::string& where) {
    const auto* options = std::get_if<tfl::WhileOptions>(&op.options);
    if (options == nullptr) throw Damage(where, "its options are missing");
    check_subgraph(options->body_subgraph, where);  // though it may not run
    for (;;) {
      const Numbers condition = run(options->condition_subgraph, values, scope.depth, where);
      if (condition.size() != 1)
        throw Damage(where, fmt::format("{} values of its condition", condition.size()));
      spend(where, 1);
      if (!decided(condition[0], where,
                   "how often it runs depends on data, which is not supported; supported are loops "
                   "whose count is known when compiling"))
        return values;
      const size_t count = values.size();
      values = run(options->body_subgraph, values, scope.depth, where);
      if (values.size() != count)
        throw Damage(where, fmt::format("its body makes {} values of {}", values.size(), count));
    }
  }

  Numbers branch(Scope& scope, const tfl::OperatorRecord& op, const Numbers& inputs,
                 const std::string& where) {
    const auto* options = std::get_if<tfl::IfOptions>(&op.options);
    if (options == nullptr) throw Damage(where, "its options are missing");
    if (inputs.empty()) throw Damage(where, "it has no condition");
    const bool is_taken =
        decided(inputs[0], where,
                "its condition depends on data, which is not supported; supported "
                "are conditions that are known when compiling");
    for (const int32_t other : {options->then_subgraph, options->else_subgraph})
      check_subgraph(other, where);
    return run(is_taken ? options->then_subgraph : options->else_subgraph,
               Numbers(inputs.begin() + 1, inputs.end()), scope.depth, where);
  }

  bool decided(int32_t value, const std::string& where, const char* otherwise) {
    const std::optional<bool> known = value < 0 ? std::nullopt : builder_.truth(value);
    if (!known) throw Refusal(where, otherwise, Help::kUnroll);
    return *known;
  }

  void check_subgraph(int32_t number, const std::string& where) {
    if (number < 1 || static_cast<size_t>(number) >= named_.size())
      throw Damage(where, fmt::format("there is no subgraph {}", number));
    named_[static_cast<size_t>(number)] = true;
  }

  Numbers run(int32_t subgraph, const Numbers& arguments, int depth, const std::string& where) {
    check_subgraph(subgraph, where);
    if (depth == kMostDepth)
      throw ImportError(where,
                        fmt::format("is not supported: loops and branches in one another, more "
                                    "than {} deep",
                                    kMostDepth));
    const TfliteFile graph = file_.subgraph(static_cast<size_t>(subgraph));
    spend(where, static_cast<int64_t>(graph.tensor_count() + arguments.size()) / kOperandsOfWork);
    Scope scope{graph, subgraph, depth + 1, Numbers(graph.tensor_count(), -1)};
    const std::vector<TensorId> inputs = tensor_ids(graph, graph.inputs(), graph.where());
    if (inputs.size() != arguments.size())
      throw Damage(where, fmt::format("{} values for {} inputs of subgraph {}", arguments.size(),
                                      inputs.size(), subgraph));
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!inputs[k].valid() || arguments[k] < 0) throw Damage(where, "an input is absent");
      check_same(builder_.record(arguments[k]), graph.tensor(inputs[k].index()), where);
      scope.flat[inputs[k].index()] = arguments[k];
    }
    read_ops(scope);
    Numbers values = values_of(scope, graph.outputs(), graph.where() + ": outputs");
    if (std::ranges::find(values, -1) != values.end()) throw Damage(where, "an output is absent");
    return values;
  }

  static void check_same(const tfl::TensorRecord& given, const tfl::TensorRecord& taken,
                         const std::string& where) {
    if (given.type != taken.type)
      throw Damage(where, fmt::format("a value of type {} for one of {}", format_name(given.type),
                                      format_name(taken.type)));
    if (!have_same_scales(given, taken))
      throw ImportError(where,
                        "is not supported: a value has one scale outside and another inside");
    const bool fixed = has_fixed_shape(given) && has_fixed_shape(taken);
    if (fixed && !std::ranges::equal(given.shape, taken.shape))
      throw ImportError(where,
                        "is not supported: a value has one shape outside and another inside");
  }

  /// A file of a few bytes may have loops of any length.
  void spend(const std::string& where, int64_t work) {
    work_ += work;
    if (work_ > kMostWork || builder_.size_bytes() > kMostBytes)
      throw ImportError(where,
                        fmt::format("is not supported: its loops come to more than {} operators or "
                                    "{} MiB when they are taken apart",
                                    kMostWork, kMostBytes >> 20));
  }

  const TfliteFile& file_;
  FlatBuilder builder_;
  std::vector<bool> named_;  ///< subgraphs
  std::map<std::pair<int32_t, int32_t>, int32_t> constants_;
  int64_t work_ = 0;
};

}  // namespace

TfliteFile without_control_flow(const TfliteFile& file) {
  if (!has_control_flow(file)) return file;
  if (file.open_shapes())
    throw ImportError(file.where(), "has loops or branches, for which --shape is not supported");
  return file.with(Unroller(file).run());
}

}  // namespace thimble
