// SPDX-License-Identifier: Apache-2.0
// WHILE and IF of .tflite files: layers over a sequence as converters write them, and what is
// refused.
#include "thimble/import/tflite/control_flow.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "tests/import/tflite_builder.h"
#include "thimble/import/survey.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::TensorType;
using Dims = TfliteBuilder::Dims;
using Floats = std::vector<float>;

enum class Layer : uint8_t { kRnn, kGru, kLstm };
/// How a step writes its row of all states.
enum class Rows : uint8_t { kSlices, kUpdate };

constexpr int32_t kSteps = 5, kWidth = 3, kStates = 4;

/// A layer's constants, gate by gate: [gates * units][columns] and biases of x and of h.
struct Constants {
  explicit Constants(Layer layer) : gates(layer == Layer::kRnn ? 1 : layer == Layer::kGru ? 3 : 4) {
    std::mt19937 random(5);
    const auto some = [&](int32_t count) {
      Floats values(static_cast<size_t>(count));
      for (float& v : values) v = static_cast<float>(random() % 2001) / 1000 - 1;
      return values;
    };
    of_x = some(gates * kStates * kWidth);
    of_h = some(gates * kStates * kStates);
    biases_x = some(gates * kStates);
    biases_h = some(gates * kStates);
    x = some(kSteps * kWidth);
  }
  int32_t gates;
  Floats of_x, of_h, biases_x, biases_h, x;
};

/// All hidden states, by the equations.
Floats expected(Layer layer, const Constants& c) {
  Floats h(kStates), cells(kStates), all;
  const auto product = [](const Floats& weights, const Floats& biases, const float* of,
                          int32_t columns) {
    Floats sums = biases;
    for (size_t row = 0; row < sums.size(); ++row)
      for (int32_t k = 0; k < columns; ++k)
        sums[row] += weights[row * static_cast<size_t>(columns) + static_cast<size_t>(k)] * of[k];
    return sums;
  };
  for (int32_t t = 0; t < kSteps; ++t) {
    const Floats sx = product(c.of_x, c.biases_x, c.x.data() + t * kWidth, kWidth),
                 sh = product(c.of_h, c.biases_h, h.data(), kStates);
    for (size_t u = 0; u < kStates; ++u) {
      const auto sum = [&](size_t gate) { return sx[gate * kStates + u] + sh[gate * kStates + u]; };
      if (layer == Layer::kRnn) h[u] = std::tanh(sum(0));
      if (layer == Layer::kGru) {
        const float z = sigmoid(sum(0)), r = sigmoid(sum(1));
        h[u] = z * h[u] + (1 - z) * std::tanh(sx[2 * kStates + u] + r * sh[2 * kStates + u]);
      }
      if (layer == Layer::kLstm) {
        cells[u] = sigmoid(sum(1)) * cells[u] + sigmoid(sum(0)) * std::tanh(sum(2));
        h[u] = sigmoid(sum(3)) * std::tanh(cells[u]);
      }
    }
    all.insert(all.end(), h.begin(), h.end());
  }
  return all;
}

/// A layer over a sequence as Keras and TensorFlow's converter write it: a loop whose values are a
/// counter, the list of all states, the states and the sequence.
class LoopFile : public TfliteBuilder {
 public:
  LoopFile(Layer layer, Rows rows) : layer_(layer), rows_(rows), constants_(layer) {
    const int32_t x = real({1, kSteps, kWidth}), turned = real({kSteps, 1, kWidth});
    op(BuiltinOperator::TRANSPOSE, {x, constant({1, 0, 2})}, {turned});
    const Dims values = {scalar(0), zeros({kSteps, 1, kStates}), zeros({1, kStates}),
                         zeros({1, kStates}), turned};
    const Dims results = arguments();
    at(results[1]).name = "all states";
    const int32_t condition = begin_subgraph();
    condition_of(kSteps);
    const int32_t body = begin_subgraph();
    body_of();
    return_to(0);
    tflite::WhileOptionsT options;
    options.cond_subgraph_index = condition;
    options.body_subgraph_index = body;
    op(BuiltinOperator::WHILE, values, results, options);
    inputs({x});
    outputs({results[1], last_of(results[1]), results[2]});
  }

