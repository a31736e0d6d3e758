// SPDX-License-Identifier: Apache-2.0
// thimble-train, run as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/training/sounds.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class Train : public CommandLine {
 protected:
  void SetUp() override { write_tones(folder() / "tones", 10); }
  [[nodiscard]] ProcessResult shell(const std::string& script) const {
    return run_process({.arguments = {"sh", "-c", script, THIMBLE_TRAIN},
                        .working_folder = folder(),
                        .timeout_seconds = 300});
  }
  [[nodiscard]] ProcessResult train(const std::string& arguments) const {
    return shell("exec \"$0\" " + arguments);
  }
};

constexpr const char* kTones =
    " zoo:ds_cnn_s:classes=3 tones --variants 2 --batch 8 --epochs 3 --prune-epochs 2 "
    "--tune-epochs 1 --quantise-epochs 1 --threads 1 --sram 3K --planner auto ";

TEST_F(Train, AgainAfterAKillIsTheSame) {
  const ProcessResult whole = train(std::string(kTones) + "-o whole");
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("% of the emitted program"));
  const ProcessResult killed = shell(
      "\"$0\"" + std::string(kTones) +
      "-o killed & while [ ! -f killed/checkpoint.pt ]; do sleep 0.02; done; kill -9 $!; wait $!");
  EXPECT_EQ(killed.exit_status, 128 + 9);
  EXPECT_FALSE(std::filesystem::exists(folder() / "killed" / "int8.tflite"));
  const ProcessResult again = train(std::string(kTones) + "-o killed --resume");
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(read("killed/int8.tflite"), read("whole/int8.tflite"));
  EXPECT_EQ(read("killed/float.tflite"), read("whole/float.tflite"));
}

TEST_F(Train, StopsWhenItIsInterrupted) {
  const ProcessResult stopped = shell(
      "\"$0\"" + std::string(kTones) +
      "-o run & while [ ! -f run/checkpoint.pt ]; do sleep 0.02; done; kill -TERM $!; wait $!");
  EXPECT_EQ(stopped.exit_status, 130);
  EXPECT_THAT(stopped.err, HasSubstr("--resume goes on"));
  EXPECT_EQ(train(std::string(kTones) + "-o run --resume").exit_status, 0);
}

TEST_F(Train, RefusesABudgetThatCannotBeMet) {
  const ProcessResult result = train("zoo:ds_cnn_s:classes=3 tones -o run --variants 1 --sram 100");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot be met by fewer channels"));
}

TEST_F(Train, RefusesAnotherRunInAFolder) {
  const std::string shortest =
      "zoo:ds_cnn_s:classes=3 tones -o run --variants 1 --epochs 0 "
      "--quantise-epochs 1 ";
  ASSERT_EQ(train(shortest).exit_status, 0);
  const ProcessResult again = train(shortest);
  EXPECT_EQ(again.exit_status, 1);
  EXPECT_THAT(again.err, HasSubstr("has a run already"));
  const ProcessResult other = train(shortest + "--resume --rate 0.1");
  EXPECT_EQ(other.exit_status, 1);
  EXPECT_THAT(other.err, HasSubstr("was asked for otherwise"));
}

TEST_F(Train, GoesOnWithATrainedNetwork) {
  const std::string data = "tones --variants 2 --batch 8 --threads 1 --quantise-epochs 1 ";
  ASSERT_EQ(train("zoo:ds_cnn_s:classes=3 " + data + "-o first --epochs 25").exit_status, 0);
  // Next to nothing is learnt.
  const ProcessResult again =
      train("first/float.tflite " + data + "-o second --epochs 0 --rate 1e-9");
  ASSERT_EQ(again.exit_status, 0) << again.err;
  const auto accuracy = [&](const std::string& run) {
    return json_of(read(run + "/result.json")).at("float_accuracy").get<double>();
  };
  EXPECT_GT(accuracy("first"), 0.6);
  EXPECT_EQ(accuracy("first"), accuracy("second"));
}

TEST_F(Train, ScriptsTabulateAndDrawFronts) {
  const ProcessResult front = shell("THIMBLE_TRAIN=\"$0\" exec " THIMBLE_SOURCE_DIR
                                    "/training/front zoo:ds_cnn_s:classes=3 tones front 4000 3000 "
                                    "-- --variants 1 --epochs 1 --prune-epochs 2 --tune-epochs 1 "
                                    "--quantise-epochs 1 --batch 8 --threads 1");
  ASSERT_EQ(front.exit_status, 0) << front.err;
  std::istringstream table(read("front/front.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_THAT(line, HasSubstr("run,network,planner,pruning"));
  std::vector<std::string> runs;
  while (std::getline(table, line)) runs.push_back(line.substr(0, line.find(',')));
  EXPECT_THAT(runs, ::testing::ElementsAre("ordinary", "learnt-4000", "learnt-3000", "uniform-4000",
                                           "uniform-3000", "by-chance-4000", "by-chance-3000"));
  for (const std::string& run : runs) {
    if (run == "ordinary") continue;
    const auto result = json_of(read("front/" + run + "/result.json"));
    EXPECT_LE(result["after"]["arena_bytes"].get<int>(), std::stoi(run.substr(run.rfind('-') + 1)));
  }
  EXPECT_THAT(read("front/front.svg"), HasSubstr("the whole network"));
  EXPECT_THAT(read("front/learnt-3000/curve.svg"), HasSubstr("arena, KiB"));
}

TEST_F(Train, SaysThatARateIsTooHigh) {
  const ProcessResult result =
      train("zoo:ds_cnn_s:classes=3 tones -o run --variants 1 --batch 8 --threads 1 --rate 1e30");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("the loss is no number any more"));
  EXPECT_THAT(result.err, HasSubstr("--rate"));
}

TEST_F(Train, SaysWhereADiskIsFull) {
  const ProcessResult result = shell(
      "trap '' XFSZ; ulimit -f 16; exec \"$0\" zoo:ds_cnn_s:classes=3 tones -o run --variants 1 "
      "--epochs 1");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("run/checkpoint.pt"));
}

TEST_F(Train, RefusesDamagedCheckpoints) {
  ASSERT_EQ(train("zoo:ds_cnn_s:classes=3 tones -o run --variants 1 --epochs 0 "
                  "--quantise-epochs 1")
                .exit_status,
            0);
  const std::string whole = read("run/checkpoint.pt");
  for (const size_t size : {size_t{0}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write("run/checkpoint.pt", whole.substr(0, size));
    const ProcessResult result = train(
        "zoo:ds_cnn_s:classes=3 tones -o run --variants 1 --epochs 0 --quantise-epochs 1 "
        "--resume");
    EXPECT_EQ(result.exit_status, 1) << size << result.err;
    EXPECT_THAT(result.err, HasSubstr("checkpoint.pt")) << size;
  }
}

TEST_F(Train, RefusesNetworksOfOtherClasses) {
  const ProcessResult result = train("zoo:ds_cnn_s tones -o run --variants 1");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("scores 12 classes, tones has 3"));
}

}  // namespace
}  // namespace thimble::testing
