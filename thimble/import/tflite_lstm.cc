// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: of int8 one operator, of float32 those of each time in turn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "thimble/import/expanded.h"
#include "thimble/import/tflite_parts.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

using LstmOptions = tflite::UnidirectionalSequenceLSTMOptions;

/// Of float32: each is some fifteen operators.
constexpr int64_t kMostTimes = 256;

// Gates of the file's operands, in Lstm's order.
constexpr int64_t kGatesOfLstm = 4;
constexpr size_t kFirstWeights = 1, kFirstRecurrent = 5, kFirstBias = 12, kHiddenState = 18,
                 kCellState = 19;

/// Of the layer; the file's input is [batch, times, inputs] or [times, batch, inputs].
struct LstmExtents {
  int64_t batch, times, inputs, units;
};

/// Columns of a tensor with two axes.
Slice columns_from(int64_t begin) { return {{0, begin}, {1, 1}, {}}; }

/// An operand of a gate: a constant. shape: as many elements.
const Tensor& gate_constant(const FileOp& op, size_t first, size_t gate, const char* what,
                            const Shape& shape) {
  const size_t k = first + gate;
  if (!op.inputs[k].valid()) {
    refuse_state(
        op, fmt::format("has no {} of gate {}; supported are layers of four gates", what, gate));
  }
  return state_operand(op, k, what, shape);
}

[[noreturn]] void refuse_gate(const FileOp& op, const char* what, size_t gate, const Tensor& t,
                              const char* supported) {
  refuse_state(op,
               fmt::format("its {} of gate {} are {}{}; supported are {}", what, gate,
                           t.is_constant() ? "" : "computed, of type ", name(t.type), supported));
}

/// The constants of all gates, one after the other, with a scale for each.
TensorId gates_of(const FileOp& op, Steps& steps, size_t first, const char* what, Shape shape,
                  DType type) {
  Tensor all{.name = fmt::format("{}/{}", op.output().name, what), .type = type};
  Bytes bytes;
  for (size_t gate = 0; gate < static_cast<size_t>(kGatesOfLstm); ++gate) {
    const Tensor& t = gate_constant(op, first, gate, what, shape);
    if (!t.is_constant() || t.type != type || t.quantization.scales.size() != 1) {
      refuse_gate(op, what, gate, t,
                  fmt::format("constants of {} with one scale", name(type)).c_str());
    }
    bytes.insert(bytes.end(), t.data->begin(), t.data->end());
    all.quantization.scales.push_back(t.quantization.scales[0]);
    all.quantization.zero_points.push_back(t.quantization.zero_points[0]);
  }
  shape.insert(shape.begin(), kGatesOfLstm);
  all.shape = std::move(shape);
  all.data = std::make_shared<const Bytes>(std::move(bytes));
  return steps.add(std::move(all));
}

/// The same of float32, as rows of one matrix; int8 is expanded.
TensorId float_gates_of(const FileOp& op, Steps& steps, size_t first, const char* what,
                        Shape shape) {
  Tensor all{.name = fmt::format("{}/{}", op.output().name, what), .type = DType::kFloat32};
  Bytes bytes;
  for (size_t gate = 0; gate < static_cast<size_t>(kGatesOfLstm); ++gate) {
    const Tensor& t = gate_constant(op, first, gate, what, shape);
    const bool hybrid = t.type == DType::kInt8 && t.quantization.scales.size() == 1;
    if (!t.is_constant() || (t.type != DType::kFloat32 && !hybrid))
      refuse_gate(op, what, gate, t, "constants of float32, or of int8 with one scale");
    const std::shared_ptr<const Bytes> data = hybrid ? expanded(t).data : t.data;
    bytes.insert(bytes.end(), data->begin(), data->end());
  }
  shape[0] *= kGatesOfLstm;
  all.shape = std::move(shape);
  all.data = std::make_shared<const Bytes>(std::move(bytes));
  return steps.add(std::move(all));
}

void check_lstm(const FileOp& op, const LstmOptions& from) {
  if (from.fused_activation_function() != tflite::ActivationFunctionType::TANH)
    refuse_state(op, "its activation is not supported; supported is TANH");
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
  const DType type = op.input(0).type;
  if ((type != DType::kInt8 && type != DType::kFloat32) || op.input(0).shape.size() != 3) {
    refuse_state(op, fmt::format("its input is {} {}; supported is int8 or float32 with 3 axes "
                                 "(batch, time, channels)",
                                 name(type), to_string(op.input(0).shape)));
  }
}

