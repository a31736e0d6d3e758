// SPDX-License-Identifier: Apache-2.0
// `compile A B ...`: one firmware of several models.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace fs = std::filesystem;

class SeveralModels : public CommandLine {
 protected:
  // The figures of `compile`.
  nlohmann::json figures(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.begin(), "compile");
    arguments.insert(arguments.end(), {"--json", "report.json"});
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, status) << result.out << result.err;
    return json_of(read("report.json"));
  }
  [[nodiscard]] size_t runtimes(const std::string& out) const {
    return static_cast<size_t>(
        std::ranges::count_if(fs::directory_iterator(folder() / out), [](const auto& entry) {
          return entry.path().filename().string().starts_with("thimble_runtime_");
        }));
  }
};

const std::vector<std::string> kSix = {"zoo:demo",        "zoo:pex_figure1",
                                       "zoo:pex_figure3", "zoo:motes_figure2",
                                       "zoo:ds_cnn_s",    "zoo:micronet_kws_s"};

TEST_F(SeveralModels, TwoThreeAndSixHaveOneRuntimeAndTakeNoMoreThanTheirSum) {
  for (const size_t count : {2U, 3U, 6U}) {
    const std::string out = "out" + std::to_string(count);
    std::vector<std::string> arguments(kSix.begin(), kSix.begin() + static_cast<long>(count));
    arguments.insert(arguments.end(), {"--core", "cortex-m4", "--planner", "stream", "-o", out});
    const nlohmann::json report = figures(arguments);
    EXPECT_EQ(report["models"].size(), count);
    EXPECT_EQ(report["together"]["arena_bytes"], report["sum"]["arena_bytes"]);
    EXPECT_LT(report["together"]["flash_bytes"], report["sum"]["flash_bytes"]);
    EXPECT_LT(report["together"]["sram_bytes"], report["sum"]["sram_bytes"]) << "one stack";
    EXPECT_EQ(runtimes(out), 1U);
    for (size_t k = 0; k < count; ++k)
      EXPECT_TRUE(fs::exists(folder() / out / (kSix[k].substr(4) + ".cc"))) << kSix[k];
  }
}

TEST_F(SeveralModels, GetPlansThatFitTogether) {
  const std::vector<std::string> two = {"zoo:demo", "zoo:pex_figure1", "--core", "cortex-m4"};
  const nlohmann::json without = figures(two);
  std::vector<std::string> limited = two;
  limited.insert(limited.end(), {"--sram", "24K", "-o", "out"});
  const nlohmann::json within = figures(limited);
  EXPECT_TRUE(within["fits"].get<bool>());
  EXPECT_LE(within["together"]["sram_bytes"], 24 * 1024);
  EXPECT_GT(without["together"]["sram_bytes"], 24 * 1024);
  for (const nlohmann::json& model : within["models"])
    EXPECT_LT(model["alone"]["arena_bytes"], 24 * 1024 - 9'000) << "not all of it for one";
}

TEST_F(SeveralModels, ThatDoNotFitAreNotWrittenAndWhatHelpsHolds) {
  const std::vector<std::string> two = {"zoo:demo",  "zoo:pex_figure1", "--core",
                                        "cortex-m4", "--sram",          "12600"};
  std::vector<std::string> arguments = two;
  arguments.insert(arguments.begin(), "compile");
  arguments.insert(arguments.end(), {"-o", "out"});
  const ProcessResult result = thimble(arguments);
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("does not fit: "), HasSubstr("more SRAM needed than"),
                    HasSubstr("  - --share-arena: "), HasSubstr("nothing was written")));
  EXPECT_THAT(names(), IsEmpty());
  arguments.emplace_back("--share-arena");
  const ProcessResult shared = thimble(arguments);
  EXPECT_EQ(shared.exit_status, 0) << shared.out << shared.err;
  EXPECT_THAT(shared.out, HasSubstr("  shared   one arena of "));
}

