// SPDX-License-Identifier: Apache-2.0
// Any bytes are imported as ONNX, in each arithmetic, or refused with CompileError; the survey of
// them ends; what is imported has access maps and costs.
#include "thimble/import/onnx.h"
#include "thimble/import/survey.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace {

void look_at(const thimble::Graph& graph) {
  for (const thimble::Op& op : graph.ops) {
    (void)thimble::access_map(graph, op);
    (void)thimble::macs(graph, op);
  }
}

bool is_imported(std::span<const uint8_t> bytes, thimble::QuantisedAs arithmetic) {
  try {
    look_at(thimble::import_onnx(bytes, "fuzz", "fuzz.onnx", "", {.quantised = arithmetic}));
    return true;
  } catch (const thimble::CompileError&) {
    return false;  // the input's fault, and said so
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool as_written = is_imported({data, size}, thimble::QuantisedAs::kFloat);
  (void)is_imported({data, size}, thimble::QuantisedAs::kTflite);
  try {
    const thimble::Survey survey = thimble::survey_onnx({data, size}, "fuzz", "fuzz.onnx", "");
    thimble::check(!as_written || survey.obstacles.empty(),
                   "an obstacle that does not stop anything");
  } catch (const thimble::CompileError&) {
    thimble::check(!as_written, "the survey refuses what is imported");
  }
  return 0;
}
