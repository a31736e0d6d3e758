// SPDX-License-Identifier: Apache-2.0
// GRU(reset_after=True) of Keras as int8 in a .tflite: no operator of its own, but two fully
// connected layers, splits and gates for every time, unrolled or in a loop.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/tflite_builder.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/import/tflite.h"
#include "thimble/planners/registry.h"
#include "zoo/random.h"

namespace thimble {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;
using Dims = testing::TfliteBuilder::Dims;

/// How a converter takes the times of the input apart.
enum class Times : uint8_t { kUnpack, kStridedSlice };

/// Whether steps have one set of scales, or the converter measured each on its own.
enum class Calibration : uint8_t { kShared, kEachStep };
/// kCell: with a state of its own beside the hidden one, as an LSTM has it.
enum class Memory : uint8_t { kHidden, kCell };
/// kGateToo: of the last step, behind the result. Steps must then stay what they are.
enum class Outputs : uint8_t { kResult, kGateToo };

class Gru {
 public:
  static constexpr int32_t kTimes = 4, kInputs = 6, kUnits = 5;

  [[nodiscard]] static Bytes unrolled(Times times, bool sequences,
                                      Calibration calibration = Calibration::kShared,
                                      Memory memory = Memory::kHidden,
                                      Outputs outputs = Outputs::kResult) {
    Gru gru;
    const int32_t x = gru.activation({1, kTimes, kInputs}, 0.02F, 3);
    gru.net_.inputs({x});
    const std::vector<int32_t> inputs = times == Times::kUnpack ? gru.unpacked(x) : gru.sliced(x);
    gru.add_constants();
    int32_t h = gru.initial_state();
    std::vector<int32_t> states;
    if (memory == Memory::kCell) gru.cell_ = gru.initial_state();
    for (const int32_t input : inputs) {
      states.push_back(h = gru.step(input, h));
      if (calibration == Calibration::kEachStep) gru.scale_ += 0.001F;
    }
    Dims results{sequences ? gru.packed(states) : h};
    if (outputs == Outputs::kGateToo) results.push_back(gru.gate_);
    gru.net_.outputs(results);
    return gru.net_.bytes();
  }

  /// The network as a loop over subgraphs; its output is the last state.
  [[nodiscard]] static Bytes looped() {
    Gru gru;
    testing::TfliteBuilder& net = gru.net_;
    const int32_t x = gru.activation({1, kTimes, kInputs}, 0.02F, 3), turned = gru.turned(x);
    const Dims values = {gru.whole(0), gru.initial_state(), turned}, results = gru.arguments();
    tflite::WhileOptionsT options;
    options.cond_subgraph_index = net.begin_subgraph();
    Dims own = gru.arguments();
    const int32_t goes_on = net.tensor({}, TensorType::BOOL);
    net.op(BuiltinOperator::LESS, {own[0], gru.whole(kTimes)}, {goes_on});
    net.inputs(own);
    net.outputs({goes_on});
    options.body_subgraph_index = net.begin_subgraph();
    own = gru.arguments();
    gru.add_constants();
    const int32_t later = gru.count(), input = gru.activation({1, kInputs}, 0.02F, 3);
    net.op(BuiltinOperator::ADD, {own[0], gru.whole(1)}, {later}, tflite::AddOptionsT());
    net.op(BuiltinOperator::GATHER, {own[2], own[0]}, {input}, tflite::GatherOptionsT());
    net.inputs(own);
    net.outputs({later, gru.step(input, own[1]), own[2]});
    net.return_to(0);
    net.op(BuiltinOperator::WHILE, values, results, options);
    net.inputs({x});
    net.outputs({results[1]});
    return net.bytes();
  }

