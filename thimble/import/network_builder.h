// SPDX-License-Identifier: Apache-2.0
// A Graph from what a file says, operator by operator in the order of execution. It knows no file
// format: importers read tensors and operators, and say where each stands.
//
//   NetworkBuilder network(name, where, tensors, inputs, outputs);
//   network.begin(made);
//   for (...) network.add(expansion.done(), op);
//   network.check_outputs();
//   return network.finish();
#pragma once

#include <string>
#include <vector>

#include "thimble/import/constants.h"
#include "thimble/import/expansion.h"
#include "thimble/model/graph.h"

namespace thimble {

class NetworkBuilder {
 public:
  /// `tensors` have the numbers that the file gives them; further ones come behind. Throws
  /// CompileError for ports that are none; an invalid one is the file's fault.
  NetworkBuilder(std::string name, std::string where, std::vector<Tensor> tensors,
                 const std::vector<TensorId>& inputs, const std::vector<TensorId>& outputs);

  /// The network so far. Until begin() a port may get another tensor (of the caller's type or
  /// layout), from which an operator makes the one that it had; an output's until finish().
  [[nodiscard]] Graph& graph() { return graph_; }
  [[nodiscard]] std::vector<Tensor>& tensors() { return graph_.tensors; }
  [[nodiscard]] std::string where_inputs() const { return where_ + ": network inputs"; }
  [[nodiscard]] std::string where_outputs() const { return where_ + ": network outputs"; }

  /// made: per tensor of the file, whether an operator of it makes that.
  void begin(std::vector<bool> made);
  /// A tensor that has a value without an operator: the old one of a variable.
  void set_value(TensorId id, const std::string& where);
  /// Throws CompileError for one that reads what nothing has made by then, writes what has a value
  /// already, or is not supported.
  void add(Op op, const std::string& where);
  /// Adds what an operator of the file became; of constants alone, it becomes constants.
  void add(ReadOperator read, const FileOp& from);
  /// An operator of which nothing was left that dequantised a constant.
  void add_dequantised_constant(const FileOp& op) { dequantised_.add(op); }

  /// Throws CompileError for outputs that nothing makes.
  void check_outputs();
  /// The network is whole: an output that is an input, a constant or another output becomes a copy.
  [[nodiscard]] Graph finish();

 private:
  bool has_value(TensorId id);
  void own(TensorId variable, const std::string& where);
  void check_read(TensorId id, const std::string& where);
  void refuse_empty(TensorId id, const std::string& where) const;
  [[nodiscard]] bool is_owned(TensorId id) const;
  [[nodiscard]] std::string label_of(TensorId id) const;
  [[nodiscard]] std::vector<Op> copied_outputs();

  std::string where_;
  Graph graph_;
  std::vector<bool> made_;       ///< per tensor of the file
  std::vector<bool> available_;  ///< has a value when the next operator runs
  std::vector<bool> owned_;      ///< variables that one operator has, and nobody reads as tensors
  DequantisedConstants dequantised_;
  ConstantFolding folding_;
};

/// A file of a few bytes for each operator may have operators that become thousands: refuses to
/// read another one by then.
void check_tensor_count(const FileOp& op);

}  // namespace thimble
