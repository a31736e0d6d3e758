// SPDX-License-Identifier: Apache-2.0
// The parts of the .tflite importer, for its own files only: the verified file, its tensors, and
// the attributes of its operators.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite.h"
#include "thimble/import/tflite_schema.h"
#include "thimble/model/error.h"
#include "thimble/model/graph.h"
#include "thimble/reference/constant_folding.h"

namespace thimble {

/// A file that the flatbuffers verifier has accepted: its tables may be followed, but no index,
/// size or value in them is to be believed.
struct TfliteFile {
  std::span<const uint8_t> bytes;
  const tflite::Model& model;
  const tflite::SubGraph& network;
  std::string where;
  bool open_shapes = false;  ///< those of activations follow from ImportOptions::shapes
};

/// Throws CompileError for what is no well-formed .tflite of the version that is supported.
[[nodiscard]] const tflite::Model& verified_model(std::span<const uint8_t> bytes,
                                                  const std::string& where);

/// What of a file is imported.
struct Section {
  std::vector<size_t> ops;       ///< numbers in the file, ascending
  std::vector<bool> tensors;     ///< per number in the file: is it read?
  std::vector<TensorId> inputs;  ///< as in the file; an invalid one is the file's fault
  std::vector<TensorId> outputs;
};
/// Without operators that are not supported and that nothing needs.
[[nodiscard]] Section whole_section(const TfliteFile& file);
/// What these tensors need (ImportOptions::until), or everything.
[[nodiscard]] Section section_of(const TfliteFile& file, const std::vector<std::string>& until);

/// Per tensor of the file, whether one of these operators makes it.
[[nodiscard]] std::vector<bool> tensors_made(const TfliteFile& file,
                                             const std::vector<size_t>& ops);

/// Names end up in terminals, JSON and comments of C++: control characters and broken UTF-8 become
/// '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// The tensors under their numbers in the file, constants copied; those that are not read are left
/// empty. Throws CompileError for what is damaged (sizes, indices, quantisation) or not supported
/// (types, dynamic shapes, sparsity, variables).
[[nodiscard]] std::vector<Tensor> read_tensors(const TfliteFile& file,
                                               const std::vector<bool>& read);

/// What read_tensors() reads, but a tensor that is refused is left empty.
struct TensorsAsFarAsRead {
  std::vector<Tensor> tensors;
  std::vector<std::string> refused;  ///< per tensor: why, or nothing
  std::vector<Help> help;            ///< per tensor
};
[[nodiscard]] TensorsAsFarAsRead read_what_tensors_can_be(const TfliteFile& file);

/// An operator of the file whose operands are in range.
struct FileOp {
  const tflite::Operator& op;
  const std::vector<Tensor>& tensors;
  std::vector<TensorId> inputs;  ///< as in the file; invalid where an optional one is absent
  std::vector<TensorId> outputs;
  std::string where;                           ///< "file.tflite: CONV_2D #3"
  const std::vector<bool>* lowered = nullptr;  ///< Uint8Tensors: null, or per tensor of the file
  bool open_shapes = false;                    ///< TfliteFile's
  size_t output_number = 0;  ///< which output is asked for, of an operator that is taken apart

  [[nodiscard]] const Tensor& input(size_t i) const { return tensors[inputs[i].index()]; }
  [[nodiscard]] bool was_uint8(TensorId id) const {
    return lowered != nullptr && id.index() < lowered->size() && (*lowered)[id.index()];
  }
  [[nodiscard]] const Tensor& output() const { return tensors[outputs[output_number].index()]; }
};

/// Sets the shapes of inputs, and of all that operators make of them; without `shapes` those that
/// the file leaves open. Throws CompileError for inputs that are none, and where a shape cannot be
/// followed; for one that the file leaves open `unknown`, if given, says so per tensor instead.
void infer_shapes(const TfliteFile& file, const Section& section,
                  const std::vector<NamedShape>& shapes, std::vector<Tensor>& tensors,
                  std::vector<std::string>* unknown = nullptr);

/// Throws CompileError where parameters contradict the shapes of outputs that repeat them.
void check_repeated_shapes(FileOp op, tflite::BuiltinOperator code);

/// An axis as the file counts it (negative from the end) as one in [0, rank).
[[nodiscard]] int axis_of(const FileOp& op, int64_t axis, size_t rank);

/// Throws CompileError for one that is not supported.
[[nodiscard]] Activation activation(const FileOp& op, tflite::ActivationFunctionType type);

/// The operator's options, which must be there.
template <class Options>
const Options& options(const FileOp& op, const Options* table) {
  if (table == nullptr) throw CompileError(op.where, "is damaged: its options are missing");
  return *table;
}

/// A parameter (axes, permutation, paddings), which has to be an int32 or int64 constant.
[[nodiscard]] std::vector<int64_t> integers(const FileOp& op, size_t input, const char* what);

class Steps;

/// SLICE and STRIDED_SLICE.
[[nodiscard]] Attributes slice(const FileOp& op);
[[nodiscard]] Slice strided_slice_without_new_axes(const FileOp& op);
/// The shapes that they make.
[[nodiscard]] Shape slice_extents(const FileOp& op);
[[nodiscard]] Shape strided_slice_extents(const FileOp& op);
/// Makes the output of a slice, of shape `extents`: further axes of it are a reshape, and so is a
/// scalar.
void finish_slice(Slice slice, Shape extents, const FileOp& op, Steps& steps);
/// One of the slices that SPLIT (axis, x) and SPLIT_V (x, sizes, axis) are.
[[nodiscard]] Attributes split(const FileOp& op);
[[nodiscard]] Attributes split_v(const FileOp& op);
/// One of the slices that UNPACK is; REVERSE_V2 runs backwards.
[[nodiscard]] Attributes unpack(const FileOp& op);
[[nodiscard]] Attributes reverse(const FileOp& op);

/// The operators that do what one of the file does, where a single one cannot.
class Steps {
 public:
  Steps(const FileOp& op, std::vector<Tensor>& tensors) : op_(op), tensors_(tensors) {}