  [[nodiscard]] const Constants& constants() const { return constants_; }

 private:
  int32_t real(Dims shape) { return tensor(std::move(shape), TensorType::FLOAT32); }
  int32_t integer(Dims shape) {
    const int32_t made = tensor(std::move(shape), TensorType::INT32);
    at(made).quantization = nullptr;
    return made;
  }
  int32_t reals(Dims shape, const Floats& values) {
    return constant(std::move(shape), TensorType::FLOAT32, bytes_of(values));
  }
  int32_t zeros(Dims shape) {
    size_t count = 1;
    for (const int32_t extent : shape) count *= static_cast<size_t>(extent);
    return reals(std::move(shape), Floats(count));
  }
  int32_t scalar(int32_t value) {
    const int32_t made = constant({value});
    at(made).shape = {};
    return made;
  }
  Dims arguments() {
    return {integer({}), real({kSteps, 1, kStates}), real({1, kStates}), real({1, kStates}),
            real({kSteps, 1, kWidth})};
  }
  void condition_of(int32_t times) {
    const Dims values = arguments();
    const int32_t goes_on = tensor({}, TensorType::BOOL);
    at(goes_on).quantization = nullptr;
    op(BuiltinOperator::LESS, {values[0], scalar(times)}, {goes_on});
    inputs(values);
    outputs({goes_on});
  }
  int32_t binary(BuiltinOperator code, int32_t a, int32_t b) {
    const int32_t out = real({1, kStates});
    if (code == BuiltinOperator::ADD) op(code, {a, b}, {out}, tflite::AddOptionsT());
    if (code == BuiltinOperator::MUL) op(code, {a, b}, {out}, tflite::MulOptionsT());
    if (code == BuiltinOperator::SUB) op(code, {a, b}, {out}, tflite::SubOptionsT());
    return out;
  }
  int32_t function(BuiltinOperator code, int32_t x) {
    const int32_t out = real({1, kStates});
    op(code, {x}, {out});
    return out;
  }
  Dims gates(int32_t x, const Floats& weights, const Floats& biases) {
    const int32_t count = constants_.gates, columns = std::ssize(weights) / (count * kStates);
    const int32_t all = real({1, count * kStates});
    op(BuiltinOperator::FULLY_CONNECTED,
       {x, reals({count * kStates, columns}, weights), reals({count * kStates}, biases)}, {all},
       tflite::FullyConnectedOptionsT());
    if (count == 1) return {all};
    Dims parts;
    for (int32_t g = 0; g < count; ++g) parts.push_back(real({1, kStates}));
    tflite::SplitOptionsT options;
    options.num_splits = count;
    op(BuiltinOperator::SPLIT, {scalar(1), all}, parts, options);
    return parts;
  }
  /// The hidden state that x and the states before make, and the state of cells.
  std::pair<int32_t, int32_t> step(int32_t x, int32_t h, int32_t c) {
    using enum BuiltinOperator;
    const Dims sx = gates(x, constants_.of_x, constants_.biases_x),
               sh = gates(h, constants_.of_h, constants_.biases_h);
    const auto sum = [&](size_t gate) { return binary(ADD, sx[gate], sh[gate]); };
    if (layer_ == Layer::kRnn) return {function(TANH, sum(0)), c};
    if (layer_ == Layer::kGru) {
      const int32_t z = function(LOGISTIC, sum(0)), r = function(LOGISTIC, sum(1));
      const int32_t new_h = function(TANH, binary(ADD, sx[2], binary(MUL, r, sh[2])));
      const int32_t rest = binary(SUB, reals({}, {1}), z);
      return {binary(ADD, binary(MUL, z, h), binary(MUL, rest, new_h)), c};
    }
    const int32_t kept = binary(MUL, function(LOGISTIC, sum(1)), c),
                  added = binary(MUL, function(LOGISTIC, sum(0)), function(TANH, sum(2)));
    const int32_t cells = binary(ADD, kept, added);
    return {binary(MUL, function(LOGISTIC, sum(3)), function(TANH, cells)), cells};
  }
  int32_t packed(const Dims& scalars) {
    const int32_t out = integer({static_cast<int32_t>(scalars.size())});
    tflite::PackOptionsT options;
    options.values_count = static_cast<int32_t>(scalars.size());
    op(BuiltinOperator::PACK, scalars, {out}, options);
    return out;
  }
  void body_of() {
    const Dims values = arguments();
    const int32_t later = integer({});
    op(BuiltinOperator::ADD, {values[0], scalar(1)}, {later}, tflite::AddOptionsT());
    const int32_t x = real({1, kWidth});
    op(BuiltinOperator::GATHER, {values[4], values[0]}, {x}, tflite::GatherOptionsT());
    const auto [h, c] = step(x, values[2], values[3]);
    const int32_t row = real({1, 1, kStates});
    op(BuiltinOperator::EXPAND_DIMS, {h, scalar(0)}, {row});
    const int32_t all = real({kSteps, 1, kStates});
    if (rows_ == Rows::kUpdate) {
      op(BuiltinOperator::DYNAMIC_UPDATE_SLICE,
         {values[1], row, packed({values[0], scalar(0), scalar(0)})}, {all});
    } else {
      const int32_t before = open_rows(), after = open_rows();
      op(BuiltinOperator::SLICE,
         {values[1], constant({0, 0, 0}), packed({values[0], scalar(-1), scalar(-1)})}, {before});
      op(BuiltinOperator::SLICE,
         {values[1], packed({later, scalar(0), scalar(0)}), constant({-1, -1, -1})}, {after});
      op(BuiltinOperator::CONCATENATION, {before, row, after}, {all},
         tflite::ConcatenationOptionsT());
    }
    inputs(values);
    outputs({later, all, h, c, values[4]});
  }
  int32_t open_rows() {
    const int32_t made = real({1, 1, kStates});
    at(made).shape_signature = {-1, 1, kStates};
    return made;
  }
  int32_t last_of(int32_t all) {
    const int32_t last = real({1, kStates});
    tflite::StridedSliceOptionsT options;
    options.shrink_axis_mask = 1;
    op(BuiltinOperator::STRIDED_SLICE,
       {all, constant({-1, 0, 0}), constant({0, 1, kStates}), constant({1, 1, 1})}, {last},
       options);
    return last;
  }

