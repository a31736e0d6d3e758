// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/bundle_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

double instructions_of(const BundleReport::Model& model) {
  return model.report.estimate ? model.report.estimate->estimate.instructions : 0;
}

std::string millions(double instructions) {
  return instructions > 0 ? fmt::format("{:.3f} M", instructions / 1e6) : "-";
}

std::vector<std::string> row(const std::string& name, const BundlePart& part, double instructions) {
  return {name,
          with_separators(part.arena_bytes),
          with_separators(part.kept_bytes),
          with_separators(part.weight_bytes),
          with_separators(part.sram_bytes),
          with_separators(part.flash_bytes),
          millions(instructions)};
}

BundlePart sum_of(const std::vector<BundleReport::Model>& models) {
  BundlePart sum;
  for (const BundleReport::Model& model : models) {
    for (const auto field :
         {&BundlePart::arena_bytes, &BundlePart::kept_bytes, &BundlePart::weight_bytes,
          &BundlePart::sram_bytes, &BundlePart::flash_bytes})
      sum.*field += model.alone.*field;
  }
  return sum;
}

std::string table_text(const BundleReport& report) {
  Table table{.groups = {{"", {{"model", false}}},
                         {"bytes of", {{"arena"}, {"kept"}, {"weights"}, {"SRAM"}, {"flash"}}},
                         {"", {{"instructions"}}}},
              .rows = {}};
  double instructions = 0;
  for (const BundleReport::Model& model : report.models) {
    table.rows.push_back(row(model.name, model.alone, instructions_of(model)));
    instructions += instructions_of(model);
  }
  table.rows.push_back(row("sum", sum_of(report.models), instructions));
  table.rows.push_back(row("together", report.together, instructions));
  return aligned_text(table, 0);
}

std::string sharing_text(const BundleReport& report) {
  std::string text;
  if (report.equal_bytes > 0)
    text += fmt::format("  equal    {} of constants that several models have are in flash once\n",
                        human_size(report.equal_bytes));
  if (report.share_arena) {
    text += fmt::format("  shared   one arena of {} for all, one model after the other{}\n",
                        human_size(report.together.arena_bytes),
                        report.together.kept_bytes == 0
                            ? ""
                            : fmt::format("; {} kept between inferences lie beside it",
                                          human_size(report.together.kept_bytes)));
  }
  if (report.measured) {
    text += fmt::format("  code     {} on {}; stack {}; static RAM {}\n",
                        human_size(report.measured->code_bytes), report.measured->core,
                        human_size(report.measured->deepest_stack_bytes),
                        human_size(report.measured->static_ram_bytes));
  }
  return text;
}

Json part_json(const BundlePart& part) {
  return {{"arena_bytes", part.arena_bytes},
          {"kept_bytes", part.kept_bytes},
          {"weight_bytes", part.weight_bytes},
          {"sram_bytes", part.sram_bytes},
          {"flash_bytes", part.flash_bytes}};
}

Json model_json(const BundleReport::Model& model) {
  const CompileReport& report = model.report;
  return {{"name", model.name},
          {"model", report.model},
          {"sha256", model.sha256},
          {"planner", report.plan.planner},
          {"warnings", warnings_json(report.warnings)},
          {"notes", report.notes},
          {"macs", report.macs},
          {"estimated_instructions",
           report.estimate ? Json(std::llround(instructions_of(model))) : Json()},
          {"verified", report.verified},
          {"alone", part_json(model.alone)}};
}

}  // namespace

std::string bundle_text(const BundleReport& report) {
  const CompileReport& first = report.models.front().report;
  std::string text = fmt::format("{} models in one firmware{}\n", report.models.size(),
                                 first.device ? " (" + first.device->name + ")" : "");
  for (const BundleReport::Model& model : report.models) {
    const std::string warnings = warnings_text(model.report.warnings);
    if (!warnings.empty()) text += model.name + ":\n" + warnings;
  }
  text += table_text(report) + sharing_text(report) + verdict_text(report.verdict);
  if (first.core.empty()) text += "  (no core is named: kernels for any, sizes as on cortex-m4)\n";
  return text + advice({.fits_sram = report.verdict.fits_sram(),
                        .fits_flash = report.verdict.fits_flash()},
                       report.alternatives);
}

std::string bundle_json(const BundleReport& report) {
  Json models = Json::array();
  const std::optional<Target>& board = report.models.front().report.device;
  const Json device = board ? Json(board->name) : Json();
  for (const BundleReport::Model& model : report.models) models.push_back(model_json(model));
  return json_text("bundle", {{"models", models},
                              {"device", device},
                              {"share_arena", report.share_arena},
                              {"sum", part_json(sum_of(report.models))},
                              {"together", part_json(report.together)},
                              {"equal_constant_bytes", report.equal_bytes},
                              {"fits", report.verdict.fits()},
                              {"verdict", verdict_json(report.verdict)},
                              {"alternatives", alternatives_json(report.alternatives)}});
}

}  // namespace thimble
