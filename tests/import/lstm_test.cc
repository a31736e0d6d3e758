// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM of float32, and with time as the first axis, against its equations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "tests/import/tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using tflite::TensorType;
using Floats = std::vector<float>;

constexpr int kGates = 4;

struct LstmLayer {
  int batch = 1, times = 3, inputs = 4, units = 2;
  float clip = 0;
  bool time_major = false;
  bool hybrid = false;  ///< weights of int8
};

Floats random_floats(size_t count, std::mt19937& random) {
  Floats result(count);
  for (float& value : result) value = static_cast<float>(random() % 2001) / 1000 - 1;
  return result;
}

constexpr int kHybridZero = 3;

float hybrid_scale(int gate) { return 0.0113F + 0.003F * static_cast<float>(gate); }

/// Values become those that int8 has at that scale.
void round_to_int8(Floats& values, float scale) {
  for (float& value : values) value = scale * std::round(value / scale);
}

/// An LSTM of float32 as the file has it, and the same in equations.
class FloatLayer {
 public:
  explicit FloatLayer(const LstmLayer& layer) : l_(layer) {
    std::mt19937 random(7);
    const auto size = [](int a, int b) { return static_cast<size_t>(a) * static_cast<size_t>(b); };
    for (int gate = 0; gate < kGates; ++gate) {
      weights_.push_back(random_floats(size(l_.units, l_.inputs), random));
      recurrent_.push_back(random_floats(size(l_.units, l_.units), random));
      biases_.push_back(random_floats(static_cast<size_t>(l_.units), random));
      if (l_.hybrid) {
        round_to_int8(weights_.back(), hybrid_scale(gate));
        round_to_int8(recurrent_.back(), hybrid_scale(kGates - gate));
      }
    }
    reset();
  }

  void reset() {
    hidden_.assign(static_cast<size_t>(l_.batch * l_.units), 0);
    cells_ = hidden_;
  }

  [[nodiscard]] TfliteBuilder file() const {
    TfliteBuilder net;
    const auto dims = [&](int channels) {
      return l_.time_major ? TfliteBuilder::Dims{l_.times, l_.batch, channels}
                           : TfliteBuilder::Dims{l_.batch, l_.times, channels};
    };
    std::vector<int32_t> operands(24, -1);
    operands[0] = net.tensor(dims(l_.inputs), TensorType::FLOAT32);
    const auto constant = [&](const TfliteBuilder::Dims& shape, const Floats& values) {
      return net.constant(shape, TensorType::FLOAT32, bytes_of(values));
    };
    const auto matrix = [&](const TfliteBuilder::Dims& shape, const Floats& values, float scale) {
      if (!l_.hybrid) return constant(shape, values);
      Bytes bytes;
      for (const float value : values)
        bytes.push_back(static_cast<uint8_t>(std::lround(value / scale) + kHybridZero));
      const int32_t t = net.constant(shape, TensorType::INT8, bytes);
      net.at(t).quantization->scale = {scale};
      net.at(t).quantization->zero_point = {kHybridZero};
      return t;
    };
    for (int gate = 0; gate < kGates; ++gate) {
      const auto at = static_cast<size_t>(gate);
      operands[1 + at] = matrix({l_.units, l_.inputs}, weights_[at], hybrid_scale(gate));
      operands[5 + at] = matrix({l_.units, l_.units}, recurrent_[at], hybrid_scale(kGates - gate));
      operands[12 + at] = constant({l_.units}, biases_[at]);
    }
    for (const size_t state : {18U, 19U}) {
      operands[state] = net.tensor({l_.batch, l_.units}, TensorType::FLOAT32);
      net.at(operands[state]).is_variable = true;
    }
    const int32_t out = net.tensor(dims(l_.units), TensorType::FLOAT32);
    tflite::UnidirectionalSequenceLSTMOptionsT options;
    options.fused_activation_function = tflite::ActivationFunctionType::TANH;
    options.cell_clip = l_.clip;
    options.time_major = l_.time_major;
    net.op(tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, operands, {out}, options);
    net.inputs({operands[0]});
    net.outputs({out});
    return net;
  }

  /// The network of operators that compute what the LSTM does, time after time.
  [[nodiscard]] Graph unrolled() const;

