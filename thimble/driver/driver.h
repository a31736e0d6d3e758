// SPDX-License-Identifier: Apache-2.0
// The whole path behind one function: a model in; plan, figures and firmware sources out. It prints
// nothing, writes no file, starts no thread that it was not asked for and never ends the process.
//
//   const thimble::Answer answer = thimble::compile({.model = thimble::ModelBytes{"kws", bytes},
//                                                    .sram_bytes = 64 * 1024,
//                                                    .emission = thimble::Emission{}});
//   if (const auto* no = std::get_if<thimble::Infeasible>(&answer)) {
//     std::puts(no->reason.c_str());  // no plan needs less than no->lower_bound_bytes
//   } else {
//     const auto& kws = std::get<thimble::Compiled>(answer);
//     kws.fits();                        // within the limits, kws.program.arena_bytes() of
//     SRAM for (const thimble::EmittedFile& file : kws.files) save(file.path, file.text);
//   }
//
// "Does not fit" is an answer. The model's fault, or the request's, throws CompileError, which says
// what is wrong and where (model/error.h); InternalError is a bug in Thimble. `examples/embedding`
// is a whole program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/driver/source.h"
#include "thimble/emit/emit.h"
#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"
#include "thimble/plan/front.h"
#include "thimble/plan/note.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/planner.h"
#include "thimble/program/program.h"
#include "thimble/program/verify.h"
#include "thimble/report/note_text.h"
#include "thimble/report/verdict.h"
#include "thimble/target/target.h"

namespace thimble {

/// What compile() does, in this order; calibration and emission only if asked for.
enum class Phase : uint8_t { kReading, kPlanning, kCalibrating, kPlacing, kVerifying, kEmitting };
[[nodiscard]] const char* name(Phase phase);  ///< "reading the model", ...

/// Called at the begin of each phase, and some fifty times a second while searches run, on the
/// caller's thread. false cancels: soon in searches, elsewhere before the next phase.
using PhaseCallback = std::function<bool(Phase)>;

/// Typical inputs, from a file: "input.0", ... or the names of the network's inputs. A tensor may
/// hold several inferences along a leading axis of its own.
struct Calibration {
  std::string name;  ///< in messages and reports
  TensorFile tensors;
};

/// Options of the sources that are written.
struct Emission {
  std::string name = {};            ///< of files and functions; empty: the network's
  std::string command = "thimble";  ///< that made them, for the banner
  std::span<const RuntimeFile> runtime = runtime_files();  ///< what is copied
  /// What other models use of kernels that share the runtime; all_parts(): whatever these are.
  std::set<std::string> also_used = all_parts();
};

struct Request {
  ModelSource model;
  ImportOptions import = {};  ///< of a model that is a file
  GraphOptions graph = {};
  Target target = {};  ///< default: kernels for any core, no limits
  std::optional<int64_t> sram_bytes = {}, flash_bytes = {};  ///< instead of the target's
  /// What the arena leaves of the SRAM for the stack and for tensors that the caller brings. As
  /// much as the plan needs is left whatever is asked for here.
  int64_t beside_arena_bytes = 0;
  /// Format of weights, on cores with kernels for it; nothing: the first that flash has room for.
  std::optional<Weights> weights = {};
  bool external_ram = false;  ///< what does not fit on chip may lie in the target's external RAM
  std::string planner = {};   ///< "NAME:key=value,..."; empty: the best there is
  std::optional<double> max_recompute = {};  ///< MACs beyond the network's, as a ratio of them
  /// Most estimated instructions for `auto`, which has a choice of plans, as a ratio of the fastest
  /// plan's: default any with a limit on bytes, else Limits::max_latency.
  std::optional<double> max_latency = {};
  int64_t effort = 1;  ///< of its search: work grows in proportion, about
  int jobs = 1;  ///< threads that searches may start, which end before the answer; 0: all cores
  std::optional<int64_t> pick = {};  ///< this plan of its front, from 1, whatever the limits
  bool in_place = true;              ///< outputs over inputs that are no longer needed
  PortPlaces ports = {};
  /// What is kept between inferences in memory of its own (kStateMemory), so that other models may
  /// use the arena in between.
  bool states_apart = false;
  LayoutMethod layout = LayoutMethod::kExact;
  double time_limit_seconds = 300;              ///< of planning and layout together: a safety net
  std::optional<Calibration> calibration = {};  ///< for planners with lossy sums
  std::optional<Emission> emission = {};        ///< nothing: no files
  PhaseCallback progress = {};

