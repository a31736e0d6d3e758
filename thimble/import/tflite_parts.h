// SPDX-License-Identifier: Apache-2.0
// The parts of the .tflite importer, for its own files only: the verified file, its tensors, and
// the attributes of its operators.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "thimble/import/tflite_schema.h"
#include "thimble/model/error.h"
#include "thimble/model/graph.h"

namespace thimble {

/// A file that the flatbuffers verifier has accepted: its tables may be followed, but no index,
/// size or value in them is to be believed.
struct TfliteFile {
  std::span<const uint8_t> bytes;
  const tflite::Model& model;
  const tflite::SubGraph& network;
  std::string where;
};

/// The tensors under their numbers in the file, constants copied. Throws CompileError for what is
/// damaged (sizes, indices, quantisation) or not supported (types, dynamic shapes, sparsity,
/// variables).
[[nodiscard]] std::vector<Tensor> read_tensors(const TfliteFile& file);

/// An operator of the file whose operands are in range.
struct FileOp {
  const tflite::Operator& op;
  const std::vector<Tensor>& tensors;
  std::vector<TensorId> inputs;  ///< as in the file; invalid where an optional one is absent
  std::vector<TensorId> outputs;
  std::string where;         ///< "file.tflite: CONV_2D #3"
  size_t output_number = 0;  ///< which output is asked for, of an operator that is taken apart

  [[nodiscard]] const Tensor& input(size_t i) const { return tensors[inputs[i].index()]; }
  [[nodiscard]] const Tensor& output() const { return tensors[outputs[output_number].index()]; }
};

/// The operator's options, which must be there.
template <class Options>
const Options& options(const FileOp& op, const Options* table) {
  if (table == nullptr) throw CompileError(op.where, "is damaged: its options are missing");
  return *table;
}

/// A parameter (axes, permutation, paddings), which has to be an int32 or int64 constant.
[[nodiscard]] std::vector<int64_t> integers(const FileOp& op, size_t input, const char* what);

/// SLICE and STRIDED_SLICE.
[[nodiscard]] Attributes slice(const FileOp& op);
[[nodiscard]] Attributes strided_slice(const FileOp& op);
/// One of the slices that SPLIT (axis, x) and SPLIT_V (x, sizes, axis) are.
[[nodiscard]] Attributes split(const FileOp& op);
[[nodiscard]] Attributes split_v(const FileOp& op);

/// What the importer takes of a builtin operator. Operands: the inputs below `first_parameter`;
/// from there on they are constants that become attributes. Those from `first_optional` may be
/// absent.
struct OperatorKind {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  tflite::BuiltinOperator code;
  size_t min_inputs = 1, max_inputs = 1;
  size_t first_optional = kNoLimit;
  size_t first_parameter = kNoLimit;
  /// Relies on the number of inputs and outputs; throws CompileError for what it cannot take.
  Attributes (*attributes)(const FileOp& op) = nullptr;
  size_t first_operand = 0;  ///< inputs before it are parameters, too
  bool per_output = false;   ///< any number of outputs, each made by an operator of its own
};

/// Ascending by name.
[[nodiscard]] std::span<const OperatorKind> operator_kinds();

}  // namespace thimble
