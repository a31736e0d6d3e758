// SPDX-License-Identifier: Apache-2.0
// Networks whose weights all come from a card, at the rates that SwapNN's figures come to
// (bench/papers/swapnn.json): bytes that move and how much longer an inference takes than its
// computing alone, in several sizes of SRAM. Plans are made at these rates, too.
//   out_of_core --csv bench/results/out_of_core.csv
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/simulation.h"
#include "thimble/model/error.h"
#include "thimble/program/program.h"
#include "thimble/target/device.h"

namespace {

using namespace thimble;

struct Network {
  const char* model;
  double ns_per_mac, pointwise_ns, fully_connected_ns;
  double most_ns;  ///< of most of its MACs
  /// By SRAM: bytes that it is also planned to move at most.
  std::map<int64_t, int64_t> moved = {};
};
const Network kNetworks[] = {{"zoo:mobilenet_v1",
                              39.841,
                              10.753,
                              9.259,
                              10.753,
                              {{64 << 10, 14'600'000}, {128 << 10, 8'000'000}}},
                             {"zoo:alexnet_2012", 24.155, 24.155, 9.259, 24.155},
                             {"zoo:vgg16", 39.841, 10.753, 9.259, 39.841}};
constexpr int64_t kSizes[] = {32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10};

std::string row(const Network& network, int64_t sram, const std::string& planner, double rate) {
  const std::string storage = fmt::format(
      "card:write=512,size=512M,read_speed={0},write_speed={0},access_time=0.000107,queue=4",
      static_cast<int64_t>(rate));
  Target target = find_target("stm32f746ng");
  target.core =
      Core{.name = target.core.name,
           .cycles_per_mac = network.most_ns * 1e-9 * static_cast<double>(target.clock_hz)};
  Request request{.model = network.model,
                  .target = std::move(target),
                  .sram_bytes = sram,
                  .flash_bytes = 64 << 10,
                  .storage = storage,
                  .planner = planner,
                  .ports = {.input = Place::kStreamed}};
  const Answer answer = compile(request);
  const auto* compiled = std::get_if<Compiled>(&answer);
  if (compiled == nullptr)
    return fmt::format("{},{},\"{}\",{:.0f},,,,,,\n", network.model, sram, planner, rate);
  SimulationRequest wanted;
  wanted.seconds_per_mac = network.ns_per_mac * 1e-9;
  wanted.pointwise_share = network.pointwise_ns / network.ns_per_mac;
  wanted.fully_connected_share = network.fully_connected_ns / network.ns_per_mac;
  const Simulation simulation = simulation_report(request, *compiled, wanted).simulation;
  const MovedBytes moved = most_moved(compiled->program);
  return fmt::format("{},{},\"{}\",{:.0f},{},{},{},{:.3f},{:.3f},{:.2f}\n", network.model, sram,
                     planner, rate, compiled->program.arena_bytes(), moved.read, moved.written,
                     simulation.seconds, simulation.computed_seconds,
                     100 * (simulation.seconds / simulation.computed_seconds - 1));
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("out_of_core", "What networks on a card move, and how long they take.");
  std::string csv;
  std::vector<std::string> only;
  line.add("--csv", &csv, "Where the table goes", {.required = true});
  line.add("--model", &only, "These alone", {.one_each = true});
  return line.run(argc, argv, [&] {
    std::string text =
        "# " + line.command() +
        "\nmodel,sram,planner,card_bytes_per_second,arena_bytes,read_bytes,written_bytes,seconds,"
        "computed_seconds,delay_percent\n";
    for (const Network& network : kNetworks) {
      if (!only.empty() && std::ranges::find(only, network.model) == only.end()) continue;
      for (const double rate : {4.93e6, 1.67e6}) {
        for (const int64_t sram : kSizes) {
          std::vector<std::string> planners{"auto"};
          if (const auto most = network.moved.find(sram); most != network.moved.end())
            planners.push_back(fmt::format("auto:moved={}", most->second));
          for (const std::string& planner : planners) {
            text += row(network, sram, planner, rate);
            fmt::print("{}", text.substr(text.rfind('\n', text.size() - 2) + 1));
          }
        }
      }
    }
    write_table(csv, text);
    return 0;
  });
}
