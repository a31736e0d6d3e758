// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/registry.h"

#include <fmt/format.h>

#include "thimble/model/error.h"
#include "thimble/planners/auto.h"
#include "thimble/planners/motes.h"
#include "thimble/planners/patch.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/stream.h"
#include "thimble/planners/swapnn.h"
#include "thimble/planners/tinyseg.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {

const std::vector<Planner>& planners() {
  static const std::vector<Planner> all = {
      {"original", "whole operators in the order of the file", {}, plan_original},
      {"greedy",
       "whole operators; next, the one that leaves the fewest live bytes",
       {},
       plan_greedy},
      {"reorder",
       "whole operators in the order with the least peak memory (Liberis & Lane 2019)",
       {{"states",
         "sets of executed operators to look at, about; past them, the best order found and the "
         "gap "
         "to the proven bound (2000000)"}},
       plan_reorder},
      {"depthwise_tiling",
       "operators that generate and accumulate channels, fused and tiled along them (FDT, 2023)",
       {{"states",
         "sets of executed operators to look at, about, while loops and orders are searched "
         "together "
         "(100000)"}},
       plan_depthwise_tiling},
      {"patch",
       "the first stage in patches with recomputed halo, then whole operators (MCUNetV2, Lin et "
       "al. 2021)",
       {{"patches", "along each axis of the image, at least 2 (those with the least peak)"},
        {"split", "number of the operator in the file that ends the stage (that of least peak)"},
        {"accounting",
         "paper: the split tensor has bytes of its own; exact: it may lie over inputs that "
         "patches have used up (exact)"}},
       plan_patch},
      {"pex",
       "operators execute together, some channels at a time (Liberis & Lane 2023)",
       {{"accounting",
         "paper: only joins of several tensors in place; exact: all that the kernels can (exact)"},
        {"accumulators",
         "least bits of an accumulator: 32 is exact; 16 and 8 are lossy, and used only where the "
         "peak needs them (32)"},
        {"states",
         "sets of executed operators to look at, about, while loops and orders are searched "
         "together "
         "(100000)"}},
       plan_pex},
      {"motes",
       "operators split along connected axes where the peak is, under a limit on time (MoteS)",
       {{"max_latency", "estimated instructions, as a ratio of those of whole operators (1.05)"},
        {"beam", "sets of partition schemes kept (8)"},
        {"parts", "blocks of one scheme, at most; each is written down (16)"},
        {"windows",
         "what crosses the border of two blocks: blocks are joined, rings are kept, or any "
         "(any)"},
        {"order",
         "post_order as in the paper; least: that of reorder; or narrow: the same, but what only "
         "goes on as smaller tensors does so at once, and what attention needs whole is made first "
         "(narrow)"},
        {"reach", "operators around the peak where a scheme may begin or end (32)"},
        {"steps",
         "most steps that parts written down one by one add (half as many as there are operators, "
         "and 100)"},
        {"schemes", "tried per round (24)"},
        {"accounting",
         "paper: nothing that is made in parts lies over what is consumed; exact: all that the "
         "kernels can (exact)"}},
       plan_motes},
      {"tinyseg",
       "whole operators; tensors that are idle lie in flash, on a card or a host meanwhile "
       "(TinySeg)",
       {{"target", "bytes of the arena at which enough is spilled (the limit on SRAM, or 0)"}},
       plan_tinyseg,
       nullptr,
       Spills::kAlways},
      {"stream",
       "spans of operators execute row by row, in rings, with outputs over consumed inputs",
       {{"granularity",
         "row, pixel, or auto: pixels, which take longer, only where the peak needs them (auto)"}},
       plan_stream,
       nullptr,
       Spills::kNever,
       /*streams=*/true},
      {"swapnn",
       "layer by layer from a card and back, in tiles that go through buffers (Miao & Lin 2021)",
       {{"buffer", "bytes of each buffer (16384)"}},
       plan_swapnn,
       nullptr,
       Spills::kAlways},
      {"auto",
       "groups of every kind together, for memory and estimated time; the front with --pareto",
       {{"written", "bytes that an inference may write to storage (any; with --storage)"},
        {"moved",
         "bytes that an inference may write to storage and read (any; likewise, where "
         "weights or maps come from there)"},
        {"microjoules", "what the storage may take of energy in an inference (any; likewise)"}},
       nullptr,
       plan_auto,
       Spills::kWhereAsked,
       /*streams=*/true},
  };
  return all;
}

PlannerChoice choose_planner(const std::string& spec) {
  const size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  PlannerChoice choice;
  std::string names;
  for (const Planner& planner : planners()) {
    if (name == planner.name) choice.planner = &planner;
    names += (names.empty() ? "" : ", ") + std::string(planner.name);
  }
  if (choice.planner == nullptr) {
    throw CompileError("--planner",
                       fmt::format("there is no planner '{}'; there are: {}", name, names));
  }
  std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string pair = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const size_t equals = pair.find('=');
    const std::string key = pair.substr(0, equals);
    if (equals == std::string::npos || !choice.planner->options.contains(key)) {
      std::string keys;
      for (const auto& [known, meaning] : choice.planner->options)
        keys += (keys.empty() ? "" : ", ") + known;
      throw CompileError("--planner",
                         fmt::format("'{}' is no option of {}; options (key=value): {}", pair, name,
                                     keys.empty() ? "none" : keys));
    }
    choice.options[key] = pair.substr(equals + 1);
  }
  return choice;
}

}  // namespace thimble
