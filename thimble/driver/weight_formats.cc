// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/weight_formats.h"

#include <algorithm>

#include "thimble/driver/code_bytes.h"
#include "thimble/driver/other_kernels.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/smaller_weights.h"
#include "thimble/program/lower.h"

namespace thimble {
namespace {

WeightFormat format_of(const Compiled& compiled, std::optional<Weights> weights) {
  const auto estimate = estimate_of(compiled);
  return {.weights = weights,
          .flash_bytes = compiled.verdict.weight_bytes +
                         (compiled.verdict.code ? compiled.verdict.code->code.bytes : 0),
          .instructions = estimate ? estimate->estimate.instructions : 0};
}

// Where the buffers lie does not matter here.
WeightFormat other_format(const Compiled& compiled, Weights weights) {
  Compiled other{.where = compiled.where,
                 .sha256 = compiled.sha256,
                 .target = compiled.target,
                 .sram_limit_bytes = {},
                 .flash_limit_bytes = {},
                 .graph = compiled.graph,
                 .plan = compiled.plan,
                 .decided = {}};
  other.target.core.weights = weights;
  const int64_t arena_bytes =
      std::max(compiled.sram_limit_bytes.value_or(0), compiled.program.arena_bytes());
  auto placed = with_other_kernels(compiled, other.target.core, arena_bytes);
  other.plan.schedule = std::move(placed->schedule);
  other.plan.placement = std::move(placed->placement);
  other.program = lower(other.graph, other.plan.schedule, other.plan.placement);
  other.cost.weight_bytes = constant_bytes(other.program);
  other.verdict = verdict_of(other, {});
  return format_of(other, weights);
}

bool has_hybrid_weights(const Graph& graph) {
  return std::ranges::any_of(graph.ops, [&](const Op& op) {
    return op.inputs.size() > 1 && !std::holds_alternative<Lstm>(op.attributes) &&
           is_float32(graph, op) && is_hybrid(op.attributes, 1, graph.tensor(op.inputs[1]));
  });
}

}  // namespace

std::vector<WeightFormat> weight_formats(const Compiled& compiled) {
  const bool hybrid = has_hybrid_weights(compiled.graph);
  if (!compiled.decided || (!has_smaller_weights(compiled.graph, compiled.target.core) && !hybrid))
    return {};
  const std::optional<Weights> taken =
      compiled.mixed_weights ? std::nullopt : std::optional(compiled.target.core.weights);
  std::vector<WeightFormat> formats = {format_of(compiled, taken)};
  for (const Weights weights :
       {Weights::kWide, Weights::kFast, Weights::kCompact, Weights::kLeast}) {
    if (weights == taken || (weights == Weights::kWide && !hybrid)) continue;
    const WeightFormat other = other_format(compiled, weights);
    const bool known = std::ranges::any_of(formats, [&](const WeightFormat& format) {
      return format.flash_bytes == other.flash_bytes;
    });
    if (!known) formats.push_back(other);
  }
  return formats;
}

}  // namespace thimble
