// SPDX-License-Identifier: Apache-2.0
// Accumulators of 16 and 8 bits, from the command line: what is said of them, what runs are
// compared with, calibration, saved plans.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "thimble/import/tensor_file.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNetwork = "zoo:pex_figure1";  // needs sums of 8 bits for its 8,450 B
constexpr const char* kPlanner = "pex:accumulators=8";

class Lossy : public CommandLine {
 protected:
  [[nodiscard]] ProcessResult run(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"run", kNetwork, "--planner", kPlanner};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return thimble(arguments);
  }
  [[nodiscard]] nlohmann::json report(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"compile", kNetwork, "--planner",
                                          kPlanner,  "--json", "out.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(thimble(arguments).exit_status, 0);
    return nlohmann::json::parse(read("out.json"));
  }
  // `sets` inferences along the leading axis.
  void write_inputs(const std::string& file, int64_t sets) const {
    const Shape shape = {sets, 13, 13, 24};
    write_npy(folder() / file,
              {DType::kInt8, shape, random_bytes(DType::kInt8, elements(shape), 5)});
  }
};

TEST_F(Lossy, RunsAreComparedWithTheReferenceWithTheSameAccumulators) {
  const ProcessResult result = run({});
  EXPECT_EQ(result.exit_status, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("identical to the reference with the same accumulators"));
  EXPECT_THAT(result.out, HasSubstr("LOSSY         output 0 differs from the exact arithmetic by"));
  EXPECT_THAT(thimble({"run", kNetwork, "--planner", "pex"}).out, Not(HasSubstr("LOSSY")));
}

TEST_F(Lossy, ReportsSayWhichSumsAndTheirScales) {
  const nlohmann::json compiled = report({"-o", "firmware", "--name", "block"});
  EXPECT_EQ(compiled["arena_bytes"], 8450);
  EXPECT_EQ(compiled["lossy"], true);
  EXPECT_EQ(compiled["accumulator_scales"], "bound from the weights");
  ASSERT_EQ(compiled["accumulators"].size(), 1u);
  const nlohmann::json& sums = compiled["accumulators"][0];
  EXPECT_EQ(sums["type"], "int8");
  EXPECT_EQ(sums["chunk"], 1);
  EXPECT_GT(sums["scale"], 0);
  for (const std::string& text :
       {read("firmware/block.cc"), thimble({"plan", kNetwork, "--planner", kPlanner}).out}) {
    EXPECT_THAT(text, HasSubstr("LOSSY: outputs are bit-identical to the reference with the "
                                "accumulators below, not to the model's ordinary arithmetic"));
    EXPECT_THAT(text, HasSubstr("(bound from the weights), zero point"));
  }
  const ProcessResult exact =
      thimble({"compile", kNetwork, "--planner", "pex", "--json", "/dev/stdout"});
  EXPECT_EQ(nlohmann::json::parse(exact.out)["lossy"], false);
}

TEST_F(Lossy, CalibrationNarrowsTheScales) {
  const double bound = report({})["accumulators"][0]["scale"];
  write_inputs("one.npy", 1);
  write_inputs("six.npy", 6);
  const nlohmann::json six = report({"--calibration", "six.npy"});
  EXPECT_EQ(six["accumulator_scales"], "measured on 6 inputs of six.npy");
  EXPECT_LT(six["accumulators"][0]["scale"], bound);
  const nlohmann::json one = report({"--calibration", "one.npy"});
  EXPECT_EQ(one["accumulator_scales"], "measured on 1 input of one.npy");
  EXPECT_LE(one["accumulators"][0]["scale"], six["accumulators"][0]["scale"]);
  EXPECT_EQ(run({"--calibration", "six.npy"}).exit_status, 0);
}

TEST_F(Lossy, ScalesThatWereLearntReachThePlan) {
  const nlohmann::json sums = report({})["accumulators"][0];
  nlohmann::json learnt{{"format", "thimble-accumulators"}, {"version", 1}};
  learnt["accumulators"] = {sums};
  learnt["accumulators"][0]["scale"] = 0.25;
  learnt["accumulators"][0]["zero_point"] = -7;
  write("learnt.json", learnt.dump());
  const nlohmann::json planned = report({"--calibration", "learnt.json"});
  EXPECT_EQ(planned["accumulator_scales"], "learnt, of learnt.json");
  EXPECT_EQ(planned["accumulators"][0]["scale"], 0.25);
  EXPECT_EQ(planned["accumulators"][0]["zero_point"], -7);
  const ProcessResult result = run({"--calibration", "learnt.json"});
  EXPECT_EQ(result.exit_status, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("identical to the reference with the same accumulators"));
}