  /// What an inference may need of SRAM with contiguous addresses, and the code with its weights of
  /// flash: nothing if any size will do.
  [[nodiscard]] std::optional<int64_t> sram_limit_bytes() const;
  [[nodiscard]] std::optional<int64_t> flash_limit_bytes() const;
  /// What is left of the SRAM for the arena.
  [[nodiscard]] std::optional<int64_t> arena_limit_bytes() const;
};

/// What a plan costs beside its memory, which is in PlacedPlan::placement.
struct PlanCost {
  std::vector<int64_t> live_bytes;        ///< per step
  int64_t macs = 0, recomputed_macs = 0;  ///< executed; of these, beyond the network's own
  int64_t weight_bytes = 0;               ///< packed constants
};

/// The name of the memory that Request::states_apart adds.

/// A plan that is proven right, and what there is to know of it.
struct Compiled {
  std::string where, sha256;  ///< of the model, see Source
  Target target;
  std::optional<int64_t> sram_limit_bytes, flash_limit_bytes;
  Graph graph;  ///< as planned, with the plan's accumulators
  PlacedPlan plan;
  std::optional<Plan> decided;  ///< that it was built from; of a saved plan nothing
  bool mixed_weights = false;   ///< each operator's in a format of its own, for want of flash
  std::vector<Note> notes;      ///< sentence() says them
  Program program;
  Verification verification;
  PlanCost cost;
  std::optional<Front> front;  ///< that the plan was chosen from, if its planner has a choice
  double plan_seconds = 0, layout_seconds = 0;
  std::vector<EmittedFile> files;  ///< if the request has an emission
  Verdict verdict;                 ///< by estimate, of all that the firmware takes

  /// Within the limits: a planner's best may be more, which is told here and not refused.
  [[nodiscard]] bool fits() const { return verdict.fits(); }
};

struct Cancelled {
  Phase phase;  ///< that was not finished
};

using Answer = std::variant<Compiled, Infeasible, Cancelled>;

/// Reads, rewrites, plans, places, lowers, verifies and emits. The same request gives the same
/// bytes, unless the time limit struck (a note says so). Throws InternalError if the verifier finds
/// a fault: nothing unverified goes further.
[[nodiscard]] Answer compile(const Request& request);

/// Throws CompileError for what only `auto` looks at, if another planner is named.
void check_search_options(const Request& request);

/// Names of the planners that can do it, the best last: that is the one which needs no name.
[[nodiscard]] std::vector<std::string> planners_for(const PortPlaces& ports);

/// The files of a verified program, as compile() would have written them.
[[nodiscard]] std::vector<EmittedFile> emitted_files(const Compiled& compiled,
                                                     const Emission& emission);

/// A saved plan against its model. The returned verification may have a fault; the cost is left out
/// (described() adds it): a hostile plan is not walked again. `where` names the plan's file. Throws
/// CompileError if it is no plan of this model.
[[nodiscard]] Compiled check_plan(const Source& source, const GraphOptions& options,
                                  const PlacedPlan& plan, const std::string& where);
/// check_plan() of a saved plan, whose model must be this one.
[[nodiscard]] Compiled check_saved_plan(const Source& source, const SavedPlan& saved,
                                        int64_t max_bytes, const std::string& where);
/// What the model of a saved plan was planned as.
[[nodiscard]] GraphOptions options_of(const PlanOrigin& origin, int64_t max_bytes);
[[nodiscard]] Compiled described(Compiled checked);

}  // namespace thimble
