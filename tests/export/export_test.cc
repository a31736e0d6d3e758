// SPDX-License-Identifier: Apache-2.0
// What is written as .tflite comes back the same, with the versions that converters write.
#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>

#include <map>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tflite.h"
#include "thimble/import/tflite/schema.h"
#include "thimble/model/error.h"
#include "zoo/builder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

void expect_same(const Graph& graph, const Graph& back) {
  EXPECT_EQ(back.ops, graph.ops);
  EXPECT_EQ(back.inputs, graph.inputs);
  EXPECT_EQ(back.outputs, graph.outputs);
  for (const Op& op : graph.ops) {
    for (const auto* operands : {&op.inputs, &op.outputs}) {
      for (const TensorId t : *operands) {
        EXPECT_EQ(back.tensor(t), graph.tensor(t)) << graph.tensor(t).name;
      }
    }
  }
}

TEST(Export, RealModelsComeBack) {
  THIMBLE_NEEDS_SHARED();
  for (const std::string& model : testing::issue_models()) {
    const Graph graph = import_tflite(testing::model_path(model));
    expect_same(graph, import_tflite(export_tflite(graph), graph.name, model));
  }
}

TEST(Export, SingleOperatorsComeBack) {
  THIMBLE_NEEDS_SHARED();
  for (const testing::OpsCase& test_case : testing::ops_cases()) {
    Graph graph = import_tflite(test_case.model());
    SCOPED_TRACE(graph.name);
    if (!graph.states.empty()) {
      EXPECT_THROW((void)export_tflite(graph), CompileError);
      continue;
    }
    // SPLIT comes back as the slices that it was taken apart into.
    for (size_t o = 0; o < graph.ops.size(); ++o) graph.ops[o].file_index = static_cast<int>(o);
    expect_same(graph, import_tflite(export_tflite(graph), graph.name, graph.name));
  }
}

TEST(Export, OperatorsHaveTheVersionsOfInt8) {
  zoo::Builder net("n", 1);
  TensorId x = net.conv(net.input({1, 8, 8, 4}), {.channels = 4, .kernel = 3});
  x = net.add(net.depthwise(x, {}), net.conv(x, {.channels = 4, .groups = 2}));
  const Graph graph = net.finish({net.softmax(net.fully_connected(x, {.channels = 3}))});
  const Bytes bytes = export_tflite(graph);
  const tflite::Model& model = *tflite::GetModel(bytes.data());
  std::multimap<std::string, int> versions;
  for (const tflite::OperatorCode* code : *model.operator_codes()) {
    versions.emplace(tflite::EnumNameBuiltinOperator(code->builtin_code()), code->version());
    EXPECT_EQ(static_cast<int>(code->deprecated_builtin_code()),
              static_cast<int>(code->builtin_code()));
  }
  const std::multimap<std::string, int> expected = {{"ADD", 2},     {"CONV_2D", 3},
                                                    {"CONV_2D", 6}, {"DEPTHWISE_CONV_2D", 3},
                                                    {"SOFTMAX", 2}, {"FULLY_CONNECTED", 4}};
  EXPECT_EQ(versions, expected);
  EXPECT_EQ(model.version(), 3U);
}

std::string refusal(const Graph& graph) {
  try {
    static_cast<void>(export_tflite(graph));
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Export, RefusesPaddingThatTheFormatLacks) {
  zoo::Builder net("n", 1);
  const TensorId x = net.input({1, 8, 8, 2});
  Graph graph = net.finish({net.conv(x, {.channels = 2, .kernel = 3, .stride = 2})});
  std::get<Conv2D>(graph.ops[0].attributes).window.padding = {1, 0, 1, 0};
  EXPECT_THAT(refusal(graph), HasSubstr("CONV_2D #0: the .tflite format has no room for"));
}

TEST(Export, RefusesReorderedAndReshapedInputs) {
  zoo::Builder net("n", 1);
  Graph graph = net.finish({net.relu(net.input({1, 8, 8, 2}))});
  graph.inputs[0].order = {0, 3, 1, 2};
  EXPECT_THAT(refusal(graph), HasSubstr("n: an input or output of another shape or order of axes"));
  graph.inputs[0].order.clear();
  graph.inputs[0].shape = {1, elements(graph.tensor(graph.inputs[0].tensor).shape)};
  EXPECT_THAT(refusal(graph), HasSubstr("n: an input or output of another shape or order of axes"));
}

}  // namespace
}  // namespace thimble
