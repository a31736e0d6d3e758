// SPDX-License-Identifier: Apache-2.0
// Any bytes are imported or refused with CompileError; the survey of them agrees; what is imported
// has access maps and costs, and cut off behind its middle it is imported too.
#include "thimble/import/survey.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace {

void look_at(const thimble::Graph& graph) {
  for (const thimble::Op& op : graph.ops) {
    (void)thimble::access_map(graph, op);
    (void)thimble::macs(graph, op);
  }
}

bool is_imported(std::span<const uint8_t> bytes) {
  try {
    const thimble::Graph graph = thimble::import_tflite(bytes, "fuzz", "fuzz.tflite");
    look_at(graph);
    const thimble::TensorId middle = graph.ops[graph.ops.size() / 2].outputs[0];
    look_at(thimble::import_tflite(bytes, "fuzz", "fuzz.tflite",
                                   {.until = {std::to_string(middle.value)}}));
    return true;
  } catch (const thimble::CompileError&) {
    return false;  // the input's fault, and said so
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool imported = is_imported({data, size});
  try {
    const thimble::Survey survey = thimble::survey_tflite({data, size}, "fuzz", "fuzz.tflite");
    thimble::check(!imported || survey.obstacles.empty(),
                   "an obstacle that does not stop anything");
  } catch (const thimble::CompileError&) {
    thimble::check(!imported, "the survey refuses what is imported");
  }
  return 0;
}
