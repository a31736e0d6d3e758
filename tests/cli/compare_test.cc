// SPDX-License-Identifier: Apache-2.0
// `thimble compare`: models by planners, and papers beside what is measured.
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Compare : public CommandLine {
 protected:
  [[nodiscard]] json compare(std::vector<std::string> arguments, int exit_status = 0) const {
    arguments.insert(arguments.begin(), "compare");
    arguments.emplace_back("--json");
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, exit_status) << result.err;
    return json_of(result.out);
  }
  [[nodiscard]] static std::vector<std::string> lines(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> result;
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
  }
  [[nodiscard]] static size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
};

TEST_F(Compare, HasATablePerModelAndARowPerPlanner) {
  const ProcessResult result =
      thimble({"compare", "zoo:reordering_figure1", "zoo:demo", "--planners", "original,reorder"});
  EXPECT_EQ(result.exit_status, 0);
  const std::vector<std::string> rows = lines(result.out);
  ASSERT_GE(rows.size(), 9U);
  EXPECT_THAT(rows[0], ContainsRegex("^zoo:reordering_figure1 +peak +arena"));
  EXPECT_THAT(rows[1], StartsWith("  original "));
  EXPECT_THAT(rows[2], StartsWith("> reorder "));
  EXPECT_THAT(rows[3], StartsWith("  interpreter, tensors "));
  EXPECT_THAT(rows[4], ContainsRegex("^  interpreter, in all +~"));
  EXPECT_THAT(rows[6], StartsWith("reorder wins: "));
  EXPECT_EQ(count(result.out, "zoo:demo"), 1U);
}

TEST_F(Compare, IsNowhereWiderThanAHundredColumns) {
  const std::string planners = "original,depthwise_tiling,patch,pex,reorder:states=1000000,stream";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--core", "cortex-m4"},
        {"--core", "cortex-m4", "--markdown"},
        {"--device", "nucleo-f446re", "--sram", "28000"}}) {
    std::vector<std::string> arguments = {"compare", "zoo:demo", "--planners", planners};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(count(result.out, " wins: ") + count(result.out, " comes first of equals: "), 1U)
        << result.out;
    for (const std::string& line : lines(result.out)) {
      if (line.starts_with("Made by")) continue;
      EXPECT_LE(line.size(), 100U) << line;
    }
  }
}

TEST_F(Compare, TheWinnerIsTheFastestThatFitsOrTheSmallestThatIsNotSlow) {
  const auto winner = [&](std::vector<std::string> options, int status) {
    options.insert(options.begin(),
                   {"zoo:demo", "--core", "cortex-m4", "--planners", "original,patch,pex,stream"});
    return compare(options, status).at("models").at(0);
  };
  const auto cell = [](const json& model, const json& planner) {
    for (const json& each : model.at("planners"))
      if (each.at("planner") == planner) return each;
    return json();
  };
  const json free = winner({}, 0), tight = winner({"--sram", "12000"}, 2);
  double fastest = 1e300;
  for (const json& each : free.at("planners"))
    fastest = std::min(fastest, each.at("estimated_instructions").get<double>());
  const json best = cell(free, free.at("winner"));
  EXPECT_LE(best.at("estimated_instructions"), 1.25 * fastest);
  for (const json& each : free.at("planners")) {
    if (each.at("estimated_instructions") <= 1.25 * fastest) {
      EXPECT_GE(each.at("arena_bytes"), best.at("arena_bytes"));
    }
  }
  const json fitting = cell(tight, tight.at("winner"));
  EXPECT_EQ(fitting.at("fits"), true);
  for (const json& each : tight.at("planners")) {
    if (each.at("fits") == true) {
      EXPECT_GE(each.at("estimated_instructions"), fitting.at("estimated_instructions"));
    }
  }
  EXPECT_TRUE(winner({"--sram", "1000"}, 2).at("winner").is_null());
}

TEST_F(Compare, ManyModelsHaveARowEach) {
  std::vector<std::string> arguments(8, "zoo:demo");
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), {"--planners", "original,reorder"});
  const std::vector<std::string> rows = lines(thimble(arguments).out);
  EXPECT_THAT(rows[0], ContainsRegex("^model +interpreter +winner +arena"));
  for (size_t k = 1; k <= 8; ++k) EXPECT_THAT(rows[k], StartsWith("zoo:demo "));
}