LstmExtents extents_of(const FileOp& op, const LstmOptions& from) {
  const Shape &x = op.input(0).shape, &out = op.output().shape;
  if (out.size() != 3 || out[0] != x[0] || out[1] != x[1])
    refuse_state(op, fmt::format("is damaged: an output of shape {}", to_string(out)));
  const size_t time = from.time_major() ? 0 : 1;
  return {.batch = x[1 - time], .times = x[time], .inputs = x[2], .units = out[2]};
}

/// The cell state's clip in its own steps, as the original rounds it: towards zero.
int32_t quantised_clip(float clip, float scale) {
  if (!(clip > 0)) return 0;
  return static_cast<int32_t>(
      std::min(static_cast<double>(clip) / static_cast<double>(scale), 32767.0));
}

/// [a, b, c] as [b, a, c], of the type and quantisation of `like`.
TensorId turned(Steps& steps, TensorId x, Tensor like, const Shape& shape) {
  like.shape = shape;
  if (shape[0] == 1 || shape[1] == 1) return steps.make_as(Reshape{}, {x}, std::move(like));
  return steps.make_as(Transpose{{1, 0, 2}}, {x}, std::move(like));
}

void lstm_of_int8(const FileOp& op, const LstmOptions& from, const LstmExtents& e, Steps& steps) {
  const Tensor hidden = variable_of(op, kHiddenState, "hidden states", {e.batch, e.units});
  const Tensor cells = variable_of(op, kCellState, "cell states", {e.batch, e.units});
  const Quantization q = cells.quantization;
  if (cells.type != DType::kInt16 || q.scales.size() != 1 || q.zero_points[0] != 0) {
    refuse_state(op, fmt::format("its cell state is {}; supported is int16 with one scale and zero "
                                 "point 0",
                                 name(cells.type)));
  }
  Tensor state = hidden;
  state.name = op.output().name + "/state";
  state.shape = {e.batch, 3 * e.units};
  Bytes initial;
  const int32_t zero =
      hidden.quantization.zero_points.empty() ? 0 : hidden.quantization.zero_points[0];
  for (int64_t row = 0; row < e.batch; ++row) {
    initial.insert(initial.end(), static_cast<size_t>(e.units), static_cast<uint8_t>(zero));
    initial.insert(initial.end(), static_cast<size_t>(2 * e.units), 0);
  }
  const TensorId before = steps.add(state);
  const TensorId x = from.time_major()
                         ? turned(steps, op.inputs[0], op.input(0), {e.batch, e.times, e.inputs})
                         : op.inputs[0];
  const std::vector<TensorId> operands{
      x, before, gates_of(op, steps, kFirstWeights, "weights", {e.units, e.inputs}, DType::kInt8),
      gates_of(op, steps, kFirstRecurrent, "recurrent_weights", {e.units, e.units}, DType::kInt8),
      gates_of(op, steps, kFirstBias, "biases", {e.units}, DType::kInt32)};
  const Lstm lstm{.cell_scale = q.scales[0],
                  .cell_clip = quantised_clip(from.cell_clip(), q.scales[0])};
  const TensorId all = steps.make(lstm, operands, Shape{e.batch, (e.times + 2) * e.units});
  const TensorId after = steps.make_as(columns_from((e.times - 1) * e.units), {all}, state);
  steps.keep(before, after, std::move(initial));
  TensorId values = steps.make(columns_from(0), {all}, Shape{e.batch, e.times * e.units});
  if (from.time_major() && e.batch > 1) {
    values = steps.make(Reshape{}, {values}, Shape{e.batch, e.times, e.units});
    values = turned(steps, values, op.output(), {e.times, e.batch, e.units});
  }
  steps.finish(Reshape{}, {values});
}

/// One time after the other, as TensorFlow Lite Micro's lstm_eval computes each: both products,
/// their sum, the gates' functions, the cell state, the hidden state.
class FloatLstm {
 public:
  FloatLstm(const FileOp& op, const LstmOptions& from, const LstmExtents& e, Steps& steps)
      : op_(op), time_major_(from.time_major()), e_(e), steps_(steps) {
    weights_ = float_gates_of(op, steps, kFirstWeights, "weights", {e.units, e.inputs});
    recurrent_ =
        float_gates_of(op, steps, kFirstRecurrent, "recurrent_weights", {e.units, e.units});
    biases_ = float_gates_of(op, steps, kFirstBias, "biases", {e.units});
    if (from.cell_clip() > 0) {
      least_ = number("least", -from.cell_clip());
      most_ = number("most", from.cell_clip());
    }
  }

