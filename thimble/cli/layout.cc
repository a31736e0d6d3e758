// SPDX-License-Identifier: Apache-2.0
#include "thimble/layout/layout.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/import/file_bytes.h"
#include "thimble/layout/problem_csv.h"
#include "thimble/model/error.h"
#include "thimble/output/output_files.h"
#include "thimble/report/json_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

/// The largest file: some million buffers.
constexpr int64_t kMostCsvBytes = 64 << 20;

/// A layout within a capacity is worth more work than fewer bytes are. Who gives a time limit wants
/// all of that time used.
constexpr int64_t kCapacityWork = 4 * layout::kSearchWork;
constexpr int64_t kWorkWithoutEnd = int64_t{1} << 60;

struct LayoutOptions {
  std::string file, capacity, out;
  ReportFile json;
  double time_limit_seconds = 300;
  bool time_limit_given = false;
  bool force = false;
};

layout::NamedProblem read_layout_problem(const std::string& file) {
  const Bytes bytes = read_file(file, kMostCsvBytes);
  return layout::problem_from_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                  file);
}

std::string layout_words(const layout::Solution& found, std::optional<int64_t> capacity,
                         bool in_time) {
  const std::string least =
      found.proven_optimal
          ? "the least possible"
          : fmt::format("at least {} are needed", with_separators(found.lower_bound_bytes));
  const std::string stopped = in_time ? "" : " (stopped by --time-limit)";
  const std::string arena = with_separators(found.arena_bytes);
  if (!capacity) return fmt::format("{} B, {}{}\n", arena, least, stopped);
  const std::string limit = with_separators(*capacity);
  if (found.arena_bytes <= *capacity) return fmt::format("{} B of {} B\n", arena, limit);
  if (found.lower_bound_bytes > *capacity) {
    return fmt::format("does not fit: at least {} B are needed, the capacity is {} B\n",
                       with_separators(found.lower_bound_bytes), limit);
  }
  return fmt::format("does not fit: no layout within {} B was found{}; the best has {} B, {}\n",
                     limit, stopped, arena, least);
}

int lay_out(const LayoutOptions& options) {
  check_outputs({{"FILE", options.file}},
                {{{"--out", options.out}, FileKind::kLayout},
                 {{"--json", options.json.path}, FileKind::kReport, "layout"}},
                options.force);
  std::optional<int64_t> capacity;
  if (!options.capacity.empty()) capacity = size_option("--capacity", options.capacity);
  const layout::NamedProblem named = read_layout_problem(options.file);
  const TimeLimit time(options.time_limit_seconds);
  layout::Solution found;
  {
    const ProgressLine progress("searching for a layout");
    // What is impossible needs no search.
    const bool possible = !capacity || layout::lower_bound_bytes(named.problem) <= *capacity;
    const int64_t work = !possible                  ? 0
                         : options.time_limit_given ? kWorkWithoutEnd
                         : capacity                 ? kCapacityWork
                                                    : layout::kSearchWork;
    found =
        layout::exact(named.problem, {.work = work, .good_enough_bytes = capacity, .time = &time});
  }
  const std::string wrong = layout::validate(named.problem, found.addresses);
  if (!wrong.empty()) throw InternalError("layout: " + wrong);
  const bool fits = !capacity || found.arena_bytes <= *capacity;
  if (fits) write_text(options.out, layout::solution_csv(named, found.addresses));
  const nlohmann::ordered_json limit = capacity ? nlohmann::ordered_json(*capacity) : nullptr;
  write_report(options.json, "",
               json_text("layout", {{"file", options.file},
                                    {"buffers", named.ids.size()},
                                    {"arena_bytes", found.arena_bytes},
                                    {"capacity_bytes", limit},
                                    {"fits", fits},
                                    {"lower_bound_bytes", found.lower_bound_bytes},
                                    {"nodes", found.nodes},
                                    {"proven_optimal", found.proven_optimal},
                                    {"within_time_limit", !time.struck()}}));
  if (options.out != kStandardOutput || !fits)
    print_beside(options.json, layout_words(found, capacity, !time.struck()));
  return fits ? kDone : kDoesNotFit;
}

}  // namespace

void add_layout(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "layout", "Offsets for buffers with live intervals, within a capacity or as low as can be");
  command->footer(
      "Example:\n"
      "  thimble layout A.csv --capacity 1048576 --out A.offsets.csv");
  auto options = std::make_shared<LayoutOptions>();
  add_text(*command, "FILE", options->file, "", "CSV of id,lower,upper,size")->required();
  add_text(*command, "--capacity", options->capacity, "SIZE",
           "Stop at the first layout within SIZE; without it, the least bytes");
  as_output(
      add_text(*command, "--out", options->out, "FILE", "The same CSV with a last column, offset"));
  const CLI::Option* time_limit =
      command
          ->add_option("--time-limit", options->time_limit_seconds,
                       "Search until then; without it, until so much work is done, at most 300")
          ->type_name("SECONDS")
          ->check(between(0.001, 86400));
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->callback([options, time_limit, &status] {
    options->time_limit_given = time_limit->count() > 0;
    status = lay_out(*options);
  });
}

}  // namespace thimble
