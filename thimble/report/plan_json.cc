// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/accumulator_notes.h"
#include "thimble/report/buffers_json.h"
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

Json json_of(const IntervalExpr& interval) {
  Json json = Json::array();
  each_bound(interval, [&](const IndexExpr& bound) { json.push_back(index_json(bound)); });
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

Json limit_json(const std::optional<int64_t>& limit) { return limit ? Json(*limit) : Json(); }

Json text_json(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string plan_json(const PlanReport& report) {
  const Placement& placement = report.plan.placement;
  const StepCounts steps = step_counts(report.plan.schedule);
  Json json = {{"model", report.model},
               {"planner", report.plan.planner},
               {"device", text_json(report.device)},
               {"core", text_json(report.core)},
               {"fits", report.fits()},
               {"verdict", verdict_json(report.verdict)},
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
               {"buffers", buffers_json(report.graph, report.plan)}};
  json.update(page_json(report.graph, report.plan, report.estimate, report.page));
  return json_text("plan", json);
}

}  // namespace thimble