  /// The next inference, from what the last one left.
  Floats run(const Floats& x) {
    Floats result(static_cast<size_t>(l_.batch * l_.times * l_.units));
    for (int time = 0; time < l_.times; ++time) {
      const Floats before = hidden_;
      for (int row = 0; row < l_.batch; ++row) {
        for (int unit = 0; unit < l_.units; ++unit) {
          const auto gate = [&](size_t g) {
            float sum = biases_[g][index(unit)];
            for (int k = 0; k < l_.inputs; ++k)
              sum += weights_[g][index(unit * l_.inputs + k)] *
                     x[position(row, time) * index(l_.inputs) + index(k)];
            for (int k = 0; k < l_.units; ++k)
              sum += recurrent_[g][index(unit * l_.units + k)] * before[index(row * l_.units + k)];
            return sum;
          };
          const size_t at = index(row * l_.units + unit);
          cells_[at] = sigmoid(gate(1)) * cells_[at] + sigmoid(gate(0)) * std::tanh(gate(2));
          if (l_.clip > 0) cells_[at] = std::clamp(cells_[at], -l_.clip, l_.clip);
          hidden_[at] = sigmoid(gate(3)) * std::tanh(cells_[at]);
          result[position(row, time) * index(l_.units) + index(unit)] = hidden_[at];
        }
      }
    }
    return result;
  }

 private:
  static size_t index(int k) { return static_cast<size_t>(k); }
  /// The position of a row of channels in input and output.
  [[nodiscard]] size_t position(int row, int time) const {
    return index(l_.time_major ? time * l_.batch + row : row * l_.times + time);
  }

  LstmLayer l_;
  std::vector<Floats> weights_, recurrent_, biases_;
  Floats hidden_, cells_;
};

/// A network whose operators are made one by one.
struct Unrolled {
  Graph graph = {};
  Shape row = {};  ///< of states and gates

  TensorId tensor(const Shape& shape, std::shared_ptr<const Bytes> data = nullptr) {
    graph.tensors.push_back(
        {.name = "", .shape = shape, .type = DType::kFloat32, .data = std::move(data)});
    return {static_cast<int32_t>(graph.tensors.size()) - 1};
  }
  TensorId constant(const Shape& shape, const std::vector<Floats>& of_gates) {
    Floats all;
    for (const Floats& gate : of_gates) all.insert(all.end(), gate.begin(), gate.end());
    return tensor(shape, std::make_shared<const Bytes>(bytes_of(all)));
  }
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, const Shape& shape) {
    const TensorId out = tensor(shape);
    graph.ops.push_back({std::move(attributes), std::move(inputs), {out}, -1});
    return out;
  }
  TensorId elements(Attributes attributes, std::vector<TensorId> inputs) {
    return op(std::move(attributes), std::move(inputs), row);
  }
  void keep(TensorId in, TensorId out) {
    const auto size = static_cast<size_t>(graph.tensor(in).size_bytes());
    graph.states.push_back({in, out, std::make_shared<const Bytes>(size)});
  }
};

Graph FloatLayer::unrolled() const {
  Unrolled net{.row = {l_.batch, l_.units}};
  const int64_t rows = int64_t{kGates} * l_.units;
  const TensorId x = net.tensor(l_.time_major ? Shape{l_.times, l_.batch, l_.inputs}
                                              : Shape{l_.batch, l_.times, l_.inputs});
  const TensorId weights = net.constant({rows, l_.inputs}, weights_),
                 recurrent = net.constant({rows, l_.units}, recurrent_),
                 biases = net.constant({rows}, biases_);
  const TensorId least = net.constant({1}, {{-l_.clip}}), most = net.constant({1}, {{l_.clip}});
  const TensorId hidden_before = net.tensor(net.row), cells_before = net.tensor(net.row);
  TensorId hidden = hidden_before, cells = cells_before;
  std::vector<TensorId> all;
  for (int time = 0; time < l_.times; ++time) {
    Slice at_time{{0, 0, 0}, {1, 1, 1}, {}};
    at_time.begin[l_.time_major ? 0 : 1] = time;
    const TensorId now =
        net.op(at_time, {x},
               l_.time_major ? Shape{1, l_.batch, l_.inputs} : Shape{l_.batch, 1, l_.inputs});
    const Shape sums{l_.batch, rows};
    const TensorId gates = net.op(Add{},
                                  {net.op(FullyConnected{}, {now, weights, biases}, sums),
                                   net.op(FullyConnected{}, {hidden, recurrent}, sums)},
                                  sums);
    const auto gate = [&](int number, const Attributes& function) {
      const Slice columns{{0, int64_t{number} * l_.units}, {1, 1}, {}};
      return net.elements(function, {net.elements(columns, {gates})});
    };
    const TensorId kept = net.elements(Mul{}, {gate(1, Logistic{}), cells});
    cells =
        net.elements(Add{}, {kept, net.elements(Mul{}, {gate(0, Logistic{}), gate(2, Tanh{})})});
    if (l_.clip > 0)
      cells = net.elements(Maximum{}, {net.elements(Minimum{}, {cells, most}), least});
    hidden = net.elements(Mul{}, {gate(3, Logistic{}), net.elements(Tanh{}, {cells})});
    all.push_back(hidden);
  }
  net.keep(hidden_before, hidden);
  net.keep(cells_before, cells);
  const TensorId joined = net.op(
      Concat{.axis = l_.time_major ? 0 : 1}, all,
      l_.time_major ? Shape{l_.times * l_.batch, l_.units} : Shape{l_.batch, l_.times * l_.units});
  net.graph.inputs = {{.tensor = x}};
  net.graph.outputs = {{.tensor = joined}};
  return net.graph;
}

