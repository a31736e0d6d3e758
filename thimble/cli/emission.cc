// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/emission.h"

#include "thimble/model/error.h"

namespace thimble {

std::vector<EmittedFile> emit_compiled(const Compiled& compiled, const Source& source,
                                       const std::string& name, const std::string& command,
                                       std::span<const RuntimeFile> runtime) {
  check(compiled.verification.ok(), "only verified programs are emitted");
  return emit(compiled.graph, compiled.program,
              {.name = name,
               .command = command,
               .version = THIMBLE_VERSION,
               .sha256 = source.sha256,
               .planner = compiled.plan.planner,
               .live_bytes = compiled.live_bytes,
               .lower_bound_bytes = compiled.plan.placement.arena().lower_bound_bytes,
               .layout_proven_optimal = compiled.plan.placement.arena().proven_optimal,
               .macs = compiled.macs,
               .remarks = compiled.remarks,
               .runtime = runtime});
}

}  // namespace thimble