 private:
  int32_t count() {
    const int32_t t = net_.tensor({}, TensorType::INT32);
    net_.at(t).quantization = nullptr;
    return t;
  }
  int32_t whole(int32_t value) {
    const int32_t t = net_.constant({value});
    net_.at(t).shape = {};
    return t;
  }
  Dims arguments() {
    return {count(), activation({1, kUnits}, 1.0F / 128, 0),
            activation({kTimes, 1, kInputs}, 0.02F, 3)};
  }
  int32_t initial_state() { return constant({1, kUnits}, 1.0F / 128, 0, Bytes(kUnits)); }
  void add_constants() {
    kernel_ = weights(kInputs);
    recurrent_ = weights(kUnits);
    of_kernel_ = bias(0.02F);
    of_recurrent_ = bias(1.0F / 128);
    one_ = constant({}, 1.0F / 255, -128, {127});
  }
  int32_t step(int32_t input, int32_t h) {
    const auto of_x = gates(fully_connected(input, kernel_, of_kernel_));
    const auto of_h = gates(fully_connected(h, recurrent_, of_recurrent_));
    const int32_t z = logistic(binary(BuiltinOperator::ADD, of_x[0], of_h[0], scale_, 2));
    gate_ = z;
    const int32_t r = logistic(binary(BuiltinOperator::ADD, of_x[1], of_h[1], 0.06F, 2));
    const int32_t reset = binary(BuiltinOperator::MUL, r, of_h[2], 0.04F, -1);
    const int32_t sum = binary(BuiltinOperator::ADD, of_x[2], reset, 0.06F, 1);
    const int32_t candidate = activation({1, kUnits}, 1.0F / 128, 0);
    net_.op(BuiltinOperator::TANH, {sum}, {candidate});
    const int32_t before = cell_ < 0 ? h : cell_;
    const int32_t kept = binary(BuiltinOperator::MUL, z, before, 1.0F / 128, 0);
    const int32_t rest = binary(BuiltinOperator::SUB, one_, z, 1.0F / 255, -128);
    const int32_t added = binary(BuiltinOperator::MUL, rest, candidate, 1.0F / 128, 0);
    const int32_t later = binary(BuiltinOperator::ADD, kept, added, 1.0F / 128, 0);
    if (cell_ < 0) return later;
    cell_ = later;
    const int32_t squashed = activation({1, kUnits}, 1.0F / 128, 0);
    net_.op(BuiltinOperator::TANH, {later}, {squashed});
    return binary(BuiltinOperator::MUL, r, squashed, 1.0F / 128, 0);
  }
  int32_t activation(Dims shape, float scale, int32_t zero_point) {
    const int32_t t = net_.tensor(std::move(shape));
    net_.at(t).quantization->scale = {scale};
    net_.at(t).quantization->zero_point = {zero_point};
    return t;
  }
  int32_t constant(Dims shape, float scale, int32_t zero_point, Bytes data) {
    const int32_t t = net_.constant(std::move(shape), TensorType::INT8, std::move(data));
    net_.at(t).quantization->scale = {scale};
    net_.at(t).quantization->zero_point = {zero_point};
    return t;
  }
  int32_t weights(int32_t depth) {
    Bytes data(static_cast<size_t>(3 * kUnits * depth));
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random_.between(-127, 127));
    return constant({3 * kUnits, depth}, 0.01F, 0, std::move(data));
  }
  int32_t bias(float input_scale) {
    std::vector<int32_t> values(3 * kUnits);
    for (int32_t& value : values) value = static_cast<int32_t>(random_.between(-3000, 3000));
    const int32_t t = net_.constant({3 * kUnits}, TensorType::INT32, testing::bytes_of(values));
    net_.at(t).quantization->scale = {input_scale * 0.01F};
    net_.at(t).quantization->zero_point = {0};
    return t;
  }
  int32_t fully_connected(int32_t x, int32_t w, int32_t b) {
    const int32_t out = activation({1, 3 * kUnits}, 0.04F, -5);
    net_.op(BuiltinOperator::FULLY_CONNECTED, {x, w, b}, {out}, tflite::FullyConnectedOptionsT());
    return out;
  }
  std::vector<int32_t> gates(int32_t x) {
    if (axis_ < 0) {
      axis_ = net_.constant({}, TensorType::INT32, testing::bytes_of(std::vector<int32_t>{-1}));
      net_.at(axis_).quantization = nullptr;
    }
    std::vector<int32_t> parts;
    for (int k = 0; k < 3; ++k) parts.push_back(activation({1, kUnits}, 0.04F, -5));
    net_.op(BuiltinOperator::SPLIT, {axis_, x}, parts);  // how many is said by its outputs
    return parts;
  }
  int32_t logistic(int32_t x) {
    const int32_t out = activation({1, kUnits}, 1.0F / 256, -128);
    net_.op(BuiltinOperator::LOGISTIC, {x}, {out});
    return out;
  }
  int32_t binary(BuiltinOperator code, int32_t a, int32_t b, float scale, int32_t zero_point) {
    const int32_t out = activation({1, kUnits}, scale, zero_point);
    switch (code) {
      case BuiltinOperator::ADD:
        net_.op(code, {a, b}, {out}, tflite::AddOptionsT());
        break;
      case BuiltinOperator::SUB:
        net_.op(code, {a, b}, {out}, tflite::SubOptionsT());
        break;
      default:
        net_.op(code, {a, b}, {out}, tflite::MulOptionsT());
        break;
    }
    return out;
  }
  int32_t turned(int32_t x) {
    const int32_t out = activation({kTimes, 1, kInputs}, 0.02F, 3);
    net_.op(BuiltinOperator::TRANSPOSE, {x, net_.constant({1, 0, 2})}, {out},
            tflite::TransposeOptionsT());
    return out;
  }
  std::vector<int32_t> unpacked(int32_t x) {
    std::vector<int32_t> parts;
    for (int k = 0; k < kTimes; ++k) parts.push_back(activation({1, kInputs}, 0.02F, 3));
    tflite::UnpackOptionsT options;
    options.num = kTimes;
    net_.op(BuiltinOperator::UNPACK, {turned(x)}, parts, options);
    return parts;
  }
  std::vector<int32_t> sliced(int32_t x) {
    std::vector<int32_t> parts;
    for (int32_t k = 0; k < kTimes; ++k) {
      parts.push_back(activation({1, kInputs}, 0.02F, 3));
      tflite::StridedSliceOptionsT options;
      options.begin_mask = options.end_mask = 5;
      options.shrink_axis_mask = 2;
      net_.op(BuiltinOperator::STRIDED_SLICE,
              {x, net_.constant({0, k, 0}), net_.constant({0, k + 1, 0}), net_.constant({1, 1, 1})},
              {parts.back()}, options);
    }
    return parts;
  }
  int32_t packed(const std::vector<int32_t>& states) {
    const int32_t out = activation({1, kTimes, kUnits}, 1.0F / 128, 0);
    tflite::PackOptionsT options;
    options.values_count = kTimes;
    options.axis = 1;
    net_.op(BuiltinOperator::PACK, states, {out}, options);
    return out;
  }

