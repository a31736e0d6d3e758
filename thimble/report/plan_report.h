// SPDX-License-Identifier: Apache-2.0
// A schedule with its addresses for people: `thimble plan` as text, JSON and a picture.
//
//   step    live  executes                             computes    reads  writes  tensor
//                 loop i0 < 144 (steps 0 to 2)
//      0  20,449  | CONV_2D #0                         channel i0  b0     b1      e
//      1  20,618  | DEPTHWISE_CONV_2D #1               channel i0  b1     b2      d
//      2  20,449  | CONV_2D #2, adds input channel i0  all         b2     b3      y
//      3  20,280  CONV_2D #2, finalises                all         b3     b4      y
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/analysis/traffic.h"
#include "thimble/plan/front.h"
#include "thimble/plan/note.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/program/estimate.h"
#include "thimble/report/advice.h"
#include "thimble/report/page_figures.h"
#include "thimble/report/verdict.h"

namespace thimble {

/// Everything that is said of a plan. References live as long as the caller's compilation. The
/// schedule is not malformed().
struct PlanReport {
  const Graph& graph;
  const PlacedPlan& plan;
  std::string model;                ///< as the user named it
  std::vector<int64_t> live_bytes;  ///< per step, as live_bytes() gives them
  std::vector<std::string> notes;
  std::optional<note::ConstantChannels> constant_channels;
  int64_t macs = 0, recomputed_macs = 0;
  int64_t weight_bytes = 0;
  std::optional<int64_t> sram_limit_bytes, flash_limit_bytes;
  std::optional<CoreEstimate> estimate;
  std::vector<MemoryWaits> waits;         ///< of slow memories that buffers lie in
  std::optional<Front> front;             ///< of planners with a choice of plans
  std::vector<Alternative> alternatives;  ///< that were tried

  Verdict verdict;
  std::string device = {}, core = {};  ///< empty: none was named
  PageFigures page = {};               ///< of what is written for scripts

  [[nodiscard]] bool fits() const { return verdict.fits(); }
};

/// The tree of loops and steps, then the buffers.
[[nodiscard]] std::string plan_text(const PlanReport& report);
/// The tree and the buffers for scripts. Numbers that follow counters are strings: "2 * i0 + 1".
[[nodiscard]] std::string plan_json(const PlanReport& report);
/// The front, which there is, instead of the plan that was taken.
[[nodiscard]] std::string pareto_text(const PlanReport& report);
/// Steps to the right, addresses upwards, a rectangle per buffer, loops shaded. Well-formed XML
/// whatever the tensors are called; every rectangle says what it is when the mouse is over it.
[[nodiscard]] std::string plan_svg(const PlanReport& report);

}  // namespace thimble