  Layer layer_;
  Rows rows_;
  Constants constants_;
};

template <class Kind>
int64_t count_of(const Graph& graph) {
  return std::ranges::count_if(
      graph.ops, [](const Op& op) { return std::holds_alternative<Kind>(op.attributes); });
}

void expect_near(const Floats& found, const Floats& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-5) << k;
}

TEST(ControlFlow, ALoopOverTimesIsALayer) {
  for (const Layer layer : {Layer::kRnn, Layer::kGru, Layer::kLstm}) {
    for (const Rows rows : {Rows::kSlices, Rows::kUpdate}) {
      SCOPED_TRACE(
          fmt::format("layer {}, rows {}", static_cast<int>(layer), static_cast<int>(rows)));
      const LoopFile file(layer, rows);
      const Graph graph = import_tflite(file.bytes(), "loop", "loop.tflite");
      EXPECT_EQ(count_of<Recurrent>(graph), layer == Layer::kLstm ? 0 : 1);
      EXPECT_EQ(count_of<Lstm>(graph), layer == Layer::kLstm ? 1 : 0);
      EXPECT_EQ(count_of<FullyConnected>(graph), 0);
      EXPECT_EQ(count_of<Concat>(rewrite(graph)), 0);
      EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).name, "all states");
      const TensorValues values = interpret(graph, {bytes_of(file.constants().x)});
      const Floats all = expected(layer, file.constants()), last(all.end() - kStates, all.end());
      expect_near(floats_of(values[graph.outputs[0].tensor.index()]), all);
      expect_near(floats_of(values[graph.outputs[1].tensor.index()]), last);
      expect_near(floats_of(values[graph.outputs[2].tensor.index()]), last);
      EXPECT_TRUE(survey_tflite(file.bytes(), "loop", "loop.tflite", {}).obstacles.empty());
    }
  }
}

