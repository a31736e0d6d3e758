// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/layers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "thimble/operators/operators.h"
#include "thimble/report/schedule_words.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

struct StepLoops {
  int64_t executions = 1;
  int outermost = -1;
};

// Per position.
std::vector<StepLoops> loops_of_steps(const Schedule& schedule) {
  std::vector<StepLoops> result(static_cast<size_t>(step_counts(schedule).written));
  for (const LoopExtent& loop : loop_extents(schedule)) {
    for (Position at = loop.steps.begin; at < loop.steps.end; ++at) {
      StepLoops& step = result[static_cast<size_t>(at)];
      step.executions *= loop.count;
      if (loop.depth == 0) step.outermost = loop.id.value;
    }
  }
  return result;
}

std::vector<std::set<std::string>> kernels_of_steps(const Program& program, size_t steps) {
  std::vector<std::set<std::string>> kernels(steps);
  written_calls(program.nodes, [&](const Call& call) {
    if (!receives(program, call) && !delivers(program, call))
      kernels[static_cast<size_t>(call.position)].insert(info(call.kernel).name);
  });
  return kernels;
}

Json op_tensors(const Graph& graph, const std::vector<TensorId>& tensors) {
  Json ids = Json::array();
  for (const TensorId t : tensors) {
    if (t.valid() && !graph.tensor(t).is_constant()) ids.push_back(t.value);
  }
  return ids;
}

Json places_json(const std::vector<StepPlace>& places) {
  Json json = Json::array();
  for (const StepPlace& place : places)
    json.push_back({{"name", place.function}, {"row", place.row < 0 ? Json() : Json(place.row)}});
  return json;
}

double instructions_of(const Layer& layer, const std::optional<CoreEstimate>& estimate) {
  double sum = 0;
  for (const Position step : layer.steps)
    sum += static_cast<double>(estimate->estimate.of_step(step));
  return sum;
}

}  // namespace

std::vector<Layer> layers(const Graph& graph, const Schedule& schedule, const Program& program) {
  const std::vector<StepLoops> loops = loops_of_steps(schedule);
  const std::vector<std::set<std::string>> kernels = kernels_of_steps(program, loops.size());
  const std::vector<StepPlace> places = step_places(graph, program);
  std::vector<int64_t> by_step = macs_by_step(graph, schedule);
  by_step.resize(loops.size());
  std::vector<Layer> result;
  std::map<std::tuple<int32_t, std::string, int32_t>, size_t> known;
  for_each_step(schedule, [&](const Step& step, Position position) {
    const auto at = static_cast<size_t>(position);
    const std::string label =
        step.op.valid() ? name(graph.op(step.op).attributes) : step_label(graph, schedule, step);
    const TensorId tensor =
        step.op.valid() ? graph.op(step.op).outputs[0] : schedule.buffer(step.out).tensor;
    const auto [found, is_new] =
        known.try_emplace({step.op.value, label, tensor.value}, result.size());
    if (is_new) {
      result.push_back({.op = step.op,
                        .name = label,
                        .tensor = tensor,
                        .steps = {},
                        .kernels = {},
                        .places = {},
                        .group = loops[at].outermost});
    }
    Layer& layer = result[found->second];
    layer.steps.push_back(position);
    layer.executions += loops[at].executions;
    layer.macs += by_step[at];
    layer.kernels.insert(kernels[at].begin(), kernels[at].end());
    if (at < places.size() && !places[at].function.empty() &&
        std::ranges::find(layer.places, places[at]) == layer.places.end())
      layer.places.push_back(places[at]);
  });
  for (Layer& layer : result) {
    if (layer.op.valid()) layer.recomputed_macs = layer.macs - macs(graph, graph.op(layer.op));
  }
  return result;
}

Json layers_json(const Graph& graph, const std::vector<Layer>& layers,
                 const std::optional<CoreEstimate>& estimate) {
  Json json = Json::array();
  for (const Layer& layer : layers) {
    const Op* op = layer.op.valid() ? &graph.op(layer.op) : nullptr;
    const bool has_tensor = layer.tensor.valid();
    Json one = {{"operator", layer.name},
                {"number", op == nullptr || op->file_index < 0 ? Json() : Json(op->file_index)},
                {"of_network", op != nullptr},
                {"name", has_tensor ? graph.tensor(layer.tensor).name : std::string()},
                {"inputs", op == nullptr ? Json::array() : op_tensors(graph, op->inputs)},
                {"outputs", op == nullptr ? Json::array() : op_tensors(graph, op->outputs)},
                {"group", layer.group < 0 ? Json() : Json(layer.group)},
                {"steps", layer.steps},
                {"executions", layer.executions},
                {"macs", layer.macs},
                {"recomputed_macs", layer.recomputed_macs},
                {"kernels", layer.kernels},
                {"functions", places_json(layer.places)},
                {"estimated_instructions", nullptr},
                {"percent", nullptr},
                {"milliseconds_at_a_cycle_each", nullptr}};
    if (estimate) {
      const double instructions = instructions_of(layer, estimate);
      const std::optional<double> ms = estimate->milliseconds_of(instructions);
      one["estimated_instructions"] = std::llround(instructions);
      one["percent"] = estimate->estimate.instructions > 0
                           ? 100 * instructions / estimate->estimate.instructions
                           : 0.0;
      if (ms) one["milliseconds_at_a_cycle_each"] = *ms;
    }
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace thimble
