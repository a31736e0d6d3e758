// SPDX-License-Identifier: Apache-2.0
// Files for the interpreter: smaller arenas, standard operators, plans that its rules accept.
#include "thimble/interpreter/for_interpreter.h"

#include <gmock/gmock.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "zoo/builder.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSubsetOf;

InterpreterFile exported(const Graph& graph) {
  return file_for_interpreter(graph, rewritten_for_interpreter(graph, false), {});
}

TEST(ForInterpreter, RealNetworksNeedLess) {
  THIMBLE_NEEDS_SHARED();
  struct Expected {
    const char* model;
    int64_t before, after;  ///< bytes of tensors in the arena
  };
  for (const Expected& e : std::initializer_list<Expected>{{"person_detect", 55296, 36864},
                                                           {"vww_96_int8", 73728, 46080}}) {
    const InterpreterFile file = exported(import_tflite(testing::model_path(e.model)));
    EXPECT_EQ(file.as_rewritten.greedy_bytes, e.before) << e.model;
    EXPECT_LE(file.final.tensor_bytes(), e.after) << e.model;
    EXPECT_GT(file.inferences, 0);
    EXPECT_THAT(file.kinds,
                IsSubsetOf({"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "FULLY_CONNECTED",
                            "RESHAPE", "SOFTMAX", "CONCATENATION", "SLICE", "PAD"}));
  }
}

TEST(ForInterpreter, TinyUnetNeedsLess) {
  const InterpreterFile file = exported(build_zoo("tiny_unet"));
  EXPECT_EQ(file.as_rewritten.greedy_bytes, 307200);
  EXPECT_LE(file.final.tensor_bytes(), 192000);
  EXPECT_TRUE(file.has_plan);
  EXPECT_GT(file.more_macs, 0);
}

TEST(ForInterpreter, KeepsPortsAndTheirNames) {
  const Graph graph = build_zoo("demo");
  const Graph back = import_tflite(exported(graph).bytes, "demo", "demo");
  const auto expect_same = [&](const std::vector<Port>& ports, const std::vector<Port>& of_file) {
    ASSERT_EQ(ports.size(), of_file.size());
    for (size_t k = 0; k < ports.size(); ++k)
      EXPECT_EQ(graph.tensor(ports[k].tensor), back.tensor(of_file[k].tensor));
  };
  expect_same(graph.inputs, back.inputs);
  expect_same(graph.outputs, back.outputs);
}

TEST(ForInterpreter, WithoutSplitsAndPlansTheRestIsLeft) {
  const Graph graph = build_zoo("tiny_unet");
  const InterpreterFile file =
      file_for_interpreter(graph, graph, {.split = false, .offline_plan = false});
  EXPECT_FALSE(file.has_plan);
  EXPECT_EQ(file.more_macs, 0);
  EXPECT_EQ(file.operators, static_cast<int64_t>(graph.ops.size()));
  EXPECT_EQ(import_tflite(file.bytes, graph.name, graph.name).ops.size(), graph.ops.size());
}

TEST(ForInterpreter, RefusesWhatAFileCannotSay) {
  Graph graph = build_zoo("demo");
  graph.states.push_back({graph.inputs[0].tensor, graph.outputs[0].tensor, nullptr});
  EXPECT_THROW((void)file_for_interpreter(graph, graph, {}), CompileError);
}

}  // namespace
}  // namespace thimble
