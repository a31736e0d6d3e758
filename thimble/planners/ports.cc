// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {
namespace {

void check_streamed(const Graph& graph, const std::vector<Port>& ports, const std::string& option,
                    const std::string& whole_planner) {
  if (!whole_planner.empty()) {
    throw CompileError(option, fmt::format("streamed needs a planner that executes row by row: "
                                           "--planner auto or stream ({} keeps the tensor whole)",
                                           whole_planner));
  }
  if (ports.size() != 1) {
    throw CompileError(option, fmt::format("streamed is for networks with one {}, this one has {}",
                                           option.substr(2), ports.size()));
  }
  const Tensor& tensor = graph.tensor(ports[0].tensor);
  if (!has_rows(tensor.shape)) {
    const Shape given = caller_shape(graph, ports[0]);
    throw CompileError(
        option,
        fmt::format("streamed is for images and sequences, one by one (1 x rows x columns x "
                    "channels, 1 x rows x channels); '{}' is {}{}",
                    tensor.name, to_string(given),
                    given == tensor.shape
                        ? ""
                        : fmt::format(", which the graph takes as {} (--no-rewrite: as it is)",
                                      to_string(tensor.shape))));
  }
}

}  // namespace

void check_ports(const Graph& graph, const PortPlaces& ports, const std::string& whole_planner) {
  if (ports.input == Place::kStreamed)
    check_streamed(graph, graph.inputs, "--input", whole_planner);
  if (ports.output == Place::kStreamed)
    check_streamed(graph, graph.outputs, "--output", whole_planner);
  if (ports == PortPlaces{}) return;
  for (const Port& in : graph.inputs) {
    if (std::ranges::find(graph.outputs, in.tensor, &Port::tensor) == graph.outputs.end()) continue;
    throw CompileError(
        ports.input != Place::kResident ? "--input" : "--output",
        fmt::format("must be resident: '{}' is both an input and an output of the network",
                    graph.tensor(in.tensor).name));
  }
}

}  // namespace thimble