/// What two steps read of x [2,2].
enum class Parts : uint8_t { kRows, kColumns };

/// h = function(x w + h u), twice; all states behind each other.
TfliteBuilder two_steps(BuiltinOperator function, Parts parts = Parts::kRows) {
  TfliteBuilder net;
  const auto real = [&](Dims shape) { return net.tensor(std::move(shape), TensorType::FLOAT32); };
  const auto known = [&](Dims shape, const Floats& values) {
    return net.constant(std::move(shape), TensorType::FLOAT32, bytes_of(values));
  };
  const int32_t x = real({2, 2}), w = known({1, 2}, {0.5F, -1}), u = known({1, 1}, {0.75F});
  int32_t h = known({1, 1}, {0.25F});
  Dims states;
  for (int32_t k = 0; k < 2; ++k) {
    const int32_t row = real({1, 2}), of_x = real({1, 1}), of_h = real({1, 1}), sum = real({1, 1});
    const bool rows = parts == Parts::kRows;
    const int32_t part = real(rows ? Dims{1, 2} : Dims{2, 1});
    net.op(BuiltinOperator::SLICE,
           {x, net.constant(rows ? Dims{k, 0} : Dims{0, k}), net.constant(net.at(part).shape)},
           {part});
    net.op(BuiltinOperator::RESHAPE, {part, net.constant({1, 2})}, {row});
    net.op(BuiltinOperator::FULLY_CONNECTED, {row, w}, {of_x}, tflite::FullyConnectedOptionsT());
    net.op(BuiltinOperator::FULLY_CONNECTED, {h, u}, {of_h}, tflite::FullyConnectedOptionsT());
    net.op(BuiltinOperator::ADD, {of_x, of_h}, {sum}, tflite::AddOptionsT());
    states.push_back(h = real({1, 1}));
    net.op(function, {sum}, {h});
  }
  const int32_t all = real({2, 1});
  net.op(BuiltinOperator::CONCATENATION, states, {all}, tflite::ConcatenationOptionsT());
  net.inputs({x});
  net.outputs({all});
  return net;
}

TEST(ControlFlow, StepsKeepTheirLimits) {
  const Floats x = {3, 0, -4, 1};
  const auto run = [&](const TfliteBuilder& net, int64_t layers) {
    const Graph graph = import_tflite(net.bytes(), "net", "net.tflite");
    EXPECT_EQ(count_of<Recurrent>(graph), layers);
    return floats_of(interpret(graph, {bytes_of(x)})[graph.outputs[0].tensor.index()]);
  };
  expect_near(run(two_steps(BuiltinOperator::RELU_N1_TO_1), 0), {1, -1});
  expect_near(run(two_steps(BuiltinOperator::RELU), 1), {1.6875F, 0});
  const float first = std::tanh(1.6875F), second = std::tanh(-3 + 0.75F * first);
  expect_near(run(two_steps(BuiltinOperator::TANH), 1), {first, second});
  // Columns are no times.
  const float left = std::tanh(5.5F + 0.1875F), right = std::tanh(-1 + 0.75F * left);
  expect_near(run(two_steps(BuiltinOperator::TANH, Parts::kColumns), 0), {left, right});
}

