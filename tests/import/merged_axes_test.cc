// SPDX-License-Identifier: Apache-2.0
// PAD, MEAN and SUM of five and six axes, where neighbours that are treated alike become one.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "thimble/export/tflite.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "zoo/random.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

Graph one_op(Attributes attributes, const Shape& in, const Shape& out) {
  Graph g{.name = "g"};
  const bool alike = std::holds_alternative<Pad>(attributes);
  g.tensors = {{.name = "x",
                .shape = in,
                .type = DType::kInt8,
                .quantization = {.scales = {0.5F}, .zero_points = {-7}},
                .data = nullptr},
               {.name = "y",
                .shape = out,
                .type = DType::kInt8,
                .quantization = {.scales = {alike ? 0.5F : 0.7F}, .zero_points = {alike ? -7 : 11}},
                .data = nullptr}};
  g.ops = {{std::move(attributes), {TensorId{0}}, {TensorId{1}}, 0}};
  g.inputs = {{.tensor = TensorId{0}}};
  g.outputs = {{.tensor = TensorId{1}}};
  return g;
}

/// What the import makes of it; both compute the same.
Graph merged(const Graph& graph) {
  Graph result = import_tflite(export_tflite(graph), graph.name, "g.tflite");
  Bytes x(static_cast<size_t>(graph.tensor(TensorId{0}).size_bytes()));
  zoo::Random random(1);
  for (uint8_t& byte : x) byte = static_cast<uint8_t>(random.next());
  const TensorId out = result.outputs[0].tensor;
  EXPECT_EQ(interpret(result, {x})[out.index()], interpret(graph, {x})[1]);
  return result;
}

Graph pad(const Shape& in, const std::vector<int64_t>& before, const std::vector<int64_t>& after) {
  Shape out = in;
  for (size_t i = 0; i < in.size(); ++i) out[i] += before[i] + after[i];
  return one_op(Pad{.before = before, .after = after, .value = -7}, in, out);
}

template <class Reduction>
Graph reduction(const Shape& in, const std::vector<int>& axes, bool keeps) {
  Shape out;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool reduced = std::ranges::find(axes, static_cast<int>(i)) != axes.end();
    if (!reduced || keeps) out.push_back(reduced ? 1 : in[i]);
  }
  return one_op(Reduction{axes}, in, out);
}

TEST(MergedAxes, OfPads) {
  const Graph graph = merged(pad({2, 3, 4, 5, 3}, {0, 0, 1, 0, 0}, {0, 0, 2, 0, 0}));
  ASSERT_EQ(graph.ops.size(), 3U);
  const auto& made = std::get<Pad>(graph.ops[1].attributes);
  EXPECT_EQ(made.before, (std::vector<int64_t>{0, 15}));
  EXPECT_EQ(made.after, (std::vector<int64_t>{0, 30}));
  (void)merged(pad({1, 3, 4, 5, 3}, {0, 0, 1, 1, 0}, {0, 2, 2, 1, 0}));
  (void)merged(pad({1, 1, 3, 2, 2}, {0, 0, 1, 1, 1}, {0, 0, 0, 2, 0}));
  (void)merged(pad({2, 3, 2, 2, 2, 2}, {1, 0, 0, 1, 0, 1}, {0, 0, 1, 0, 0, 2}));
  (void)merged(pad({2, 1, 2, 2, 3}, {0, 0, 0, 0, 0}, {0, 1, 0, 0, 0}));
}

TEST(MergedAxes, OfReductions) {
  for (const bool keeps : {false, true}) {
    const Graph graph = merged(reduction<Mean>({2, 3, 4, 5, 6}, {1, 2}, keeps));
    ASSERT_EQ(graph.ops.size(), 3U);
    EXPECT_EQ(std::get<Mean>(graph.ops[1].attributes).axes, std::vector<int>{1});
    EXPECT_EQ(graph.tensor(graph.ops[1].inputs[0]).shape, (Shape{2, 12, 30}));
    (void)merged(reduction<Mean>({2, 3, 4, 5, 6}, {0, 1, 4}, keeps));
    (void)merged(reduction<Mean>({2, 3, 1, 5, 2, 2}, {1, 3, 5}, keeps));
    (void)merged(reduction<Sum>({2, 3, 2, 2, 3}, {2, 4}, keeps));
    (void)merged(reduction<Sum>({1, 3, 2, 2, 3}, {0, 1, 2, 3, 4}, keeps));
  }
}

TEST(MergedAxes, PadsOneAfterTheOtherWhereTheyAreMoreThanFour) {
  (void)merged(pad({2, 3, 4, 5, 6}, {1, 1, 1, 1, 1}, {0, 0, 2, 0, 0}));
  (void)merged(pad({2, 1, 3, 2, 2, 3}, {1, 0, 1, 0, 1, 0}, {0, 0, 2, 0, 0, 3}));
}

TEST(MergedAxes, MeansOverMoreThanFourAreRefused) {
  try {
    (void)merged(reduction<Mean>({2, 3, 4, 5, 6}, {0, 2, 4}, true));
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 to 4 axes"));
  }
}

}  // namespace
}  // namespace thimble
