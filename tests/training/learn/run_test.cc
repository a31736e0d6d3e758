// SPDX-License-Identifier: Apache-2.0
#include "training/learn/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thimble/driver/accumulator_scales.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/toolchain/temporary_folder.h"
#include "training/learn/curve.h"
#include "training/learn/integer_network.h"
#include "training/learn/threads.h"
#include "zoo/random.h"
#include "zoo/zoo.h"

namespace thimble::training {
namespace {

/// Stripes of ten frequencies, in noise.
Examples stripes(int64_t of_each, zoo::Random& random) {
  Examples examples{.shape = {32, 32, 3}, .scale = 1.0F / 255};
  for (int64_t k = 0; k < 10 * of_each; ++k) {
    const auto label = static_cast<int32_t>(k % 10);
    examples.labels.push_back(label);
    const double phase = 6.28 * random.unit();
    for (int y = 0; y < 32; ++y) {
      for (int x = 0; x < 32; ++x) {
        const double wave = std::sin((0.2 + 0.25 * label) * (label % 2 == 0 ? x : y) + phase);
        for (int c = 0; c < 3; ++c) {
          const double value = 128 + 60 * wave + 60 * (random.unit() - 0.5);
          examples.steps.push_back(static_cast<int16_t>(value));
        }
      }
    }
  }
  return examples;
}

class Runs : public ::testing::Test {
 protected:
  void SetUp() override { set_threads(1); }
  [[nodiscard]] RunRequest request(const std::string& folder) const {
    RunRequest request{.graph = build_zoo_float("resnet8"), .data = {}};
    zoo::Random random(3);
    request.network = "zoo:resnet8";
    request.data = {.name = "stripes", .train = stripes(24, random), .test = stripes(4, random)};
    for (int k = 0; k < 10; ++k) request.data.classes.push_back(std::to_string(k));
    request.folder = folder_.path() / folder;
    std::filesystem::create_directories(request.folder);
    request.epochs = {4, 2, 2, 2};
    request.batch = 32;
    request.text = R"({"run": 1})";
    return request;
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] std::string text(const std::string& file) const {
    const Bytes bytes = read_file(folder() / file, int64_t{1} << 24);
    return {bytes.begin(), bytes.end()};
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Runs, TrainWhatTheEmittedProgramComputes) {
  RunRequest request = this->request("run");
  request.budget.sram_bytes = 24'000;
  request.plan.planner = "pex:accounting=paper,accumulators=8";
  const Examples test = request.data.test;
  const std::optional<RunResult> result = run(std::move(request));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->before.arena_bytes, 33'792);
  EXPECT_LE(result->after.arena_bytes, 24'000);
  EXPECT_GT(result->after.arena_bytes, 20'000);
  EXPECT_GT(result->narrow_sums, 0U);
  EXPECT_GT(result->float_accuracy, 0.5);
  EXPECT_GT(result->int8_accuracy, 0.5);
  // run() has compared all outputs of the program with those of LibTorch's whole numbers.
  EXPECT_EQ(result->emitted_samples, test.size());
  EXPECT_EQ(result->emitted_accuracy, result->int8_accuracy);

  const Curve curve = curve_from(text("run/curve.csv"), "curve.csv");
  ASSERT_EQ(curve.size(), 10U);
  EXPECT_LT(curve[3].loss, 0.8 * curve[0].loss);
  EXPECT_EQ(accumulator_scales_from(text("run/accumulators.json"), "sums").size(),
            result->narrow_sums);

  // The file is the network that LibTorch computes with sums of 32 bits.
  const Graph graph = import_tflite(folder() / "run" / "int8.tflite");
  std::vector<Bytes> inputs;
  for (size_t k = 0; k < 4; ++k) {
    Bytes& input = inputs.emplace_back();
    for (size_t i = 0; i < size_t{32} * 32 * 3; ++i)
      input.push_back(static_cast<uint8_t>(test.steps[k * 3072 + i] - 128));
  }
  const std::vector<Bytes> outputs = integer_outputs(graph, inputs);
  for (size_t k = 0; k < inputs.size(); ++k)
    EXPECT_EQ(interpret(graph, {inputs[k]})[graph.outputs[0].tensor.index()], outputs[k]);
}

TEST_F(Runs, GoOnAsIfTheyHadNeverStopped) {
  RunRequest whole = request("whole");
  whole.budget.sram_bytes = 24'000;
  whole.plan.planner = "pex:accounting=paper,accumulators=8";
  whole.epochs = {2, 2, 1, 2};
  ASSERT_TRUE(run(whole));
  // In the middle of the last epoch of each stage.
  bool ended = false;
  int part = 0;
  for (; part < 9 && !ended; ++part) {
    RunRequest stopped = whole;
    stopped.folder = folder() / "stopped";
    std::filesystem::create_directories(stopped.folder);
    stopped.resume = part > 0;
    bool first = true;
    stopped.progress = [&first](const Progress& p) {
      const bool goes_on = first || p.epoch != p.epochs || p.batch != p.batches / 2;
      if (p.batch == p.batches) first = false;
      return goes_on;
    };
    ended = run(stopped).has_value();
  }
  ASSERT_TRUE(ended);
  EXPECT_EQ(part, 5);  // stopped once in each stage
  for (const char* file : {"float.tflite", "int8.tflite", "accumulators.json", "curve.csv"})
    EXPECT_EQ(text(std::string("stopped/") + file), text(std::string("whole/") + file)) << file;
}

TEST_F(Runs, ThatAreOtherwiseDoNotGoOn) {
  RunRequest first = request("run");
  first.epochs = {1, 1, 1, 1};
  ASSERT_TRUE(run(first));
  first.resume = true;
  first.text = R"({"run": 2})";
  EXPECT_THROW((void)run(first), CompileError);
}

TEST_F(Runs, BeginWithWhatAnotherHasLearnt) {
  RunRequest first = request("first");
  first.epochs = {1, 1, 1, 1};
  ASSERT_TRUE(run(first));
  for (const Pruning pruning : {Pruning::kUniform, Pruning::kByChance}) {
    RunRequest second = request("second");
    second.epochs = {1, 1, 1, 1};
    second.from = folder() / "first";
    second.pruning = pruning;
    second.plan.planner = "pex";
    second.budget = {.sram_bytes = 30'000, .weight_bytes = 40'000};
    const std::optional<RunResult> result = run(second);
    ASSERT_TRUE(result);
    EXPECT_LE(result->after.arena_bytes, 30'000);
    EXPECT_LE(result->after.weight_bytes, 40'000);
    std::filesystem::remove_all(folder() / "second");
  }
}

}  // namespace
}  // namespace thimble::training
