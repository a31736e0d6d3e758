// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "thimble/operators/operators.h"
#include "thimble/report/channels_json.h"
#include "thimble/report/estimate_words.h"
#include "thimble/report/interpreter_report.h"
#include "thimble/report/json_text.h"
#include "thimble/report/note_text.h"
#include "thimble/report/quantising.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::string quantization_text(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.scales.empty()) return name(tensor.type);
  if (q.per_channel()) return fmt::format("{} per channel", name(tensor.type));
  return fmt::format("{} {:.6g} ({:+d})", name(tensor.type), q.scales[0], q.zero_points[0]);
}

// That of the output, and the type of weights where it is another.
std::string quantization_text(const Graph& graph, const Op& op) {
  std::string text = quantization_text(graph.tensor(op.outputs[0]));
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (is_float32(graph, op) && is_hybrid(op.attributes, k, graph.tensor(op.inputs[k])))
      return text + ", weights int8";
  }
  return text;
}

// Position after which an activation is no longer needed.
std::vector<size_t> last_uses(const Graph& graph) {
  std::vector<size_t> last(graph.tensors.size(), 0);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    for (TensorId t : graph.ops[k].inputs) last[t.index()] = k;
    for (TensorId t : graph.ops[k].outputs) last[t.index()] = k;
  }
  for (const Port& port : graph.outputs) last[port.tensor.index()] = graph.ops.size();
  for (const State& state : graph.states) last[state.in.index()] = graph.ops.size();
  return last;
}

// Names as `--until` takes them.
std::string made_names(const Graph& graph, const Op& op) {
  std::string names;
  for (const TensorId t : op.outputs)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", display_name(graph.tensor(t).name));
  return names;
}

// "1,234,567  12.3" or blanks.
std::string time_fields(const Inspection& inspection, const InspectedOp& row) {
  const std::optional<double> instructions = inspection.instructions(row);
  if (!instructions) return "";
  return fmt::format(" {:>13} {:>5.1f}", with_separators(std::llround(*instructions)),
                     inspection.percent(row));
}

// The operators that take most, most first.
std::string ranking_text(const Inspection& inspection) {
  constexpr size_t kShown = 5;
  if (!inspection.estimate || inspection.ops.size() < 2) return "";
  std::vector<const InspectedOp*> ranked;
  for (const InspectedOp& row : inspection.ops) ranked.push_back(&row);
  std::ranges::stable_sort(ranked, std::ranges::greater(),
                           [&](const InspectedOp* row) { return inspection.percent(*row); });
  ranked.resize(std::min(kShown, ranked.size()));
  std::string text = "\nMost time, whole operators in this order, estimated:\n";
  for (const InspectedOp* row : ranked) {
    const double instructions = *inspection.instructions(*row);
    text += fmt::format("  {:>5.1f} % {:>14} {}", inspection.percent(*row),
                        with_separators(std::llround(instructions)), unit_of(*inspection.estimate));
    if (const auto ms = inspection.estimate->milliseconds_of(instructions))
      text += fmt::format(" {:>8.2f} ms", *ms);
    text +=
        fmt::format("  {} #{} '{}'\n", row->op, row->file_index, display_name(row->output_name));
  }
  return text;
}

}  // namespace

std::optional<double> Inspection::instructions(const InspectedOp& op) const {
  if (!estimate) return std::nullopt;
  return estimate->estimate.steps.at(static_cast<size_t>(op.number));
}

double Inspection::percent(const InspectedOp& op) const {
  if (!estimate || estimate->estimate.instructions == 0) return 0;
  return 100 * *instructions(op) / estimate->estimate.instructions;
}

