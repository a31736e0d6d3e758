// SPDX-License-Identifier: Apache-2.0
// Small networks in any bytes: what is compiled computes what the reference computes.
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/report/tensor_text.h"

namespace {

constexpr int64_t kMostBytes = 1 << 17, kMostMacs = 1 << 15;  // for tries per second

bool is_small(const thimble::Graph& graph) {
  int64_t bytes = 0;
  for (const thimble::Tensor& tensor : graph.tensors) bytes += tensor.size_bytes();
  return bytes <= kMostBytes && thimble::macs(graph) <= kMostMacs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const thimble::Graph graph = thimble::import_tflite({data, size}, "fuzz", "fuzz.tflite");
    if (!is_small(graph)) return 0;
    for (const char* planner : {"reorder", "stream"}) {
      const thimble::Answer answer = thimble::compile({.model = thimble::source_of(graph),
                                                       .graph = {.max_bytes = kMostBytes},
                                                       .planner = planner,
                                                       .time_limit_seconds = 2,
                                                       .emission = thimble::Emission{}});
      const auto* compiled = std::get_if<thimble::Compiled>(&answer);
      if (compiled == nullptr) continue;
      thimble::InputCase noise = thimble::seeded_case(compiled->graph, 1);
      const thimble::Inferences expected = thimble::run_reference(compiled->graph, {noise});
      const thimble::Inferences found = thimble::run_host(*compiled, {noise});
      for (size_t k = 0; k < expected.outputs[0].size(); ++k) {
        const thimble::Tensor& t = compiled->graph.tensor(compiled->graph.outputs[k].tensor);
        thimble::check(
            thimble::first_difference(expected.outputs[0][k], found.outputs[0][k], t.type, t.shape)
                .empty(),
            "another output than the reference's");
      }
    }
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so. Anything else (InternalError included) is a finding.
  }
  return 0;
}
