// SPDX-License-Identifier: Apache-2.0
// Instructions of `auto` at given sizes of the arena, beside those of an older version and beside
// the same older plans were the scratch of every call's fastest kernel free:
//   scratch_gap --csv bench/results/scratch_gap.csv bench/results/scratch_gap_before.csv
// What the table given has of each model and core: arena_bytes, before, ideal. "closed" is the part
// of the gap between the two that is gone. With --count instructions are counted in QEMU, too.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/command_line.h"
#include "bench/latency_samples.h"
#include "bench/planned.h"
#include "thimble/planners/registry.h"

namespace {

using namespace thimble;

struct Row {
  std::string model, core;
  int64_t arena_bytes = 0;
  double before = 0, ideal = 0;
};

std::vector<Row> read_rows(const std::string& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("model,")) continue;
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    Row& row = rows.emplace_back();
    words >> row.model >> row.core >> row.arena_bytes >> row.before >> row.ideal;
  }
  return rows;
}

struct Instructions {
  double estimated = std::numeric_limits<double>::infinity();
  double counted = 0;
};

double counted(const Source& source, const std::string& core, const PricedPlan& best) {
  const PlacedPlan plan{.planner = "auto",
                        .schedule = best.realised.schedule,
                        .placement = best.realised.placement,
                        .accumulators = best.plan().accumulators};
  std::vector<LatencySample> samples;
  SampleCounter counter(core_named(core), samples);
  counter.add("model", described(check_plan(source, {.rewrite = false}, plan, "auto")));
  counter.count();
  return samples.at(0).counted;
}

/// The fewest instructions of a plan whose arena has no more bytes.
Instructions instructions_within(const Source& source, const std::string& core, int64_t arena_bytes,
                                 bool count) {
  const Limits limits{.sram_bytes = arena_bytes,
                      .core = core_named(core),
                      .max_latency = std::numeric_limits<double>::infinity()};
  const auto planned = std::get<Planned>(planners().back().plan(source.graph, limits, {}));
  const PricedPlan& best = planned.best();
  if (best.arena().size_bytes > arena_bytes) return {};
  return {best.realised.instructions, count ? counted(source, core, best) : 0};
}

}  // namespace

int main(int argc, char** argv) {
  std::string before, shared = "../shared", path;
  bool count = false;
  CommandLine line{"scratch_gap", "How much of the gap to plans with free scratch is closed"};
  line.add("BEFORE", &before, "Table: model, core, arena_bytes, before, ideal", {.required = true});
  line.add("--shared", &shared, "Folder of the shared models (../shared)");
  line.add("--csv", &path, "File to write (standard output)");
  line.add("--count", &count, "Count instructions in QEMU");
  return line.run(argc, argv, [&] {
    std::string text =
        "# " + line.command() + "\nmodel,core,arena_bytes,before,ideal,now,closed,counted\n";
    std::map<std::string, std::pair<double, int>> closed;  // per model and core: sum, count
    std::map<std::string, Source> sources;
    for (const Row& row : read_rows(before)) {
      if (!sources.contains(row.model)) {
        Source source = load(shared + "/models/" + row.model + ".tflite");
        source.graph = prepare(source.graph, {});
        sources.emplace(row.model, std::move(source));
      }
      const auto [now, counts] =
          instructions_within(sources.at(row.model), row.core, row.arena_bytes, count);
      const bool gap = row.before - row.ideal > 0.01 * row.before;
      const double share = (row.before - now) / (row.before - row.ideal);
      text +=
          fmt::format("{},{},{},{:.0f},{:.0f},{:.0f},{},{}\n", row.model, row.core, row.arena_bytes,
                      row.before, row.ideal, now, gap ? fmt::format("{:.3f}", share) : "",
                      count ? fmt::format("{:.0f}", counts) : "");
      if (!gap) continue;
      auto& [sum, sizes] = closed[row.model + " on " + row.core];
      sum += share;
      ++sizes;
    }
    for (const auto& [name, all] : closed)
      text += fmt::format("# {}: {:.3f} at {} sizes\n", name, all.first / all.second, all.second);
    write_table(path, text);
    return 0;
  });
}