Graph lstm_graph(const TfliteBuilder& net) {
  return import_tflite(net.bytes(), "net", "net.tflite");
}

const LstmLayer kFloatLayers[] = {
    {},
    {.times = 1},
    {.batch = 3, .clip = 0.2F},
    {.times = 5, .time_major = true},
    {.units = 3, .hybrid = true},
    {.batch = 2, .inputs = 1, .units = 5, .clip = 10, .time_major = true},
    {.batch = 2, .times = 6, .inputs = 9, .units = 7, .clip = 0.3F, .hybrid = true}};

TEST(FloatLstm, ComputesItsEquations) {
  for (const LstmLayer& layer : kFloatLayers) {
    FloatLayer wanted(layer);
    const Graph graph = lstm_graph(wanted.file());
    ASSERT_EQ(graph.states.size(), 1U);
    for (const Graph& g : {graph, rewrite(graph)}) {
      std::mt19937 random(1);
      wanted.reset();
      StateValues state = initial_state(g);
      for (int inference = 0; inference < 3; ++inference) {
        const Floats x =
            random_floats(static_cast<size_t>(layer.batch * layer.times * layer.inputs), random);
        const TensorValues values = interpret(g, {bytes_of(x)}, state);
        EXPECT_THAT(floats_of(values[g.outputs[0].tensor.index()]),
                    ::testing::Pointwise(::testing::FloatNear(1e-5F), wanted.run(x)));
      }
    }
  }
}

TEST(FloatLstm, IsTheSameToTheBitAsOperatorsOfEachTime) {
  for (const LstmLayer& layer : kFloatLayers) {
    const FloatLayer of_file(layer);
    const Graph graph = lstm_graph(of_file.file()), unrolled = of_file.unrolled();
    StateValues state = initial_state(graph), of_unrolled = initial_state(unrolled);
    std::mt19937 random(5);
    for (int inference = 0; inference < 3; ++inference) {
      Floats x =
          random_floats(static_cast<size_t>(layer.batch * layer.times * layer.inputs), random);
      if (inference == 1) x[0] = 3e38F;  // a sum beyond all numbers
      EXPECT_EQ(
          interpret(graph, {bytes_of(x)}, state)[graph.outputs[0].tensor.index()],
          interpret(unrolled, {bytes_of(x)}, of_unrolled)[unrolled.outputs[0].tensor.index()]);
    }
  }
}

TEST(FloatLstm, IsOneOperatorWhateverItsTimes) {
  for (const bool hybrid : {false, true}) {
    const Graph graph = lstm_graph(FloatLayer({.times = 1000, .hybrid = hybrid}).file());
    EXPECT_LE(graph.ops.size(), 4U);
    const auto lstm = std::ranges::find_if(
        graph.ops, [](const Op& op) { return std::holds_alternative<Lstm>(op.attributes); });
    ASSERT_NE(lstm, graph.ops.end());
    EXPECT_EQ(graph.tensor(lstm->inputs[2]).type, hybrid ? DType::kInt8 : DType::kFloat32);
  }
}

/// Zero points that differ from gate to gate.
TEST(FloatLstm, ExpandsWeightsThatKernelsDoNotDequantise) {
  TfliteBuilder net = FloatLayer({.hybrid = true}).file();
  net.at(net.op_at(0).inputs[2]).quantization->zero_point = {kHybridZero + 1};
  const Graph graph = lstm_graph(net);
  for (const Op& op : graph.ops) {
    for (const TensorId t : op.inputs) EXPECT_EQ(graph.tensor(t).type, DType::kFloat32);
  }
}

