// SPDX-License-Identifier: Apache-2.0
// One operator of a file as several of the Graph's:
//
//   DEPTH_TO_SPACE #4 of t7    Reshape    t7   -> t9/0
//                              Transpose  t9/0 -> t9/1
//                              Reshape    t9/1 -> t9    [#4]
//
// Tensors on the way are named after the output; the last operator has the file's number.
#pragma once

#include <vector>

#include "thimble/import/file_op.h"
#include "thimble/model/graph.h"

namespace thimble {

/// What an operator of a file became; none where its outputs became constants.
struct ReadOperator {
  std::vector<Op> ops;
  std::vector<State> states;        ///< of the variables that it has
  std::vector<TensorId> variables;  ///< those of the file that are parts of these
};

class Expansion {
 public:
  /// tensors: op.tensors, to which others are added.
  Expansion(const FileOp& op, std::vector<Tensor>& tensors) : op_(op), tensors_(tensors) {}

  /// Makes a further tensor, of the type and quantisation of the file's output.
  TensorId make(Attributes attributes, std::vector<TensorId> inputs, Shape shape);
  /// Makes a further tensor; its name is the output's and a number.
  TensorId make_as(Attributes attributes, std::vector<TensorId> inputs, Tensor tensor);
  /// A further tensor that no operator makes: a constant, or the old value of a variable.
  TensorId add(Tensor tensor);
  /// Further constants: scalars, the first of the type and quantisation of `like`.
  TensorId make_zero(const Tensor& like);
  TensorId make_int32(int32_t number);
  /// A variable starts with its zero point (int8) or with zeros, unless `initial` says otherwise.
  void keep(TensorId old_value, TensorId new_value, Bytes initial = {});
  /// A variable of the file that becomes part of another tensor.
  void own(TensorId variable) { read_.variables.push_back(variable); }
  [[nodiscard]] Tensor& tensor(TensorId id) { return tensors_[id.index()]; }

  /// Makes the file's output.
  void finish(Attributes attributes, std::vector<TensorId> inputs);
  /// Makes another of the file's outputs; before finish().
  void finish_output(size_t number, Attributes attributes, std::vector<TensorId> inputs);
  /// All of it; the last call.
  [[nodiscard]] ReadOperator done();

 private:
  const FileOp& op_;
  std::vector<Tensor>& tensors_;
  ReadOperator read_;
};

}  // namespace thimble
