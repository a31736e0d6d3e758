// SPDX-License-Identifier: Apache-2.0
// Sizes that a network computes of its shapes are known when it is imported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/tflite_builder.h"
#include "thimble/import/survey.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TfliteBuilder;
using tflite::BuiltinOperator;
using tflite::TensorType;

/// x 2x3x4 -> RELU -> RESHAPE by whatever `sizes` makes of x -> 2x12.
class Sizes {
 public:
  Sizes() : x(net.tensor({2, 3, 4})), shape(integers({3})) {
    net.op(BuiltinOperator::SHAPE, {x}, {shape});
    net.inputs({x});
  }

  int32_t integers(TfliteBuilder::Dims dims, TensorType type = TensorType::INT32) {
    return net.tensor(std::move(dims), type);
  }
  int32_t binary(BuiltinOperator code, int32_t a, int32_t b, TfliteBuilder::Dims dims = {}) {
    const int32_t out = integers(std::move(dims));
    net.op(code, {a, b}, {out});
    return out;
  }
  int32_t strided(int32_t from, int32_t begin, int32_t end, TfliteBuilder::Dims dims,
                  bool dropped) {
    const int32_t out = integers(std::move(dims));
    tflite::StridedSliceOptionsT options;
    options.shrink_axis_mask = dropped ? 1 : 0;
    net.op(BuiltinOperator::STRIDED_SLICE,
           {from, net.constant(std::vector<int32_t>{begin}),
            net.constant(std::vector<int32_t>{end}), net.constant(std::vector<int32_t>{1})},
           {out}, options);
    return out;
  }
  int32_t pack(TfliteBuilder::Dims parts) {
    const int32_t out = integers({static_cast<int32_t>(parts.size())});
    tflite::PackOptionsT options;
    options.values_count = static_cast<int32_t>(parts.size());
    net.op(BuiltinOperator::PACK, std::move(parts), {out}, options);
    return out;
  }
  Graph reshaped(int32_t sizes) {
    const int32_t flat = net.tensor({2, 12}), y = net.tensor({2, 12});
    net.op(BuiltinOperator::RESHAPE, {x, sizes}, {flat});
    net.op(BuiltinOperator::RELU, {flat}, {y});
    net.outputs({y});
    return import_tflite(net.bytes(), "net", "net.tflite");
  }

  TfliteBuilder net;
  int32_t x, shape;
};

std::vector<int32_t> values(const Graph& graph, int32_t tensor) {
  const Bytes& data = *graph.tensor(TensorId{tensor}).data;
  std::vector<int32_t> result(data.size() / sizeof(int32_t));
  std::memcpy(result.data(), data.data(), data.size());
  return result;
}

TEST(Extents, OfAReshapeThatKeepsTheBatch) {
  Sizes s;
  const int32_t batch = s.strided(s.shape, 0, 1, {}, true);
  const int32_t sizes =
      s.pack({batch, s.net.constant({}, TensorType::INT32, testing::bytes_of<int32_t>({12}))});
  const Graph graph = s.reshaped(sizes);
  EXPECT_THAT(values(graph, sizes), ElementsAre(2, 12));
  EXPECT_EQ(graph.ops.size(), 2U) << "RESHAPE and RELU";
  EXPECT_THAT(survey_tflite(s.net.bytes(), "net", "net.tflite").obstacles, IsEmpty());
}

TEST(Extents, ComputesWithThem) {
  Sizes s;
  const int32_t rest = s.strided(s.shape, 1, 3, {2}, false);
  const int32_t count =
      s.binary(BuiltinOperator::REDUCE_PROD, rest, s.net.constant(std::vector<int32_t>{0}));
  const int32_t batch = s.strided(s.shape, 0, 1, {}, true);
  const int32_t five = s.net.constant({}, TensorType::INT32, testing::bytes_of<int32_t>({-5}));
  const int32_t quotient = s.binary(BuiltinOperator::FLOOR_DIV, five, batch);
  const Graph graph = s.reshaped(s.pack({batch, count}));
  EXPECT_THAT(values(graph, rest), ElementsAre(3, 4));
  EXPECT_THAT(values(graph, count), ElementsAre(12));
  EXPECT_THAT(values(graph, quotient), ElementsAre(-3)) << "rounded down";
}

TEST(Extents, OfOtherTypesAndFilled) {
  Sizes s;
  const int32_t wide = s.integers({3}, TensorType::INT64);
  s.net.op(BuiltinOperator::CAST, {s.shape}, {wide});
  const int32_t filled = s.net.tensor({2, 3, 4});
  const int32_t value = s.net.constant({}, TensorType::INT8, {7});
  s.net.op(BuiltinOperator::FILL, {wide, value}, {filled});
  const Graph graph = s.reshaped(s.net.constant(std::vector<int32_t>{2, 12}));
  EXPECT_EQ(graph.tensor(TensorId{wide}).data->size(), 24U);
  EXPECT_EQ(*graph.tensor(TensorId{filled}).data, Bytes(24, 7));
}

TEST(Extents, WhatDoesNotFitIsRefused) {
  Sizes s;
  const int32_t most = s.net.constant(std::vector<int32_t>{std::numeric_limits<int32_t>::max()});
  const int32_t twice =
      s.binary(BuiltinOperator::FLOOR_DIV, most, s.net.constant(std::vector<int32_t>{0}), {1});
  try {
    (void)s.reshaped(twice);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("RESHAPE #2: is damaged: its parameters make shape 0"));
  }
}

TEST(Extents, WhatDependsOnValuesIsRefused) {
  TfliteBuilder net;
  const int32_t x = net.tensor({4}, TensorType::INT32), y = net.tensor({1}, TensorType::INT32);
  net.op(BuiltinOperator::REDUCE_PROD, {x, net.constant(std::vector<int32_t>{0})}, {y});
  net.inputs({x});
  net.outputs({y});
  EXPECT_THROW((void)import_tflite(net.bytes(), "net", "net.tflite"), CompileError);
}

}  // namespace
}  // namespace thimble
