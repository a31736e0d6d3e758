// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/accumulator_notes.h"
#include "thimble/report/channels_json.h"
#include "thimble/report/estimate_words.h"
#include "thimble/report/front_words.h"
#include "thimble/report/json_text.h"
#include "thimble/report/memories_json.h"
#include "thimble/report/peak.h"
#include "thimble/report/plan_report.h"
#include "thimble/report/schedule_words.h"
#include "thimble/schedule/expr_text.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const IndexExpr& expr) {
  return expr.constant() && expr.divisor == 1 ? Json(expr.base) : Json(to_string(expr));
}

Json json_of(const IntervalExpr& interval) {
  Json json = Json::array();
  each_bound(interval, [&](const IndexExpr& bound) { json.push_back(json_of(bound)); });
  return json;
}

Json json_of(BufferId id) { return id.valid() ? Json(id.value) : Json(); }

class Tree {
 public:
  explicit Tree(const PlanReport& report) : report_(report) {}

  Json nodes(const std::vector<Node>& nodes_in) {
    Json json = Json::array();
    for (const Node& node : nodes_in) {
      json.push_back(visit_node(
          node, [&](const Step& s) { return step(s); }, [&](const Loop& l) { return loop(l); }));
    }
    return json;
  }

 private:
  Json loop(const Loop& loop) {
    const Position begin = position_;
    Json body = nodes(loop.body);
    return {{"loop", loop.id.value}, {"counter", fmt::format("i{}", loop.id.value)},
            {"count", loop.count},   {"begin_step", begin},
            {"end_step", position_}, {"body", std::move(body)}};
  }
  Json step(const Step& s) {
    const Op* op = s.op.valid() ? &report_.graph.op(s.op) : nullptr;
    const Buffer& out = report_.plan.schedule.buffer(s.out);
    Json region = Json::array(), reads = Json::array();
    for (const IntervalExpr& interval : s.region) region.push_back(json_of(interval));
    for (BufferId id : read_buffers(s)) reads.push_back(id.value);
    Json json = {{"step", position_},
                 {"operator", op == nullptr ? step_label(report_.graph, report_.plan.schedule, s)
                                            : std::string(name(op->attributes))},
                 {"number", op == nullptr || op->file_index < 0 ? Json() : Json(op->file_index)},
                 {"method", op == nullptr ? "copy" : name(s.method)},
                 {"kernel", s.kernel.valid() ? Json(info(s.kernel).name) : Json()},
                 {"tensor", out.tensor.valid() ? Json(out.tensor.value) : Json()},
                 {"region", std::move(region)},
                 {"computes", computes_text(report_.graph, report_.plan.schedule, s)},
                 {"chunk", s.chunk ? json_of(*s.chunk) : Json()},
                 {"chunk_axis", s.chunk ? Json(chunk_axis(report_.graph, *op)) : Json()},
                 {"reads", std::move(reads)},
                 {"writes", s.out.value},
                 {"scratch", json_of(s.scratch)},
                 {"passage", json_of(s.passage)},
                 {"recomputes", s.recomputes},
                 {"live_bytes", report_.live_bytes[static_cast<size_t>(position_)]}};
    if (report_.estimate) {
      json["estimated_instructions"] = report_.estimate->estimate.of_step(position_);
    }
    ++position_;
    return json;
  }

  const PlanReport& report_;
  Position position_ = 0;
};

Json buffers_json(const PlanReport& report) {
  const Schedule& schedule = report.plan.schedule;
  const std::vector<LiveRange> lives = live_ranges(schedule);
  Json buffers = Json::array();
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    Json origin = Json::array(), over = Json::array();
    for (const IndexExpr& expr : buffer.origin) origin.push_back(json_of(expr));
    for (const Share& share : schedule.shares) {
      if (share.out.index() == b) over.push_back(share.in.value);
    }
    const bool scratch = !buffer.tensor.valid();
    buffers.push_back(
        {{"id", b},
         {"kind", name(buffer_kind(report.graph, buffer))},
         {"tensor", scratch ? Json() : Json(buffer.tensor.value)},
         {"name",
          scratch ? buffer_name(report.graph, buffer) : report.graph.tensor(buffer.tensor).name},
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
         {"offset_bytes",
          is_laid_out(buffer.memory) ? Json(report.plan.placement.addresses[b]) : Json()},
         {"may_lie_over", std::move(over)}});
  }
  return buffers;
}

Json limit_json(const std::optional<int64_t>& limit) { return limit ? Json(*limit) : Json(); }

}  // namespace

std::string plan_json(const PlanReport& report) {
  const Placement& placement = report.plan.placement;
  const StepCounts steps = step_counts(report.plan.schedule);
  const Json json = {{"model", report.model},
                     {"planner", report.plan.planner},
                     {"fits", report.fits()},
                     {"sram_limit_bytes", limit_json(report.sram_limit_bytes)},
                     {"flash_limit_bytes", limit_json(report.flash_limit_bytes)},
                     {"peak_bytes", placement.arena().peak_bytes},
                     {"lower_bound_bytes", placement.arena().lower_bound_bytes},
                     {"arena_bytes", placement.arena_bytes()},
                     {"layout_proven_optimal", placement.arena().proven_optimal},
                     {"memories", memories_json(report.plan, report.waits)},
                     {"weight_bytes", report.weight_bytes},
                     {"macs", report.macs},
                     {"recomputed_macs", report.recomputed_macs},
                     {"estimate", estimate_json(report.estimate)},
                     {"peak", peak_json(report.graph, report.plan,
                                        peak_of(report.graph, report.plan, report.live_bytes))},
                     {"alternatives", alternatives_json(report.alternatives)},
                     {"front", front_json(report.front)},
                     {"lossy", !report.graph.accumulators.empty()},
                     {"accumulators", accumulators_json(report.graph)},
                     {"accumulator_scales", report.plan.scale_source},
                     {"constant_channels", channels_json(report.constant_channels)},
                     {"notes", report.notes},
                     {"written_steps", steps.written},
                     {"executed_steps", steps.executed},
                     {"schedule", Tree(report).nodes(report.plan.schedule.nodes)},
                     {"buffers", buffers_json(report)}};
  return json_text("plan", json);
}

}  // namespace thimble
