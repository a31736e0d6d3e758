// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thimble/report/estimate_words.h"
#include "thimble/report/json_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::string output_text(const RunReport& report, size_t k) {
  const Port& port = report.graph.outputs[k];
  const Tensor& t = report.graph.tensor(port.tensor);
  return fmt::format("  output {:<6} '{}' {} {}: {}\n", k, display_name(t.name), name(t.type),
                     to_string(caller_shape(report.graph, port)),
                     values_text(report.inferences.outputs.back()[k], t.type));
}

std::string board_text(const MeasuredCost& board) {
  return fmt::format(
      "  instructions  {} per inference ({}, emulated)\n  stack         {} at the deepest\n"
      "  code          {} of flash\n  weights       {} of flash\n  static RAM    {}\n",
      with_separators(board.instructions.value_or(0)), board.core,
      human_size(board.stack_bytes.value_or(0)), human_size(board.code_bytes),
      human_size(board.weight_bytes), human_size(board.static_ram_bytes));
}

std::string traffic_text(const StorageTraffic& traffic, size_t inferences) {
  const auto each = [&](int64_t bytes) {
    return with_separators(bytes / static_cast<int64_t>(std::max<size_t>(inferences, 1)));
  };
  const std::string most = traffic.moved == traffic.most
                               ? ""
                               : fmt::format(" (by plan at most {} and {})",
                                             each(traffic.most.written), each(traffic.most.read));
  return fmt::format("  storage       {} B written and {} B read per inference{}\n",
                     each(traffic.moved.written), each(traffic.moved.read), most);
}

std::string deviation_text(const RunReport& report, size_t k) {
  const Deviation& deviation = report.inferences.deviations[k];
  const DType type = report.graph.tensor(report.graph.outputs[k].tensor).type;
  return fmt::format(
      "  LOSSY         output {} differs from the exact arithmetic by at most {:.4g}, {:.4g} on "
      "average{}\n",
      k, deviation.most, deviation.mean(), type == DType::kFloat32 ? "" : " (steps of its type)");
}

std::string verdict_text(const RunReport& report) {
  const Inferences& inferences = report.inferences;
  if (!inferences.difference.empty())
    return fmt::format("  DIFFERENT: {}\n", inferences.difference);
  if (report.compared_with.empty()) return "";
  const size_t count = inferences.outputs.size();
  const std::string agreement = inferences.tolerance == 0
                                    ? "identical to"
                                    : fmt::format("within {} (relative) of", inferences.tolerance);
  return fmt::format("  {} {}: outputs of {} {}{}\n", agreement, report.compared_with, count,
                     count == 1 ? "inference" : "inferences",
                     report.on == "reference"
                         ? fmt::format(", {} operators", inferences.compared_ops)
                         : std::string());
}

Json outputs_json(const RunReport& report) {
  Json outputs = Json::array();
  for (size_t k = 0; k < report.graph.outputs.size(); ++k) {
    const Port& port = report.graph.outputs[k];
    const Tensor& t = report.graph.tensor(port.tensor);
    const bool lossy = !report.inferences.deviations.empty();
    const Deviation deviation = lossy ? report.inferences.deviations[k] : Deviation();
    outputs.push_back({{"name", t.name},
                       {"type", name(t.type)},
                       {"shape", caller_shape(report.graph, port)},
                       {"most_deviation", lossy ? Json(deviation.most) : Json()},
                       {"mean_deviation", lossy ? Json(deviation.mean()) : Json()}});
  }
  return outputs;
}

Json board_json(const std::optional<MeasuredCost>& board) {
  if (!board) return {};
  return {{"core", board->core},
          {"machine", board->machine},
          {"instructions", board->instructions.value_or(0)},
          {"stack_bytes", board->stack_bytes.value_or(0)},
          {"code_bytes", board->code_bytes},
          {"weight_bytes", board->weight_bytes},
          {"static_ram_bytes", board->static_ram_bytes}};
}

Json traffic_json(const std::optional<StorageTraffic>& traffic) {
  if (!traffic) return {};
  return {{"written_bytes", traffic->moved.written},
          {"read_bytes", traffic->moved.read},
          {"most_written_bytes", traffic->most.written},
          {"most_read_bytes", traffic->most.read}};
}

}  // namespace

std::string run_text(const RunReport& report) {
  std::string text =
      fmt::format("{} on {}{}", report.model, report.on,
                  report.inferences.board ? fmt::format(" ({}, {})", report.inferences.board->core,
                                                        report.inferences.board->machine)
                                          : "");
  if (!report.planner.empty()) {
    text += fmt::format(", planner {}\n  SRAM          {}", report.planner,
                        human_size(report.arena_bytes));
    if (report.estimate) text += "\n  time          " + estimate_text(*report.estimate);
  }
  text += "\n";
  if (!report.input.empty()) text += fmt::format("  input         {}\n", report.input);
  for (const std::string& warning : report.warnings)
    text += fmt::format("  WARNING: {}\n", warning);
  for (size_t k = 0; k < report.graph.outputs.size(); ++k) text += output_text(report, k);
  text += classes_text(report.classes) + decisions_text(report.decisions);
  if (!report.decisions.empty() && report.whole_from > 0)
    text += fmt::format(
        "  {}\n", report.decisions.back().end > static_cast<size_t>(report.whole_from)
                      ? fmt::format("before inference {} the window is not full", report.whole_from)
                      : fmt::format("the window is never full, which takes {} inferences",
                                    report.whole_from + 1));
  if (report.detections) text += detections_text(*report.detections);
  if (report.inferences.moved)
    text += traffic_text(*report.inferences.moved, report.inferences.outputs.size());
  if (report.inferences.board) text += board_text(*report.inferences.board);
  for (size_t k = 0; k < report.inferences.deviations.size(); ++k)
    text += deviation_text(report, k);
  return text + verdict_text(report);
}

std::string run_json(const RunReport& report) {
  const bool planned = !report.planner.empty();
  const Inferences& inferences = report.inferences;
  return json_text(
      "run", {{"model", report.model},
              {"on", report.on},
              {"planner", planned ? Json(report.planner) : Json()},
              {"arena_bytes", planned ? Json(report.arena_bytes) : Json()},
              {"estimate", estimate_json(report.estimate)},
              {"inferences", inferences.outputs.size()},
              {"input", report.input.empty() ? Json() : Json(report.input)},
              {"input_warnings", report.warnings},
              {"classes", classes_json(report.classes)},
              {"decisions", decisions_json(report.decisions)},
              {"whole_from", report.whole_from},
              {"detections", report.detections ? detections_json(*report.detections) : Json()},
              {"compared_with", report.compared_with.empty() ? Json() : Json(report.compared_with)},
              {"compared_operators", inferences.compared_ops},
              {"difference", inferences.difference.empty() ? Json() : Json(inferences.difference)},
              {"lossy", !inferences.deviations.empty()},
              {"outputs", outputs_json(report)},
              {"tolerance", inferences.tolerance},
              {"board", board_json(inferences.board)},
              {"storage", traffic_json(inferences.moved)}});
}

}  // namespace thimble
