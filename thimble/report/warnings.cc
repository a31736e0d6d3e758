// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/reference/bounds.h"
#include "thimble/reference/elements.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

// Channels vanish in bulk if these are at least this share of all that have weights. Of the shared
// models and the zoo, those that learned something have at most 0.25, most none (docs/models.md).
constexpr double kBulk = 1.0 / 3;

// Networks of fewer operators are little else than their ports.
constexpr size_t kFewestOperators = 4;

int64_t constant_count(const ValueRanges& channels) {
  return std::ranges::count_if(channels, &ValueRange::is_constant);
}

bool is_layer(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

// What hands on each channel as it is, or all of them at once: bounds are asked before it.
bool hands_on(const Graph& graph, const Op& op) {
  if (std::holds_alternative<Reshape>(op.attributes)) {
    const Shape &in = graph.tensor(op.inputs[0]).shape, &out = graph.tensor(op.outputs[0]).shape;
    return !in.empty() && !out.empty() && in.back() == out.back();
  }
  return std::holds_alternative<Softmax>(op.attributes) ||
         std::holds_alternative<Dequantize>(op.attributes);
}

/// What is the same for every input, and why.
class Sameness {
 public:
  explicit Sameness(const Graph& graph)
      : graph_(graph),
        bounds_(channel_bounds(graph)),
        makers_(producers(graph)),
        same_(graph.tensors.size()) {
    for (size_t t = 0; t < same_.size(); ++t) same_[t] = graph.tensors[t].is_constant();
    for (const Op& op : graph.ops) {
      const bool follows = std::ranges::all_of(
          op.inputs, [&](TensorId t) { return !t.valid() || same_[t.index()]; });
      for (TensorId t : op.outputs) same_[t.index()] = follows || is_bounded(t);
    }
  }

  [[nodiscard]] bool same(TensorId tensor) const { return same_[tensor.index()]; }
  [[nodiscard]] const ValueRanges& bounds(TensorId tensor) const { return bounds_[tensor.index()]; }

  /// The last operator on the way to a tensor that makes the same of whatever it reads; null if
  /// nothing that varies leads there.
  [[nodiscard]] const Op* cause(TensorId tensor) const {
    std::vector<TensorId> left{tensor};
    std::vector<bool> seen(same_.size());
    const Op* last = nullptr;
    while (!left.empty()) {
      const TensorId t = left.back();
      left.pop_back();
      if (!t.valid() || seen[t.index()]) continue;
      seen[t.index()] = true;
      const OpId made_by = makers_[t.index()];
      if (!made_by.valid()) continue;
      const Op& op = graph_.op(made_by);
      const bool reads_same = std::ranges::all_of(
          op.inputs, [&](TensorId in) { return !in.valid() || same_[in.index()]; });
      if (reads_same) {
        left.insert(left.end(), op.inputs.begin(), op.inputs.end());
      } else if (last == nullptr || last < &op) {
        last = &op;
      }
    }
    return last;
  }

  /// The operator that makes a tensor.
  [[nodiscard]] const Op& maker(TensorId tensor) const {
    return graph_.op(makers_[tensor.index()]);
  }

  /// The tensor whose bounds tell of an output's channels.
  [[nodiscard]] TensorId before_hand_on(TensorId tensor) const {
    for (;;) {
      const OpId made_by = makers_[tensor.index()];
      if (!made_by.valid() || !hands_on(graph_, graph_.op(made_by))) return tensor;
      tensor = graph_.op(made_by).inputs[0];
    }
  }

 private:
  [[nodiscard]] bool is_bounded(TensorId t) const {
    const ValueRanges& channels = bounds_[t.index()];
    return !channels.empty() && constant_count(channels) == std::ssize(channels);
  }

  const Graph& graph_;
  std::vector<ValueRanges> bounds_;
  std::vector<OpId> makers_;
  std::vector<bool> same_;
};

std::string quoted(const Graph& graph, TensorId tensor) {
  return fmt::format("'{}'", display_name(graph.tensor(tensor).name));
}

Warning of_layer(WarningKind kind, const Graph& graph, const Op& op, std::string text) {
  return {kind, op.file_index, graph.tensor(op.outputs[0]).name, std::move(text)};
}

void warn_of_output(const Graph& graph, const Sameness& known, TensorId output,
                    std::vector<Warning>& warnings) {
  if (known.same(output)) {
    const Op* cause = known.cause(output);
    if (cause == nullptr) return;  // a constant that the network hands out
    warnings.push_back(of_layer(
        WarningKind::kConstantOutput, graph, *cause,
        fmt::format("the output {} is the same for every input: nothing that varies passes {} {}",
                    quoted(graph, output), label(*cause), quoted(graph, cause->outputs[0]))));
    return;
  }
  const TensorId made = known.before_hand_on(output);
  const ValueRanges& channels = known.bounds(made);
  if (channels.empty()) return;
  const reference::IntegerRange range = reference::range_of(graph.tensor(made).type);
  const auto saturates = [&](const ValueRange& c) {
    return c.is_constant() && (c.low == range.min || c.low == range.max);
  };
  const int64_t count = std::ranges::count_if(channels, saturates);
  if (count == 0) return;
  const Op& op = known.maker(made);
  warnings.push_back(of_layer(
      WarningKind::kSaturatedOutput, graph, op,
      fmt::format("{} of {} channels of the output {} saturate: {} {} has them at an end of {} for "
                  "every input",
                  count, channels.size(), quoted(graph, output), label(op), quoted(graph, made),
                  name(graph.tensor(made).type))));
}

void warn_of_channels(const Graph& graph, const Sameness& known, std::vector<Warning>& warnings) {
  int64_t constant = 0, all = 0, layers = 0, most = 0;
  const Op* worst = nullptr;
  for (const Op& op : graph.ops) {
    if (!is_layer(op)) continue;
    const ValueRanges& channels = known.bounds(op.outputs[0]);
    const int64_t count = constant_count(channels);
    all += graph.tensor(op.outputs[0]).shape.back();
    constant += count;
    layers += count > 0 ? 1 : 0;
    if (count > most) worst = &op;
    most = std::max(most, count);
  }
  if (worst == nullptr || static_cast<double>(constant) < kBulk * static_cast<double>(all)) return;
  warnings.push_back(of_layer(
      WarningKind::kVanishingChannels, graph, *worst,
      fmt::format("{} of {} channels are the same for every input, in {} layer{}; most in {} {}: "
                  "{} of {}",
                  with_separators(constant), with_separators(all), layers, layers == 1 ? "" : "s",
                  label(*worst), quoted(graph, worst->outputs[0]), with_separators(most),
                  with_separators(graph.tensor(worst->outputs[0]).shape.back()))));
}

Warning of_port(const Graph& graph, TensorId tensor, bool input, const std::string& share,
                const std::string& help) {
  return {WarningKind::kDominantPort, -1, graph.tensor(tensor).name,
          fmt::format("the {} {} alone is {}: {}", input ? "input" : "output",
                      quoted(graph, tensor), share, help)};
}

}  // namespace

