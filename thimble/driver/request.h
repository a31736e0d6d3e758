// SPDX-License-Identifier: Apache-2.0
// What is asked for: a model, limits, how to search, what to write. request_fields.h has a row for
// each of these, from which options of the command line and JSON follow.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>

#include "thimble/driver/accumulator_scales.h"
#include "thimble/driver/class_labels.h"
#include "thimble/driver/source.h"
#include "thimble/emit/project.h"
#include "thimble/emit/uses.h"
#include "thimble/import/tensor_file.h"
#include "thimble/plan/placement.h"
#include "thimble/projects/ecosystem.h"
#include "thimble/schedule/memories.h"
#include "thimble/target/target.h"

namespace thimble {

/// What compile() does, in this order; calibration and emission only if asked for.
enum class Phase : uint8_t { kReading, kPlanning, kCalibrating, kPlacing, kVerifying, kEmitting };
[[nodiscard]] const char* name(Phase phase);  ///< "reading the model", ...

/// Called at the beginning of each phase, and some fifty times a second while searches run, on the
/// caller's thread. false cancels: soon in searches, elsewhere before the next phase.
using PhaseCallback = std::function<bool(Phase)>;

/// Where scales of lossy sums are from. Typical inputs, from a file: "input.0", ... or the names of
/// the network's inputs; a tensor may hold several inferences along a leading axis of its own. Or
/// scales that were learnt.
struct Calibration {
  std::string name;  ///< in messages and reports
  std::variant<TensorFile, AccumulatorScales> from;
};

/// Options of the sources that are written.
struct Emission {
  std::string name = {};            ///< of files and functions; empty: the network's
  std::string command = "thimble";  ///< that made them, for the banner
  std::span<const RuntimeFile> runtime = runtime_files();  ///< what is copied
  /// What other models use of kernels that share the runtime; all_parts(): whatever these are.
  std::set<std::string> also_used = all_parts();
  WeightsForm weights = WeightsForm::kAuto;
  int64_t most_text_bytes = EmitOptions().most_text_bytes;  ///< of constants that are printed
  bool micro_interpreter = false;  ///< beside it the interface of tflite::MicroInterpreter
  bool trace = false;              ///< the code tells what it computes, for `thimble diagnose`
  /// Whose layout the folder gets, and with that the example (projects/ecosystem.h).
  std::string ecosystem = ecosystems().front().name;
};

struct Request {
  ModelSource model;
  ImportOptions import = {};  ///< of a model that is a file
  GraphOptions graph = {};
  Target target = {};             ///< default: kernels for any core, no limits
  std::string target_file = {};   ///< that the target was read from; empty: it is a known device
  std::string latency_file = {};  ///< that what the target's core measured was read from
  std::optional<int64_t> sram_bytes = {}, flash_bytes = {};  ///< instead of the target's
  /// What the arena leaves of the SRAM for the stack and for tensors that the caller brings. As
  /// much as the plan needs is left whatever is asked for here.
  int64_t beside_arena_bytes = 0;
  /// Format of weights, on cores with kernels for it; nothing: the first that flash has room for.
  std::optional<Weights> weights = {};
  bool external_ram = false;  ///< what does not fit on chip may lie in the target's external RAM
  /// Block storage that plans may use: the name of one of the target's, or what one is that it does
  /// not know, "NAME:write=32,erase=4K,size=1M" (storage.h); empty: any, if the planner wants some.
  std::string storage = {};
  std::string planner = {};                  ///< "NAME:key=value,..."; empty: the best there is
  std::optional<double> max_recompute = {};  ///< MACs beyond the network's, as a ratio of them
  /// Most estimated instructions for `auto`, which has a choice of plans, as a ratio of the fastest
  /// plan's: default any with a limit on bytes, else Limits::max_latency.
  std::optional<double> max_latency = {};
  int64_t effort = 1;  ///< of its search: work grows in proportion, about; 0: little
  int jobs = 1;  ///< threads that searches may start, which end before the answer; 0: all cores
  std::optional<int64_t> pick = {};  ///< this plan of its front, from 1, whatever the limits
  bool in_place = true;              ///< outputs over inputs that are no longer needed
  PortPlaces ports = {};
  int64_t align_ports = 1;  ///< of those in arenas (plan/port_alignment.h)
  /// What is kept between inferences in memory of its own (kStateMemory), so that other models may
  /// use the arena in between.
  bool states_apart = false;
  LayoutMethod layout = LayoutMethod::kExact;
  double time_limit_seconds = 300;              ///< of planning and layout together: a safety net
  std::optional<Calibration> calibration = {};  ///< for planners with lossy sums
  ClassLabels labels = {};                      ///< instead of those in the model's file
  std::optional<Emission> emission = {};        ///< nothing: no files
  PhaseCallback progress = {};

  /// What an inference may need of SRAM with contiguous addresses, and the code with its weights of
  /// flash: nothing if any size will do.
  [[nodiscard]] std::optional<int64_t> sram_limit_bytes() const;
  [[nodiscard]] std::optional<int64_t> flash_limit_bytes() const;
  /// What is left of the SRAM for the arena.
  [[nodiscard]] std::optional<int64_t> arena_limit_bytes() const;
};

}  // namespace thimble
