// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/hand_plans.h"

#include "tests/support/random_network.h"
#include "thimble/plan/placement.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"

namespace thimble::testing {
namespace {

constexpr int64_t kLayoutWork = 100'000;  // any layout will do

}  // namespace

std::string fault_of(const Graph& graph, const Schedule& schedule) {
  if (std::string why = malformed(graph, schedule); !why.empty()) return "malformed: " + why;
  const Program program = lower(graph, schedule, place(graph, schedule, {.work = kLayoutWork}));
  if (std::string why = verify(graph, program).fault; !why.empty()) return "verify: " + why;
  const std::vector<Bytes> inputs = noise(graph, 1);
  if (execute(program, inputs) != expected_outputs(graph, inputs)) return "other outputs";
  return "";
}

}  // namespace thimble::testing
