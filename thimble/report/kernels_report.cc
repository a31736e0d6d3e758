// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/kernels_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/schedule_words.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

double sum_of(const std::vector<KernelChoice>& choices) {
  double sum = 0;
  for (const KernelChoice& choice : choices) sum += choice.taken.instructions;
  return sum;
}

double percent_of(const KernelCost& cost, double sum) {
  return sum > 0 ? 100 * cost.instructions / sum : 0;
}

std::vector<std::string> cost_fields(const std::optional<KernelCost>& cost) {
  if (!cost) return {"-", "", "", ""};
  return {info(cost->kernel).name, with_separators(std::llround(cost->instructions)),
          with_separators(cost->weight_bytes), with_separators(cost->scratch_bytes)};
}

Json cost_json(const KernelCost& cost) {
  return {{"kernel", info(cost.kernel).name},
          {"estimated_instructions", std::llround(cost.instructions)},
          {"weight_bytes", cost.weight_bytes},
          {"scratch_bytes", cost.scratch_bytes}};
}

}  // namespace

std::string kernels_text(const Graph& graph, const Schedule& schedule,
                         std::vector<KernelChoice> choices,
                         const std::optional<CoreEstimate>& estimate) {
  const bool timed = estimate && estimate->milliseconds();
  std::vector<std::string> labels;
  for_each_step(schedule, [&](const Step& step, Position) {
    labels.push_back(step_label(graph, schedule, step));
  });
  Table table{.groups = {{.title = "", .columns = {{"step"}, {"executes", false}, {"%"}}}},
              .rows = {}};
  if (timed) table.groups[0].columns.push_back({"ms"});
  for (const char* title : {"taken", "next best"}) {
    table.groups.push_back(
        {.title = title,
         .columns = {{"kernel", false}, {"instructions"}, {"weights"}, {"scratch"}}});
  }
  const double sum = sum_of(choices);
  std::ranges::stable_sort(choices, std::ranges::greater(),
                           [](const KernelChoice& choice) { return choice.taken.instructions; });
  for (const KernelChoice& choice : choices) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {std::to_string(choice.position), labels[static_cast<size_t>(choice.position)],
           fmt::format("{:.1f}", percent_of(choice.taken, sum))};
    if (timed)
      row.push_back(fmt::format("{:.2f}", *estimate->milliseconds_of(choice.taken.instructions)));
    for (const auto& cost : {std::optional(choice.taken), choice.runner_up}) {
      for (std::string& field : cost_fields(cost)) row.push_back(std::move(field));
    }
  }
  return aligned_text(table, 0);
}

Json kernels_json(const std::vector<KernelChoice>& choices) {
  Json result = Json::array();
  const double sum = sum_of(choices);
  for (const KernelChoice& choice : choices) {
    result.push_back({{"step", choice.position},
                      {"percent", percent_of(choice.taken, sum)},
                      {"taken", cost_json(choice.taken)},
                      {"runner_up", choice.runner_up ? cost_json(*choice.runner_up) : Json()}});
  }
  return result;
}

}  // namespace thimble
