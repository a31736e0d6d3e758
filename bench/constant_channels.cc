// SPDX-License-Identifier: Apache-2.0
// What removing constant channels saves, over the models of a folder and the zoo:
//   constant_channels ../shared/models > bench/results/constant_channels.csv
// Arenas of networks that lose nothing are those that they were. On stderr: seconds of the
// rewrites, and what is left out.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "thimble/model/error.h"
#include "thimble/reference/bounds.h"
#include "thimble/report/inspect.h"
#include "zoo/zoo.h"

namespace {

using namespace thimble;

std::vector<std::string> models(const std::string& folder) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".tflite") result.push_back(entry.path().string());
  }
  std::ranges::sort(result);
  for (const ZooEntry& entry : zoo_entries()) result.push_back("zoo:" + entry.name);
  return result;
}

/// Outputs of convolutions and fully connected layers, and how many are the same for every input.
struct ChannelCount {
  int64_t all = 0, constant = 0;
};

ChannelCount count_channels(const Graph& graph) {
  const std::vector<ValueRanges> bounds = channel_bounds(graph);
  ChannelCount count;
  for (const Op& op : graph.ops) {
    if (!std::holds_alternative<Conv2D>(op.attributes) &&
        !std::holds_alternative<DepthwiseConv2D>(op.attributes) &&
        !std::holds_alternative<FullyConnected>(op.attributes))
      continue;
    const ValueRanges& channels = bounds[op.outputs[0].index()];
    count.all += static_cast<int64_t>(channels.size());
    count.constant += std::ranges::count_if(channels, &ValueRange::is_constant);
  }
  return count;
}

std::string arena(const Graph& graph, const std::string& planner) {
  const auto size = planned_size(graph, planner, {});
  return size ? fmt::format("{}", size->arena_bytes) : std::string();
}

std::string line(const std::string& model) {
  const Source source = load(model);
  const Graph whole = prepare(source.graph, {.keep_channels = true});
  const auto start = std::chrono::steady_clock::now();
  const Graph graph = prepare(source.graph, {});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const ChannelCount count = count_channels(whole);
  const auto removed = constant_channels(source.graph, {}, graph);
  const Inspection inspected = inspect(graph);
  std::string text =
      fmt::format("{},{},{},{},{},{},{},{}", short_name(model), count.all, count.constant,
                  removed ? removed->removed : 0, removed ? removed->macs_before : inspected.macs,
                  inspected.macs, removed ? removed->weight_bytes_before : inspected.weight_bytes,
                  inspected.weight_bytes);
  for (const char* planner : {"reorder", "auto"}) {
    for (const Graph* of : {&whole, &graph}) text += removed ? "," + arena(*of, planner) : ",";
  }
  fmt::print(stderr, "{}: rewritten in {:.3f} s\n", short_name(model), seconds);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  CommandLine command{"constant_channels", "Channels that are the same for every input, as CSV"};
  command.add("FOLDER", &folder, "With models", {.required = true});
  return command.run(argc, argv, [&] {
    fmt::print(
        "# {}\nmodel,channels,constant,removed,macs_before,macs,weight_bytes_before,weight_bytes,"
        "reorder_arena_bytes_before,reorder_arena_bytes,auto_arena_bytes_before,auto_arena_bytes\n",
        command.command());
    for (const std::string& model : models(folder)) {
      try {
        fmt::print("{}\n", line(model));
      } catch (const CompileError& refused) {
        fmt::print(stderr, "left out: {}\n", refused.what());
      }
    }
    return 0;
  });
}
