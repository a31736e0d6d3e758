// SPDX-License-Identifier: Apache-2.0
// `auto` against every other exact planner, under the same limits: it must need no more bytes than
// any of them, and within a budget fit where any does, as fast as the fastest of those that do by
// the latency model, to a thousandth. As CSV; violations to stderr, exit status 1 if there are any.
//   auto_dominates > bench/results/auto.csv
//   auto_dominates --limits recompute_0 --limits sram_0.7 zoo:demo
//   ../shared/models/ad01_int8.tflite
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/command_line.h"
#include "bench/jobs.h"
#include "bench/planned.h"
#include "thimble/model/error.h"
#include "thimble/planners/registry.h"

namespace {

using namespace thimble;

constexpr const char* kRivals[] = {"original", "greedy", "reorder", "depthwise_tiling",
                                   "patch",    "pex",    "motes",   "stream"};
bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// Fronts leave out what saves less than a thousandth (plan/front.h).
constexpr double kAsFast = 1.001;

struct Conditions {
  const char* name;
  std::optional<double> max_recompute = {};
  bool streamed = false;        ///< the input
  double of_reorder_arena = 0;  ///< SRAM; 0: any
};
constexpr Conditions kConditions[] = {
    {.name = "recompute_0", .max_recompute = 0},   {.name = "recompute_0.1", .max_recompute = 0.1},
    {.name = "recompute_1", .max_recompute = 1},   {.name = "streamed", .streamed = true},
    {.name = "sram_0.5", .of_reorder_arena = 0.5}, {.name = "sram_0.7", .of_reorder_arena = 0.7},
    {.name = "sram_0.9", .of_reorder_arena = 0.9}};

struct Options {
  std::vector<std::string> models, limits, planners;
  std::string shared = "../shared";
  int64_t effort = 1;
  JobLimits jobs;
};

struct Cell {
  const Conditions* conditions;
  std::string model, planner;
};

std::string measured(const Cell& cell, int64_t effort) {
  const Graph graph = prepare(load(cell.model).graph, {});
  Limits limits{.max_recompute = cell.conditions->max_recompute,
                .max_latency = std::numeric_limits<double>::infinity(),
                .effort = effort};
  if (cell.conditions->streamed) limits.ports.input = Place::kStreamed;
  if (cell.conditions->of_reorder_arena > 0) {
    const double arena = static_cast<double>(planned_size(graph, "reorder", {})->arena_bytes);
    limits.sram_bytes = static_cast<int64_t>(cell.conditions->of_reorder_arena * arena);
  }
  const std::optional<PlannedSize> size = planned_size(graph, cell.planner, limits);
  if (!size) return "infeasible";
  return fmt::format("{} {}", text(*size), limits.sram_bytes.value_or(0));
}

/// What is known of one planner.
struct Row {
  std::optional<PlannedSize> size;
  int64_t sram_bytes = 0;  ///< 0: any
  std::string note;        ///< why there is no size