  /// Makes a further tensor, of the type and quantisation of the file's output.
  TensorId make(Attributes attributes, std::vector<TensorId> inputs, Shape shape);
  /// Makes a further tensor; its name is the output's and a number.
  TensorId make_as(Attributes attributes, std::vector<TensorId> inputs, Tensor tensor);
  /// A further tensor that no operator makes: a constant, or the old value of a variable.
  TensorId add(Tensor tensor);
  /// A variable starts with its zero point (int8) or with zeros, unless `initial` says otherwise.
  void keep(TensorId old_value, TensorId new_value, Bytes initial = {});
  /// A variable of the file that becomes part of another tensor.
  void own(TensorId variable) { variables_.push_back(variable); }
  [[nodiscard]] Tensor& tensor(TensorId id) { return tensors_[id.index()]; }
  /// Further constants: scalars, the first of the type and quantisation of `like`.
  TensorId make_zero(const Tensor& like);
  TensorId make_int32(int32_t number);
  /// Makes the file's output.
  void finish(Attributes attributes, std::vector<TensorId> inputs);
  /// Makes another of the file's outputs; before finish().
  void finish_output(size_t number, Attributes attributes, std::vector<TensorId> inputs);
  /// Those that are not the last have no number in the file.
  [[nodiscard]] const std::vector<Op>& ops() const { return ops_; }
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  [[nodiscard]] const std::vector<TensorId>& variables() const { return variables_; }

 private:
  const FileOp& op_;
  std::vector<Tensor>& tensors_;
  std::vector<Op> ops_;
  std::vector<State> states_;
  std::vector<TensorId> variables_;
};

[[noreturn]] void refuse_state(const FileOp& op, const std::string& what);
/// An operand that must be there, with as many elements as `shape`.
[[nodiscard]] const Tensor& state_operand(const FileOp& op, size_t k, const char* what,
                                          const Shape& shape);
[[nodiscard]] const Tensor& variable_of(const FileOp& op, size_t k, const char* what,
                                        const Shape& shape);

/// Slopes become what its input is: those of int16 are int8 in the file.
void prelu(const FileOp& op, Steps& steps);
/// DEQUANTIZE of a constant becomes no operator: its output becomes a constant.
void dequantize(const FileOp& op, Steps& steps);
void strided_slice(const FileOp& op, Steps& steps);
/// Reshapes, transposes, slices, concatenations and pools.
void pack(const FileOp& op, Steps& steps);
void gather(const FileOp& op, Steps& steps);
void depth_to_space(const FileOp& op, Steps& steps);
void space_to_depth(const FileOp& op, Steps& steps);
void batch_to_space(const FileOp& op, Steps& steps);
void space_to_batch(const FileOp& op, Steps& steps);
void mirror_pad(const FileOp& op, Steps& steps);
void gather_nd(const FileOp& op, Steps& steps);
/// GATHER and GATHER_ND at positions that an operator computes; depth: indices for each.
void gather_at_run_time(const FileOp& op, Steps& steps, const Gather& gather);
void gather_nd_at_run_time(const FileOp& op, Steps& steps, size_t depth);
void embedding_lookup(const FileOp& op, Steps& steps);
void dynamic_update_slice(const FileOp& op, Steps& steps);
/// Windows over neighbouring axes.
void reduce_max(const FileOp& op, Steps& steps);
void reduce_min(const FileOp& op, Steps& steps);
/// Reductions of bool, in the same windows.
void reduce_any(const FileOp& op, Steps& steps);
void reduce_all(const FileOp& op, Steps& steps);
/// CAST to bool: whether the value is not 0.
void cast(const FileOp& op, Steps& steps);
/// The condition has the shape of the others, or is one for each index of the first axis or for
/// all.
void select(const FileOp& op, Steps& steps);
/// Sums of int32, of which 2^19 stand for a raw difference of int8.
void add_n(const FileOp& op, Steps& steps);
/// Whether it is equal to false.
void logical_not(const FileOp& op, Steps& steps);
void broadcast_to(const FileOp& op, Steps& steps);
void tile(const FileOp& op, Steps& steps);

/// PAD, MEAN and SUM of more axes than they may have, if few are left where neighbours become one.
/// Says whether it did.
[[nodiscard]] bool merge_axes(const Attributes& attributes, const FileOp& op, Steps& steps);

/// Custom operators.
void circular_buffer(const FileOp& op, Steps& steps);
void detection_post_process(const FileOp& op, Steps& steps);

/// Operators with variables, which become an input and an output (docs/ports.md).
void svdf(const FileOp& op, Steps& steps);
void unidirectional_sequence_lstm(const FileOp& op, Steps& steps);

/// Makes the outputs constants where they follow from shapes and constant integers alone (few: see
/// the file). Says whether it did.
[[nodiscard]] bool fold_extents(FileOp op, tflite::BuiltinOperator code,
                                std::vector<Tensor>& tensors);
/// Operators that are always folded: refuses what could not be.
void only_extents(const FileOp& op, Steps& steps);

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
  size_t first_operand = 0;    ///< inputs before it are parameters, too
  bool per_output = false;     ///< any number of outputs, each made by an operator of its own
  bool weights_first = false;  ///< the first two operands stand the other way round
  void (*steps)(const FileOp& op, Steps& steps) = nullptr;  ///< instead of attributes
  const char* custom = nullptr;                             ///< the name of a custom operator
  size_t outputs = 1;
};