TEST_F(Compare, EveryPlannerIsAColumnByDefault) {
  const json r = compare({"zoo:demo"});
  std::string known = thimble({"planners"}).out;
  ASSERT_GE(r.at("models").at(0).at("planners").size(), 3U);
  for (const json& cell : r.at("models").at(0).at("planners"))
    EXPECT_THAT(known, HasSubstr(cell.at("planner").get<std::string>()));
}

TEST_F(Compare, AgreesWithCompile) {
  for (const std::string planner : {"original", "reorder"}) {
    ASSERT_EQ(thimble({"compile", "zoo:demo", "--planner", planner, "--sram", "27000", "--flash",
                       "1M", "--json", "r.json"})
                  .exit_status,
              2);
    const json compiled = json_of(read("r.json"));
    const json compared =
        compare({"zoo:demo", "--planners", planner, "--sram", "27000", "--flash", "1M"}, 2)
            .at("models")
            .at(0)
            .at("planners")
            .at(0);
    for (const char* key : {"planner", "fits", "peak_bytes", "lower_bound_bytes", "arena_bytes",
                            "layout_proven_optimal", "macs", "recomputed_macs"})
      EXPECT_EQ(compared.at(key), compiled.at(key)) << key;
    EXPECT_EQ(compared.at("weight_bytes"), compiled.at("flash").at("weight_bytes"));
  }
}

TEST_F(Compare, InterpretersPlanIsThatOfCompileWithItsOptions) {
  THIMBLE_NEEDS_SHARED();
  const std::string model = shared_model("mobilenet_v2");
  ASSERT_EQ(thimble({"compile", model, "--planner", "original", "--layout", "greedy_by_size",
                     "--no-in-place", "--no-rewrite", "--json", "r.json"})
                .exit_status,
            0);
  const json row = compare({model, "--planners", "original"}).at("models").at(0);
  EXPECT_EQ(row.at("interpreter_bytes"), json_of(read("r.json")).at("arena_bytes"));
  EXPECT_EQ(row.at("interpreter_bytes"), 2'451'840)
      << "TensorFlow Lite Micro's non-persistent arena";
  EXPECT_LT(row.at("planners").at(0).at("ratio"), 0.7) << "the rewrites merge its padding";
}

TEST_F(Compare, OptionsReachThePlanners) {
  const auto peak = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"zoo:reordering_figure1", "--planners", "original,reorder"});
    const json planners = compare(options).at("models").at(0).at("planners");
    return std::pair<int64_t, int64_t>(planners.at(0).at("peak_bytes"),
                                       planners.at(1).at("peak_bytes"));
  };
  EXPECT_EQ(peak({"--no-in-place"}), (std::pair<int64_t, int64_t>(5216, 4960)));
  EXPECT_LE(peak({}).first, 5216);
}

TEST_F(Compare, PlannersMayHaveSeveralOptions) {
  const json row = compare({"zoo:demo", "--planners", "reorder:states=7,original"});
  const json& cells = row.at("models").at(0).at("planners");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells.at(0).at("planner"), "reorder:states=7");
  EXPECT_THAT(thimble({"compare", "zoo:demo", "--planners", "reorder:states=7,x=2"}).err,
              HasSubstr("'x=2' is no option of reorder"));
}

TEST_F(Compare, AFailingModelDoesNotLoseTheOthers) {
  write("broken.tflite", "no model");
  const std::vector<std::string> arguments = {"compare",  "broken.tflite", "zoo:nothing",
                                              "zoo:demo", "--planners",    "original,reorder"};
  const ProcessResult result = thimble(arguments);
  EXPECT_EQ(result.exit_status, 1);
  const std::vector<std::string> rows = lines(result.out);
  EXPECT_THAT(rows[1], HasSubstr("refused"));
  EXPECT_THAT(result.out, HasSubstr("27,648"));
  EXPECT_EQ(count(result.out, "zoo:nothing: there is no such network"), 1U) << "once, not per cell";
  EXPECT_EQ(count(result.out, "broken.tflite: "), 1U);
  EXPECT_THAT(result.out, Not(HasSubstr("bug")));
}