/// x int8 -> a loop or branch over `values` -> y.
struct SmallFile : TfliteBuilder {
  int32_t boolean() {
    const int32_t made = tensor({}, TensorType::BOOL);
    at(made).quantization = nullptr;
    return made;
  }
  int32_t boolean(bool value) {
    const int32_t made = constant({}, TensorType::BOOL, {static_cast<uint8_t>(value)});
    at(made).quantization = nullptr;
    return made;
  }
  /// A subgraph that is RELU or LOGISTIC.
  int32_t function(BuiltinOperator code) {
    const int32_t subgraph = begin_subgraph(), x = tensor({1, 4}), y = tensor({1, 4});
    op(code, {x}, {y});
    inputs({x});
    outputs({y});
    return subgraph;
  }
  void loop(int32_t condition, int32_t body) {
    return_to(0);
    const int32_t x = tensor({1, 4}), y = tensor({1, 4});
    tflite::WhileOptionsT options;
    options.cond_subgraph_index = condition;
    options.body_subgraph_index = body;
    op(BuiltinOperator::WHILE, {x}, {y}, options);
    inputs({x});
    outputs({y});
  }
};

std::string refusal(const TfliteBuilder& file) {
  try {
    (void)import_tflite(file.bytes(), "loop", "loop.tflite");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(ControlFlow, ABranchIsTheOneThatIsTaken) {
  for (const bool taken : {false, true}) {
    SmallFile file;
    tflite::IfOptionsT options;
    options.then_subgraph_index = file.function(BuiltinOperator::RELU);
    options.else_subgraph_index = file.function(BuiltinOperator::ABS);
    file.return_to(0);
    const int32_t x = file.tensor({1, 4}), y = file.tensor({1, 4});
    file.op(BuiltinOperator::IF, {file.boolean(taken), x}, {y}, options);
    file.inputs({x});
    file.outputs({y});
    const Graph graph = import_tflite(file.bytes(), "branch", "branch.tflite");
    ASSERT_EQ(graph.ops.size(), 1U);
    EXPECT_EQ(count_of<Relu>(graph), taken ? 1 : 0);
    EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).name, "t1");
  }
}

TEST(ControlFlow, ResultsHaveTheScaleThatIsSaid) {
  SmallFile file;
  tflite::IfOptionsT options;
  options.then_subgraph_index = options.else_subgraph_index = file.function(BuiltinOperator::RELU);
  file.return_to(0);
  const int32_t x = file.tensor({1, 4}), y = file.tensor({1, 4});
  file.at(y).quantization->scale = {0.25F};
  file.op(BuiltinOperator::IF, {file.boolean(true), x}, {y}, options);
  file.inputs({x});
  file.outputs({y});
  EXPECT_THAT(refusal(file), HasSubstr("one scale outside and another inside"));
}

TEST(ControlFlow, ShapesAreThoseOfTheFile) {
  ImportOptions options;
  options.shapes = {{.input = "t0", .shape = {1, 7, kWidth}}};
  try {
    (void)import_tflite(LoopFile(Layer::kRnn, Rows::kUpdate).bytes(), "loop", "loop.tflite",
                        options);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("for which --shape is not supported"));
  }
}

TEST(ControlFlow, WhatDependsOnDataIsRefused) {
  SmallFile file;
  const int32_t condition = file.begin_subgraph(), x = file.tensor({1, 4}), yes = file.boolean();
  file.op(BuiltinOperator::REDUCE_ANY, {x, file.constant({0, 1})}, {yes});
  file.inputs({x});
  file.outputs({yes});
  file.loop(condition, file.function(BuiltinOperator::RELU));
  EXPECT_THAT(refusal(file), HasSubstr("loop.tflite: WHILE #0: how often it runs depends on data"));
  const Survey survey = survey_tflite(file.bytes(), "loop", "loop.tflite", {});
  const auto is_it = [](const Obstacle& o) {
    return o.reason.find("depends on data") != std::string::npos &&
           o.help.find("unroll") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(survey.obstacles, is_it));
}

/// A subgraph whose value is a constant.
int32_t always(SmallFile& file, bool value) {
  const int32_t subgraph = file.begin_subgraph();
  file.inputs({file.tensor({1, 4})});
  file.outputs({file.boolean(value)});
  return subgraph;
}

