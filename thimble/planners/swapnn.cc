// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/swapnn.h"

#include "thimble/planners/out_of_core.h"

namespace thimble {
namespace {

constexpr int64_t kUsualBuffer = 16 << 10;
constexpr int64_t kAnySram = int64_t{1} << 40;

ScheduleMemory any_card() {
  return {.name = "card",
          .kind = MemoryKind::kBlockStorage,
          .storage = BlockStorage{.write_bytes = 512, .most_in_flight = 4}};
}

}  // namespace

PlannerDecision plan_swapnn(const Graph& graph, const Limits& limits,
                            const PlannerOptions& options) {
  Limits within = limits;
  if (!within.storage) within.storage = any_card();
  within.sram_bytes = kAnySram;  // as much as the buffers need
  const int64_t buffer = number_option(options, "buffer", 1).value_or(kUsualBuffer);
  std::optional<Decision> decision =
      out_of_core(graph, within, {.weight_bytes = 0, .buffer_bytes = buffer});
  if (!decision)
    return Infeasible{.reason = "no value of it is alone between two layers, and could be stored"};
  return std::move(*decision);
}

}  // namespace thimble