TEST_F(Compare, TooLittleMemoryIsExitStatus2) {
  const json r = compare({"zoo:demo", "--planners", "original", "--sram", "20000"}, 2);
  EXPECT_EQ(r.at("sram_limit_bytes"), 20000);
  EXPECT_EQ(r.at("models").at(0).at("planners").at(0).at("fits"), false);
  EXPECT_EQ(thimble({"compare", "zoo:demo", "--planners", "original", "--flash", "1K"}).exit_status,
            2);
  EXPECT_EQ(thimble({"compare", "zoo:demo", "--planners", "original", "--device", "nucleo-f446re"})
                .exit_status,
            0);
  EXPECT_EQ(
      thimble({"compare", "zoo:demo", "zoo:nothing", "--planners", "original", "--flash", "1K"})
          .exit_status,
      1);
}

TEST_F(Compare, CsvHasALinePerModelAndPlannerWithTheValuesOfJson) {
  const std::vector<std::string> arguments = {"zoo:demo", "zoo:nothing", "--planners",
                                              "original,reorder:states=5"};
  std::vector<std::string> csv = {"compare", "--csv"};
  csv.insert(csv.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> rows = lines(thimble(csv).out);
  ASSERT_EQ(rows.size(), 5U);
  const json cell = compare(arguments, 1).at("models").at(0).at("planners").at(1);
  EXPECT_THAT(rows[0], StartsWith("model,planner,outcome,"));
  EXPECT_THAT(rows[2], StartsWith("zoo:demo,reorder:states=5,planned,,"));
  EXPECT_THAT(rows[2], HasSubstr("," + std::to_string(cell.at("arena_bytes").get<int>()) + ","));
  EXPECT_THAT(rows[3], HasSubstr("zoo:nothing,original,refused,,,,,"));
}

TEST_F(Compare, MarkdownIsATablePerModel) {
  const std::vector<std::string> rows =
      lines(thimble({"compare", "zoo:demo", "--planners", "original", "--markdown"}).out);
  EXPECT_THAT(rows[0], StartsWith("| zoo:demo | peak | arena | ratio |"));
  EXPECT_THAT(rows[1], StartsWith("|---|--:|--:|--:|"));
  EXPECT_THAT(rows[2], StartsWith("| > original | "));
}

TEST_F(Compare, AsManyJobsAsAskedForGiveTheSame) {
  const auto arenas = [&](const char* jobs) {
    std::vector<int64_t> result;
    const json report = compare({"zoo:demo", "zoo:reordering_figure1", "zoo:demo", "--planners",
                                 "reorder,stream,pex", "--jobs", jobs});
    for (const json& model : report.at("models")) {
      for (const json& cell : model.at("planners")) result.push_back(cell.at("arena_bytes"));
    }
    return result;
  };
  EXPECT_EQ(arenas("1"), arenas("3"));
}

TEST_F(Compare, BadOptionsGetOneMessageAndNoWork) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"compare"}, "MODEL: is required: .tflite or .onnx files, zoo:NAME, --zoo, or --paper NAME"},
      {{"compare", "zoo:demo", "--planners", "best"}, "no planner 'best'; there are: original"},
      {{"compare", "zoo:demo", "--planners", "original,"}, "no planner ''"},
      {{"compare", "zoo:demo", "--device", "toaster"}, "device 'toaster': is not known"},
      {{"compare", "zoo:demo", "--sram", "64X"}, "--sram: size '64X': has an unknown unit"},
      {{"compare", "zoo:demo", "--jobs", "0"}, "--jobs"},
      {{"compare", "zoo:demo", "--csv", "--json"}, "excludes"},
      {{"compare", "--paper", "pax"},
       "--paper 'pax': is not known; there are motes, operator_reordering, pex, swapnn, tinyseg"},
      {{"compare", "zoo:demo", "--paper", "pex"}, "excludes"},
      {{"compare", "--paper", "pex", "--sram", "64K"}, "excludes"},
      {{"compare", "--paper", "mine.json"}, "mine.json: cannot be read"},
  };
  for (const auto& [arguments, message] : mistakes) {
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 1) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "") << message;
  }
}

TEST_F(Compare, OperatorReorderingIsReproducedToTheByte) {
  const json r = compare({"--paper", "operator_reordering"});
  std::vector<int64_t> peaks;
  for (const json& figure : r.at("figures")) {
    if (figure.at("model") != "zoo:reordering_figure1") continue;
    EXPECT_EQ(figure.at("difference_percent"), 0) << figure;
    if (figure.at("metric") == "peak_bytes") peaks.push_back(figure.at("measured"));
  }
  EXPECT_EQ(peaks, (std::vector<int64_t>{5216, 4960}));
  EXPECT_THAT(thimble({"compare", "--paper", "operator_reordering"}).out,
              ContainsRegex("order 1, 4, 6, 2, 3, 5, 7 +4960 B +4,960 B +0 %"));
}

