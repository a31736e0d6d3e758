// SPDX-License-Identifier: Apache-2.0
// `--input` and `--output`: where the network's tensors come from and go to.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class PortPlace : public CommandLine {
 protected:
  [[nodiscard]] json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compile");
    arguments.insert(arguments.end(), {"--json", "r.json"});
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(read("r.json"));
  }
};

// zoo:demo takes int8 1x48x48x1 and gives 8 values.
TEST_F(PortPlace, BytesOfTheCallersAreShownBesideTheArena) {
  const json resident = report({"zoo:demo", "--planner", "stream"});
  EXPECT_EQ(resident.at("input"), "resident");
  EXPECT_EQ(resident.at("caller_bytes"), (json{{"input", 0}, {"output", 0}}));
  const json user =
      report({"zoo:demo", "--planner", "stream", "--input", "user", "--output", "user"});
  EXPECT_EQ(user.at("input"), "user");
  EXPECT_EQ(user.at("output"), "user");
  EXPECT_EQ(user.at("caller_bytes"), (json{{"input", 2304}, {"output", 8}}));
  EXPECT_LE(user.at("arena_bytes"), resident.at("arena_bytes"));
  const json streamed = report({"zoo:demo", "--input", "streamed"});
  EXPECT_EQ(streamed.at("planner"), "auto");
  EXPECT_EQ(streamed.at("input"), "streamed");
  EXPECT_EQ(streamed.at("caller_bytes"), (json{{"input", 48}, {"output", 0}}));
  EXPECT_EQ(streamed.at("steps").at(0).at("operator"), "RECEIVE");
  int outside = 0;
  for (const json& buffer : streamed.at("buffers")) {
    const bool resides = buffer.at("place") == "resident";
    EXPECT_EQ(buffer.at("offset_bytes").is_null(), !resides);
    outside += resides ? 0 : 1;
  }
  EXPECT_EQ(outside, 1);
}

TEST_F(PortPlace, TheReportSaysWhatLiesElsewhere) {
  EXPECT_THAT(thimble({"compile", "zoo:demo", "--input", "user"}).out,
              HasSubstr("input    2.2 KiB (2,304 B) in memory of the caller's"));
  const std::vector<std::string> streamed = {"compile",  "zoo:demo",  "--input",
                                             "streamed", "--planner", "stream"};
  EXPECT_THAT(thimble(streamed).out, HasSubstr("input    streamed, rows of 48 B; never whole"));
  EXPECT_THAT(thimble(streamed).out, Not(HasSubstr("hint"))) << "it lies elsewhere already";
}

TEST_F(PortPlace, AModelThatDoesNotFitMayWithoutItsInput) {
  const std::vector<std::string> command = {"compile", "zoo:ds_cnn_s", "--sram", "64"};
  EXPECT_THAT(thimble(command).out, HasSubstr("  - --input streamed: "));
  std::vector<std::string> streamed = command;
  streamed.insert(streamed.end(), {"--input", "streamed"});
  EXPECT_THAT(thimble(streamed).out, Not(HasSubstr("  - --input streamed: ")));
}

TEST_F(PortPlace, OutputsAreTheSameFromWherever) {
  const std::vector<std::vector<std::string>> places = {
      {},
      {"--input", "user"},
      {"--output", "user", "--planner", "patch"},
      {"--input", "user", "--output", "user"},
      {"--input", "streamed"},
      {"--input", "streamed", "--output", "user"}};
  for (const std::vector<std::string>& place : places) {
    std::vector<std::string> arguments = {"run", "zoo:demo", "--output-file", "o.npy"};
    arguments.insert(arguments.end(), place.begin(), place.end());
    ASSERT_EQ(thimble(arguments).exit_status, 0);
    if (place.empty()) write("expected.npy", read("o.npy"));
    EXPECT_EQ(read("o.npy"), read("expected.npy"));
  }
}

TEST_F(PortPlace, SavedPlansKeepThem) {
  for (const char* place : {"streamed", "user"}) {
    const std::vector<std::string> compile = {"compile",     "zoo:demo", "--planner", "stream",
                                              "--input",     place,      "--output",  "user",
                                              "--save-plan", "p.json",   "-o",        place};
    ASSERT_EQ(thimble(compile).exit_status, 0);
    EXPECT_THAT(thimble({"verify", "zoo:demo", "p.json"}).out, HasSubstr("right"));
    EXPECT_THAT(read(std::string(place) + "/demo.cc"),
                HasSubstr(std::string("--input ") + place + " --output user -o demo"));
  }
  // Another buffer in place of the input, which lies outside of the arena then without being a
  // port.
  std::string plan = read("p.json");
  plan.replace(plan.find("\"inputs\": [\n  "), 14, "\"inputs\": [\n  1");
  write("q.json", plan);
  EXPECT_EQ(thimble({"verify", "zoo:demo", "q.json"}).exit_status, 1);
}

TEST_F(PortPlace, PlansShowRowsThatComeAndGo) {
  const ProcessResult text =
      thimble({"plan", "zoo:demo", "--planner", "stream", "--input", "streamed", "--svg", "p.svg"});
  EXPECT_THAT(text.out, HasSubstr("| RECEIVE "));
  EXPECT_THAT(text.out, HasSubstr("stream  all "));
  EXPECT_THAT(read("p.svg"), HasSubstr("step 0: RECEIVE"));
  EXPECT_THAT(read("p.svg"), Not(HasSubstr("stream (all)"))) << "it has no address";
}

TEST_F(PortPlace, ComparisonIsOfThePlannersThatCan) {
  const ProcessResult result =
      thimble({"compare", "zoo:demo", "zoo:pex_figure1", "--input", "streamed", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("\"stream\""));
  EXPECT_THAT(result.out, Not(HasSubstr("\"pex\"")));
}

}  // namespace
}  // namespace thimble::testing