Inspection inspect(const Graph& graph) {
  Inspection result{.model = graph.name, .ops = {}};
  const std::vector<size_t> last = last_uses(graph);
  std::set<TensorId> live, weights;
  for (const Port& port : graph.inputs) live.insert(port.tensor);
  for (const State& state : graph.states) live.insert(state.in);  // its new value takes its place
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const Op& op = graph.ops[k];
    const Tensor& out = graph.tensor(op.outputs[0]);
    InspectedOp row{.number = static_cast<int>(k),
                    .file_index = op.file_index,
                    .op = name(op.attributes),
                    .input_shape = to_string(graph.tensor(op.inputs[0]).shape),
                    .output_shape = to_string(out.shape),
                    .output_name = out.name,
                    .quantization = quantization_text(graph, op),
                    .macs = macs(graph, op),
                    .live = {}};
    live.insert(op.outputs.begin(), op.outputs.end());
    for (const State& state : graph.states) live.erase(state.out);
    for (TensorId t : live) {
      row.live.push_back(t);
      row.working_set_bytes += graph.tensor(t).size_bytes();
    }
    for (TensorId t : op.inputs) {
      if (!graph.tensor(t).is_constant()) continue;
      row.weight_bytes += graph.tensor(t).size_bytes();
      if (weights.insert(t).second) result.weight_bytes += graph.tensor(t).size_bytes();
    }
    if (const auto* loop = std::get_if<StepLoop>(&op.attributes)) {
      for (const Tensor& t : loop->step->tensors) {
        if (!t.is_constant()) continue;
        row.weight_bytes += t.size_bytes();
        result.weight_bytes += t.size_bytes();
      }
    }
    std::erase_if(live, [&](TensorId t) { return last[t.index()] <= k; });
    result.macs += row.macs;
    result.ops.push_back(std::move(row));
    if (result.ops[result.bottleneck].working_set_bytes < result.ops.back().working_set_bytes) {
      result.bottleneck = k;
    }
  }
  return result;
}

namespace {

std::string interpreter_words(const Inspection& inspection) {
  if (!inspection.interpreter) return "";
  const InterpreterArena& arena = *inspection.interpreter;
  const std::string planned = arena.offline_bytes
                                  ? fmt::format(" ({} B with the file's offline plan)",
                                                with_separators(*arena.offline_bytes))
                                  : "";
  return fmt::format(
      "TensorFlow Lite Micro's arena for the file: tensors {} B{}, its own structures some {} B\n",
      with_separators(arena.greedy_bytes), planned, with_separators(arena.structures_bytes));
}

}  // namespace

std::string inspection_text(const Graph& graph, const Inspection& inspection) {
  std::string text = fmt::format("{}: {} operators, {:.3f} M MAC, weights {}\n", inspection.model,
                                 inspection.ops.size(), static_cast<double>(inspection.macs) / 1e6,
                                 human_size(inspection.weight_bytes));
  text += warnings_text(inspection.warnings);
  for (const Port& port : graph.inputs) {
    const Tensor& t = graph.tensor(port.tensor);
    text += fmt::format("  input   '{}' {} {}\n", display_name(t.name), to_string(t.shape),
                        quantization_text(t));
  }
  for (const Port& port : graph.outputs) {
    const Tensor& t = graph.tensor(port.tensor);
    text += fmt::format("  output  '{}' {} {}\n", display_name(t.name), to_string(t.shape),
                        quantization_text(t));
  }
  int64_t kept_bytes = 0;
  for (const State& state : graph.states) kept_bytes += graph.tensor(state.in).size_bytes();
  if (kept_bytes > 0) {
    text += fmt::format("  state   {} in {} variables, kept between inferences\n",
                        human_size(kept_bytes), graph.states.size());
  }
  if (inspection.estimate)
    text += fmt::format("  time    {}\n", estimate_text(*inspection.estimate));
  if (inspection.constant_channels)
    text += fmt::format("  note    {}\n", sentence(*inspection.constant_channels, graph));
  if (!inspection.ops.empty()) {
    const std::string quantised = quantising_text(
        graph, inspection.weight_bytes, inspection.ops[inspection.bottleneck].working_set_bytes);
    if (!quantised.empty()) text += "  hint    " + quantised + "\n";
  }
  text += fmt::format(
      "\n{:>4} {:<18} {:<16} {:<16} {:<24} {:>13} {:>11} {:>13}{}  {}\n", "#", "operator", "input",
      "output", "quantisation", "MACs", "weights B", "working set B",
      inspection.estimate ? fmt::format("  {:>12}     %", unit_of(*inspection.estimate)) : "",
      "makes");
  for (const InspectedOp& row : inspection.ops) {
    text += fmt::format(
        "{:>4} {:<18} {:<16} {:<16} {:<24} {:>13} {:>11} {:>13}{}  {}{}\n", row.file_index, row.op,
        row.input_shape, row.output_shape, row.quantization, with_separators(row.macs),
        with_separators(row.weight_bytes), with_separators(row.working_set_bytes),
        time_fields(inspection, row), made_names(graph, graph.ops[static_cast<size_t>(row.number)]),
        static_cast<size_t>(row.number) == inspection.bottleneck ? "  <- bottleneck" : "");
  }
  if (inspection.ops.empty()) return text;
  const InspectedOp& worst = inspection.ops[inspection.bottleneck];
  text +=
      fmt::format("\nBottleneck in this order, whole operators, nothing in place: {} #{}, {}:\n",
                  worst.op, worst.file_index, human_size(worst.working_set_bytes));
  for (TensorId id : worst.live) {
    const Tensor& t = graph.tensor(id);
    text += fmt::format("  {:<16} {:<8} {:>26}  '{}'\n", to_string(t.shape), name(t.type),
                        human_size(t.size_bytes()), display_name(t.name));
  }
  return text + interpreter_words(inspection) + ranking_text(inspection);
}