TEST_F(Compare, PapersFiguresWithoutPlannerOrNetworkSaySo) {
  write("mine.json", R"({"title": "t", "citation": "c", "units": {"kB": 1000},
    "accountings": {"a": "all of it"}, "figures": [
    {"source": "Table 1", "what": "x", "metric": "peak_bytes", "value": 27, "unit": "kB",
     "accounting": "a", "model": "zoo:demo", "planner": "crystal_ball"},
    {"source": "Table 1", "what": "x", "metric": "peak_bytes", "value": 27, "unit": "kB",
     "accounting": "a", "model": "zoo:nothing:a=1"},
    {"source": "Table 1", "what": "x", "metric": "energy_joules", "value": 27, "unit": "kB",
     "accounting": "a", "model": "zoo:demo"},
    {"source": "Table 1", "what": "x", "metric": "arena_bytes", "value": 28, "unit": "kB",
     "accounting": "a", "model": "zoo:demo", "cause": "it is so"}]})");
  const json figures = compare({"--paper", "mine.json"}).at("figures");
  EXPECT_EQ(figures.at(0).at("not_measured"), "no planner 'crystal_ball'");
  EXPECT_EQ(figures.at(1).at("not_measured"), "no network 'nothing' in the zoo");
  EXPECT_THAT(figures.at(2).at("not_measured").get<std::string>(), HasSubstr("needs the hardware"));
  EXPECT_EQ(figures.at(3).at("published"), 28000);
  EXPECT_EQ(figures.at(3).at("measured"), 27648);
  const ProcessResult text = thimble({"compare", "--paper", "mine.json"});
  EXPECT_EQ(text.exit_status, 0);
  EXPECT_THAT(text.out, HasSubstr("not measured: no planner 'crystal_ball'"));
  EXPECT_THAT(text.out, HasSubstr("-1.26 %"));
  EXPECT_THAT(text.out, HasSubstr("it is so"));
}

TEST_F(Compare, CountedFiguresNeedNoPlan) {
  const auto figure = [](const std::string& metric, const std::string& value,
                         const std::string& unit, const std::string& planner) {
    return R"({"source": "s", "what": "w", "metric": ")" + metric + "\", " + value +
           R"(, "unit": ")" + unit + R"(", "accounting": "a", "model": "zoo:unet",)" +
           R"("rewrite": false, "planner": ")" + planner + "\"}";
  };
  const std::string all = "tinyseg:scratch16,spill,concat,conv";
  write("counted.json",
        R"({"title": "t", "citation": "c", "units": {"B": 1, "%": 1}, "accountings": {"a": "all"},
      "figures": [)" +
            figure("tflm_arena_bytes", R"("value": 516096)", "B", "tinyseg") + "," +
            figure("tflm_arena_bytes", R"("relation": "drawn")", "B", all) + "," +
            figure("tflm_saved_percent", R"("value": 14)", "%", all) + "," +
            figure("tflm_arena_bytes", R"("value": 1)", "B", "tinyseg:spil") + "," +
            figure("tflm_arena_bytes", R"("value": 1)", "B", "original") + "]}");
  const json figures = compare({"--paper", "counted.json"}).at("figures");
  EXPECT_EQ(figures.at(0).at("measured"), 516'096);
  EXPECT_EQ(figures.at(0).at("difference_percent"), 0);
  EXPECT_EQ(figures.at(1).at("measured"), 442'368);
  EXPECT_TRUE(figures.at(1).at("published").is_null());
  EXPECT_EQ(figures.at(1).at("published_as"), "drawn");
  EXPECT_NEAR(figures.at(2).at("measured"), 100 * 73'728.0 / 516'096, 1e-9);
  EXPECT_THAT(figures.at(3).at("not_measured").get<std::string>(), HasSubstr("no 'spil'"));
  EXPECT_THAT(figures.at(4).at("not_measured").get<std::string>(),
              HasSubstr("original: is not tinyseg with its steps"));
  EXPECT_THAT(thimble({"compare", "--paper", "counted.json"}).out, HasSubstr("14.3 %"));
}

}  // namespace
}  // namespace thimble::testing