/// Ascending by name.
[[nodiscard]] std::span<const OperatorKind> operator_kinds();
/// Custom operators, ascending by name.
[[nodiscard]] std::span<const OperatorKind> custom_kinds();

/// What the file calls an operator, and how it is imported (null: not supported).
struct NamedKind {
  std::string name;
  const OperatorKind* kind = nullptr;
};
/// What the name of an operator that is not supported tells of its file.
[[nodiscard]] Help help_for_operator(const std::string& name);
/// Throws CompileError if the file has no such operator code. number: of the operator.
[[nodiscard]] NamedKind kind_of(const TfliteFile& file, const tflite::Operator& op, size_t number);

/// Throws CompileError for numbers that are of no tensor of the file; -1 is none.
[[nodiscard]] std::vector<TensorId> tensor_ids(const TfliteFile& file,
                                               const flatbuffers::Vector<int32_t>* indices,
                                               const std::string& where);

/// An operator with its operands, which are tensors of the file: those that steps made come later
/// in `tensors`. Throws CompileError for others.
[[nodiscard]] FileOp file_op(const TfliteFile& file, const tflite::Operator& from,
                             const std::vector<Tensor>& tensors, const std::string& where);

/// Throws CompileError for numbers of inputs and outputs that the kind does not have.
void check_operands(const OperatorKind& kind, const FileOp& op);

/// One operator, or one for each output, or steps, which make further tensors; none where the
/// outputs are constants (fold_extents).
struct ReadOperator {
  std::vector<Op> ops;
  std::vector<State> states;        ///< of the variables that it has
  std::vector<TensorId> variables;  ///< those that are parts of these
};
/// Makes constants of what operators make of constants alone, and leaves these out, unless they
/// multiply and accumulate: these, and what takes too much work, are left to the rewrites.
void fold_constants(std::vector<Op>& ops, std::vector<Tensor>& tensors, ConstantFolding& folding);
/// Weights of int8 beside float32 ("hybrid") that kernels do not dequantise become float32, too, in
/// a tensor of their own.
void expand_weights(std::vector<Tensor>& tensors, Op& op);
/// Constants that DEQUANTIZE made of others.
class DequantisedConstants {
 public:
  /// A DEQUANTIZE of which nothing was left.
  void add(const FileOp& dequantize) { of_[dequantize.outputs[0]] = dequantize.inputs[0]; }
  /// Weights that are such are read as they were, where kernels dequantise them.
  void read_as_they_were(std::vector<Op>& ops, const std::vector<Tensor>& tensors) const;

 private:
  std::map<TensorId, TensorId> of_;
};
/// Why an operator is not supported. Nothing if it is, or is with a bias of its own in which dead
/// channels are silent (silenced_bias).
[[nodiscard]] std::string refusal_of(Op& op, Graph& graph);
[[nodiscard]] ReadOperator read_op(const OperatorKind& kind, FileOp from, size_t number,
                                   std::vector<Tensor>& tensors);

}  // namespace thimble
