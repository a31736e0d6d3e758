// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: one operator, whatever its number of times.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/operators/states.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/model/dequantised.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

using tfl::LstmOptions;

// Gates of the file's operands, in Lstm's order.
constexpr int64_t kGatesOfLstm = 4;
constexpr size_t kFirstWeights = 1, kFirstRecurrent = 5, kFirstBias = 12, kHiddenState = 18,
                 kCellState = 19;

/// Extents of the layer; the file's input is [batch, times, inputs] or [times, batch, inputs].
struct LstmExtents {
  int64_t batch, times, inputs, units;
};

/// A layer's tensors, in its type.
struct LstmParts {
  Lstm lstm;
  Tensor state;
  Bytes initial;
  TensorId weights, recurrent, biases;
};

/// Columns of a tensor with two axes.
Slice columns_from(int64_t begin) { return {{0, begin}, {1, 1}, {}}; }

/// An operand of a gate: a constant. shape: as many elements.
const Tensor& gate_constant(const TfliteOp& op, size_t first, size_t gate, const char* what,
                            const Shape& shape) {
  const size_t k = first + gate;
  if (!op.inputs[k].valid()) {
    op.refuse(fmt::format("has no {} of gate {}; supported are layers of four gates", what, gate));
  }
  return state_operand(op, k, what, shape);
}

[[noreturn]] void refuse_gate(const TfliteOp& op, const char* what, size_t gate, const Tensor& t,
                              const char* supported) {
  op.refuse(fmt::format("its {} of gate {} are {}{}; supported are {}", what, gate,
                        t.is_constant() ? "" : "computed, of type ", name(t.type), supported));
}

/// The constants of all gates, one after the other; with a scale for each, but in float32, as which
/// int8 is expanded.
TensorId gates_of(const TfliteOp& op, Expansion& steps, size_t first, const char* what, Shape shape,
                  DType type) {
  Tensor all{.name = fmt::format("{}/{}", op.output().name, what), .type = type};
  Bytes bytes;
  const bool is_float = type == DType::kFloat32;
  for (size_t gate = 0; gate < static_cast<size_t>(kGatesOfLstm); ++gate) {
    const Tensor& t = gate_constant(op, first, gate, what, shape);
    const bool scaled = t.quantization.scales.size() == 1;
    const bool hybrid = is_float && t.type == DType::kInt8 && scaled;
    if (!t.is_constant() || (!hybrid && (t.type != type || (!is_float && !scaled)))) {
      refuse_gate(op, what, gate, t,
                  is_float ? "constants of float32, or of int8 with one scale"
                           : fmt::format("constants of {} with one scale", name(type)).c_str());
    }
    const std::shared_ptr<const Bytes> data = hybrid ? dequantised(t).data : t.data;
    bytes.insert(bytes.end(), data->begin(), data->end());
    if (is_float) continue;
    all.quantization.scales.push_back(t.quantization.scales[0]);
    all.quantization.zero_points.push_back(t.quantization.zero_points[0]);
  }
  shape.insert(shape.begin(), kGatesOfLstm);
  all.shape = std::move(shape);
  all.data = std::make_shared<const Bytes>(std::move(bytes));
  return steps.add(std::move(all));
}

void check_lstm(const TfliteOp& op, const LstmOptions& from) {
  if (from.activation != tfl::ActivationFunctionType::TANH)
    op.refuse("its activation is not supported; supported is TANH");
  if (from.diagonal_recurrent_tensors) op.refuse("diagonal recurrent weights are not supported");
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const bool extra = (k >= 9 && k < kFirstBias) || (k >= 16 && k < kHiddenState) || k >= 20;
    if (extra && op.inputs[k].valid()) {
      op.refuse(
          fmt::format("has operand {}; peepholes, projections and layer normalisation are "
                      "not supported",
                      k));
    }
  }
  const DType type = op.input(0).type;
  if ((type != DType::kInt8 && type != DType::kFloat32) || op.input(0).shape.size() != 3) {
    op.refuse(
        fmt::format("its input is {} {}; supported is int8 or float32 with 3 axes "
                    "(batch, time, channels)",
                    name(type), to_string(op.input(0).shape)));
  }
}

LstmExtents extents_of(const TfliteOp& op, const LstmOptions& from) {
  const Shape &x = op.input(0).shape, &out = op.output().shape;
  if (out.size() != 3 || out[0] != x[0] || out[1] != x[1])
    op.damaged(fmt::format("an output of shape {}", to_string(out)));
  const size_t time = from.time_major ? 0 : 1;
  return {.batch = x[1 - time], .times = x[time], .inputs = x[2], .units = out[2]};
}

/// The cell state's clip in its own steps, as the original rounds it: towards zero.
int32_t quantised_clip(float clip, float scale) {
  if (!(clip > 0)) return 0;
  return static_cast<int32_t>(
      std::min(static_cast<double>(clip) / static_cast<double>(scale), 32767.0));
}

/// [a, b, c] as [b, a, c], of the type and quantisation of `like`.
TensorId turned(Expansion& steps, TensorId x, Tensor like, const Shape& shape) {
  like.shape = shape;
  if (shape[0] == 1 || shape[1] == 1) return steps.make_as(Reshape{}, {x}, std::move(like));
  return steps.make_as(Transpose{{1, 0, 2}}, {x}, std::move(like));
}

