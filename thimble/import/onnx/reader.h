// SPDX-License-Identifier: Apache-2.0
// Nodes, read one after the other into a Network: names get values, constants are folded, functions
// and branches taken apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/import/import_options.h"
#include "thimble/import/onnx/reading.h"
#include "thimble/import/onnx/scope.h"

namespace thimble::onnx {

class Reader {
 public:
  /// `model` is kept, not copied. `folder`: where external data may lie; "": nowhere. Each
  /// function throws CompileError for what is damaged or not supported.
  Reader(const ModelRecord& model, std::string where, std::string folder);

  /// The model's initializers, then its inputs: tensors of the network.
  [[nodiscard]] std::vector<TensorId> begin(const ImportOptions& options);
  /// What the wanted names need, in an order.
  [[nodiscard]] std::vector<const NodeRecord*> nodes(const std::vector<std::string_view>& wanted);
  /// Why no node of its kind is read: "Unique"; empty: some are.
  [[nodiscard]] std::string unknown(const NodeRecord& node) const;
  /// Whether all that a node reads has a value.
  [[nodiscard]] bool is_ready(const NodeRecord& node) const;
  /// Whether one of nodes() reads a name, or it is wanted.
  [[nodiscard]] bool is_read(std::string_view name) const { return top_.uses.contains(name); }
  /// What a node makes gets its values.
  void read(const NodeRecord& node) {
    depth_ = 0;
    read(node, top_, static_cast<int>(number_of(node)));
  }
  /// A value of the network that nothing makes: stands for what a node that is not read makes.
  void assume(std::string_view name, DType type, const Shape& shape);

  /// Null: the name has no value.
  [[nodiscard]] const Value* find(std::string_view name) const { return top_.find(name); }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] size_t number_of(const NodeRecord& node) const {
    return static_cast<size_t>(&node - model_.graph.nodes.data());
  }

 private:
  [[nodiscard]] int64_t opset_of(std::string_view domain) const;
  void add_constants(const GraphRecord& graph, Scope& scope);
  void set(Scope& scope, std::string_view name, Value value);
  [[nodiscard]] std::optional<Shape> given_shape(const ValueRecord& input,
                                                 const ImportOptions& options,
                                                 std::vector<bool>& used) const;
  [[nodiscard]] const FunctionRecord* function_of(const NodeRecord& node) const;

  void read(const NodeRecord& node, Scope& scope, int number);
  void fold_node(const Node& node, const std::vector<const Value*>& inputs, Scope& scope);
  void read_node_of_network(const Node& node, std::vector<const Value*> inputs, Scope& scope);
  void call(const FunctionRecord& function, const Node& node,
            const std::vector<const Value*>& inputs, Scope& scope);
  [[nodiscard]] std::vector<Value> branch(const GraphRecord& graph, const Node& node,
                                          const Scope& scope, const std::vector<Value>& arguments);
  void structure(const Node& node, const std::vector<const Value*>& inputs, Scope& scope);
  void choose(const Node& node, const std::vector<const Value*>& inputs, Scope& scope);
  void loop(const Node& node, const std::vector<const Value*>& inputs, Scope& scope);
  [[nodiscard]] Constant constant_node(const Node& node) const;

  const ModelRecord& model_;
  std::string where_, folder_;
  Network network_;
  Scope top_;
  int depth_ = 0;
  size_t read_ = 0;
};

/// Operators that become none of the network: Constant, Shape, Size, If, Loop (structure.cc).
[[nodiscard]] bool is_structure(std::string_view op);

/// A constant as a value, with a name of the file.
[[nodiscard]] Value known(Constant constant, std::string_view name);

/// In which order a caller has the axes of an input or output.
[[nodiscard]] Order port_order(size_t rank, PortLayout layout);

/// Names of the outputs: the file's, or those that are asked for.
[[nodiscard]] std::vector<std::string_view> wanted_outputs(const ModelRecord& model,
                                                           const ImportOptions& options);

/// import_onnx() behind the reading of the file's bytes, which `model` refers to.
[[nodiscard]] Graph graph_of(ModelRecord model, const std::string& name, const std::string& where,
                             const std::string& folder, const ImportOptions& options);

/// The shape that a file gives an input, its open batch as 1. Throws CompileError for other extents
/// that are open: `where` is said to have them.
[[nodiscard]] Shape recorded_shape(const ValueRecord& input, const std::string& where);

}  // namespace thimble::onnx