std::vector<Warning> network_warnings(const Graph& imported) {
  const Sameness known(imported);
  std::vector<Warning> warnings;
  for (const Port& port : imported.outputs) warn_of_output(imported, known, port.tensor, warnings);
  warn_of_channels(imported, known, warnings);
  return warnings;
}

std::vector<Warning> port_warnings(const Graph& graph, const PlacedPlan& plan, const Peak& peak) {
  std::vector<Warning> warnings;
  if (graph.ops.size() < kFewestOperators) return warnings;
  const int64_t arena = plan.placement.arena().peak_bytes;
  for (const PortAtPeak& at : ports_at(graph, plan, peak)) {
    const int64_t bytes = graph.tensor(at.port.tensor).size_bytes();
    if (!dominates(bytes, arena)) continue;
    warnings.push_back(of_port(
        graph, at.port.tensor, at.input,
        fmt::format("{} of the {} at the arena's peak", human_size(bytes), human_size(arena)),
        elsewhere_text(at)));
  }
  return warnings;
}

std::vector<Warning> port_warnings(const Graph& graph, const Inspection& inspection) {
  std::vector<Warning> warnings;
  if (inspection.ops.size() < kFewestOperators) return warnings;
  const InspectedOp& worst = inspection.ops[inspection.bottleneck];
  for (const bool input : {true, false}) {
    for (const Port& port : input ? graph.inputs : graph.outputs) {
      const int64_t bytes = graph.tensor(port.tensor).size_bytes();
      if (std::ranges::find(worst.live, port.tensor) == worst.live.end() ||
          !dominates(bytes, worst.working_set_bytes))
        continue;
      const char* side = input ? "input" : "output";
      warnings.push_back(
          of_port(graph, port.tensor, input,
                  fmt::format("{} of the {} at the bottleneck", human_size(bytes),
                              human_size(worst.working_set_bytes)),
                  fmt::format("elsewhere with `compile --{0} user`, or `--{0} streamed`", side)));
    }
  }
  return warnings;
}

}  // namespace thimble
