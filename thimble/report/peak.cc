// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thimble/report/schedule_words.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

// Does a quantize read it, or a dequantize make it, and nobody else?
bool converted_at_edge(const Graph& graph, TensorId tensor, bool input) {
  const std::vector<std::vector<OpId>> readers = consumers(graph);
  const std::vector<OpId>& read_by = readers[tensor.index()];
  if (input) {
    return read_by.size() == 1 && std::holds_alternative<Quantize>(graph.op(read_by[0]).attributes);
  }
  const OpId made_by = producers(graph)[tensor.index()];
  return read_by.empty() && made_by.valid() &&
         std::holds_alternative<Dequantize>(graph.op(made_by).attributes);
}

const Step* step_at(const Schedule& schedule, Position wanted) {
  const Step* found = nullptr;
  for_each_step(schedule, [&](const Step& step, Position position) {
    if (position == wanted) found = &step;
  });
  return found;
}

std::string live_buffer_text(const Graph& graph, const Buffer& buffer) {
  if (!buffer.tensor.valid()) return buffer_name(graph, buffer);
  return fmt::format("{} {} {}'{}'", name(buffer.type), to_string(buffer.extents),
                     buffer.sums ? "sums of " : "", display_name(graph.tensor(buffer.tensor).name));
}

}  // namespace

std::optional<Peak> peak_of(const Graph& graph, const PlacedPlan& plan,
                            const std::vector<int64_t>& live_bytes) {
  if (live_bytes.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(live_bytes);
  Peak peak{.step = static_cast<Position>(most - live_bytes.begin()), .label = "step"};
  if (const Step* step = step_at(plan.schedule, peak.step))
    peak.label = step_label(graph, plan.schedule, *step);
  const std::vector<LiveRange> lives = live_ranges(plan.schedule);
  for (size_t b = 0; b < lives.size(); ++b) {
    if (plan.schedule.buffers[b].memory == kArena && lives[b].begin <= peak.step &&
        peak.step < lives[b].end) {
      peak.buffers.push_back({static_cast<int32_t>(b)});
    }
  }
  return peak;
}

std::vector<PortAtPeak> ports_at(const Graph& graph, const PlacedPlan& plan, const Peak& peak) {
  std::vector<PortAtPeak> found;
  for (const bool input : {true, false}) {
    for (const Port& port : input ? graph.inputs : graph.outputs) {
      const bool lives = std::ranges::any_of(peak.buffers, [&](BufferId id) {
        return plan.schedule.buffer(id).tensor == port.tensor;
      });
      // One that passes by has a buffer without memory, even if it is collected.
      const bool elsewhere = std::ranges::any_of(plan.schedule.buffers, [&](const Buffer& buffer) {
        return buffer.tensor == port.tensor && !is_laid_out(buffer.memory);
      });
      if (!lives || elsewhere) continue;
      const Tensor& tensor = graph.tensor(port.tensor);
      found.push_back({port, input, std::nullopt});
      if (tensor.type == DType::kFloat32 && converted_at_edge(graph, port.tensor, input))
        found.back().int8_bytes = tensor.size_bytes() / size_bytes(DType::kFloat32);
    }
  }
  return found;
}

std::string peak_text(const Graph& graph, const PlacedPlan& plan, const Peak& peak) {
  std::string text = fmt::format(" at step {} ({}), where these live:\n", peak.step, peak.label);
  for (const BufferId id : peak.buffers) {
    const Buffer& buffer = plan.schedule.buffer(id);
    text += fmt::format("    @ {:>9}  {:>24}  {}\n",
                        with_separators(plan.placement.addresses[id.index()]),
                        human_size(buffer.size_bytes()), live_buffer_text(graph, buffer));
  }
  return text;
}

std::string elsewhere_text(const PortAtPeak& at) {
  const std::string smaller =
      at.int8_bytes ? human_size(*at.int8_bytes) + " with --io-type int8; " : "";
  return fmt::format("{0}elsewhere with --{1} user, or --{1} streamed", smaller,
                     at.input ? "input" : "output");
}

bool dominates(int64_t port_bytes, int64_t all_bytes) {
  constexpr int64_t kTrifleBytes = 4096;
  return port_bytes >= kTrifleBytes && 2 * port_bytes > all_bytes;
}

std::string hint(const Graph& graph, const PlacedPlan& plan, const PortAtPeak& at) {
  const Tensor& tensor = graph.tensor(at.port.tensor);
  if (10 * tensor.size_bytes() < plan.placement.arena().peak_bytes) return "";
  return fmt::format("the {} '{}' is {} of the peak: {}", at.input ? "input" : "output",
                     display_name(tensor.name), human_size(tensor.size_bytes()),
                     elsewhere_text(at));
}

std::vector<std::string> hints(const Graph& graph, const PlacedPlan& plan, const Peak& peak) {
  std::vector<std::string> lines;
  for (const PortAtPeak& at : ports_at(graph, plan, peak)) {
    if (std::string line = hint(graph, plan, at); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Json peak_json(const Graph& graph, const PlacedPlan& plan, const std::optional<Peak>& peak) {
  if (!peak) return nullptr;
  const Step* step = step_at(plan.schedule, peak->step);
  const Op* op = step != nullptr && step->op.valid() ? &graph.op(step->op) : nullptr;
  Json buffers = Json::array();
  for (const BufferId id : peak->buffers) buffers.push_back(id.value);
  return {{"step", peak->step},
          {"operator", op == nullptr ? peak->label : std::string(name(op->attributes))},
          {"number", op == nullptr || op->file_index < 0 ? Json() : Json(op->file_index)},
          {"buffers", std::move(buffers)},
          {"hints", hints(graph, plan, *peak)}};
}

}  // namespace thimble
