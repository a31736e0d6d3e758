// SPDX-License-Identifier: Apache-2.0
// Time and memory that planning takes (of one core, whatever else the machine does), each network
// in a process of its own: large ones against what is allowed, how both grow with the number of
// operators, and with the effort. As CSV; exit status 1 if a network takes more than allowed.
//   auto_scale > bench/results/auto_scale.csv
//   auto_scale --planner stream networks growth       networks, growth, efforts: some of these
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <vector>

#include "bench/command_line.h"
#include "bench/jobs.h"
#include "bench/planned.h"
#include "tests/support/large_network.h"
#include "zoo/blocks.h"

namespace {

using namespace thimble;

constexpr int64_t kMostMemoryMib = 500'000'000 >> 20;

/// Inverted residuals on images of 24 x 24 pixels, every 40th operator or so with a stride of 2 as
/// long as there are several rows.
Graph convolutions(int ops) {
  zoo::Builder net("convolutions", 1);
  TensorId x = net.input({1, 24, 24, 8});
  for (int made = 0, block = 0; made < ops; ++block) {
    const bool halves = block % 10 == 9 && net.shape(x)[1] > 3;
    x = zoo::inverted_residual(net, x, {.expanded = 24, .channels = 8, .stride = halves ? 2 : 1});
    made += halves ? 3 : 4;
  }
  return net.finish({x});
}

struct Network {
  std::string group;  ///< networks, growth or efforts
  std::string name;
  double most_seconds = 0;  ///< 0: any
  int ops = 0;              ///< of what grows
  int64_t effort = 1;
};

Graph graph_of(const Network& network) {
  if (network.name.starts_with("zoo:")) return load(network.name).graph;
  if (network.name == "convolutions") return convolutions(network.ops);
  const auto form = network.name == "chain" ? testing::Form::kChain : testing::Form::kWide;
  return testing::large_network(form, network.ops);
}

std::vector<Network> networks(int64_t effort) {
  std::vector<Network> all = {
      {.group = "networks", .name = "zoo:mobilenet_v2", .most_seconds = 3},
      {.group = "networks", .name = "zoo:efficientnet_b0", .most_seconds = 3},
      {.group = "networks", .name = "zoo:nasnet_a_mobile", .most_seconds = 20},
      {.group = "networks", .name = "zoo:amoebanet_a", .most_seconds = 20},
      {.group = "networks", .name = "zoo:nasnet_a_cifar10", .most_seconds = 60},
      {.group = "networks", .name = "zoo:randomly_wired:nodes=100", .most_seconds = 60}};
  for (Network& network : all) network.effort = effort;
  for (const char* form : {"chain", "wide", "convolutions"}) {
    for (const int ops : {100, 200, 500, 1000, 2000})
      all.push_back({.group = "growth", .name = form, .ops = ops, .effort = effort});
  }
  for (const char* name : {"zoo:demo", "zoo:mobilenet_v2", "zoo:randomly_wired"}) {
    for (const int64_t e : {1, 2, 4, 8})
      all.push_back({.group = "efforts", .name = name, .effort = e});
  }
  return all;
}

struct Options {
  std::vector<std::string> groups;
  std::string planner = "auto", input = "resident";
  int64_t effort = 1;
  JobLimits jobs;
};

std::string measured(const Network& network, const Options& options) {
  const Graph graph = prepare(graph_of(network), {});
  Limits limits{.effort = network.effort};
  if (options.input == "streamed") limits.ports.input = Place::kStreamed;
  const std::optional<PlannedSize> size = planned_size(graph, options.planner, limits);
  return fmt::format("{} {}", graph.ops.size(), size ? text(*size) : "infeasible");
}

/// Whether it took no more than it may.
bool print_row(const Network& network, const JobResult& result) {
  bool within = result.done;
  const size_t space = result.text.find(' ');
  fmt::print("{},{},{},{},", network.group, csv_field(network.name),
             result.done ? result.text.substr(0, space) : "", network.effort);
  if (result.done) {
    const PlannedSize size = parse_planned_size(result.text.substr(space + 1));
    within = result.peak_memory_mib <= kMostMemoryMib &&
             (network.most_seconds == 0 || size.plan_seconds <= network.most_seconds);
    fmt::print("{},{},{:.0f},{:.2f},", size.arena_bytes, size.recomputed_macs, size.instructions,
               size.plan_seconds);
  } else {
    fmt::print(",,,,");
  }
  fmt::print("{},{},{},{}\n", network.most_seconds == 0 ? "" : fmt::to_string(network.most_seconds),
             result.peak_memory_mib, within ? "yes" : "no",
             result.done ? "" : csv_field(result.text));
  std::fflush(stdout);
  return within;
}

int run(const Options& options) {
  std::vector<Network> wanted;
  for (const Network& network : networks(options.effort)) {
    if (options.groups.empty() ||
        std::ranges::find(options.groups, network.group) != options.groups.end())
      wanted.push_back(network);
  }
  std::vector<std::function<std::string()>> jobs;
  for (const Network& network : wanted)
    jobs.emplace_back([&network, &options] { return measured(network, options); });
  int beyond = 0;
  run_jobs(jobs, options.jobs, [&](size_t job, const JobResult& result) {
    beyond += print_row(wanted[job], result) ? 0 : 1;
  });
  fmt::print(stderr, "{} of {} take more than they may\n", beyond, wanted.size());
  return beyond == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"auto_scale", "Time and memory of planning, as CSV"};
  line.add("GROUPS", &options.groups, "networks, growth, efforts (all)",
           {.allowed = {"networks", "growth", "efforts"}});
  line.add("--planner", &options.planner, "that is measured (auto)");
  line.add("--input", &options.input, "resident or streamed",
           {.allowed = {"resident", "streamed"}});
  line.add("--effort", &options.effort, "of auto, but for the group efforts (1)");
  line.add("--jobs", &options.jobs.parallel, "at a time (2)", {.positive = true});
  line.add("--seconds", &options.jobs.cpu_seconds, "most for one network; it fails (600)",
           {.positive = true});
  return line.run(argc, argv, [&] {
    fmt::print(
        "# {}\ngroup,network,operators,effort,arena_bytes,recomputed_macs,instructions,"
        "plan_seconds,most_seconds,peak_memory_mib,within,note\n",
        line.command());
    return run(options);
  });
}
