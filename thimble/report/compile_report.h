// SPDX-License-Identifier: Apache-2.0
// The answer of `thimble compile`: does it fit, at what cost, and if not, what to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/analysis/traffic.h"
#include "thimble/plan/front.h"
#include "thimble/plan/note.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/program/estimate.h"
#include "thimble/program/explain.h"
#include "thimble/program/program.h"
#include "thimble/report/advice.h"
#include "thimble/report/page_figures.h"
#include "thimble/report/verdict.h"
#include "thimble/report/warning.h"
#include "thimble/report/weight_formats_text.h"
#include "thimble/target/target.h"

namespace thimble {

/// What only cross-compiling tells.
struct MeasuredCost {
  int64_t code_bytes = 0, weight_bytes = 0;
  /// Stack and instructions of an inference on an emulated board, if there is one.
  std::optional<int64_t> stack_bytes, instructions;
  int64_t static_ram_bytes = 0;
  std::string core;
  std::string machine;              ///< that ran it, by QEMU's name; empty: none
  int64_t deepest_stack_bytes = 0;  ///< of the deepest chain of calls, whatever the data
};

/// Instead of a core that nobody named: what one takes for the same plan with kernels of its own.
struct UnnamedCore {
  std::string core;
  double instructions = 0;  ///< estimated, of an inference
  int64_t arena_bytes = 0;  ///< with their scratch; another layout may need less
};

/// Everything a report says. References live as long as the caller's compilation.
struct CompileReport {
  const Graph& graph;
  const PlacedPlan& plan;
  const Program& program;
  std::string model;  ///< as the user named it
  std::optional<Target> device;
  std::optional<int64_t> sram_limit_bytes, flash_limit_bytes;
  std::vector<int64_t> live_bytes;  ///< per step
  std::vector<std::string> notes;
  std::optional<note::ConstantChannels> constant_channels;
  int64_t macs = 0, recomputed_macs = 0;
  int64_t weight_bytes = 0;
  bool verified = false;
  std::optional<MeasuredCost> measured;
  std::string core;                         ///< empty: none was named
  std::optional<UnnamedCore> unnamed_core;  ///< if none was, and there was time
  std::optional<CoreEstimate> estimate;
  std::vector<MemoryWaits> waits;         ///< of slow memories that buffers lie in
  std::vector<KernelChoice> kernels;      ///< if asked for
  std::optional<Front> front;             ///< of planners with a choice of plans
  std::vector<Alternative> alternatives;  ///< that were tried
  std::vector<Warning> warnings;          ///< said first
  std::vector<WeightFormat> formats;      ///< of weights: where a core has kernels for several
  Verdict verdict;                        ///< with what was measured, if anything was
  PageFigures page = {};                  ///< of what is written for scripts

  [[nodiscard]] bool fits_sram() const { return verdict.fits_sram(); }
  [[nodiscard]] bool fits_flash() const { return verdict.fits_flash(); }
  [[nodiscard]] bool fits() const { return verdict.fits(); }
};

[[nodiscard]] std::string report_text(const CompileReport& report);
[[nodiscard]] std::string report_json(const CompileReport& report);

}  // namespace thimble
