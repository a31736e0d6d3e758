// SPDX-License-Identifier: Apache-2.0
#include "training/learn/accumulators.h"

#include <gtest/gtest.h>

#include <cmath>

#include "zoo/zoo.h"

namespace thimble::training {
namespace {

/// A 1 x 1 convolution of two channels into one, whose weights are 1.
class NarrowSums : public ::testing::Test {
 protected:
  torch::Tensor sums(float first, float second, bool observes = false) {
    x_ = torch::tensor({first, second}).reshape({1, 2, 1, 1}).requires_grad_(true);
    const Op op{.attributes = {Conv2D{}}, .inputs = {}, .outputs = {}};
    return narrow_sums(op, x_, torch::ones({1, 2, 1, 1}), torch::zeros({1}), sums_, observes);
  }

  torch::Tensor x_;
  LearntAccumulator sums_{.type = DType::kInt8,
                          .chunk = 1,
                          .log_scale = torch::zeros({}).requires_grad_(true),
                          .zero_point = torch::zeros({})};
};

TEST_F(NarrowSums, RoundAfterEachChunk) {
  EXPECT_EQ(sums(1.4F, 2.4F).item<float>(), 3);  // in one chunk: 4
  sums_.chunk = 2;
  EXPECT_EQ(sums(1.4F, 2.4F).item<float>(), 4);
}

TEST_F(NarrowSums, Saturate) {
  EXPECT_EQ(sums(100, 100).item<float>(), 127);
  EXPECT_EQ(sums(150, -100).item<float>(), 27);  // saturated on the way
  sums_.zero_point.fill_(-28);
  EXPECT_EQ(sums(100, 100).item<float>(), 155);
}

TEST_F(NarrowSums, PassGradientsWhereTheyAreNotSaturated) {
  sums(1.4F, 2.4F).backward();
  EXPECT_EQ(x_.grad()[0][1][0][0].item<float>(), 1);
  // By the logarithm of the scale: what rounding has changed.
  EXPECT_NEAR(sums_.log_scale.grad().item<float>(), 3 - 3.8F, 1e-5);
  sums_.log_scale.mutable_grad().zero_();
  sums(100, 100).backward();
  EXPECT_EQ(x_.grad()[0][1][0][0].item<float>(), 0);
  EXPECT_NEAR(sums_.log_scale.grad().item<float>(), 127, 1e-5);
}

TEST_F(NarrowSums, MakeRoomForWhatTheySee) {
  (void)sums(100, -355, true);
  EXPECT_NEAR(std::exp(sums_.log_scale.item<double>()), 355.0 / 255, 1e-6);  // from -255 to 100
  EXPECT_EQ(sums_.zero_point.item<float>(), 55);
  EXPECT_NEAR(sums(100, -355).item<float>(), -255, 1.4);
  (void)sums(10, 20, true);  // has room already
  EXPECT_NEAR(std::exp(sums_.log_scale.item<double>()), 355.0 / 255, 1e-6);
}

TEST(Accumulators, AreThoseOfThePlan) {
  const Graph graph = build_zoo_float("resnet8");
  EXPECT_TRUE(accumulators_of(graph, {.planner = "pex"}).empty());
  const LearntAccumulators narrow =
      accumulators_of(graph, {.planner = "pex:accounting=paper,accumulators=8"});
  ASSERT_FALSE(narrow.empty());
  for (const auto& [name, sums] : narrow) EXPECT_EQ(sums.type, DType::kInt8) << name;
  EXPECT_EQ(learnt_scales(narrow).size(), narrow.size());
}

}  // namespace
}  // namespace thimble::training