  testing::TfliteBuilder net_;
  zoo::Random random_{1};
  int32_t axis_ = -1, cell_ = -1, gate_ = -1;
  float scale_ = 0.06F;  ///< of the sum of a gate
  int32_t kernel_ = 0, recurrent_ = 0, of_kernel_ = 0, of_recurrent_ = 0, one_ = 0;
};

/// Under all planners, with the first output that another file of the same network has.
void expect_exact(const Bytes& file, const Bytes& same) {
  for (const Planner& planner : planners()) {
    SCOPED_TRACE(planner.name);
    const Answer answer =
        compile({.model = ModelBytes{"gru", file}, .planner = std::string(planner.name)});
    ASSERT_TRUE(std::holds_alternative<Compiled>(answer));
    const auto& compiled = std::get<Compiled>(answer);
    const Graph imported = import_tflite(same, "gru", "gru.tflite");
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      InputCase noise = seeded_case(compiled.graph, seed);
      noise.outputs = run_reference(imported, {noise}).outputs.at(0);
      noise.outputs.resize(1);
      EXPECT_EQ(run_host(compiled, {noise}).difference, "");
    }
  }
}

int64_t loops_of(const Bytes& file) {
  const Graph graph = import_tflite(file, "gru", "gru.tflite");
  return std::ranges::count_if(
      graph.ops, [](const Op& op) { return std::holds_alternative<StepLoop>(op.attributes); });
}

TEST(UnrolledGru, IsExactUnderAllPlanners) {
  for (const Times times : {Times::kUnpack, Times::kStridedSlice}) {
    for (const bool sequences : {false, true}) {
      SCOPED_TRACE(fmt::format("{}{}", times == Times::kUnpack ? "UNPACK" : "STRIDED_SLICE",
                               sequences ? ", all states" : ""));
      const Bytes file = Gru::unrolled(times, sequences),
                  steps = Gru::unrolled(times, sequences, Calibration::kShared, Memory::kHidden,
                                        Outputs::kGateToo);
      EXPECT_EQ(loops_of(steps), 0);
      expect_exact(file, steps);
    }
  }
}

TEST(UnrolledGru, IsWhatALoopBecomes) {
  expect_exact(Gru::looped(), Gru::unrolled(Times::kUnpack, false, Calibration::kShared,
                                            Memory::kHidden, Outputs::kGateToo));
}

TEST(UnrolledGru, IsOneOperator) {
  for (const Times times : {Times::kUnpack, Times::kStridedSlice}) {
    EXPECT_EQ(loops_of(Gru::unrolled(times, false)), 1);
    EXPECT_EQ(loops_of(Gru::unrolled(times, true)), 1);
  }
  const Graph graph = import_tflite(Gru::looped(), "gru", "gru.tflite");
  EXPECT_LE(graph.ops.size(), 6U);  // the order of axes, the loop, views
}

TEST(UnrolledGru, MayHaveASecondState) {
  const Bytes file = Gru::unrolled(Times::kUnpack, true, Calibration::kShared, Memory::kCell);
  EXPECT_EQ(loops_of(file), 1);
  expect_exact(file, Gru::unrolled(Times::kUnpack, true, Calibration::kShared, Memory::kCell,
                                   Outputs::kGateToo));
}

TEST(UnrolledGru, StaysAsItIsWhereAStepHasAScaleOfItsOwn) {
  EXPECT_EQ(loops_of(Gru::unrolled(Times::kUnpack, false, Calibration::kEachStep)), 0);
  const Bytes file = Gru::unrolled(Times::kUnpack, true, Calibration::kEachStep);
  expect_exact(file, file);
}

}  // namespace
}  // namespace thimble
