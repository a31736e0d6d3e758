// SPDX-License-Identifier: Apache-2.0
// Arenas and estimated instructions of every planner, beside those of an older version:
//   plan_table --csv bench/results/plans.csv bench/results/plans.csv
// The table given has model, planner, ports, core, sram_bytes, arena_before, instructions_before.
// "worse": without a limit, or where neither fits, more bytes, or as many with more instructions;
// where both fit, more instructions (by more than two thousandths). Models that are named alone.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "bench/command_line.h"
#include "bench/jobs.h"
#include "bench/planned.h"
#include "thimble/driver/chosen_plan.h"
#include "thimble/driver/driver.h"
#include "thimble/program/estimate.h"

namespace {

using namespace thimble;

struct Figures {
  int64_t arena_bytes = 0;
  double instructions = 0;
  bool fits = false;  ///< not known of the older version
};

struct Row {
  std::string model, planner, ports, core;
  int64_t sram_bytes = 0;  ///< 0: no limit
  Figures before, now;
};

std::vector<Row> read_rows(const std::string& path, const std::vector<std::string>& models) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("model,")) continue;
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    Row row;
    words >> row.model >> row.planner >> row.ports >> row.core >> row.sram_bytes >>
        row.before.arena_bytes >> row.before.instructions;
    if (models.empty() || std::ranges::find(models, row.model) != models.end())
      rows.push_back(std::move(row));
  }
  return rows;
}

std::string measured(const Row& row, const std::string& shared) {
  Request request{.model = row.model.starts_with("zoo:")
                               ? row.model
                               : shared + "/models/" + row.model + ".tflite",
                  .planner = row.planner};
  if (row.core != "generic") request.target.core = core_named(row.core);
  if (row.sram_bytes > 0) request.sram_bytes = row.sram_bytes;
  if (row.ports == "streamed") request.ports.input = Place::kStreamed;
  const Answer answer = compile(request);
  const auto* compiled = std::get_if<Compiled>(&answer);
  if (compiled == nullptr) return "0 0 0";
  const auto estimate = estimate_on(compiled->program, estimated_core(compiled->target.core), 0);
  return fmt::format("{} {:.0f} {}", compiled->program.arena_bytes(),
                     estimate ? estimate->estimate.instructions : 0, compiled->fits() ? 1 : 0);
}

const char* verdict(const Row& row) {
  const int64_t old_bytes = row.before.arena_bytes, bytes = row.now.arena_bytes;
  const double old_time = row.before.instructions, time = row.now.instructions;
  const bool fits = row.now.fits;
  constexpr double kSame = 1.002;
  if (bytes == 0) return "none";
  const bool slower = time > old_time * kSame, faster = time * kSame < old_time;
  if (row.sram_bytes > 0 && fits && old_bytes > row.sram_bytes) return "better";
  if (row.sram_bytes > 0 && fits) return slower ? "worse" : faster ? "better" : "same";
  if (bytes != old_bytes) {
    if (bytes < old_bytes) return "better";
    return faster && row.sram_bytes == 0 ? "traded" : "worse";
  }
  return slower ? "worse" : faster ? "better" : "same";
}

}  // namespace

int main(int argc, char** argv) {
  std::string before, shared = "../shared", path;
  std::vector<std::string> models;
  JobLimits limits{.parallel = static_cast<int>(std::thread::hardware_concurrency()),
                   .cpu_seconds = 600};
  CommandLine line{"plan_table", "Every planner beside an older version"};
  line.add("BEFORE", &before, "Table of the older version", {.required = true});
  line.add("MODELS", &models, "Only these (all)");
  line.add("--shared", &shared, "Folder of the shared models (../shared)");
  line.add("--csv", &path, "File to write (standard output)");
  return line.run(argc, argv, [&] {
    std::vector<Row> rows = read_rows(before, models);
    std::vector<std::function<std::string()>> jobs;
    for (const Row& row : rows) jobs.emplace_back([&row, shared] { return measured(row, shared); });
    run_jobs(jobs, limits, [&](size_t job, const JobResult& result) {
      std::istringstream words(result.done ? result.text : "0 0 0");
      Figures& now = rows[job].now;
      words >> now.arena_bytes >> now.instructions >> now.fits;
    });
    std::string text = "# " + line.command() +
                       "\nmodel,planner,ports,core,sram_bytes,arena_before,instructions_before,"
                       "arena_bytes,instructions,fits,verdict\n";
    std::map<std::string, int> counts;
    for (const Row& row : rows) {
      ++counts[verdict(row)];
      text += fmt::format("{},{},{},{},{},{},{:.0f},{},{:.0f},{},{}\n", row.model, row.planner,
                          row.ports, row.core, row.sram_bytes, row.before.arena_bytes,
                          row.before.instructions, row.now.arena_bytes, row.now.instructions,
                          row.now.fits ? 1 : 0, verdict(row));
    }
    for (const auto& [name, count] : counts) text += fmt::format("# {}: {}\n", name, count);
    write_table(path, text);
    return 0;
  });
}