TEST(ControlFlow, LoopsHaveAnEnd) {
  SmallFile endless;
  const int32_t condition = always(endless, true);
  endless.loop(condition, endless.function(BuiltinOperator::RELU));
  EXPECT_THAT(refusal(endless), HasSubstr("come to more than"));
  SmallFile idle;  // not even an operator in its body
  const int32_t body = idle.begin_subgraph(), x = idle.tensor({1, 4});
  idle.inputs({x});
  idle.outputs({x});
  idle.loop(always(idle, true), body);
  EXPECT_THAT(refusal(idle), HasSubstr("come to more than"));
}

TEST(ControlFlow, ALoopInItselfIsRefused) {
  SmallFile file;
  const int32_t condition = always(file, true), body = file.begin_subgraph();
  const int32_t x = file.tensor({1, 4}), y = file.tensor({1, 4});
  tflite::WhileOptionsT options;
  options.cond_subgraph_index = condition;
  options.body_subgraph_index = body;
  file.op(BuiltinOperator::WHILE, {x}, {y}, options);
  file.inputs({x});
  file.outputs({y});
  file.loop(condition, body);
  EXPECT_THAT(refusal(file), HasSubstr("more than 16 deep"));
}

TEST(ControlFlow, DamagedLoopsAreSaid) {
  SmallFile none;
  none.loop(7, 8);
  EXPECT_THAT(refusal(none), HasSubstr("there is no subgraph 8"));
  SmallFile main;  // the network is no body of its own
  main.loop(always(main, true), 0);
  EXPECT_THAT(refusal(main), HasSubstr("there is no subgraph 0"));
  SmallFile two;
  const int32_t body = two.begin_subgraph(), a = two.tensor({1, 4});
  two.inputs({a, two.tensor({1, 4})});
  two.outputs({a});
  two.loop(always(two, true), body);
  EXPECT_THAT(refusal(two), HasSubstr("1 values for 2 inputs of subgraph"));
  SmallFile unmade;
  const int32_t empty = unmade.begin_subgraph();
  unmade.inputs({unmade.tensor({1, 4})});
  unmade.outputs({unmade.tensor({1, 4})});
  unmade.loop(always(unmade, true), empty);
  EXPECT_THAT(refusal(unmade), HasSubstr("nothing has made tensor 1"));
  SmallFile typed;
  const int32_t other = typed.begin_subgraph(), real = typed.tensor({1, 4}, TensorType::FLOAT32);
  typed.inputs({real});
  typed.outputs({real});
  typed.loop(always(typed, true), other);
  EXPECT_THAT(refusal(typed), HasSubstr("a value of type INT8 for one of FLOAT32"));
}

// Sanitizers see what is read beyond an end.
TEST(ControlFlow, MutatedLoopsAreTakenOrRefused) {
  std::mt19937 random(11);
  int taken = 0;
  for (const Rows rows : {Rows::kSlices, Rows::kUpdate}) {
    const Bytes whole = LoopFile(Layer::kRnn, rows).bytes();
    for (int k = 0; k < 1000; ++k) {
      Bytes bytes = whole;
      for (int changes = k % 3; changes >= 0; --changes)
        bytes[random() % bytes.size()] =
            static_cast<uint8_t>(random() % 3 == 0 ? 255 : random() % 8);
      try {
        (void)import_tflite(bytes, "loop", "loop.tflite");
        ++taken;
      } catch (const CompileError&) {
      }
    }
  }
  EXPECT_GT(taken, 100);  // some changed nothing but a value
}

TEST(ControlFlow, ALoopThatDoesNotRunIsItsValues) {
  SmallFile file;
  const int32_t condition = always(file, false);
  file.loop(condition, file.function(BuiltinOperator::RELU));
  const Graph graph = import_tflite(file.bytes(), "loop", "loop.tflite");
  const Bytes x = {1, 255, 3, 200};
  EXPECT_EQ(interpret(graph, {x})[graph.outputs[0].tensor.index()], x);
}

}  // namespace
}  // namespace thimble::testing