  [[nodiscard]] bool fits() const {
    return size && (sram_bytes == 0 || size->arena_bytes <= sram_bytes);
  }
};

Row row_of(const JobResult& result) {
  if (!result.done || result.text == "infeasible") return {.size = {}, .note = result.text};
  const size_t last = result.text.rfind(' ');
  return {.size = parse_planned_size(result.text.substr(0, last)),
          .sram_bytes = std::stoll(result.text.substr(last)),
          .note = {}};
}

/// The planners' answers under the same limits.
using Rows = std::map<std::string, Row>;

/// What is wrong with auto's answer beside a rival's; empty: nothing.
std::string fault(const Row& mine, const Row& rival) {
  if (!rival.size) return "";
  if (!mine.size) return "answers nothing: " + mine.note;
  if (mine.sram_bytes == 0) {
    if (mine.size->arena_bytes <= rival.size->arena_bytes) return "";
    return fmt::format("needs {} B instead of {}", mine.size->arena_bytes, rival.size->arena_bytes);
  }
  if (!rival.fits()) return "";
  if (!mine.fits())
    return fmt::format("needs {} B and does not fit in {}, where {} do", mine.size->arena_bytes,
                       mine.sram_bytes, rival.size->arena_bytes);
  if (mine.size->instructions <= rival.size->instructions * kAsFast) return "";
  return fmt::format("takes {:.0f} instructions instead of {:.0f}", mine.size->instructions,
                     rival.size->instructions);
}

int violations(const Cell& cell, const Rows& rows) {
  const std::string where = fmt::format("{} {}", short_name(cell.model), cell.conditions->name);
  if (!rows.contains("auto")) return 0;
  const Row& mine = rows.at("auto");
  if (mine.note.starts_with("skipped")) {
    fmt::print(stderr, "not compared: {}: auto {}\n", where, mine.note);
    return 0;
  }
  int found = 0;
  const auto report = [&](const std::string& what) {
    fmt::print(stderr, "VIOLATION: {}: auto {}\n", where, what);
    ++found;
  };
  for (const auto& [planner, row] : rows) {
    if (row.note.starts_with("skipped"))
      fmt::print(stderr, "not compared: {}: {} {}\n", where, planner, row.note);
    if (const std::string what = fault(mine, row); !what.empty())
      report(what + " (" + planner + ")");
  }
  if (mine.size && cell.conditions->max_recompute) {
    const auto own = static_cast<double>(mine.size->macs - mine.size->recomputed_macs);
    if (static_cast<double>(mine.size->recomputed_macs) > *cell.conditions->max_recompute * own)
      report(fmt::format("executes {} MACs more than the network's {:.0f}",
                         mine.size->recomputed_macs, own));
  }
  return found;
}

void print_row(const Cell& cell, const Row& row, const JobResult& result) {
  const std::string size =
      row.size ? fmt::format("{},{},{},{},{:.0f}", row.size->arena_bytes, row.size->peak_bytes,
                             row.size->macs, row.size->recomputed_macs, row.size->instructions)
               : ",,,,";
  fmt::print("{},{},{},{},{},{:.2f},{},{}\n", csv_field(short_name(cell.model)),
             cell.conditions->name, cell.planner,
             row.sram_bytes == 0 ? "" : std::to_string(row.sram_bytes), size, result.cpu_seconds,
             result.peak_memory_mib, csv_field(row.note));
  std::fflush(stdout);
}

bool is_taken(const std::string& model) {
  try {
    if (!model.starts_with("zoo:")) (void)prepare(load(model).graph, {});
    return true;
  } catch (const CompileError& error) {
    fmt::print(stderr, "not taken: {}\n", error.what());
    return false;
  }
}

std::vector<Cell> cells(const Options& options) {
  std::vector<Cell> result;
  for (const std::string& model :
       options.models.empty() ? zoo_and_golden_models(options.shared) : options.models) {
    if (!is_taken(model)) continue;
    for (const Conditions& conditions : kConditions) {
      if (!wanted(options.limits, conditions.name)) continue;
      if (wanted(options.planners, "auto")) result.push_back({&conditions, model, "auto"});
      for (const char* rival : kRivals) {
        if (conditions.streamed && !choose_planner(rival).planner->streams) continue;
        if (!wanted(options.planners, rival)) continue;
        result.push_back({&conditions, model, rival});
      }
    }
  }
  return result;
}

std::vector<std::string> planner_names() {
  std::vector<std::string> names(std::begin(kRivals), std::end(kRivals));
  names.emplace_back("auto");
  return names;
}

int run(const Options& options) {
  const std::vector<Cell> all = cells(options);
  std::vector<std::function<std::string()>> jobs;
  std::map<std::pair<std::string, const Conditions*>, size_t> missing;
  for (const Cell& cell : all) {
    jobs.emplace_back([&cell, &options] { return measured(cell, options.effort); });
    ++missing[{cell.model, cell.conditions}];
  }
  const size_t compared = missing.size();
  std::map<std::pair<std::string, const Conditions*>, Rows> tables;
  int found = 0;
  run_jobs(jobs, options.jobs, [&](size_t job, const JobResult& result) {
    const Cell& cell = all[job];
    const auto key = std::pair(cell.model, cell.conditions);
    Row& row = tables[key][cell.planner] = row_of(result);
    print_row(cell, row, result);
    if (--missing[key] == 0) found += violations(cell, tables[key]);
  });
  fmt::print(stderr, "{} networks under limits compared, {} violations\n", compared, found);
  return found == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"auto_dominates", "`auto` against every other exact planner, as CSV"};
  line.add("MODELS", &options.models,
           "zoo:NAME or .tflite files (default: the zoo and all models with golden values)");
  std::vector<std::string> names;
  for (const Conditions& conditions : kConditions) names.emplace_back(conditions.name);
  line.add("--limits", &options.limits, "some of the limits (default: all)",
           {.one_each = true, .allowed = names});
  line.add("--planner", &options.planners, "some of the planners (default: all)",
           {.one_each = true, .allowed = planner_names()});
  line.add("--shared", &options.shared, "folder of models and golden values");
  line.add("--effort", &options.effort, "of auto");
  line.add("--jobs", &options.jobs.parallel, "at a time (2)", {.positive = true});
  line.add("--seconds", &options.jobs.cpu_seconds, "most for one plan; it is skipped (600)",
           {.positive = true});
  return line.run(argc, argv, [&] {
    fmt::print(
        "# {}\nmodel,limits,planner,sram_bytes,arena_bytes,peak_bytes,macs,recomputed_macs,"
        "instructions,cpu_seconds,peak_memory_mib,note\n",
        line.command());
    return run(options);
  });
}
