// SPDX-License-Identifier: Apache-2.0
// Faults that boards have, put into emulated firmware: `thimble diagnose` names the layer, and what
// is wrong there. Cycles that the board counts, layer by layer.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "thimble/driver/driver.h"
#include "thimble/emit/names.h"
#include "thimble/import/tensor_file.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kModel = "zoo:demo";

// A firmware built of a folder's code, and its log.
struct Board {
  TemporaryFolder folder;
  std::filesystem::path log = folder.path() / "board.log", given = folder.path() / "given.bin";
};

// set_up: what happens to the code before it is built.
void run_board(const Board& board, const std::string& example, const std::string& set_up,
               const Bytes& input) {
  std::ofstream(board.given, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
  const ProcessResult result = run_process(
      {.arguments = {"env", "THIMBLE=" THIMBLE_PROGRAM, "FOLDER=" + board.folder.path().string(),
                     "SET_UP=" + set_up, THIMBLE_SOURCE_DIR "/examples/run", example, kModel,
                     board.given.string()},
       .working_folder = {}});
  ASSERT_TRUE(result.succeeded()) << result.out << result.err;
  std::ofstream(board.log) << result.out;
}

ProcessResult thimble(const Board& board, const std::string& command,
                      const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {
      THIMBLE_PROGRAM,    command,  kModel,
      board.log.string(), "--code", (board.folder.path() / "detector").string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_process({.arguments = arguments, .working_folder = {}});
}

json diagnosed(const Board& board, const std::vector<std::string>& options = {}) {
  const ProcessResult text = thimble(board, "diagnose", options);
  std::vector<std::string> with = options;
  with.insert(with.end(), {"--json", "/dev/stdout"});
  const ProcessResult result = thimble(board, "diagnose", with);
  const json found = json::parse(result.out);
  EXPECT_EQ(result.exit_status, found.at("finding") == "nothing" ? 0 : 4) << text.err;
  EXPECT_EQ(text.exit_status, result.exit_status);
  const std::string layer = found.at("layer");
  EXPECT_THAT(text.out, HasSubstr(layer.empty() ? found.at("tensor").get<std::string>() : layer));
  return found;
}

// As examples/run compiles it.
Compiled demo() {
  return std::get<Compiled>(
      compile({.model = kModel, .target = generic_target("cortex-m4"), .emission = Emission{}}));
}

Bytes noise() { return random_bytes(DType::kInt8, 48 * 48, 11); }

TEST(Diagnose, FindsNothingWhereNothingIsWrong) {
  const Board board;
  run_board(board, "diagnose", "", noise());
  const json found = diagnosed(board);
  EXPECT_EQ(found.at("finding"), "nothing");
  EXPECT_EQ(found.at("inferences"), 1);
  EXPECT_GT(found.at("compared"), 30);
}

TEST(Diagnose, NamesTheLayerWhoseWeightsHaveAByteOfTheirOwn) {
  const Board board;
  // The first number of the constants, whatever it is.
  run_board(board, "diagnose",
            "sed -i '/conv_2d_9_pairs.* = {/{n;s/^ *-\\{0,1\\}[0-9]*/  7/}' "
            "detector/detector_weights.cc",
            noise());
  const json found = diagnosed(board);
  EXPECT_EQ(found.at("finding"), "constant");
  EXPECT_EQ(found.at("layer"), "CONV_2D #9");
  EXPECT_EQ(found.at("tensor"), "conv_2d_9_pairs");
}

TEST(Diagnose, NamesTheLayerThatReadsWhatSomebodyElseHasWrittenTo) {
  // What stage 6, CONV_2D #11, reads.
  const Compiled compiled = demo();
  int64_t address = -1;
  written_calls(compiled.program.nodes, [&](const Call& call) {
    if (call.op.valid() && label(compiled.graph.op(call.op)) == "CONV_2D #11")
      address = compiled.program.address(call.in.at(0).buffer);
  });
  ASSERT_GE(address, 0);
  const Board board;
  run_board(board, "diagnose",
            fmt::format("sed -i 's/^    hook.begins(stage);/&  if (stage == 6) arena[{}] = "
                        "static_cast<int8_t>(arena[{}] ^ 1);/' detector/detector.cc",
                        address + 3, address + 3),
            noise());
  const json found = diagnosed(board);
  EXPECT_THAT(found.at("code_fault").get<std::string>(), HasSubstr("detector.cc has changed"));
  EXPECT_EQ(found.at("finding"), "changed");
  EXPECT_EQ(found.at("layer"), "CONV_2D #11");
  EXPECT_EQ(found.at("written_by"), "depthwise_conv_2d_10");
  EXPECT_THAT(found.at("detail").get<std::string>(), HasSubstr("arena bytes"));
}

// Two layers have that kernel; the first of them is in a loop over rows with others.
TEST(Diagnose, NamesTheLayerWhoseKernelIsWrongWithinALoop) {
  const Board board;
  run_board(board, "diagnose",
            "sed -i 's/^                p.zero_point\\[other\\],/                "
            "p.zero_point[other] + 1,/' "
            "detector/thimble_runtime_*/dsp/add_dsp.cc",
            noise());
  const json found = diagnosed(board);
  EXPECT_EQ(found.at("finding"), "computed");
  EXPECT_EQ(found.at("layer"), "ADD #7");
  EXPECT_EQ(found.at("function"), "depthwise_conv_2d_5_to_add_7_by_rows");
  EXPECT_THAT(found.at("detail").get<std::string>(), HasSubstr("kernel add_dsp"));
}

TEST(Diagnose, NamesTheInputThatWasPreparedOtherwise) {
  const Board board;
  Bytes pixels = noise();
  const NamedTensor right{.type = DType::kInt8, .shape = {1, 48, 48, 1}, .data = pixels};
  const std::string file = (board.folder.path() / "right.npy").string();
  write_npy(file, right);
  for (uint8_t& pixel : pixels) pixel ^= 0x80;
  run_board(board, "diagnose", "", pixels);
  const std::string kept = (board.folder.path() / "kept.npy").string();
  const json found = diagnosed(board, {"--input-file", file, "--save-input", kept, "--force"});
  EXPECT_EQ(found.at("finding"), "input");
  EXPECT_EQ(found.at("tensor"), demo().graph.tensor(demo().graph.inputs[0].tensor).name);
  EXPECT_THAT(found.at("detail").get<std::string>(), HasSubstr("128 off"));
  EXPECT_EQ(read_npy(kept).data, pixels);
  EXPECT_EQ(diagnosed(board, {"--input-file", kept}).at("finding"), "nothing");
}

TEST(Profile, CyclesOfLayersAreThoseOfTheInference) {
  const Board board;
  run_board(board, "profile", "", noise());
  std::ifstream log(board.log);
  double counted = 0;
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("cycles of all inferences ")) counted = std::stod(line.substr(25));
  }
  ASSERT_GT(counted, 1e6);
  const ProcessResult result = thimble(board, "profile", {"--json", "/dev/stdout"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const json profile = json::parse(result.out);
  double sum = 0, most = 0;
  for (const json& stage : profile.at("stages")) {
    sum += stage.at("cycles").get<double>();
    most = std::max(most, stage.at("cycles").get<double>());
  }
  EXPECT_NEAR(sum, counted, 0.02 * counted);
  EXPECT_LT(most, 0.6 * sum);
  EXPECT_LT(profile.at("fit").at("median_error"), 0.1);
}

// A plan by what the board measured is estimated nearer to that than by counted instructions.
TEST(Profile, PlansAreChosenByWhatABoardMeasured) {
  const Board board;
  run_board(board, "profile", "", noise());
  const std::string fit = (board.folder.path() / "board.json").string();
  const ProcessResult text = thimble(board, "profile", {"--fit", fit});
  ASSERT_EQ(text.exit_status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("--latency " + fit));
  const json profile = json::parse(thimble(board, "profile", {"--json", "/dev/stdout"}).out);
  double measured = 0;
  for (const json& stage : profile.at("stages")) measured += stage.at("cycles").get<double>();
  const auto planned = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {THIMBLE_PROGRAM, "compile", kModel, "--json",
                                          "/dev/stdout"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_process({.arguments = arguments, .working_folder = {}});
  };
  const json estimate =
      json::parse(planned({"--core", "cortex-m4", "--latency", fit}).out).at("estimate");
  EXPECT_EQ(estimate.at("counted"), "cycles");
  EXPECT_NEAR(estimate.at("instructions").get<double>(), measured, 0.03 * measured);
  const json counted = json::parse(planned({"--core", "cortex-m4"}).out).at("estimate");
  EXPECT_EQ(counted.at("counted"), "instructions");
  EXPECT_LT(std::abs(estimate.at("instructions").get<double>() - measured),
            std::abs(counted.at("instructions").get<double>() - measured));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--core", "cortex-m7", "--latency", fit}, {"--latency", fit}}) {
    const ProcessResult refused = planned(options);
    EXPECT_EQ(refused.exit_status, 1);
    EXPECT_THAT(refused.err, HasSubstr("was measured on a cortex-m4"));
  }
  // The code says the same whatever was measured, so that verify needs no file.
  const std::string folder = (board.folder.path() / "by_cycles").string();
  ASSERT_EQ(planned({"--core", "cortex-m4", "--latency", fit, "-o", folder}).exit_status, 0);
  const ProcessResult verified =
      run_process({.arguments = {THIMBLE_PROGRAM, "verify", kModel, folder}, .working_folder = {}});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

}  // namespace
}  // namespace thimble