std::string inspection_csv(const Inspection& inspection) {
  std::string text =
      "number,operator,input_shape,output_shape,quantization,macs,weight_bytes,working_set_bytes,"
      "output_name,estimated_instructions,percent\n";
  for (const InspectedOp& row : inspection.ops) {
    std::string quoted = row.output_name;
    for (size_t at = quoted.find('"'); at != std::string::npos; at = quoted.find('"', at + 2))
      quoted.insert(at, 1, '"');
    text += fmt::format(
        "{},{},{},{},{},{},{},{},\"{}\",{},{:.2f}\n", row.file_index, row.op, row.input_shape,
        row.output_shape, row.quantization, row.macs, row.weight_bytes, row.working_set_bytes,
        quoted, std::llround(inspection.instructions(row).value_or(0)), inspection.percent(row));
  }
  return text;
}

std::string inspection_json(const Graph& graph, const Inspection& inspection) {
  const auto ids = [](const std::vector<TensorId>& tensors) {
    Json json = Json::array();
    for (TensorId t : tensors) json.push_back(t.value);
    return json;
  };
  Json tensors = Json::array();
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    tensors.push_back({{"id", t},
                       {"name", tensor.name},
                       {"shape", tensor.shape},
                       {"type", name(tensor.type)},
                       {"bytes", tensor.size_bytes()},
                       {"constant", tensor.is_constant()},
                       {"scales", tensor.quantization.scales},
                       {"zero_points", tensor.quantization.zero_points}});
  }
  Json ops = Json::array();
  for (const InspectedOp& row : inspection.ops) {
    const Op& op = graph.ops[static_cast<size_t>(row.number)];
    ops.push_back(
        {{"number", row.file_index},
         {"operator", row.op},
         {"inputs", ids(op.inputs)},
         {"outputs", ids(op.outputs)},
         {"input_shape", row.input_shape},
         {"output_shape", row.output_shape},
         {"macs", row.macs},
         {"weight_bytes", row.weight_bytes},
         {"working_set_bytes", row.working_set_bytes},
         {"estimated_instructions", std::llround(inspection.instructions(row).value_or(0))},
         {"percent", inspection.percent(row)},
         {"live", ids(row.live)}});
  }
  const Json json = {
      {"model", inspection.model},
      {"warnings", warnings_json(inspection.warnings)},
      {"macs", inspection.macs},
      {"weight_bytes", inspection.weight_bytes},
      {"bottleneck",
       inspection.ops.empty() ? Json() : Json(inspection.ops[inspection.bottleneck].file_index)},
      {"estimate", estimate_json(inspection.estimate)},
      {"constant_channels", channels_json(inspection.constant_channels)},
      {"interpreter", inspection.interpreter ? arena_json(*inspection.interpreter) : Json()},
      {"operators", ops},
      {"tensors", tensors}};
  return json_text("inspect", json);
}

}  // namespace thimble