TEST_F(SeveralModels, ThatAreTooMuchForTheFlashAreToldBeforePlanning) {
  const ProcessResult result = thimble({"compile", "zoo:demo", "zoo:mobilenet_v2", "--device",
                                        "nucleo-f446re", "--time-limit", "0.001", "-o", "out"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.out, HasSubstr("does not fit: their weights take 3.3 MiB (3,504,416 B) of "
                                    "flash at least"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(SeveralModels, ComeInSmallerFormatsWhereFlashIsShort) {
  const std::vector<std::string> two = {"zoo:demo",  "zoo:ds_cnn_s", "--core",
                                        "cortex-m4", "--planner",    "stream"};
  const nlohmann::json fast = figures(two);
  const int64_t limit = fast["together"]["flash_bytes"].get<int64_t>() - 20'000;
  std::vector<std::string> limited = two;
  limited.insert(limited.end(), {"--flash", std::to_string(limit)});
  const nlohmann::json smaller = figures(limited);
  EXPECT_LE(smaller["together"]["flash_bytes"], limit);
  const auto weights = [](const nlohmann::json& report, size_t model) {
    return report["models"][model]["alone"]["weight_bytes"].get<int64_t>();
  };
  EXPECT_LT(weights(smaller, 0), weights(fast, 0)) << "the larger one comes first";
  EXPECT_EQ(weights(smaller, 1), weights(fast, 1)) << "and is enough";
}

TEST_F(SeveralModels, AreMeasuredAsOneFirmware) {
  const nlohmann::json report = figures(
      {"zoo:demo", "zoo:pex_figure1", "--core", "cortex-m4", "--planner", "stream", "--measure"});
  EXPECT_TRUE(report["verdict"]["measured"].get<bool>());
  const nlohmann::json estimated =
      figures({"zoo:demo", "zoo:pex_figure1", "--core", "cortex-m4", "--planner", "stream"});
  EXPECT_LE(report["verdict"]["flash"]["needed_bytes"],
            estimated["verdict"]["flash"]["needed_bytes"]);
  EXPECT_LE(report["verdict"]["sram"]["needed_bytes"],
            estimated["verdict"]["sram"]["needed_bytes"]);
  EXPECT_EQ(report["verdict"]["flash"]["weight_bytes"],
            estimated["verdict"]["flash"]["weight_bytes"]);
}

TEST_F(SeveralModels, OptionsOfOneAreRefused) {
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--name", "net"},
                                                 {"--until", "t3"},
                                                 {"--shape", "1x2"},
                                                 {"--hop", "2"},
                                                 {"--pick", "1"},
                                                 {"--save-plan", "plan.json"},
                                                 {"--explain"}}) {
    std::vector<std::string> arguments = {"compile", "zoo:demo", "zoo:pex_figure1"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(option[0] + ": is for one model at a time"));
  }
  const ProcessResult twice = thimble({"compile", "zoo:demo", "zoo:demo", "-o", "out"});
  EXPECT_EQ(twice.exit_status, 1);
  EXPECT_THAT(twice.err, HasSubstr("zoo:demo: its code would be called demo, as that of zoo:demo"));
  EXPECT_EQ(thimble({"compile", "zoo:demo", "none.tflite", "-o", "out"}).exit_status, 1);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(SeveralModels, KeepStatesApartWhereTheArenaIsShared) {
  ASSERT_EQ(
      thimble({"compile", "zoo:audio_preprocessor", "--share-arena", "-o", "out"}).exit_status, 0);
  EXPECT_THAT(read("out/audio_preprocessor.h"),
              AllOf(HasSubstr("  void* state_arena; /* audio_preprocessor_state_arena_bytes bytes"),
                    HasSubstr("_run(const audio_preprocessor_memories* memories);"),
                    HasSubstr("#define AUDIO_PREPROCESSOR_STATE_ARENA_BYTES 160\n")));
  ASSERT_EQ(thimble({"compile", "zoo:demo", "--share-arena", "-o", "out"}).exit_status, 0);
  EXPECT_THAT(read("out/demo.h"), HasSubstr("demo_run(void* arena);")) << "it has no state";
  EXPECT_EQ(runtimes("out"), 1U);
}

}  // namespace
}  // namespace thimble::testing
