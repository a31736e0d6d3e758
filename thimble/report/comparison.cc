// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/model/error.h"
#include "thimble/report/json_text.h"
#include "thimble/report/table.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const PlannerComparison& comparison, const ComparedModel& model,
               const ComparedCell& cell) {
  const bool planned = cell.planned();
  const auto if_planned = [&](const Json& value) { return planned ? value : Json(); };
  const std::optional<double> r = model.ratio(cell);
  const bool answered = planned || cell.outcome == Outcome::kInfeasible;
  return {{"planner", cell.planner},
          {"outcome", name(cell.outcome)},
          {"reason", cell.reason.empty() ? Json() : Json(cell.reason)},
          {"fits", comparison.limited() && answered ? Json(comparison.fits(cell)) : Json()},
          {"peak_bytes", if_planned(cell.peak_bytes)},
          {"lower_bound_bytes", answered ? Json(cell.lower_bound_bytes) : Json()},
          {"arena_bytes", if_planned(cell.arena_bytes)},
          {"ratio", r ? Json(*r) : Json()},
          {"layout_proven_optimal", if_planned(cell.layout_proven)},
          {"macs", if_planned(cell.macs)},
          {"recomputed_macs", if_planned(cell.recomputed_macs)},
          {"weight_bytes", if_planned(cell.weight_bytes)},
          {"estimated_instructions",
           cell.instructions ? Json(std::llround(*cell.instructions)) : Json()},
          {"estimated_milliseconds", cell.milliseconds ? Json(*cell.milliseconds) : Json()},
          {"plan_seconds", if_planned(cell.plan_seconds)},
          {"layout_seconds", if_planned(cell.layout_seconds)}};
}

}  // namespace

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPlanned:
      return "planned";
    case Outcome::kInfeasible:
      return "infeasible";
    case Outcome::kInputFault:
      return "refused";
    case Outcome::kInternalFault:
      return "bug";
  }
  throw InternalError("unknown Outcome");
}

bool PlannerComparison::fits(const ComparedCell& cell) const {
  return cell.planned() && (!sram_limit_bytes || cell.arena_bytes <= *sram_limit_bytes) &&
         (!flash_limit_bytes || cell.weight_bytes <= *flash_limit_bytes);
}

bool PlannerComparison::all_fit() const {
  return std::ranges::all_of(models, [&](const ComparedModel& model) {
    return std::ranges::all_of(model.cells, [&](const ComparedCell& cell) { return fits(cell); });
  });
}

bool PlannerComparison::any(Outcome outcome) const {
  const auto is = [outcome](const ComparedCell& cell) { return cell.outcome == outcome; };
  return std::ranges::any_of(models, [&](const ComparedModel& model) {
    return is(model.interpreter) || std::ranges::any_of(model.cells, is);
  });
}

std::vector<std::string> reasons(const PlannerComparison& comparison) {
  std::vector<std::string> result;
  const auto add = [&](const ComparedModel& model, const ComparedCell& cell) {
    if (cell.reason.empty()) return;
    // A model that cannot be read fails with every planner, for one reason that names it.
    const std::string text =
        cell.reason.starts_with(model.model + ":")
            ? cell.reason
            : fmt::format("{}, {}: {}", model.model, cell.planner, cell.reason);
    if (std::find(result.begin(), result.end(), text) == result.end()) result.push_back(text);
  };
  for (const ComparedModel& model : comparison.models) {
    add(model, model.interpreter);
    for (const ComparedCell& cell : model.cells) add(model, cell);
  }
  return result;
}

std::string comparison_csv(const PlannerComparison& comparison) {
  std::string text =
      "model,planner,outcome,fits,interpreter_bytes,peak_bytes,lower_bound_bytes,arena_bytes,ratio,"
      "layout_proven_optimal,macs,recomputed_macs,weight_bytes,estimated_instructions,"
      "estimated_milliseconds,plan_seconds,layout_seconds,reason\n";
  for (const ComparedModel& model : comparison.models) {
    for (const ComparedCell& cell : model.cells) {
      const Json json = cell_json(comparison, model, cell);
      const auto field = [&](const char* key) { return csv_field(json.at(key)); };
      text += csv_line(
          {model.model, cell.planner, field("outcome"), field("fits"),
           model.interpreter.planned() ? std::to_string(model.interpreter.arena_bytes) : "",
           field("peak_bytes"), field("lower_bound_bytes"), field("arena_bytes"), field("ratio"),
           field("layout_proven_optimal"), field("macs"), field("recomputed_macs"),
           field("weight_bytes"), field("estimated_instructions"), field("estimated_milliseconds"),
           field("plan_seconds"), field("layout_seconds"), field("reason")});
    }
  }
  return text;
}

std::string comparison_json(const PlannerComparison& comparison) {
  const auto limit = [](const std::optional<int64_t>& bytes) {
    return bytes ? Json(*bytes) : Json();
  };
  Json models = Json::array();
  for (const ComparedModel& model : comparison.models) {
    Json cells = Json::array();
    for (const ComparedCell& cell : model.cells)
      cells.push_back(cell_json(comparison, model, cell));
    const ComparedCell& interpreter = model.interpreter;
    const Ranking best = ranked(comparison, model);
    models.push_back(
        {{"model", model.model},
         {"interpreter_bytes", interpreter.planned() ? Json(interpreter.arena_bytes) : Json()},
         {"interpreter_reason", interpreter.planned() ? Json() : Json(interpreter.reason)},
         {"interpreter_structures_bytes",
          model.structures_bytes ? Json(*model.structures_bytes) : Json()},
         {"winner", best.winner == nullptr ? Json() : Json(best.winner->planner)},
         {"why", best.winner == nullptr ? Json() : Json(why(comparison, model))},
         {"planners", cells}});
  }
  const Json json = {{"sram_limit_bytes", limit(comparison.sram_limit_bytes)},
                     {"flash_limit_bytes", limit(comparison.flash_limit_bytes)},
                     {"models", models}};
  return json_text("compare", json);
}

}  // namespace thimble
