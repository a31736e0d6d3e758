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
//     kws.fits();  // within the limits, with kws.program.arena_bytes() of SRAM
//     for (const thimble::EmittedFile& file : kws.files) save(file.path, file.text);
//   }
//
// "Does not fit" is an answer. The model's fault, or the request's, throws CompileError, which says
// what is wrong and where (model/error.h); InternalError is a bug in Thimble. `examples/embedding`
// is a whole program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/driver/compiled.h"
#include "thimble/driver/request.h"
#include "thimble/driver/request_fields.h"
#include "thimble/model/error.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/report/note_text.h"

namespace thimble {

/// Reads, rewrites, plans, places, lowers, verifies and emits. The same request gives the same
/// bytes, unless the time limit struck (a note says so). Throws InternalError if the verifier finds
/// a fault: nothing unverified goes further.
[[nodiscard]] Answer compile(const Request& request);

/// Whether effort and a choice of plans are a matter for the planner; empty: for the best there is.
/// Throws CompileError if there is none of that name.
[[nodiscard]] bool has_search(const std::string& planner);
/// Throws CompileError for what only `auto` looks at, if another planner is named.
void check_search_options(const Request& request);

/// Names of the planners that can do it, the best last: that is the one which needs no name.
[[nodiscard]] std::vector<std::string> planners_for(const PortPlaces& ports);

/// The hash of NAME_plan.json, by which firmware says what it was made of.
[[nodiscard]] std::string plan_sha256(const Compiled& compiled);

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
/// What a plan that is saved says of the model, and how that was prepared.
[[nodiscard]] PlanOrigin plan_origin(const Source& source, const GraphOptions& options);
/// What the model of a saved plan was planned as.
[[nodiscard]] GraphOptions options_of(const PlanOrigin& origin, int64_t max_bytes);
/// A checked plan with its cost, for a report.
[[nodiscard]] Compiled described(Compiled checked);

}  // namespace thimble
