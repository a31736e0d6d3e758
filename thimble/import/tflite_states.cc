// SPDX-License-Identifier: Apache-2.0
// Operators of a .tflite file that keep something from one inference to the next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/import/tflite_parts.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

[[noreturn]] void refuse_state(const FileOp& op, const std::string& what) {
  throw CompileError(op.where, what);
}

/// An operand that must be there, with as many elements as `shape`.
const Tensor& state_operand(const FileOp& op, size_t k, const char* what, const Shape& shape) {
  if (!op.inputs[k].valid()) refuse_state(op, fmt::format("is damaged: it has no {}", what));
  const Tensor& t = op.input(k);
  if (elements(t.shape) != elements(shape)) {
    refuse_state(op, fmt::format("is damaged: its {} have shape {}, not {}", what,
                                 to_string(t.shape), to_string(shape)));
  }
  return t;
}

const Tensor& variable_of(const FileOp& op, size_t k, const char* what, const Shape& shape) {
  const Tensor& t = state_operand(op, k, what, shape);
  if (t.is_constant())
    refuse_state(op, fmt::format("its {} are a constant; supported are variables", what));
  return t;
}

/// Columns of a tensor with two axes.
Slice columns_from(int64_t begin) { return {{0, begin}, {1, 1}, {}}; }

// Gates of the file's operands, in Lstm's order.
constexpr size_t kGatesOfLstm = 4;
constexpr size_t kFirstWeights = 1, kFirstRecurrent = 5, kFirstBias = 12, kHiddenState = 18,
                 kCellState = 19;

/// The constants of all gates, one after the other, with a scale for each.
TensorId gates_of(const FileOp& op, Steps& steps, size_t first, const char* what, Shape shape,
                  DType type) {
  Tensor all{.name = fmt::format("{}/{}", op.output().name, what), .type = type};
  Bytes bytes;
  for (size_t k = first; k < first + kGatesOfLstm; ++k) {
    if (!op.inputs[k].valid())
      refuse_state(op, fmt::format("has no {} of gate {}; supported are layers of four gates", what,
                                   k - first));
    const Tensor& t = state_operand(op, k, what, shape);
    const bool fits = t.is_constant() && t.type == type && t.quantization.scales.size() == 1;
    if (!fits)
      refuse_state(op,
                   fmt::format("its {} of gate {} are {}{}; supported are constants of {} with one "
                               "scale",
                               what, k - first, t.is_constant() ? "" : "computed, of type ",
                               name(t.type), name(type)));
    bytes.insert(bytes.end(), t.data->begin(), t.data->end());
    all.quantization.scales.push_back(t.quantization.scales[0]);
    all.quantization.zero_points.push_back(t.quantization.zero_points[0]);
  }
  shape.insert(shape.begin(), int64_t{kGatesOfLstm});
  all.shape = std::move(shape);
  all.data = std::make_shared<const Bytes>(std::move(bytes));
  return steps.add(std::move(all));
}

void check_lstm(const FileOp& op, const tflite::UnidirectionalSequenceLSTMOptions& from) {
  if (from.fused_activation_function() != tflite::ActivationFunctionType::TANH)
    refuse_state(op, "its activation is not supported; supported is TANH");
  if (from.time_major())
    refuse_state(op, "time as the first axis is not supported; supported is batch");
  if (from.diagonal_recurrent_tensors())
    refuse_state(op, "diagonal recurrent weights are not supported");
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const bool extra = (k >= 9 && k < kFirstBias) || (k >= 16 && k < kHiddenState) || k >= 20;
    if (extra && op.inputs[k].valid()) {
      refuse_state(op,
                   fmt::format("has operand {}; peepholes, projections and layer normalisation are "
                               "not supported",
                               k));
    }
  }
  if (op.input(0).type != DType::kInt8 || op.input(0).shape.size() != 3) {
    refuse_state(op, fmt::format("its input is {} {}; supported is int8 with 3 axes (batch, time, "
                                 "channels)",
                                 name(op.input(0).type), to_string(op.input(0).shape)));
  }
}

/// The cell state's clip in its own steps, as the original rounds it: towards zero.
int32_t quantised_clip(float clip, float scale) {
  if (!(clip > 0)) return 0;
  return static_cast<int32_t>(
      std::min(static_cast<double>(clip) / static_cast<double>(scale), 32767.0));
}

}  // namespace