TEST(FloatLstm, RefusesOneVariableForBothStates) {
  TfliteBuilder net = FloatLayer({}).file();
  net.op_at(0).inputs[19] = net.op_at(0).inputs[18];
  EXPECT_THROW((void)lstm_graph(net), CompileError);
}

TEST(FloatLstm, RefusesStatesThatAreComputed) {
  TfliteBuilder net = FloatLayer({}).file();
  const int32_t x = net.tensor({1, 2}, TensorType::FLOAT32);
  net.op(tflite::BuiltinOperator::RELU, {x}, {net.op_at(0).inputs[18]});
  std::swap(net.network().operators[0], net.network().operators[1]);
  net.inputs({net.op_at(1).inputs[0], x});
  EXPECT_THROW((void)lstm_graph(net), CompileError);
  net = FloatLayer({}).file();
  net.inputs({net.op_at(0).inputs[0], net.op_at(0).inputs[18]});
  EXPECT_THROW((void)lstm_graph(net), CompileError);
}

/// A layer's numbers in the other order of axes: all hidden states are those of batch first.
TEST(Int8Lstm, WithTimeAsTheFirstAxisComputesTheSame) {
  constexpr int kBatch = 2, kTimes = 3, kInputs = 4, kUnits = 2;
  const auto file = [](bool time_major) {
    TfliteBuilder net;
    std::mt19937 random(3);
    const auto bytes = [&](int count) {
      Bytes result(static_cast<size_t>(count));
      for (uint8_t& byte : result) byte = static_cast<uint8_t>(random());
      return result;
    };
    const auto dims = [&](int channels) {
      return time_major ? TfliteBuilder::Dims{kTimes, kBatch, channels}
                        : TfliteBuilder::Dims{kBatch, kTimes, channels};
    };
    const auto symmetric = [&](int32_t t, float scale) {
      net.at(t).quantization->scale = {scale};
      net.at(t).quantization->zero_point = {0};
      return t;
    };
    std::vector<int32_t> operands(24, -1);
    operands[0] = net.tensor(dims(kInputs));
    for (size_t gate = 0; gate < kGates; ++gate) {
      operands[1 + gate] = symmetric(
          net.constant({kUnits, kInputs}, TensorType::INT8, bytes(kUnits * kInputs)), 0.01F);
      operands[5 + gate] = symmetric(
          net.constant({kUnits, kUnits}, TensorType::INT8, bytes(kUnits * kUnits)), 0.01F);
      operands[12 + gate] = symmetric(net.bias(kUnits), 0.005F);
    }
    operands[18] = net.tensor({kBatch, kUnits});
    operands[19] = symmetric(net.tensor({kBatch, kUnits}, TensorType::INT16), 0x1p-11F);
    const int32_t out = net.tensor(dims(kUnits));
    for (const int32_t t : {operands[18], out}) {
      net.at(t).quantization->scale = {1.0F / 128};
      net.at(t).quantization->zero_point = {0};
    }
    net.at(operands[18]).is_variable = net.at(operands[19]).is_variable = true;
    tflite::UnidirectionalSequenceLSTMOptionsT options;
    options.fused_activation_function = tflite::ActivationFunctionType::TANH;
    options.time_major = time_major;
    net.op(tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, operands, {out}, options);
    net.inputs({operands[0]});
    net.outputs({out});
    return net;
  };
  const auto in_order = [](const Bytes& by_row, int channels) {  // [batch, time] as [time, batch]
    Bytes result;
    for (int time = 0; time < kTimes; ++time) {
      for (int row = 0; row < kBatch; ++row) {
        const auto from = by_row.begin() + (row * kTimes + time) * channels;
        result.insert(result.end(), from, from + channels);
      }
    }
    return result;
  };
  const Graph rows = lstm_graph(file(false)), times = lstm_graph(file(true));
  StateValues of_rows = initial_state(rows), of_times = initial_state(times);
  for (uint8_t inference = 0; inference < 3; ++inference) {
    Bytes x;
    for (uint8_t k = 0; k < kBatch * kTimes * kInputs; ++k)
      x.push_back(static_cast<uint8_t>(k * 37 + inference * 11));
    const Bytes wanted = interpret(rows, {x}, of_rows)[rows.outputs[0].tensor.index()];
    EXPECT_EQ(interpret(times, {in_order(x, kInputs)}, of_times)[times.outputs[0].tensor.index()],
              in_order(wanted, kUnits));
    EXPECT_NE(wanted, Bytes(wanted.size(), wanted[0]));
  }
}

}  // namespace
}  // namespace thimble::testing
