// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/hand_plans.h"

#include "thimble/import/tensor_file.h"
#include "thimble/plan/placement.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {

std::string fault_of(const Graph& graph, const Schedule& schedule) {
  if (std::string why = malformed(graph, schedule); !why.empty()) return "malformed: " + why;
  const Program program = lower(graph, schedule, place(graph, schedule, {}));
  if (std::string why = verify(graph, program).fault; !why.empty()) return "verify: " + why;
  std::vector<Bytes> inputs;
  for (const Port& port : graph.inputs) {
    const Tensor& in = graph.tensor(port.tensor);
    inputs.push_back(random_bytes(in.type, elements(in.shape), 1));
  }
  const std::vector<Bytes> outputs = execute(program, inputs);
  const std::vector<Bytes> expected = interpret(graph, inputs);
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    if (outputs[k] != expected[graph.outputs[k].tensor.index()]) return "other outputs";
  }
  return "";
}

}  // namespace thimble::testing
