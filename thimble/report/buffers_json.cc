// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/buffers_json.h"

#include <nlohmann/json.hpp>

#include "thimble/report/schedule_words.h"
#include "thimble/schedule/expr_text.h"

namespace thimble {

using Json = nlohmann::ordered_json;

Json index_json(const IndexExpr& expr) {
  return expr.constant() && expr.divisor == 1 ? Json(expr.base) : Json(to_string(expr));
}

Json buffers_json(const Graph& graph, const PlacedPlan& plan) {
  const Schedule& schedule = plan.schedule;
  const std::vector<LiveRange> lives = live_ranges(schedule);
  std::vector<Json> over(schedule.buffers.size(), Json::array());
  for (const Share& share : schedule.shares) over[share.out.index()].push_back(share.in.value);
  Json buffers = Json::array();
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    Json origin = Json::array();
    for (const IndexExpr& expr : buffer.origin) origin.push_back(index_json(expr));
    const bool scratch = !buffer.tensor.valid();
    buffers.push_back(
        {{"id", b},
         {"kind", name(buffer_kind(graph, buffer))},
         {"tensor", scratch ? Json() : Json(buffer.tensor.value)},
         {"name", scratch ? buffer_name(graph, buffer) : graph.tensor(buffer.tensor).name},
         {"type", name(buffer.type)},
         {"extents", buffer.extents},
         {"origin", std::move(origin)},
         {"ring", buffer.wrap ? Json{{"axis", buffer.wrap->axis}, {"modulus", buffer.wrap->modulus}}
                              : Json()},
         {"order", buffer.order},
         {"place", name(place_of(buffer.memory))},
         {"memory", schedule.memory(buffer.memory).name},
         {"size_bytes", buffer.size_bytes()},
         {"begin_step", lives[b].begin},
         {"end_step", lives[b].end},
         {"offset_bytes", is_laid_out(buffer.memory) ? Json(plan.placement.addresses[b]) : Json()},
         {"may_lie_over", std::move(over[b])}});
  }
  return buffers;
}

Json steps_json(const Graph& graph, const PlacedPlan& plan, const std::vector<int64_t>& live_bytes,
                const std::optional<CoreEstimate>& estimate) {
  Json steps = Json::array();
  for_each_step(plan.schedule, [&](const Step& step, Position position) {
    Json in = Json::array();
    for (BufferId id : read_buffers(step)) in.push_back(id.value);
    const Op* op = step.op.valid() ? &graph.op(step.op) : nullptr;
    steps.push_back(
        {{"step", position},
         {"operator", op == nullptr ? step_label(graph, plan.schedule, step)
                                    : std::string(name(op->attributes))},
         {"number", op == nullptr || op->file_index < 0 ? Json() : Json(op->file_index)},
         {"reads", std::move(in)},
         {"writes", step.out.value},
         {"live_bytes", live_bytes[static_cast<size_t>(position)]},
         {"estimated_instructions",
          estimate ? Json(estimate->estimate.of_step(position)) : Json()}});
  });
  return steps;
}

Json loops_json(const Schedule& schedule) {
  Json loops = Json::array();
  for (const LoopExtent& loop : loop_extents(schedule)) {
    loops.push_back({{"loop", loop.id.value},
                     {"count", loop.count},
                     {"begin_step", loop.steps.begin},
                     {"end_step", loop.steps.end},
                     {"depth", loop.depth}});
  }
  return loops;
}

}  // namespace thimble
