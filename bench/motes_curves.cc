// SPDX-License-Identifier: Apache-2.0
// Bytes against estimated instructions of one network by several planners, as figures 9 (b) and 10
// of MoteS have them:
//   motes_curves --csv bench/results/motes_figure9b_darts_imagenet.csv zoo:darts_imagenet
//   --apart reorder --planner reorder motes:max_latency=1.02 motes:max_latency=1.05
// The first line is what the others are compared with.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>

#include "bench/command_line.h"
#include "bench/jobs.h"
#include "bench/planned.h"
#include "thimble/driver/driver.h"
#include "thimble/report/front_words.h"

namespace {

using namespace thimble;

struct Asked {
  std::string planner;
  Limits limits;
  std::string name;  ///< as the table has it
};

struct CurveOptions {
  std::string model, csv, svg;
  std::vector<std::string> apart, planners;
  std::vector<double> auto_ratios;
  int jobs = 2;
};

std::vector<Asked> all_asked(const CurveOptions& options) {
  std::vector<Asked> result;
  for (const std::string& planner : options.apart)
    result.push_back({planner, {.in_place = false}, planner + " --no-in-place"});
  for (const std::string& planner : options.planners) result.push_back({planner, {}, planner});
  for (const double ratio : options.auto_ratios)
    result.push_back({"auto", {.max_latency = ratio}, fmt::format("auto --max-latency {}", ratio)});
  return result;
}

std::vector<PlannedSize> sizes_of(const Graph& graph, const std::vector<Asked>& asked, int jobs) {
  std::vector<std::function<std::string()>> work;
  for (const Asked& one : asked)
    work.push_back(
        [&graph, one] { return text(planned_size(graph, one.planner, one.limits).value()); });
  std::vector<PlannedSize> result(asked.size());
  run_jobs(work, {.parallel = jobs}, [&](size_t job, const JobResult& found) {
    if (!found.done) throw std::runtime_error(asked[job].name + ": " + found.text);
    result[job] = parse_planned_size(found.text);
    fmt::print(stderr, "{}: {} B\n", asked[job].name, result[job].arena_bytes);
  });
  return result;
}

std::string table(const CurveOptions& options, const std::vector<Asked>& asked,
                  const std::vector<PlannedSize>& sizes) {
  std::string result =
      "model,planner,arena_bytes,peak_bytes,macs,recomputed_macs,instructions,"
      "peak_ratio,extra_instructions_percent,plan_seconds\n";
  const PlannedSize& first = sizes.at(0);
  for (size_t k = 0; k < sizes.size(); ++k) {
    const PlannedSize& size = sizes[k];
    result +=
        fmt::format("{},{},{},{},{},{},{:.0f},{:.4f},{:.2f},{:.0f}\n", short_name(options.model),
                    csv_field(asked[k].name), size.arena_bytes, size.peak_bytes, size.macs,
                    size.recomputed_macs, size.instructions,
                    static_cast<double>(size.peak_bytes) / static_cast<double>(first.peak_bytes),
                    100 * (size.instructions / first.instructions - 1), size.plan_seconds);
  }
  return result;
}

/// The front of those sizes that are not beaten.
std::string picture(const CurveOptions& options, const std::vector<PlannedSize>& sizes) {
  std::vector<FrontFigures> all;
  for (const PlannedSize& size : sizes)
    all.push_back({size.arena_bytes, size.instructions, size.recomputed_macs});
  Front front{.core = "cortex-m4"};
  for (const size_t k : undominated(all)) front.points.push_back(all[k]);
  return front_svg(front, short_name(options.model));
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

int main(int argc, char** argv) {
  CurveOptions options;
  CommandLine line{"motes_curves", "Bytes against estimated instructions of several planners"};
  line.add("MODEL", &options.model, "A model, or zoo:NETWORK", {.required = true});
  line.add("--apart", &options.apart, "Planners to ask with nothing in place");
  line.add("--planner", &options.planners, "Planners to ask");
  line.add("--auto", &options.auto_ratios, "Ratios of time to ask auto for");
  line.add("--csv", &options.csv, "File to write (standard output)");
  line.add("--svg", &options.svg, "Picture to write");
  line.add("--jobs", &options.jobs, "At a time (2)");
  return line.run(argc, argv, [&] {
    const std::vector<Asked> asked = all_asked(options);
    if (asked.empty()) throw std::runtime_error("nothing is asked for");
    const Graph graph = prepare(load(options.model).graph, {});
    const std::vector<PlannedSize> sizes = sizes_of(graph, asked, options.jobs);
    const std::string csv = "# " + line.command() + "\n" + table(options, asked, sizes);
    if (options.csv.empty()) fmt::print("{}", csv);
    if (!options.csv.empty()) write(options.csv, csv);
    if (!options.svg.empty()) write(options.svg, picture(options, sizes));
    return 0;
  });
}
