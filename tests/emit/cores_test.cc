// SPDX-License-Identifier: Apache-2.0
// Emitted firmware on every emulated core: the golden outputs of the models, within the plan's
// bytes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/measure.h"
#include "thimble/emit/identifier.h"
#include "thimble/model/error.h"
#include "thimble/program/host.h"
#include "thimble/report/tensor_text.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

// A model with its golden inferences; its address must not change once it is in a firmware.
struct GoldenModel {
  Compiled compiled;
  std::string name;
  std::vector<EmittedFile> files;
  std::vector<testing::Golden::Inference> inferences;
};

// For the kernels of larger cores; the micro:bit has none.
std::optional<int64_t> ample_sram_bytes(const std::string& core) {
  return core == "cortex-m0" ? std::nullopt : std::optional<int64_t>(1 << 20);
}

// Nothing if Thimble does not take the model.
std::optional<GoldenModel> golden_model(const std::string& name, const std::string& core,
                                        int64_t most_macs) {
  GoldenModel model{{}, identifier(name), {}, {}};
  try {
    model.compiled = std::get<Compiled>(compile({.model = testing::model_path(name).string(),
                                                 .target = generic_target(core),
                                                 .sram_bytes = ample_sram_bytes(core)}));
  } catch (const CompileError&) {
    return std::nullopt;
  }
  if (model.compiled.cost.macs > most_macs) return std::nullopt;
  model.files =
      emitted_files(model.compiled, {.name = model.name, .command = "a test", .also_used = {}});
  for (const auto& file : testing::golden_paths(name)) {
    for (testing::Golden::Inference& inference : testing::load_golden(file).seeds)
      model.inferences.push_back(std::move(inference));
  }
  return model;
}

const std::vector<std::string> kCores = {"cortex-m0",  "cortex-m3",  "cortex-m7",
                                         "cortex-m33", "cortex-m55", "rv32imc"};

// All that Thimble takes, at night; else those of few MACs, each on two of the cores.
std::vector<GoldenModel> golden_models(const std::string& core) {
  constexpr size_t kParts = 3;
  const bool nightly = testing::workload().nightly;
  const size_t part = static_cast<size_t>(std::ranges::find(kCores, core) - kCores.begin());
  const std::vector<std::string> names = testing::golden_names();
  std::vector<GoldenModel> models;
  for (size_t k = 0; k < names.size(); ++k) {
    if (!nightly && k % kParts != part % kParts) continue;
    auto model =
        golden_model(names[k], core, nightly ? std::numeric_limits<int64_t>::max() : 15'000'000);
    if (model) models.push_back(std::move(*model));
  }
  return models;
}

// Runs so many inferences of each model; of those with fewer the last again. Returns the machine.
std::string expect_golden_outputs(const std::vector<GoldenModel>& models, const std::string& core,
                                  size_t inferences) {
  std::vector<FirmwareModel> firmware;
  for (const GoldenModel& model : models)
    firmware.push_back({model.name, model.files, &model.compiled.program});
  const auto inference = [&](size_t m, size_t s) -> const testing::Golden::Inference& {
    return models[m].inferences.at(std::min(s, models[m].inferences.size() - 1));
  };
  std::vector<InputSet> sets(inferences);
  for (size_t s = 0; s < inferences; ++s) {
    for (size_t m = 0; m < models.size(); ++m) sets[s].push_back(inference(m, s).input_bytes());
  }
  const Measured measured = measure(firmware, core, sets);
  for (size_t s = 0; s < inferences; ++s) {
    for (size_t m = 0; m < models.size(); ++m) {
      const EmulatedRun& run = measured.sets.at(s).at(m);
      EXPECT_TRUE(run.guards_intact()) << run.name << ": " << run.guards;
      const std::vector<NamedTensor>& expected = inference(m, s).outputs;
      for (size_t k = 0; k < expected.size(); ++k) {
        EXPECT_EQ(first_difference(expected[k].data, run.outputs.at(k), expected[k].type,
                                   expected[k].shape, kFloatTolerance),
                  "")
            << run.name;
      }
      EXPECT_EQ(run.outputs, execute(models[m].compiled.program, sets[s][m])) << run.name;
      if (s == 0)
        fmt::print("{} on {}: {} instructions, {} B of stack\n", run.name, measured.machine,
                   run.instructions, run.stack_bytes);
    }
  }
  EXPECT_EQ(measured.size.static_ram_bytes, 0);
  return measured.machine;
}

class GoldenModelsOnCore : public ::testing::TestWithParam<std::string> {};

// All in one firmware, which is too large for the micro:bit: Armv6-M runs on the M3.
TEST_P(GoldenModelsOnCore, GiveTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  const bool nightly = testing::workload().nightly;
  const std::vector<GoldenModel> models = golden_models(GetParam());
  ASSERT_GE(models.size(), nightly ? 40U : 15U);
  const std::string machine = expect_golden_outputs(models, GetParam(), nightly ? 3 : 1);
  EXPECT_EQ(machine, boards_of(GetParam(), StorageDriver::kRamDisk).back().machine);
}

// The M4 has its own tests; M0+ has the code of M0.
INSTANTIATE_TEST_SUITE_P(Cores, GoldenModelsOnCore, ::testing::ValuesIn(kCores),
                         [](const auto& core) {
                           std::string name = core.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(GoldenModelsOnMicrobit, FitAndGiveTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  for (const char* name : {"kws_ref_model", "hello_world_int8", "person_detect"}) {
    std::vector<GoldenModel> models;
    models.push_back(golden_model(name, "cortex-m0", std::numeric_limits<int64_t>::max()).value());
    EXPECT_EQ(expect_golden_outputs(models, "cortex-m0", 2), "microbit") << name;
  }
}

}  // namespace
}  // namespace thimble
