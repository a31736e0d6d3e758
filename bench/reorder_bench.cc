// SPDX-License-Identifier: Apache-2.0
// Least peaks of networks with many branches, and of the models given, as CSV.
//   reorder_bench [states=N] [MODEL...] > bench/results/reorder.csv
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "order_networks.h"
#include "thimble/driver/driver.h"
#include "thimble/plan/order_problem.h"

namespace {

using namespace thimble;

/// Without its folder, and without a comma that would end the column.
std::string name_of(const std::string& model) {
  std::string name = model.substr(model.rfind('/') + 1);
  std::replace(name.begin(), name.end(), ',', ' ');
  return name;
}

void print_row(const std::string& name, const OrderProblem& problem, int64_t states) {
  const auto start = std::chrono::steady_clock::now();
  const Order order = reorder(problem, states);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  fmt::print("{},{},{},{},{},{},{},{},{:.2f}\n", name, problem.ops.size(),
             original_order(problem).peak_bytes, greedy_order(problem).peak_bytes, order.peak_bytes,
             order.lower_bound_bytes, order.proven_optimal, order.states, taken.count());
  std::fflush(stdout);
}

void print_generated(bool in_place, int64_t states) {
  const std::string suffix = in_place ? " in place" : "";
  const auto row = [&](const std::string& name, const OrderProblem& problem) {
    print_row(name + suffix, problem, states);
  };
  const CellNetwork mobile{.resolution = 224, .channels = 44, .cells = 4, .in_place = in_place};
  const CellNetwork small{.resolution = 32, .channels = 32, .cells = 6, .in_place = in_place};
  const CellNetwork darts{.resolution = 224, .channels = 48, .cells = 14, .in_place = in_place};
  row("nasnet_a_mobile", nasnet_problem(mobile, true));
  row("nasnet_a_cifar_n6", nasnet_problem(small, false));
  row("darts_imagenet", darts_problem(darts));
  for (const int stages : {1, 2, 3}) {
    for (const uint32_t seed : {1u, 2u, 3u, 4u, 5u}) {
      row(fmt::format("wired_{}x32 seed {}", stages, seed),
          wired_problem({.stages = stages, .seed = seed, .in_place = in_place}));
    }
  }
  for (const int nodes : {64, 96}) {
    for (const uint32_t seed : {1u, 2u, 3u}) {
      row(fmt::format("wired_1x{} seed {}", nodes, seed),
          wired_problem({.nodes = nodes, .seed = seed, .in_place = in_place}));
    }
  }
  for (const int ops : {100, 200, 400}) {
    for (const int reach : {10, 20, 40}) {
      row(fmt::format("random_{} reach {}", ops, reach),
          random_problem({.ops = ops, .reach = reach, .seed = 1, .in_place = in_place}));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int64_t states = 2'000'000;
    std::string command = "reorder_bench";
    std::vector<std::string> models;
    for (int k = 1; k < argc; ++k) {
      const std::string argument = argv[k];
      command += " " + name_of(argument);
      if (argument.starts_with("states=")) {
        states = std::strtoll(argument.c_str() + 7, nullptr, 10);
      } else {
        models.push_back(argument);
      }
    }
    fmt::print(
        "# {} (one thread of 2 shared cores)\n"
        "graph,ops,file_peak,greedy_peak,peak,lower_bound,proven,states,seconds\n",
        command);
    for (const bool in_place : {false, true}) print_generated(in_place, states);
    for (const std::string& model : models) {
      const Graph graph = prepare(load(model).graph, {});
      for (const bool in_place : {false, true}) {
        print_row(name_of(model) + (in_place ? " in place" : ""),
                  order_problem(graph, instances_of(graph, {}), in_place), states);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "reorder_bench: {}\n", error.what());
    return 1;
  }
}
