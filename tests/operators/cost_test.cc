// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulates and output shapes.
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/spoil.h"
#include "tests/support/random_op.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble::testing {
namespace {

int64_t macs_of(const std::string& kind) { return macs(literal_op(kind)); }

TEST(Macs, CountsTapsInThePadding) { EXPECT_EQ(macs_of("conv_2d"), 5 * 4 * 6 * (3 * 3 * 4)); }

TEST(Macs, CountsTheGroupsChannelsOnly) {
  Graph graph = literal_op("conv_2d");
  set_shape(graph, 1, {6, 3, 3, 2});
  EXPECT_EQ(macs(graph), 5 * 4 * 6 * (3 * 3 * 2));
}

TEST(Macs, CountsDepthwiseTaps) { EXPECT_EQ(macs_of("depthwise_conv_2d"), 2 * 2 * 6 * (3 * 3)); }

TEST(Macs, CountsMatrixProducts) {
  EXPECT_EQ(macs_of("fully_connected"), 2 * 3 * 5 * 4);
  EXPECT_EQ(macs_of("batch_matmul"), 2 * 3 * 5 * 4);
}

TEST(Macs, CountsNothingElse) {
  EXPECT_EQ(macs_of("average_pool_2d"), 0);
  EXPECT_EQ(macs_of("mul"), 0);
}

TEST(Macs, CountsARegion) {
  const Graph graph = literal_op("conv_2d");
  EXPECT_EQ(macs(graph, graph.ops[0], {{0, 1}, {2, 3}, {0, 4}, {0, 6}}), 4 * 6 * 36);
}

/// bench/baseline.md of the shared data.
TEST(Macs, MatchesThePublishedModels) {
  THIMBLE_NEEDS_SHARED();
  const std::pair<const char*, int64_t> published[] = {
      {"ad01_int8", 264'192},          {"kws_ref_model", 2'656'768},
      {"person_detect", 7'157'888},    {"vww_96_int8", 7'489'664},
      {"tinyengine_vww", 11'578'816},  {"pretrainedResnet_quant", 12'501'632},
      {"mcunetv2_large", 216'815'264}, {"mobilenet_v2", 300'774'272},
  };
  for (const auto& [name, count] : published) {
    const auto file = shared_folder() / "models" / (std::string(name) + ".tflite");
    EXPECT_EQ(macs(import_tflite(file)), count) << name;
  }
}

TEST(OutputShape, OfEveryOperatorIsTheRecordedOne) {
  for (uint64_t seed = 0; seed < 20 * std::variant_size_v<AnyOperator>; ++seed) {
    const Graph graph = random_op_graph(seed);
    const Op& op = graph.ops[0];
    EXPECT_EQ(output_shape(graph, op), graph.tensor(op.outputs[0]).shape) << "seed " << seed;
  }
}

TEST(OutputShape, RefusesReshapeToAnotherSize) {
  Graph graph = literal_op("reshape");
  set_shape(graph, 1, {5, 5});
  EXPECT_THROW(static_cast<void>(output_shape(graph, graph.ops[0])), InternalError);
}

}  // namespace
}  // namespace thimble::testing
