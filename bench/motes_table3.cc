// SPDX-License-Identifier: Apache-2.0
// Table 3 of MoteS: a 3x3 convolution in tiles of f rows and f columns, f = 16 to 1, instructions
// counted in QEMU:
//   motes_table3 --csv bench/results/motes_table3.csv
// In views each tile reads the whole input. In windows what the tile reads is copied out first, as
// the paper's BlockConcat does; nothing is computed again in either.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "bench/command_line.h"
#include "bench/latency_samples.h"
#include "thimble/plan/build.h"
#include "thimble/plan/realise.h"

namespace {

using namespace thimble;

constexpr int64_t kAmpleBytes = 1 << 20;

struct PublishedRow {
  int64_t factor;
  double extra_percent;  ///< total latency overhead, as printed
};
constexpr PublishedRow kPublished[] = {{16, 0.34}, {8, 0.84}, {4, 2.09}, {2, 4.09}, {1, 44.13}};

enum class Reads : uint8_t { kViews, kWindows };

TileLoop tiles(ValueId paced, int axis, int64_t step) {
  return {.paced = paced,
          .axis = axis,
          .step = step,
          .border = Border::kRecompute,
          .others = {},
          .alongside = {}};
}

/// factor: rows and columns of a tile; nothing: the whole operator.
Plan plan_of(const Graph& graph, std::optional<int64_t> factor, Reads reads) {
  Plan plan{
      .instances = instances_of(graph, {}), .members = {}, .overlaps = {}, .accumulators = {}};
  std::vector<Instance>& list = plan.instances.list;
  const ValueId x = list[0].reads[0], y = list[0].makes;
  if (reads == Reads::kWindows) {
    const ValueId window =
        add_value(plan.instances, {.tensor = plan.instances.value(x).tensor, .axis_order = {}});
    list[0].reads[0] = window;
    list.insert(list.begin(), {.op = {}, .reads = {x}, .makes = window});
  }
  std::vector<Member> calls;
  for (int32_t i = 0; i < std::ssize(list); ++i) calls.push_back({InstanceCall{{i}}});
  if (!factor) {
    plan.members = calls;
    return plan;
  }
  const Group columns{tiles(y, 2, *factor), std::move(calls)};
  plan.members = {{Group{tiles(y, 1, *factor), {{columns}}}}};
  return plan;
}

class Table3 {
 public:
  explicit Table3(std::string core) : core_(std::move(core)) {
    source_ = load("zoo:motes_table3");
    source_.graph = prepare(source_.graph, {});
  }

  /// A line per factor: instructions, and the percentages beyond the whole operator.
  std::string csv() {
    std::vector<LatencySample> samples;
    SampleCounter counter(core_named(core_), samples);
    counter.add("whole", compiled(std::nullopt, Reads::kViews));
    for (const PublishedRow& row : kPublished) {
      counter.add(fmt::format("views_{}", row.factor), compiled(row.factor, Reads::kViews));
      counter.add(fmt::format("windows_{}", row.factor), compiled(row.factor, Reads::kWindows));
    }
    counter.count();
    const double whole = samples.at(0).counted;
    const auto extra = [&](const LatencySample& s) { return 100 * (s.counted / whole - 1); };
    std::string text;
    for (size_t k = 0; k < std::size(kPublished); ++k) {
      const LatencySample &views = samples.at(1 + 2 * k), &windows = samples.at(2 + 2 * k);
      text += fmt::format("{},{},{:.0f},{:.0f},{:.0f},{:.2f},{:.2f},{:.2f}\n", core_,
                          kPublished[k].factor, whole, views.counted, windows.counted, extra(views),
                          extra(windows), kPublished[k].extra_percent);
    }
    return text;
  }

 private:
  Compiled compiled(std::optional<int64_t> factor, Reads reads) const {
    const Plan plan = plan_of(source_.graph, factor, reads);
    RealisedPlan placed = realised(source_.graph, plan, core_named(core_), kAmpleBytes, {});
    const PlacedPlan plan_placed{.planner = "by hand",
                                 .schedule = std::move(placed.schedule),
                                 .placement = std::move(placed.placement),
                                 .accumulators = {}};
    return described(check_plan(source_, {.rewrite = false}, plan_placed, "by hand"));
  }

  std::string core_;
  Source source_;
};

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  CommandLine line{"motes_table3", "Counts instructions of a convolution in tiles"};
  line.add("--csv", &path, "File to write (standard output)");
  return line.run(argc, argv, [&] {
    std::string text =
        "# motes_table3\n"
        "core,factor,whole,views,windows,views_extra_percent,windows_extra_percent,"
        "paper_extra_percent\n";
    for (const char* core : {"cortex-m4", "cortex-m7"}) text += Table3(core).csv();
    if (path.empty()) fmt::print("{}", text);
    if (!path.empty()) std::ofstream(path, std::ios::binary) << text;
    return 0;
  });
}
