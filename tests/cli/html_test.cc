// SPDX-License-Identifier: Apache-2.0
// Pages of --html: the figures of --json, names that stay text, files that are replaced; and, where
// there is a browser, that they open, without a network, and show these figures.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/real_network.h"
#include "tests/support/test_graph.h"
#include "thimble/export/tflite.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Html : public CommandLine {
 protected:
  /// A command with --html and --json.
  void write_page(std::vector<std::string> arguments, int exit_status = 0) {
    arguments.insert(arguments.end(), {"--html", "p.html", "--json", "p.json", "--force"});
    const ProcessResult result = thimble(arguments);
    ASSERT_EQ(result.exit_status, exit_status) << result.out << result.err;
  }
  /// What stands in the page for its scripts.
  [[nodiscard]] static json figures(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"report\">";
    const size_t at = page.find(begin) + begin.size();
    return json_of(page.substr(at, page.find("</script>", at) - at));
  }
  /// Opens p.html in Chromium; "" or what is wrong with it.
  [[nodiscard]] std::string faults() const {
    const ProcessResult result =
        run_process({.arguments = {THIMBLE_NODE, THIMBLE_SOURCE_DIR "/tests/page/open_page.mjs",
                                   THIMBLE_PAGE_MODULES, THIMBLE_CHROMIUM, "p.html", "p.json"},
                     .working_folder = folder()});
    return result.exit_status == 0 ? "" : result.out + result.err;
  }
  static bool has_browser() {
    return std::filesystem::exists(THIMBLE_CHROMIUM) &&
           std::filesystem::exists(THIMBLE_PAGE_MODULES "/playwright-core");
  }
};

#define THIMBLE_NEEDS_BROWSER() \
  if (!has_browser())           \
  GTEST_SKIP() << "needs chromium (scripts/setup) and playwright-core (npm, fetched by the build)"

TEST_F(Html, PageHasTheFiguresOfTheJson) {
  write_page({"compile", "zoo:demo", "--device", "nucleo-f446re"});
  EXPECT_EQ(figures(read("p.html")), json_of(read("p.json")));
  write_page({"plan", "zoo:demo", "--planner", "stream"});
  EXPECT_EQ(figures(read("p.html")), json_of(read("p.json")));
}

TEST_F(Html, LayersSumUpAndNameEmittedFunctions) {
  write_page({"compile", "zoo:demo", "--planner", "stream", "--core", "cortex-m4", "-o", "out"});
  const json report = json_of(read("p.json"));
  const std::string code = read("out/" + report.at("model").get<std::string>().substr(4) + ".cc");
  int64_t macs = 0, recomputed = 0, instructions = 0;
  std::vector<int64_t> steps;
  for (const json& layer : report.at("layers")) {
    macs += layer.at("macs").get<int64_t>();
    recomputed += layer.at("recomputed_macs").get<int64_t>();
    instructions += layer.at("estimated_instructions").get<int64_t>();
    for (const json& step : layer.at("steps")) steps.push_back(step);
    for (const json& function : layer.at("functions"))
      EXPECT_THAT(code, HasSubstr("void " + function.at("name").get<std::string>() + "("));
  }
  EXPECT_EQ(macs, report.at("macs"));
  EXPECT_EQ(recomputed, report.at("recomputed_macs"));
  EXPECT_EQ(steps.size(), report.at("steps").size());
  int64_t by_step = 0;
  for (const json& step : report.at("steps"))
    by_step += step.at("estimated_instructions").get<int64_t>();
  EXPECT_EQ(instructions, by_step);
}

TEST_F(Html, ReplacesNoFileOfAnotherKind) {
  write("p.html", "<!doctype html>\n<title>mine</title>\n");
  const ProcessResult refused = thimble_as_is({"plan", "zoo:demo", "--html", "p.html"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr("p.html exists and is not a page of Thimble's"));
  EXPECT_EQ(thimble_as_is({"plan", "zoo:demo", "--html", "p.html", "--force"}).exit_status, 0);
  EXPECT_EQ(thimble_as_is({"compile", "zoo:demo", "--html", "p.html"}).exit_status, 0);
  EXPECT_THAT(
      thimble_as_is({"plan", "zoo:demo", "--html", "p.html", "--json", "./p.html", "--force"}).err,
      HasSubstr("is the same file as"));
  EXPECT_THAT(thimble({"compile", "zoo:demo", "zoo:ds_cnn_s", "--html", "q.html"}).err,
              HasSubstr("--html: is for one model at a time"));
  EXPECT_THAT(thimble({"compare", "--paper", "pex", "--html", "q.html"}).err,
              HasSubstr("--html: is a page of planners"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "q.html"));
}

// A model whose names would be markup, scripts and lines of their own.
void write_hostile(const std::filesystem::path& file) {
  TestGraph network(1);
  const TensorId narrow = network.conv(network.input({1, 12, 12, 3}), 4, 3, 1);
  network.output(network.conv(network.conv(narrow, 8, 3, 1), 2, 3, 1));
  Graph& graph = network.graph();
  int number = 0;
  for (Tensor& tensor : graph.tensors)
    tensor.name =
        fmt::format("</script><script>alert({})</script><!--<script>\"'&\n\u2028\x01", number++);
  graph.name = "</title><img src=x onerror=alert(1)>";
  write_tflite(graph, file);
}

TEST_F(Html, NamesStayText) {
  const std::string model = "a<b>&'\".tflite";
  write_hostile(folder() / model);
  write_page({"compile", model, "--planner", "stream", "--core", "cortex-m4"});
  const std::string page = read("p.html");
  EXPECT_EQ(figures(page), json_of(read("p.json")));
  EXPECT_THAT(page, Not(HasSubstr("alert(0)</script>")));
  THIMBLE_NEEDS_BROWSER();
  EXPECT_EQ(faults(), "");
}

TEST_F(Html, OpensInABrowser) {
  THIMBLE_NEEDS_BROWSER();
  write_page({"compile", "zoo:demo", "--device", "nucleo-f446re"});
  EXPECT_EQ(faults(), "");
  write_page({"plan", "zoo:tiny_unet", "--planner", "stream"});
  EXPECT_EQ(faults(), "");
}

std::string ten_rows_of(int columns) {
  std::string text;
  for (int row = 0; row < 10; ++row)
    for (int k = 0; k < columns; ++k)
      text += fmt::format("{}{}", std::sin(row * 7 + k * k), k + 1 < columns ? "," : "\n");
  return text;
}

TEST_F(Html, OtherAnswersOpenInABrowser) {
  THIMBLE_NEEDS_BROWSER();
  write_page({"compare", "zoo:demo", "zoo:nothing", "--planners", "original,stream"}, 1);
  EXPECT_EQ(faults(), "");
  write_page({"compile", "zoo:demo", "--planner", "patch", "--sram", "1K"}, 2);
  EXPECT_EQ(json_of(read("p.json")).at("thimble_report"), "infeasible");
  EXPECT_EQ(faults(), "");
  TestGraph network(1);
  network.output(network.softmax(network.fully_connected(network.input({1, 64}), 32)));
  write_tflite(real_network(network.graph()).value(), folder() / "m.tflite");
  write("x.csv", ten_rows_of(64));
  write_page({"quantize", "m.tflite", "--data", "x.csv", "-o", "q.tflite", "--front"});
  EXPECT_EQ(faults(), "");
}

}  // namespace
}  // namespace thimble::testing
