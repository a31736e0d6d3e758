// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/profile_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::string whole(double number) { return with_separators(std::llround(number)); }

std::string layers_text(const std::vector<std::string>& layers) {
  if (layers.empty()) return "";
  return layers.size() == 1 ? layers[0] : fmt::format("{} to {}", layers.front(), layers.back());
}

}  // namespace

double ProfileReport::stage_cycles() const {
  double sum = 0;
  for (const MeasuredStage& stage : stages) sum += stage.cycles;
  return sum;
}

std::string profile_text(const ProfileReport& report) {
  const double all = report.stage_cycles();
  std::string text = fmt::format("{} (code of {} in {})\n", report.log, report.model, report.code);
  if (!report.code_fault.empty()) text += fmt::format("  code     {}\n", report.code_fault);
  text += fmt::format("  measured {} cycles an inference, of {}", whole(report.whole_cycles),
                      report.inferences);
  if (report.clock_hz > 0)
    text += fmt::format("; {:.1f} ms at {:g} MHz",
                        report.whole_cycles * 1e3 / static_cast<double>(report.clock_hz),
                        static_cast<double>(report.clock_hz) / 1e6);
  if (report.damaged_lines > 0) text += fmt::format("; {} lines damaged", report.damaged_lines);
  text += "\n";
  double estimated = 0;
  for (const MeasuredStage& stage : report.stages)
    estimated += stage.estimated_instructions.value_or(0);
  if (report.fit && estimated > 0)
    text += fmt::format("  estimate {} instructions on {}: {:.2f} cycles each\n", whole(estimated),
                        report.core, all / estimated);
  Table table{.groups = {{"", {{"stage"}, {"layers", false}, {"kernel", false}}},
                         {"", {{"cycles"}, {"%"}, {"estimate"}, {"cycles each"}}}},
              .rows = {}};
  std::vector<const MeasuredStage*> ranked;
  for (const MeasuredStage& stage : report.stages) ranked.push_back(&stage);
  std::ranges::stable_sort(ranked, std::greater(), &MeasuredStage::cycles);
  for (const MeasuredStage* stage : ranked) {
    const std::optional<double> estimate = stage->estimated_instructions;
    table.rows.push_back(
        {fmt::format("{}", stage->stage), layers_text(stage->layers),
         fmt::format("{}", fmt::join(stage->kernels, " ")), whole(stage->cycles),
         fmt::format("{:.1f}", all > 0 ? 100 * stage->cycles / all : 0),
         estimate ? whole(*estimate) : "",
         estimate && *estimate > 0 ? fmt::format("{:.2f}", stage->cycles / *estimate) : ""});
  }
  text += aligned_text(table, 0);
  if (report.fit)
    text += fmt::format(
        "  fit      estimates times {} kernels' cycles each are off by {:.1f} % (median; {:.1f} % "
        "at most)\n",
        report.fit->kernels.size(), 100 * report.fit->median_error, 100 * report.fit->worst_error);
  if (!report.fit_file.empty())
    text += fmt::format("  wrote    {}: `--latency {}` chooses plans and kernels by these cycles\n",
                        report.fit_file, report.fit_file);
  return text;
}

std::string profile_json(const ProfileReport& report) {
  Json stages = Json::array();
  for (const MeasuredStage& stage : report.stages)
    stages.push_back(
        {{"stage", stage.stage},
         {"function", stage.function},
         {"layers", stage.layers},
         {"kernels", stage.kernels},
         {"cycles", stage.cycles},
         {"estimated_instructions",
          stage.estimated_instructions ? Json(*stage.estimated_instructions) : Json()}});
  Json fit;
  if (report.fit) {
    Json kernels = Json::array();
    for (const auto& [kernel, cycles] : report.fit->kernels)
      kernels.push_back({{"kernel", kernel}, {"cycles", cycles}});
    fit = {{"kernels", kernels},
           {"rest", report.fit->rest},
           {"median_error", report.fit->median_error},
           {"worst_error", report.fit->worst_error}};
  }
  return json_text("profile", {{"model", report.model},
                               {"log", report.log},
                               {"code", report.code},
                               {"code_fault", report.code_fault},
                               {"core", report.core},
                               {"clock_hz", report.clock_hz == 0 ? Json() : Json(report.clock_hz)},
                               {"inferences", report.inferences},
                               {"whole_cycles", report.whole_cycles},
                               {"stages", stages},
                               {"fit", fit},
                               {"fit_file", report.fit_file},
                               {"damaged_lines", report.damaged_lines}});
}

}  // namespace thimble