void svdf(const FileOp& op, Steps& steps) {
  const auto& from = options(op, op.op.builtin_options_as_SVDFOptions());
  const Shape x = op.input(0).shape, features = op.input(1).shape, time = op.input(2).shape;
  if (x.size() != 2 || features.size() != 2 || time.size() != 2 || from.rank() < 1 ||
      features[0] % from.rank() != 0 || features[0] != time[0]) {
    refuse_state(op, fmt::format("is damaged: input {}, weights {} and {}, rank {}", to_string(x),
                                 to_string(features), to_string(time), from.rank()));
  }
  const Shape shape{x[0], features[0], time[1]};
  const int64_t units = features[0] / from.rank();
  Tensor state = variable_of(op, 4, "states", shape);
  state.shape = shape;
  Tensor column = state;
  column.shape.back() = 1;
  steps.tensor(op.inputs[4]).shape = shape;
  const bool is_float = op.output().type == DType::kFloat32;
  const SvdfOutput output{is_float ? activation(op, from.fused_activation_function())
                                   : Activation::kNone};
  TensorId bias = op.inputs[3];
  if (!bias.valid()) {
    bias = steps.add(
        {.name = op.output().name + "/bias",
         .shape = {units},
         .type = is_float ? DType::kFloat32 : DType::kInt32,
         .data = std::make_shared<const Bytes>(static_cast<size_t>(units) * sizeof(int32_t))});
  }
  const TensorId newest = steps.make_as(SvdfFeatures{}, {op.inputs[0], op.inputs[1]}, column);
  const TensorId shifted = steps.make_as(ShiftIn{}, {op.inputs[4], newest}, state);
  steps.keep(op.inputs[4], shifted);
  steps.finish(output, {shifted, op.inputs[2], bias});
}

void unidirectional_sequence_lstm(const FileOp& op, Steps& steps) {
  const auto& from = options(op, op.op.builtin_options_as_UnidirectionalSequenceLSTMOptions());
  check_lstm(op, from);
  const Shape x = op.input(0).shape, out = op.output().shape;  // steps make further tensors
  if (out.size() != 3 || out[0] != x[0] || out[1] != x[1])
    refuse_state(op, fmt::format("is damaged: an output of shape {}", to_string(out)));
  const int64_t batch = x[0], times = x[1], units = out[2];
  const Tensor hidden = variable_of(op, kHiddenState, "hidden states", {batch, units});
  const Tensor cells = variable_of(op, kCellState, "cell states", {batch, units});
  const Quantization q = cells.quantization;
  if (cells.type != DType::kInt16 || q.scales.size() != 1 || q.zero_points[0] != 0) {
    refuse_state(op, fmt::format("its cell state is {}; supported is int16 with one scale and zero "
                                 "point 0",
                                 name(cells.type)));
  }
  Tensor state = hidden;
  state.name = op.output().name + "/state";
  state.shape = {batch, 3 * units};
  Bytes initial;
  const int32_t zero =
      hidden.quantization.zero_points.empty() ? 0 : hidden.quantization.zero_points[0];
  for (int64_t row = 0; row < batch; ++row) {
    initial.insert(initial.end(), static_cast<size_t>(units), static_cast<uint8_t>(zero));
    initial.insert(initial.end(), static_cast<size_t>(2 * units), 0);
  }
  const TensorId before = steps.add(state);
  const std::vector<TensorId> operands{
      op.inputs[0], before,
      gates_of(op, steps, kFirstWeights, "weights", {units, x[2]}, DType::kInt8),
      gates_of(op, steps, kFirstRecurrent, "recurrent_weights", {units, units}, DType::kInt8),
      gates_of(op, steps, kFirstBias, "biases", {units}, DType::kInt32)};
  const Lstm lstm{.cell_scale = q.scales[0],
                  .cell_clip = quantised_clip(from.cell_clip(), q.scales[0])};
  const TensorId all = steps.make(lstm, operands, Shape{batch, (times + 2) * units});
  const TensorId after = steps.make_as(columns_from((times - 1) * units), {all}, state);
  steps.keep(before, after, std::move(initial));
  const TensorId values = steps.make(columns_from(0), {all}, Shape{batch, times * units});
  steps.finish(Reshape{}, {values});
}

}  // namespace thimble
