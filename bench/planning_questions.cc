// SPDX-License-Identifier: Apache-2.0
// How many questions a minute of one core the compiler answers, as `thimble-train` asks them: plans
// of a network with some of its channels, widths by chance, the first with all; and how far answers
// of `auto` at effort 0 are from those at effort 1. As CSV.
//   planning_questions > bench/results/planning_questions.csv
//   planning_questions --count 4 ds_cnn_s resnet8       networks of the zoo
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "training/network/budget.h"
#include "zoo/random.h"
#include "zoo/zoo.h"

namespace {

using namespace thimble;
using training::Kept;

std::vector<Kept> widths_by_chance(const training::Channels& channels, int64_t count) {
  zoo::Random random(1);
  std::vector<Kept> all = {training::all_kept(channels)};
  while (std::ssize(all) < count) {
    Kept& kept = all.emplace_back(training::all_kept(channels));
    for (std::vector<bool>& open : kept) {
      const auto share = static_cast<size_t>(random.between(1, 4));
      for (size_t c = 1; c < open.size(); ++c) open[c] = c % 4 < share;
    }
  }
  return all;
}

struct Measured {
  double questions_per_minute = 0;  ///< of processor time
  std::vector<int64_t> arena_bytes;
};

Measured measured(const Graph& graph, const training::Channels& channels,
                  const std::vector<Kept>& networks, const training::PlanOptions& options) {
  Measured result;
  training::Compiler compiler(graph, channels, options);
  const std::clock_t begin = std::clock();
  for (const Kept& kept : networks)
    result.arena_bytes.push_back(compiler.footprint(kept).arena_bytes);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  result.questions_per_minute = 60 * static_cast<double>(compiler.questions()) / seconds;
  return result;
}

/// Their mean and the largest, as the last two fields of a row.
std::string arena_ratios(const Measured& quick, const Measured& usual) {
  const size_t count = quick.arena_bytes.size();
  double sum = 0, most = 0;
  for (size_t k = 0; k < count; ++k) {
    const double ratio =
        static_cast<double>(quick.arena_bytes[k]) / static_cast<double>(usual.arena_bytes[k]);
    sum += ratio;
    most = std::max(most, ratio);
  }
  return fmt::format("{:.3f},{:.3f}", sum / static_cast<double>(count), most);
}

void print_rows(const std::string& name, int64_t count) {
  const Graph graph = build_zoo_float(name);
  const training::Channels channels(graph);
  const std::vector<Kept> networks = widths_by_chance(channels, count);
  Measured last;
  const training::PlanOptions asked[] = {{.planner = "pex:accounting=paper,accumulators=8"},
                                         {.planner = "auto"},
                                         {.planner = "auto", .effort = 0}};  // behind effort 1
  for (const training::PlanOptions& options : asked) {
    Measured now = measured(graph, channels, networks, options);
    fmt::print("{},{},{},{},{:.0f},{}\n", csv_field(name), csv_field(options.planner),
               options.effort, networks.size(), now.questions_per_minute,
               options.effort == 0 ? arena_ratios(now, last) : ",");
    std::fflush(stdout);
    last = std::move(now);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names = {
      "ds_cnn_s", "ds_cnn_l", "micronet_kws_l_parent",
      "res15",    "resnet8",  "mobilenet_v2:resolution=32,width=0.35,classes=10,unstrided=2"};
  int64_t count = 16;
  CommandLine line{"planning_questions", "Questions about plans that a minute answers, as CSV"};
  line.add("NETWORKS", &names, "of the zoo, with options as after zoo:");
  line.add("--count", &count, "of networks with some of their channels (16)", {.positive = true});
  return line.run(argc, argv, [&] {
    fmt::print(
        "# {}\nnetwork,planner,effort,networks,questions_per_minute,mean_arena_ratio,"
        "most_arena_ratio\n",
        line.command());
    for (const std::string& name : names) print_rows(name, count);
    return 0;
  });
}
