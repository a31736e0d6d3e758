// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/front_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::string mega(double instructions) { return fmt::format("{:.3f} M", instructions / 1e6); }

std::optional<double> milliseconds_of(const Front& front, const FrontFigures& point) {
  if (front.clock_hz <= 0) return std::nullopt;
  return 1e3 * point.instructions / static_cast<double>(front.clock_hz);
}

Table table_of_front(const Front& front) {
  Table table;
  table.groups = {{"",
                   {{"", false},
                    {"plan"},
                    {"SRAM"},
                    {"weights"},
                    {front.unit},
                    {"of the fastest's"},
                    {"recomputed MACs"}}}};
  std::vector<Column>& columns = table.groups[0].columns;
  if (front.clock_hz > 0) columns.insert(columns.begin() + 5, Column{"ms"});
  for (size_t k = 0; k < front.points.size(); ++k) {
    const FrontFigures& point = front.points[k];
    std::vector<std::string> row = {k == front.picked ? ">" : "",
                                    std::to_string(k + 1),
                                    human_size(point.arena_bytes),
                                    human_size(point.weight_bytes),
                                    mega(point.instructions),
                                    fmt::format("{:.3f}", front.latency(k)),
                                    with_separators(point.recomputed_macs)};
    if (const auto ms = milliseconds_of(front, point))
      row.insert(row.begin() + 5, fmt::format("{:.1f}", *ms));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Why this one.
std::string reason_of(const Front& front) {
  if (front.by_number) return "named by --pick";
  const std::string bound = front.bound_by();
  if (bound == "--sram") {
    return fmt::format("the fastest that fits (the next needs {})",
                       human_size(front.points[front.picked + 1].arena_bytes));
  }
  if (bound == "--max-latency")
    return fmt::format("the smallest within --max-latency {}", front.max_latency);
  return front.picked == 0 ? "the smallest" : "the fastest";
}

}  // namespace

std::string front_text(const Front& front, const std::string& title) {
  const size_t count = front.points.size();
  std::string text = fmt::format("{}: {} plan{}; {} are estimated on {}", title, count,
                                 count == 1 ? "" : "s, none better than another in all respects",
                                 front.unit, front.core);
  if (front.clock_hz > 0)
    text += fmt::format(", ms at {} MHz{}", front.clock_hz / 1'000'000,
                        front.unit != Front().unit ? "" : " if each takes a cycle");
  if (!front.left_out.empty()) text += fmt::format("; without {}", fmt::join(front.left_out, ", "));
  text += "\n\n" + aligned_text(table_of_front(front), 0);
  return text + fmt::format("\nchoice: {}\n", choice_text(front));
}

std::string choice_text(const Front& front) {
  const size_t count = front.points.size();
  if (count == 1) return "no other plan is smaller, or faster by a thousandth";
  const FrontFigures& taken = front.points[front.picked];
  const FrontFigures& smallest = front.points.front();
  const FrontFigures& fastest = front.points.back();
  std::string text = fmt::format("plan {} of {}, {}: ", front.picked + 1, count, reason_of(front));
  const std::string core = front.stands_in ? " of a " + front.core : "";
  if (front.picked > 0) {
    return text + fmt::format(
                      "{} instead of {} {}{} for {} more than the smallest "
                      "(--pick 1)",
                      mega(taken.instructions), mega(smallest.instructions), front.unit, core,
                      human_size(taken.arena_bytes - smallest.arena_bytes));
  }
  return text + fmt::format("{} {}{}; the fastest has {} for {} more (--pick {})",
                            mega(taken.instructions), front.unit, core, mega(fastest.instructions),
                            human_size(fastest.arena_bytes - taken.arena_bytes), count);
}

Json front_json(const std::optional<Front>& front) {
  if (!front) return nullptr;
  Json points = Json::array();
  for (size_t k = 0; k < front->points.size(); ++k) {
    const FrontFigures& point = front->points[k];
    const std::optional<double> ms = milliseconds_of(*front, point);
    points.push_back({{"number", k + 1},
                      {"arena_bytes", point.arena_bytes},
                      {"weight_bytes", point.weight_bytes},
                      {"estimated_instructions", std::llround(point.instructions)},
                      {"milliseconds_at_a_cycle_each", ms ? Json(*ms) : Json()},
                      {"latency_ratio", front->latency(k)},
                      {"recomputed_macs", point.recomputed_macs}});
  }
  const std::string bound = front->bound_by();
  return {{"picked", front->picked + 1},
          {"bound_by", bound.empty() ? Json() : Json(bound)},
          {"sram_limit_bytes", front->sram_limit_bytes ? Json(*front->sram_limit_bytes) : Json()},
          {"max_latency", std::isinf(front->max_latency) ? Json() : Json(front->max_latency)},
          {"core", front->core},
          {"choice", choice_text(*front)},
          {"points", std::move(points)}};
}

}  // namespace thimble
