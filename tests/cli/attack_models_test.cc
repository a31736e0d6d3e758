// SPDX-License-Identifier: Apache-2.0
// Files that asked for more time and memory than they are worth: refused or answered, soon and
// within a gigabyte.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"

namespace thimble::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// AddressSanitizer reserves terabytes of addresses, and takes its time: searches, which small
// networks see as well, are left out with it.
constexpr const char* kLimit =
    kSanitized ? "" : "ulimit -v 1048576; ulimit -t 10; ";  // KiB, seconds of one core
constexpr const char* kPlanner = kSanitized ? "original" : "auto";
constexpr int kPatienceSeconds = kSanitized ? 200 : 100;

class Bounded : public CommandLine {
 protected:
  [[nodiscard]] ProcessResult limited(std::vector<std::string> arguments) const {
    const std::string within = std::string(kLimit) + "exec \"$0\" \"$@\"";
    std::vector<std::string> all = {"sh", "-c", within, THIMBLE_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_process({.arguments = std::move(all),
                        .working_folder = folder(),
                        .timeout_seconds = kPatienceSeconds});
  }
};

class AttackModels : public Bounded, public ::testing::WithParamInterface<const char*> {};

TEST_P(AttackModels, AreAnsweredInTenSecondsAndAGigabyte) {
  const auto model = shared_folder() / "attack" / "models" / GetParam();
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "needs " << model << ": set THIMBLE_SHARED";
  const ProcessResult result =
      limited({"compile", model.string(), "--planner", kPlanner, "-o", "out"});
  EXPECT_FALSE(result.timed_out) << result.err;
  EXPECT_THAT(result.exit_status, AnyOf(0, 1)) << result.err;
  EXPECT_THAT(result.exit_status == 0 ? result.out : result.err,
              AnyOf(HasSubstr("verified yes"), HasSubstr("--max-bytes SIZE allows more")));
}

INSTANTIATE_TEST_SUITE_P(Files, AttackModels,
                         ::testing::Values("chain10000.tflite", "dag400.tflite", "outs3000.tflite",
                                           "relu16k.tflite", "relu2g.tflite", "relu4k.tflite"),
                         [](const auto& test) {
                           const std::string file = test.param;
                           return file.substr(0, file.find('.'));
                         });

TEST_F(Bounded, ModelsOfMoreBytesAreRefusedUnlessAllowed) {
  for (const std::string command : {"compile", "plan", "run", "inspect"}) {
    const ProcessResult refused = limited({command, "zoo:demo", "--max-bytes", "1K"});
    EXPECT_EQ(refused.exit_status, 1) << command;
    EXPECT_THAT(refused.err, HasSubstr("its activations have more than 1.0 KiB (1,024 B)"));
    EXPECT_EQ(limited({command, "zoo:demo", "--max-bytes", "1M"}).exit_status, 0) << command;
  }
}

TEST_F(Bounded, PlansOfMoreBytesAreRefusedUnlessAllowed) {
  ASSERT_EQ(limited({"compile", "zoo:demo", "--planner", "original", "--save-plan", "p.json"})
                .exit_status,
            0);
  nlohmann::json plan = json_of(read("p.json"));
  for (int k = 0; k < 4; ++k) {  // scratch that no step uses
    plan["buffers"].push_back({{"tensor", -1},
                               {"type", "int8"},
                               {"extents", {1 << 20}},
                               {"origin", nlohmann::json::array()},
                               {"address", 0}});
  }
  write("large.json", plan.dump());
  const ProcessResult refused = limited({"verify", "zoo:demo", "large.json", "--max-bytes", "4M"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("large.json: the buffers of this plan have more than 4.0 MiB"));
  EXPECT_EQ(limited({"verify", "zoo:demo", "large.json", "--max-bytes", "5M"}).exit_status, 0);
}

TEST_F(Bounded, TimeLimitThatStruckIsReported) {
  const std::vector<std::string> command = {"compile",      "zoo:randomly_wired:nodes=64",
                                            "--planner",    "reorder",
                                            "--time-limit", "0.001",
                                            "-o",           "out",
                                            "--json",       "r.json"};
  const ProcessResult result = limited(command);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("note     --time-limit of 0.001 s struck"));
  const nlohmann::json report = json_of(read("r.json"));
  EXPECT_THAT(report.at("notes").dump(), HasSubstr("--time-limit of 0.001 s struck"));
  EXPECT_THAT(read("out/randomly_wired.cc"), HasSubstr("//   --time-limit of 0.001 s struck"));
}

// Its only operator is dropped where --io-type int8 is looked at, as it does not fit.
TEST_F(Bounded, AModelOfOneConversionThatDoesNotFitIsNoFault) {
  const auto model = shared_folder() / "ops" / "quantize_mixed_12.tflite";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "needs " << model << ": set THIMBLE_SHARED";
  const ProcessResult result = limited({"compile", model.string(), "--sram", "64", "-o", "out"});
  EXPECT_EQ(result.exit_status, 2) << result.err;
}

// No instructions, times any latency, is no number.
TEST_F(Bounded, AModelThatTakesNoTimeIsNoFault) {
  const auto model = shared_folder() / "ops" / "reshape_float32_00.tflite";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "needs " << model << ": set THIMBLE_SHARED";
  const ProcessResult result = limited({"compile", model.string(), "--sram", "359", "--layout",
                                        "greedy_by_size", "--core", "cortex-m0plus", "-o", "out"});
  EXPECT_THAT(result.exit_status, AnyOf(0, 2)) << result.err;
}

// There are more orders than could be listed.
TEST_F(Bounded, AnyEffortEndsInTheTimeLimit) {
  const ProcessResult result = limited({"compile", "zoo:randomly_wired:nodes=8,seed=78", "--effort",
                                        "1000000", "--time-limit", "1", "-o", "out"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("note     --time-limit of 1 s struck"));
}

TEST_F(Bounded, PlansDoNotDependOnTheTime) {
  const std::string model = "zoo:randomly_wired:nodes=40";
  for (const std::string plan : {"a.json", "b.json"}) {
    ASSERT_EQ(thimble({"compile", model, "--planner", "reorder", "--save-plan", plan}).exit_status,
              0);
  }
  EXPECT_EQ(read("a.json"), read("b.json"));
  EXPECT_EQ(thimble({"compile", model, "--layout-seconds", "1"}).exit_status, 1) << "is no more";
}

TEST_F(Bounded, NestedPlansCostNoMemory) {
  write("deep.json", "{\"thimble_plan\": " + std::string(10'000'000, '['));
  const ProcessResult result = limited({"verify", "zoo:demo", "deep.json"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("deep.json: not a saved plan of thimble: nested more than"));
}

}  // namespace
}  // namespace thimble::testing
