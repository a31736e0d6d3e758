// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/diagnosis_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/report/tensor_text.h"

namespace thimble {
namespace {

const char* name(Finding finding) {
  switch (finding) {
    case Finding::kNothing:
      return "nothing";
    case Finding::kInput:
      return "input";
    case Finding::kState:
      return "state";
    case Finding::kConstant:
      return "constant";
    case Finding::kChanged:
      return "changed";
    case Finding::kComputed:
      return "computed";
  }
  return "";
}

// What to look at.
const char* advice(Finding finding) {
  switch (finding) {
    case Finding::kNothing:
      return "if the answer is still not what you expect, the input is not: compare it with "
             "--input-file, or\n           keep it with --save-input and give it to the model "
             "elsewhere";
    case Finding::kInput:
      return "the board's preprocessing, or where its data go: size, order of channels, order of "
             "axes, scale and zero\n           point, 0..255 where the model takes -128..127";
    case Finding::kState:
      return "who writes to the variables' places between inferences (the header names them), and "
             "whether NAME_reset is\n           called where it should not be";
    case Finding::kConstant:
      return "flash it again and compare; a linker script that puts it where something else "
             "writes; another build's weights";
    case Finding::kChanged:
      return "who else writes there while the inference runs: DMA, an interrupt, another model "
             "with the same arena, a stack that\n           reaches into it, a cache that was not "
             "cleaned or invalidated";
    case Finding::kComputed:
      return "how it was compiled (the fragment's options; no -ffast-math, none of another "
             "runtime's files), a stack that overflows in it,\n           an interrupt that does "
             "not keep the core's registers; then send us the log";
  }
  return "";
}

std::string where(const Diagnosis& found) {
  std::string text = found.layer;
  if (found.stage >= 0)
    text += fmt::format("{}stage {} ({})", text.empty() ? "" : ", ", found.stage, found.function);
  return text;
}

std::string sentence(const Diagnosis& found) {
  const std::string tensor = display_name(found.tensor);
  switch (found.finding) {
    case Finding::kNothing:
      return "";
    case Finding::kInput:
      return fmt::format("the input '{}' is not what --input-file has: {}", tensor, found.detail);
    case Finding::kState:
      return fmt::format("the variable '{}' is not as the inference before left it: {}", tensor,
                         found.detail);
    case Finding::kConstant:
      return fmt::format("its constant {} is not as it was compiled ({})", tensor, found.detail);
    case Finding::kChanged:
      return fmt::format("it reads '{}', which was right {} and has changed since ({})", tensor,
                         found.written_by.empty() ? "when the inference began"
                                                  : "when " + found.written_by + " wrote it",
                         found.detail);
    case Finding::kComputed:
      return fmt::format("it wrote '{}' otherwise than the reference ({})", tensor, found.detail);
  }
  return "";
}

}  // namespace

std::string diagnosis_text(const DiagnosisReport& report) {
  const Diagnosis& found = report.first;
  std::string text = fmt::format("{} (code of {} in {})\n", report.log, report.model, report.code);
  if (!report.code_fault.empty()) text += fmt::format("  code     {}\n", report.code_fault);
  text += fmt::format("  log      {} inference{} traced", report.inferences,
                      report.inferences == 1 ? "" : "s");
  if (report.incomplete > 0) text += fmt::format(", {} more incomplete", report.incomplete);
  if (report.damaged_lines > 0) text += fmt::format(", {} lines damaged", report.damaged_lines);
  text += "\n";
  if (found.finding == Finding::kNothing) {
    text += fmt::format("  right    all {} checksums are the reference's\n", found.compared);
  } else {
    text += fmt::format("  differs  inference {} (line {}): {}\n", found.inference, found.line,
                        where(found).empty() ? "before the first stage" : where(found));
    text += fmt::format("  what     {}\n", sentence(found));
    text += fmt::format("  right    {} checksums before it\n", found.compared);
  }
  text += report.outputs;
  return text + fmt::format("  look at  {}\n", advice(found.finding));
}

std::string diagnosis_json(const DiagnosisReport& report) {
  const Diagnosis& found = report.first;
  nlohmann::ordered_json json = {{"model", report.model},
                                 {"log", report.log},
                                 {"code", report.code},
                                 {"code_fault", report.code_fault},
                                 {"inferences", report.inferences},
                                 {"incomplete", report.incomplete},
                                 {"damaged_lines", report.damaged_lines},
                                 {"finding", name(found.finding)},
                                 {"inference", found.inference},
                                 {"line", found.line},
                                 {"stage", found.stage},
                                 {"function", found.function},
                                 {"layer", found.layer},
                                 {"tensor", found.tensor},
                                 {"written_by", found.written_by},
                                 {"detail", found.detail},
                                 {"compared", found.compared}};
  return json_text("diagnose", json);
}

}  // namespace thimble
