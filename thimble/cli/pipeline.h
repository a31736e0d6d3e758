// SPDX-License-Identifier: Apache-2.0
// From what the user typed to a verified program: load, rewrite, plan, place, lower, verify.
#pragma once

#include <string>

#include "thimble/cli/options.h"
#include "thimble/import/sha256.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/program/estimate.h"
#include "thimble/program/program.h"
#include "thimble/program/verify.h"

namespace thimble {

/// A model as it came.
struct Source {
  Graph graph;         ///< as imported, nothing rewritten
  std::string where;   ///< the file, for messages
  std::string sha256;  ///< of the file; of the graph's description for the zoo
};
[[nodiscard]] Source load(const std::string& model);
/// Its graph alone, without a line of progress (for use in several threads).
[[nodiscard]] Graph load_graph(const std::string& model);

/// The graph that is planned: rewritten, its edges integers if asked for.
[[nodiscard]] Graph prepare(const Source& source, const ModelOptions& options);
[[nodiscard]] Graph prepare(const Graph& graph, const ModelOptions& options);

struct Compiled {
  Graph graph;  ///< with the plan's accumulators
  Plan plan;
  Planned planned;  ///< notes and bounds; its schedule is in `plan`
  Program program;
  Verification verification;
  std::vector<int64_t> live_bytes;   ///< per step
  std::vector<std::string> remarks;  ///< those of the notes that concern whoever has the code only
  int64_t macs = 0, recomputed_macs = 0;
  int64_t weight_bytes = 0;  ///< packed constants
};

/// The planner's answer, whose schedule is well formed; scales of accumulators measured if there is
/// a file for it. `choice` is that of options.planner.
[[nodiscard]] PlannerAnswer plan_graph(const Graph& graph, const PlannerChoice& choice,
                                       const PlanOptions& options, const TimeLimit& time);
[[nodiscard]] Placement place_buffers(const Graph& graph, const Planned& planned,
                                      const PlanOptions& options, const TimeLimit& time);
/// Says that the time limit ended a search.
[[nodiscard]] std::string time_limit_note(const PlanOptions& options);
/// What is kept of an answer, with its addresses. `planner` is as the user named it.
[[nodiscard]] Plan plan_of(const std::string& planner, const Planned& planned, Placement placement);
/// Lowers and verifies. `where` names the model in messages. Throws InternalError if the verifier
/// finds a fault.
[[nodiscard]] Compiled verified(Graph graph, Plan plan, Planned planned, const std::string& where);

/// Everything but the emission, or the planner's "no". Throws InternalError if the verifier finds a
/// fault: nothing unverified goes further.
[[nodiscard]] std::variant<Compiled, Infeasible> compile_model(const Source& source,
                                                               const ModelOptions& model,
                                                               const PlanOptions& options);

/// On the device's core at its clock; without a device on `core`, at no clock.
[[nodiscard]] std::optional<CoreEstimate> estimate_on(const Program& program,
                                                      const std::optional<Target>& device,
                                                      const std::string& core = "cortex-m4");

/// "does not fit: ..." and the bound, for standard output.
[[nodiscard]] std::string infeasible_text(const Infeasible& no);

/// A saved plan against its model. The returned verification may have a fault; live bytes, MACs and
/// weights are left out (described() adds them): a hostile plan is not walked again.
[[nodiscard]] Compiled check_plan(const Source& source, const ModelOptions& model, const Plan& plan,
                                  const std::string& where);
[[nodiscard]] Compiled described(Compiled checked);

}  // namespace thimble