  void run() {
    const TensorId hidden_before = state(kHiddenState, "hidden states");
    const TensorId cells_before = state(kCellState, "cell states");
    TensorId hidden = hidden_before, cells = cells_before;
    std::vector<TensorId> all;
    for (int64_t time = 0; time < e_.times; ++time) {
      const TensorId gates = sum(product(input_at(time), weights_, true),
                                 product(hidden, recurrent_, false), kGatesOfLstm * e_.units);
      const TensorId in = row(Logistic{}, {gate(gates, 0)});
      const TensorId forget = row(Logistic{}, {gate(gates, 1)});
      const TensorId cell = row(Tanh{}, {gate(gates, 2)});
      const TensorId out = row(Logistic{}, {gate(gates, 3)});
      cells = sum(row(Mul{}, {forget, cells}), row(Mul{}, {in, cell}), e_.units);
      if (least_.valid()) cells = row(Maximum{}, {row(Minimum{}, {cells, most_}), least_});
      hidden = row(Mul{}, {out, row(Tanh{}, {cells})});
      all.push_back(hidden);
    }
    steps_.keep(hidden_before, hidden);
    steps_.keep(cells_before, cells);
    const Shape shape =
        time_major_ ? Shape{e_.times * e_.batch, e_.units} : Shape{e_.batch, e_.times * e_.units};
    const TensorId joined =
        all.size() == 1 ? all[0] : steps_.make(Concat{.axis = time_major_ ? 0 : 1}, all, shape);
    steps_.finish(Reshape{}, {joined});
  }

 private:
  TensorId state(size_t k, const char* what) {
    if (variable_of(op_, k, what, {e_.batch, e_.units}).type != DType::kFloat32)
      refuse_state(op_, fmt::format("its {} are not float32 as its input", what));
    steps_.tensor(op_.inputs[k]).shape = {e_.batch, e_.units};
    return op_.inputs[k];
  }
  TensorId number(const char* what, float value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return steps_.add({.name = fmt::format("{}/{}", op_.output().name, what),
                       .shape = {1},
                       .type = DType::kFloat32,
                       .data = std::make_shared<const Bytes>(std::move(bytes))});
  }
  TensorId input_at(int64_t time) {
    Slice slice{{0, 0, 0}, {1, 1, 1}, {}};
    slice.begin[time_major_ ? 0 : 1] = time;
    return steps_.make(slice, {op_.inputs[0]},
                       time_major_ ? Shape{1, e_.batch, e_.inputs} : Shape{e_.batch, 1, e_.inputs});
  }
  TensorId product(TensorId x, TensorId matrix, bool biased) {
    std::vector<TensorId> operands{x, matrix};
    if (biased) operands.push_back(biases_);
    return steps_.make(FullyConnected{}, operands, {e_.batch, kGatesOfLstm * e_.units});
  }
  TensorId sum(TensorId a, TensorId b, int64_t columns) {
    return steps_.make(Add{}, {a, b}, {e_.batch, columns});
  }
  TensorId gate(TensorId gates, int64_t number) {
    return row(columns_from(number * e_.units), {gates});
  }
  TensorId row(Attributes attributes, std::vector<TensorId> inputs) {
    return steps_.make(std::move(attributes), std::move(inputs), {e_.batch, e_.units});
  }

  const FileOp& op_;
  const bool time_major_;
  const LstmExtents e_;
  Steps& steps_;
  TensorId weights_, recurrent_, biases_;
  TensorId least_, most_;  ///< of the cell state, if it has a clip
};

}  // namespace

void unidirectional_sequence_lstm(const FileOp& op, Steps& steps) {
  const auto& from = options(op, op.op.builtin_options_as_UnidirectionalSequenceLSTMOptions());
  check_lstm(op, from);
  const LstmExtents e = extents_of(op, from);
  if (op.input(0).type == DType::kInt8) return lstm_of_int8(op, from, e, steps);
  if (e.times > kMostTimes) {
    refuse_state(op, fmt::format("has {} times of float32; supported are {} (of int8 any number)",
                                 e.times, kMostTimes));
  }
  FloatLstm(op, from, e, steps).run();
}

}  // namespace thimble
