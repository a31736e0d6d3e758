// SPDX-License-Identifier: Apache-2.0
// Instructions of the plans of `auto` under several --max-latency, counted in QEMU beside the
// estimate that the planner chose by:
//   auto_instructions --csv bench/results/auto_instructions.csv
//   ../shared/models/kws_ref_model.tflite ...
// With networks of six, the median error is to be under 10 %, and of two plans of a network that
// differ by more than 5 % the estimate is to say which one is faster.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>

#include "bench/command_line.h"
#include "bench/latency_samples.h"
#include "thimble/emit/identifier.h"
#include "thimble/planners/registry.h"
#include "thimble/program/estimate.h"

namespace {

using namespace thimble;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kClearlyFaster = 1.05;

struct Asked {
  std::string planner = "auto";
  double max_latency = kNoLimit;
};

struct Line {
  std::string model;
  Asked asked;
  int64_t arena_bytes = 0;
  double counted = 0, estimated = 0;
};

Compiled planned(const Source& source, const std::string& core, const Asked& asked) {
  const PlannerChoice choice = choose_planner(asked.planner);
  const Limits limits{.core = core_named(core), .max_latency = asked.max_latency};
  auto answer = choice.planner->plan(source.graph, limits, choice.options);
  auto& found = std::get<Planned>(answer);
  const PlacedPlan plan{.planner = asked.planner,
                        .schedule = found.schedule(),
                        .placement = found.best().realised.placement,
                        .accumulators = found.best().plan().accumulators};
  return described(check_plan(source, {.rewrite = false}, plan, asked.planner));
}

std::vector<Line> measured(const std::string& path, const std::string& core,
                           const std::vector<Asked>& all) {
  const LatencyModel model = latency_model(core).value();
  Source source = load(path);
  source.graph = prepare(source.graph, {});
  std::vector<Line> lines;
  std::optional<Schedule> last;
  for (const Asked& asked : all) {
    const std::string name = identifier(std::filesystem::path(path).stem().string());
    Line line{.model = name, .asked = asked};
    Compiled compiled = planned(source, core, asked);
    const Schedule schedule = compiled.plan.schedule;
    if (last == schedule) {  // it would be counted again
      line = lines.back();
      line.asked = asked;
    } else {
      line.arena_bytes = compiled.program.arena_bytes();
      line.estimated = estimate(compiled.program, model).instructions;
      std::vector<LatencySample> samples;
      SampleCounter counter(core_named(core), samples);
      counter.add(name, std::move(compiled));
      counter.count();
      line.counted = samples.at(0).counted;
      last = schedule;
    }
    lines.push_back(line);
  }
  return lines;
}

struct Ranking {
  int pairs = 0, right = 0;
};
Ranking ranking(const std::vector<Line>& lines) {
  Ranking result;
  for (const Line& a : lines) {
    for (const Line& b : lines) {
      if (a.model != b.model || a.counted <= b.counted * kClearlyFaster) continue;
      ++result.pairs;
      result.right += a.estimated > b.estimated ? 1 : 0;
    }
  }
  return result;
}

double median_error(const std::vector<Line>& lines) {
  std::vector<double> errors;
  for (const Line& line : lines) errors.push_back(std::abs(line.estimated / line.counted - 1));
  std::ranges::sort(errors);
  return errors.empty() ? 0 : errors[errors.size() / 2];
}

std::string csv(const std::vector<Line>& lines, const std::string& command) {
  const Ranking ranks = ranking(lines);
  std::string text = fmt::format(
      "# {}\n# median error {:.4f}; of {} pairs {} are ranked right\n"
      "model,planner,max_latency,arena_bytes,counted,estimated,error\n",
      command, median_error(lines), ranks.pairs, ranks.right);
  for (const Line& line : lines)
    text += fmt::format("{},{},{},{},{:.0f},{:.0f},{:.4f}\n", line.model, line.asked.planner,
                        line.asked.max_latency, line.arena_bytes, line.counted, line.estimated,
                        line.estimated / line.counted - 1);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string core = "cortex-m4", path;
  std::vector<std::string> models, planners;
  CommandLine line{"auto_instructions", "Counts instructions of the plans of auto"};
  line.add("MODEL", &models, "Models, or zoo:NETWORK", {.required = true});
  line.add("--core", &core, "Core to count on (cortex-m4)");
  line.add("--planner", &planners, "Planners to count beside auto: NAME:key=value");
  line.add("--csv", &path, "File to write (standard output)");
  return line.run(argc, argv, [&] {
    std::vector<Asked> asked;
    for (const double ratio : {1.02, 1.05, 1.2, kNoLimit}) asked.push_back({"auto", ratio});
    for (const std::string& planner : planners) asked.push_back({planner, kNoLimit});
    std::vector<Line> lines;
    for (const std::string& model : models)
      std::ranges::move(measured(model, core, asked), std::back_inserter(lines));
    const std::string text = csv(lines, line.command());
    if (path.empty()) fmt::print("{}", text);
    if (!path.empty()) std::ofstream(path, std::ios::binary) << text;
    return 0;
  });
}