TEST_F(Lossy, FilesOfScalesThatAreNoneAreRefused) {
  nlohmann::json learnt{{"format", "thimble-accumulators"}, {"version", 1}};
  learnt["accumulators"] = {report({})["accumulators"][0]};
  const auto refused = [&](const char* key, const nlohmann::json& value, const char* what) {
    nlohmann::json changed = learnt;
    changed["accumulators"][0][key] = value;
    write("learnt.json", changed.dump());
    const ProcessResult result = run({"--calibration", "learnt.json"});
    EXPECT_EQ(result.exit_status, 1) << key;
    EXPECT_THAT(result.err, HasSubstr("learnt.json")) << key;
    EXPECT_THAT(result.err, HasSubstr(what)) << key;
  };
  refused("scale", 0, "is no number above 0");
  refused("scale", "wide", "scales of accumulators are wanted");
  refused("zero_point", 128, "is not one of int8");
  refused("type", "int32", "there are int8 and int16");
  refused("type", "int16", "the plan sums it in int8");
  refused("name", "another", "has scales for 0 of the 1 tensors");
  learnt["accumulators"].push_back(learnt["accumulators"][0]);
  refused("scale", 1, "twice");
  write("learnt.json", "{");
  EXPECT_THAT(run({"--calibration", "learnt.json"}).err, HasSubstr("learnt.json"));
}

TEST_F(Lossy, CalibrationTakesTheInputsOfGoldenData) {
  const Shape shape = {1, 13, 13, 24};
  const NamedTensor input{DType::kInt8, shape, random_bytes(DType::kInt8, elements(shape), 5)};
  write_safetensors(folder() / "golden.safetensors",
                    {{{"input.0", input}, {"seed2/input.0", input}, {"seed3/input.0", input}}, {}});
  EXPECT_EQ(report({"--calibration", "golden.safetensors"})["accumulator_scales"],
            "measured on 3 inputs of golden.safetensors");
}

TEST_F(Lossy, CalibrationThatHasNoEffectOrDoesNotFitIsRefused) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
    const ProcessResult result = thimble(std::move(arguments));
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  write_inputs("one.npy", 1);
  const std::string needs = "--calibration: is for sums of less than 32 bits";
  refused({"plan", kNetwork, "--planner", "pex", "--calibration", "one.npy"}, needs);
  refused({"plan", kNetwork, "--calibration", "one.npy"}, needs);
  refused({"run", kNetwork, "--on", "reference", "--calibration", "one.npy"},
          "--calibration: is for --on host or qemu");
  refused({"plan", kNetwork, "--planner", kPlanner, "--calibration", "none.npy"}, "none.npy");
  write_npy(folder() / "odd.npy", {DType::kInt8, {3, 5}, Bytes(15)});
  refused({"plan", kNetwork, "--planner", kPlanner, "--calibration", "odd.npy"},
          "odd.npy: is int8 3x5; the network's 'input' is int8 1x13x13x24");
}

TEST_F(Lossy, SavedPlansKeepTheirAccumulators) {
  ASSERT_EQ(
      thimble({"compile", kNetwork, "--planner", kPlanner, "--save-plan", "p.json"}).exit_status,
      0);
  EXPECT_EQ(thimble({"verify", kNetwork, "p.json"}).exit_status, 0);
  const auto changed = [&](const std::string& field, const nlohmann::json& value) {
    nlohmann::json plan = nlohmann::json::parse(read("p.json"));
    plan["accumulators"][0][field] = value;
    write("changed.json", plan.dump());
    return thimble({"verify", kNetwork, "changed.json"});
  };
  const ProcessResult chunks = changed("chunk", 2);
  EXPECT_EQ(chunks.exit_status, 4);
  EXPECT_THAT(chunks.out, HasSubstr("WRONG: step 2 (CONV_2D #2) adds channels 0 to 0 in one go"));
  EXPECT_THAT(changed("type", "int16").err, HasSubstr("not a plan of this model: buffer"));
  EXPECT_THAT(changed("scale", 0).err, HasSubstr("an accumulator's scale is not positive"));
  EXPECT_THAT(changed("scale", 1e-30).err, HasSubstr("an accumulator's scale is too small"));
  EXPECT_THAT(changed("tensor", 12345).err, HasSubstr("an accumulator's tensor does not exist"));
}

}  // namespace
}  // namespace thimble::testing