LstmParts parts_of_int8(const TfliteOp& op, const LstmOptions& from, const LstmExtents& e,
                        Expansion& steps) {
  LstmParts parts{.state = variable_of(op, kHiddenState, "hidden states", {e.batch, e.units})};
  const Tensor cells = variable_of(op, kCellState, "cell states", {e.batch, e.units});
  const Quantization q = cells.quantization;
  if (cells.type != DType::kInt16 || q.scales.size() != 1 || q.zero_points[0] != 0) {
    op.refuse(
        fmt::format("its cell state is {}; supported is int16 with one scale and zero "
                    "point 0",
                    name(cells.type)));
  }
  const std::vector<int32_t>& zeros = parts.state.quantization.zero_points;
  for (int64_t row = 0; row < e.batch; ++row) {
    parts.initial.insert(parts.initial.end(), static_cast<size_t>(e.units),
                         static_cast<uint8_t>(zeros.empty() ? 0 : zeros[0]));
    parts.initial.insert(parts.initial.end(), static_cast<size_t>(2 * e.units), 0);
  }
  parts.state.shape = {e.batch, 3 * e.units};
  parts.weights = gates_of(op, steps, kFirstWeights, "weights", {e.units, e.inputs}, DType::kInt8);
  parts.recurrent =
      gates_of(op, steps, kFirstRecurrent, "recurrent_weights", {e.units, e.units}, DType::kInt8);
  parts.biases = gates_of(op, steps, kFirstBias, "biases", {e.units}, DType::kInt32);
  parts.lstm = {.cell_scale = q.scales[0],
                .cell_clip = quantised_clip(from.cell_clip, q.scales[0])};
  return parts;
}

/// Whether the kernel can dequantise the weights of all gates from `first` on.
bool are_hybrid(const TfliteOp& op, size_t first) {
  const auto of_gate = [&](size_t gate) { return op.inputs[first + gate]; };
  for (size_t gate = 0; gate < static_cast<size_t>(kGatesOfLstm); ++gate) {
    if (!of_gate(gate).valid()) return false;
    const Tensor& t = op.tensors[of_gate(gate).index()];
    const Tensor& other = op.tensors[of_gate(0).index()];
    if (t.type != DType::kInt8 || t.quantization.scales.size() != 1 ||
        t.quantization.zero_points != other.quantization.zero_points)
      return false;
  }
  return true;
}

LstmParts parts_of_float32(const TfliteOp& op, const LstmOptions& from, const LstmExtents& e,
                           Expansion& steps) {
  LstmParts parts{.state = variable_of(op, kHiddenState, "hidden states", {e.batch, e.units})};
  const Tensor cells = variable_of(op, kCellState, "cell states", {e.batch, e.units});
  for (const Tensor& t : {parts.state, cells}) {
    if (t.type != DType::kFloat32)
      op.refuse(fmt::format("its states are {}, not float32 as its input", name(t.type)));
  }
  parts.state.shape = {e.batch, 2 * e.units};
  const bool hybrid = are_hybrid(op, kFirstWeights) && are_hybrid(op, kFirstRecurrent);
  const DType type = hybrid ? DType::kInt8 : DType::kFloat32;
  parts.weights = gates_of(op, steps, kFirstWeights, "weights", {e.units, e.inputs}, type);
  parts.recurrent =
      gates_of(op, steps, kFirstRecurrent, "recurrent_weights", {e.units, e.units}, type);
  parts.biases = gates_of(op, steps, kFirstBias, "biases", {e.units}, DType::kFloat32);
  if (from.cell_clip > 0)
    parts.lstm.real_clip = std::min(from.cell_clip, std::numeric_limits<float>::max());
  return parts;
}

/// The operator's output is all hidden states, then the cell state.
void finish_lstm(const TfliteOp& op, const LstmOptions& from, const LstmExtents& e, LstmParts parts,
                 Expansion& steps) {
  parts.state.name = op.output().name + "/state";
  const int64_t kept = parts.state.shape[1];
  const TensorId before = steps.add(parts.state);
  const TensorId x = from.time_major
                         ? turned(steps, op.inputs[0], op.input(0), {e.batch, e.times, e.inputs})
                         : op.inputs[0];
  const TensorId all =
      steps.make(parts.lstm, {x, before, parts.weights, parts.recurrent, parts.biases},
                 Shape{e.batch, (e.times - 1) * e.units + kept});
  const TensorId after = steps.make_as(columns_from((e.times - 1) * e.units), {all}, parts.state);
  steps.keep(before, after, std::move(parts.initial));
  for (const size_t variable : {kHiddenState, kCellState}) steps.own(op.inputs[variable]);
  TensorId values = steps.make(columns_from(0), {all}, Shape{e.batch, e.times * e.units});
  if (from.time_major && e.batch > 1) {
    values = steps.make(Reshape{}, {values}, Shape{e.batch, e.times, e.units});
    values = turned(steps, values, op.output(), {e.times, e.batch, e.units});
  }
  steps.finish(Reshape{}, {values});
}

void unidirectional_sequence_lstm(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::LstmOptions>(op);
  check_lstm(op, from);
  const LstmExtents e = extents_of(op, from);
  finish_lstm(op, from, e,
              op.input(0).type == DType::kInt8 ? parts_of_int8(op, from, e, steps)
                                               : parts_of_float32(op, from, e, steps),
              steps);
}

}  // namespace

OperatorList lstm_kinds() {
  using enum tfl::BuiltinOperator;
  static constexpr OperatorKind kKinds[] = {
      {.code = UNIDIRECTIONAL_SEQUENCE_LSTM,
       .inputs = {20, 24},
       .first_optional = 1,
       .expand = unidirectional_sequence_lstm,
       .shape = not_followed},
  };
  return kKinds;
}

}  // namespace thimble
