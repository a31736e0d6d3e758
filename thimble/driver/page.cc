// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/page.h"

#include "thimble/driver/reports.h"
#include "thimble/planners/tinyseg_list.h"

namespace thimble {
namespace {

constexpr int kScratchBits = 32;  // of TFLM's transposed convolution

// The interpreter's order and its way of placing, with the kernels of this plan's core.
std::optional<EarlierPlan> earlier_plan(const Request& request, const Source& source,
                                        const Compiled& compiled) {
  Target target = compiled.target;
  target.memories.clear();  // no limits
  target.flash_bytes = 0;
  try {
    Answer answer = compile({.model = source,
                             .graph = {.rewrite = false, .max_bytes = request.graph.max_bytes},
                             .target = std::move(target),
                             .planner = "original",
                             .in_place = false,
                             .layout = LayoutMethod::kGreedyBySize,
                             .progress = request.progress});
    auto* earlier = std::get_if<Compiled>(&answer);
    if (earlier == nullptr) return std::nullopt;
    std::optional<CoreEstimate> estimate = estimate_of(*earlier);
    return EarlierPlan{.graph = std::move(earlier->graph),
                       .plan = std::move(earlier->plan),
                       .live_bytes = std::move(earlier->cost.live_bytes),
                       .estimate = std::move(estimate)};
  } catch (const CompileError&) {
    return std::nullopt;  // what only the rewritten network can be
  }
}

}  // namespace

PageFigures page_figures(const Request& request, const Compiled& compiled) {
  PageFigures figures{.layers = layers(compiled.graph, compiled.plan.schedule, compiled.program),
                      .verification = compiled.verification,
                      .interpreter = {},
                      .before = {}};
  const auto* source = std::get_if<Source>(&request.model);
  check(source != nullptr, "a page of a model that was not read");
  const std::string& core = compiled.target.core.name;
  figures.interpreter = InterpreterFigures{
      .arena_bytes = tinyseg::arena_of(tinyseg::list_of(source->graph, kScratchBits)).bytes,
      .measured = measured_interpreter(source->sha256, core)};
  figures.before = earlier_plan(request, *source, compiled);
  return figures;
}

}  // namespace thimble
