// SPDX-License-Identifier: Apache-2.0
// GRU(reset_after=True, unroll=True) of Keras as int8 in a .tflite: no operator of its own, but two
// fully connected layers, splits and gates for every time.
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

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tflite::BuiltinOperator;
using tflite::TensorType;
using Dims = testing::TfliteBuilder::Dims;

/// How a converter takes the times of the input apart.
enum class Times : uint8_t { kUnpack, kStridedSlice };

class UnrolledGru {
 public:
  static constexpr int32_t kTimes = 4, kInputs = 6, kUnits = 5;

  UnrolledGru(Times times, bool sequences) {
    const int32_t x = activation({1, kTimes, kInputs}, 0.02F, 3);
    net_.inputs({x});
    const std::vector<int32_t> inputs = times == Times::kUnpack ? unpacked(x) : sliced(x);
    const int32_t kernel = weights(kInputs), recurrent = weights(kUnits);
    const int32_t of_kernel = bias(0.02F), of_recurrent = bias(1.0F / 128);
    const int32_t one = constant({}, 1.0F / 255, -128, {127});
    int32_t h = constant({1, kUnits}, 1.0F / 128, 0, Bytes(kUnits));  // the initial state
    std::vector<int32_t> states;
    for (const int32_t input : inputs) {
      const auto of_x = gates(fully_connected(input, kernel, of_kernel));
      const auto of_h = gates(fully_connected(h, recurrent, of_recurrent));
      const int32_t z = logistic(binary(BuiltinOperator::ADD, of_x[0], of_h[0], 0.06F, 2));
      const int32_t r = logistic(binary(BuiltinOperator::ADD, of_x[1], of_h[1], 0.06F, 2));
      const int32_t reset = binary(BuiltinOperator::MUL, r, of_h[2], 0.04F, -1);
      const int32_t sum = binary(BuiltinOperator::ADD, of_x[2], reset, 0.06F, 1);
      const int32_t candidate = activation({1, kUnits}, 1.0F / 128, 0);
      net_.op(BuiltinOperator::TANH, {sum}, {candidate});
      const int32_t kept = binary(BuiltinOperator::MUL, z, h, 1.0F / 128, 0);
      const int32_t rest = binary(BuiltinOperator::SUB, one, z, 1.0F / 255, -128);
      const int32_t added = binary(BuiltinOperator::MUL, rest, candidate, 1.0F / 128, 0);
      h = binary(BuiltinOperator::ADD, kept, added, 1.0F / 128, 0);
      states.push_back(h);
    }
    net_.outputs({sequences ? packed(states) : h});
  }

  [[nodiscard]] Bytes bytes() const { return net_.bytes(); }
  [[nodiscard]] testing::TfliteBuilder& net() { return net_; }

 private:
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
  std::vector<int32_t> unpacked(int32_t x) {
    const int32_t turned = activation({kTimes, 1, kInputs}, 0.02F, 3);
    net_.op(BuiltinOperator::TRANSPOSE, {x, net_.constant({1, 0, 2})}, {turned},
            tflite::TransposeOptionsT());
    std::vector<int32_t> parts;
    for (int k = 0; k < kTimes; ++k) parts.push_back(activation({1, kInputs}, 0.02F, 3));
    tflite::UnpackOptionsT options;
    options.num = kTimes;
    net_.op(BuiltinOperator::UNPACK, {turned}, parts, options);
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
  int32_t axis_ = -1;
};

TEST(UnrolledGru, IsExactUnderAllPlanners) {
  for (const Times times : {Times::kUnpack, Times::kStridedSlice}) {
    for (const bool sequences : {false, true}) {
      const Bytes file = UnrolledGru(times, sequences).bytes();
      for (const Planner& planner : planners()) {
        SCOPED_TRACE(fmt::format("{}{}, {}", times == Times::kUnpack ? "UNPACK" : "STRIDED_SLICE",
                                 sequences ? ", all states" : "", planner.name));
        const Answer answer =
            compile({.model = ModelBytes{"gru", file}, .planner = std::string(planner.name)});
        ASSERT_TRUE(std::holds_alternative<Compiled>(answer));
        const auto& compiled = std::get<Compiled>(answer);
        const Graph imported = import_tflite(file, "gru", "gru.tflite");
        for (uint64_t seed = 1; seed <= 4; ++seed) {
          InputCase noise = seeded_case(compiled.graph, seed);
          noise.outputs = run_reference(imported, {noise}).outputs.at(0);
          EXPECT_EQ(run_host(compiled, {noise}).difference, "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace thimble
