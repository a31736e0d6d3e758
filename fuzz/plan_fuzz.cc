// SPDX-License-Identifier: Apache-2.0
// Any text is a saved plan or refused; what is accepted is proved, and computes what the reference
// computes.
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/model/error.h"
#include "thimble/plan/saved_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const thimble::Source source = thimble::load("zoo:demo");
  try {
    thimble::SavedPlan saved = thimble::plan_from_json(
        std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
    saved.origin.sha256 = source.sha256;
    const thimble::Compiled compiled =
        thimble::check_saved_plan(source, saved, int64_t{1} << 20, "fuzz.json");
    if (!compiled.verification.ok()) return 0;
    const thimble::InputCase noise = thimble::seeded_case(compiled.graph, 1);
    const thimble::Inferences found = thimble::run_host(compiled, {noise});
    if (!compiled.plan.accumulators.empty()) return 0;  // they may be lossy
    const thimble::Inferences expected = thimble::run_reference(compiled.graph, {noise});
    thimble::check(found.outputs == expected.outputs, "another output than the reference's");
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so.
  }
  return 0;
}
