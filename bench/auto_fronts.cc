// SPDX-License-Identifier: Apache-2.0
// Arenas of `auto` within so many MACs, against the estimates of the shared bench/fronts.md and
// spec/tinyseg_facts.md, as CSV; exit status 1 if one is more than 1.08 of its estimate.
//   auto_fronts > bench/results/auto_fronts.csv
//   auto_fronts --planner stream person_detect       lines whose names contain it
#include <fmt/format.h>

#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "bench/command_line.h"
#include "bench/jobs.h"
#include "bench/planned.h"
#include "thimble/model/error.h"

namespace {

using namespace thimble;

constexpr double kMost = 1.08;  // of the estimate

struct Point {
  double factor = 1;  ///< MACs executed / the network's
  int64_t estimate_bytes = 0;
  int64_t published_bytes = 0;  ///< measured by msf-CNN or counted by TinySeg; 0: not published
  int64_t written_bytes = 0;    ///< to storage, at the most; 0: there is none
};

struct Line {
  const char* model;  ///< as the command line takes it; without ':' a shared model
  const char* accounting;
  PortPlaces ports;
  bool int8_io;
  std::vector<Point> points;
};

/// The tables of fronts.md; an empty cell there has the estimate to its left.
std::vector<Line> lines() {
  constexpr PortPlaces kResident{};
  constexpr PortPlaces kStreamedInput{.input = Place::kStreamed};
  constexpr PortPlaces kCallers{.input = Place::kUser, .output = Place::kUser};
  const auto line = [=](const char* model, PortPlaces ports, std::array<int64_t, 7> estimates) {
    constexpr double kFactors[] = {1.00, 1.02, 1.05, 1.10, 1.25, 1.5, 2.0};
    Line result{model, ports == kResident ? "resident" : "streamed", ports, true, {}};
    for (size_t k = 0; k < estimates.size(); ++k)
      result.points.push_back({.factor = kFactors[k], .estimate_bytes = estimates[k]});
    return result;
  };
  const char* small = "zoo:mobilenet_v2:width=0.35,resolution=144";
  const char* unet = "zoo:tiny_unet:ports=int8";
  return {
      {unet, "resident", kResident, true, {{1.000, 94'596}, {1.101, 66'100}, {1.210, 62'132}}},
      {unet,
       "resident and storage",
       kResident,
       true,
       {{1.000, 52'088, 153'616, 76'800}, {1.000, 30'760, 0, 115'200}}},
      line("zoo:mobilenet_v2", kResident,
           {169'408, 161'696, 155'760, 155'104, 153'456, 153'456, 153'456}),
      line("zoo:mobilenet_v2", kStreamedInput,
           {78'816, 70'144, 55'248, 45'648, 45'344, 45'344, 45'344}),
      line(small, kResident, {64'576, 64'576, 64'576, 63'872, 63'288, 63'288, 63'000}),
      line(small, kStreamedInput, {18'768, 18'240, 15'120, 14'640, 14'640, 14'640, 14'640}),
      line("vww_96_int8", kResident, {28'032, 28'032, 28'032, 28'032, 28'032, 28'032, 28'032}),
      line("vww_96_int8", kStreamedInput, {11'168, 11'168, 10'928, 10'928, 10'768, 10'768, 10'768}),
      line("person_detect", kResident, {11'968, 11'968, 11'008, 11'008, 10'464, 10'409, 10'409}),
      line("person_detect", kStreamedInput, {10'112, 9'776, 9'280, 8'704, 8'544, 8'544, 8'544}),
      line("mcunetv2_large", kResident,
           {220'304, 220'304, 220'304, 220'304, 153'600, 153'600, 153'600}),
      line("mcunetv2_large", kStreamedInput,
           {220'304, 220'304, 220'304, 220'304, 70'720, 51'072, 44'720}),
      {"zoo:msf_cnn_mbv2",
       "user",
       kCallers,
       false,
       {{1.000, 13'904, 181'440},
        {1.019, 11'014, 83'133},
        {1.097, 7'099, 67'996},
        {1.253, 6'104, 25'803},
        {1.298, 6'085, 21'389},
        {1.382, 5'926, 15'199},
        {1.563, 5'813, 14'132},
        {1.679, 5'798, 8'560}}},
      {"zoo:msf_cnn_vww5",
       "user",
       kCallers,
       false,
       {{1.000, 11'872, 89'600},
        {1.023, 10'080, 45'283},
        {1.113, 8'092, 26'240},
        {1.296, 7'504, 20'568},
        {1.345, 7'368, 17'904},
        {1.957, 7'181, 15'368}}},
      {"zoo:msf_cnn_320k",
       "user",
       kCallers,
       false,
       {{1.000, 52'736, 247'808},
        {1.041, 43'168, 217'891},
        {1.369, 34'496, 156'864},
        {1.455, 32'656, 94'224},
        {2.019, 28'704, 63'456},
        {2.695, 27'696, 51'164}}},
  };
}

struct Options {
  std::vector<std::string> names;
  std::string planner = "auto", shared = "../shared";
  int64_t effort = 1;
  JobLimits jobs;
};

struct Cell {
  const Line* line;
  Point point;
};

std::string measured(const Cell& cell, const Options& options) {
  const std::string name = cell.line->model;
  const std::string model =
      name.starts_with("zoo:") ? name : options.shared + "/models/" + name + ".tflite";
  const Graph graph = prepare(load(model).graph, {.int8_io = cell.line->int8_io});
  const int64_t written = cell.point.written_bytes;
  const ScheduleMemory storage{.name = "card",
                               .kind = MemoryKind::kBlockStorage,
                               .storage = BlockStorage{.write_bytes = 32, .most_in_flight = 2}};
  const std::optional<PlannedSize> size = planned_size(
      graph, options.planner + (written > 0 ? fmt::format(":written={}", written) : ""),
      {.storage = written > 0 ? std::optional(storage) : std::nullopt,
       .max_recompute = cell.point.factor - 1,
       .ports = cell.line->ports,
       .max_latency = std::numeric_limits<double>::infinity(),
       .effort = options.effort});
  if (!size) throw CompileError(model, "no plan");
  return text(*size);
}

/// Whether it is as small as it should be.
bool print_row(const Cell& cell, const JobResult& result) {
  const Point& point = cell.point;
  fmt::print("{},{},{:.3f},{},{},", csv_field(cell.line->model), cell.line->accounting,
             point.factor, point.estimate_bytes,
             point.published_bytes == 0 ? "" : std::to_string(point.published_bytes));
  bool passes = false;
  if (result.done) {
    const PlannedSize size = parse_planned_size(result.text);
    const double ratio =
        static_cast<double>(size.arena_bytes) / static_cast<double>(point.estimate_bytes);
    const double executed =
        static_cast<double>(size.macs) / static_cast<double>(size.macs - size.recomputed_macs);
    passes = ratio <= kMost && executed <= point.factor + 1e-9;
    fmt::print("{},{},{:.3f},{},{:.4f},{:.0f},", size.arena_bytes, size.peak_bytes, ratio,
               passes ? "yes" : "no", executed, size.instructions);
  } else {
    fmt::print(",,,no,,,");
  }
  fmt::print("{:.2f},{},{}\n", result.cpu_seconds, result.peak_memory_mib,
             result.done ? "" : csv_field(result.text));
  std::fflush(stdout);
  return passes;
}

int run(const Options& options) {
  const std::vector<Line> all = lines();
  std::vector<Cell> cells;
  const auto wanted = [&](const Line& line) {
    const auto named = [&](const std::string& name) {
      return (line.model + std::string(" ") + line.accounting).find(name) != std::string::npos;
    };
    return options.names.empty() || std::ranges::any_of(options.names, named);
  };
  std::vector<std::function<std::string()>> jobs;
  for (const Line& line : all) {
    for (const Point& point : line.points) {
      if (wanted(line)) cells.push_back({&line, point});
    }
  }
  for (const Cell& cell : cells)
    jobs.emplace_back([&cell, &options] { return measured(cell, options); });
  size_t passed = 0;
  run_jobs(jobs, options.jobs, [&](size_t job, const JobResult& result) {
    passed += print_row(cells[job], result) ? 1 : 0;
  });
  fmt::print(stderr, "{} of {} cells within {} of the estimate\n", passed, cells.size(), kMost);
  return passed == cells.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"auto_fronts", "Arenas within so many MACs against estimates, as CSV"};
  line.add("NAMES", &options.names, "parts of \"MODEL PORTS\", as the table has them (all)");
  line.add("--planner", &options.planner, "that is measured (auto)");
  line.add("--shared", &options.shared, "folder of models");
  line.add("--effort", &options.effort, "of auto");
  line.add("--jobs", &options.jobs.parallel, "at a time (2)", {.positive = true});
  line.add("--seconds", &options.jobs.cpu_seconds, "most for one cell; it fails (600)",
           {.positive = true});
  return line.run(argc, argv, [&] {
    fmt::print(
        "# {}\nmodel,ports,factor,estimate_bytes,published_bytes,arena_bytes,peak_bytes,ratio,"
        "passes,executed,instructions,cpu_seconds,peak_memory_mib,note\n",
        line.command());
    return run(options);
  });
}
