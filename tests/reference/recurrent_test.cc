// SPDX-License-Identifier: Apache-2.0
// Recurrent layers in float32 on values small enough to compute by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/one_op.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return constant(DType::kFloat32, shape, values, 1);
}

/// h = max(x + h / 2, 0) over the sequence 1, 2, 3 from 10.
std::vector<float> halving(bool reverse) {
  OneOp op{Recurrent{.cell = Cell::kRelu, .reverse = reverse}};
  op.input(floats({1, 3, 1}, {1, 2, 3}));
  op.input(floats({1, 1}, {10}));
  op.input(floats({1, 1, 1}, {1}));
  op.input(floats({1, 1, 1}, {0.5F}));
  op.input(floats({1, 1}, {0}));
  return op.run<float>(DType::kFloat32, {1, 3, 1});
}

TEST(Recurrent, CarriesTheHiddenStateFromTimeToTime) {
  EXPECT_THAT(halving(false), ElementsAre(6, 5, 5.5F));
}

TEST(Recurrent, ReversedBeginsWithTheLastTime) { EXPECT_THAT(halving(true), ElementsAre(4, 6, 8)); }

TEST(Recurrent, OfTanhMixesUnits) {
  OneOp op{Recurrent{.cell = Cell::kTanh}};
  op.input(floats({1, 1, 1}, {1}));
  op.input(floats({1, 2}, {0.25F, 0.5F}));
  op.input(floats({1, 2, 1}, {0.5F, 1}));
  op.input(floats({1, 2, 2}, {0, 1, 1, 0}));
  op.input(floats({1, 2}, {0.125F, -0.25F}));
  EXPECT_THAT(op.run<float>(DType::kFloat32, {1, 1, 2}),
              ElementsAre(FloatNear(std::tanh(1.125F), 1e-6F), FloatNear(std::tanh(1.0F), 1e-6F)));
}

/// Two units from 1 and 2, update and reset gates at a half; the candidate of each has the other
/// one's hidden state.
std::vector<float> gated(Cell cell, const std::vector<float>& biases) {
  OneOp op{Recurrent{.cell = cell}};
  op.input(floats({1, 1, 1}, {1}));
  op.input(floats({1, 2}, {1, 2}));
  op.input(floats({3, 2, 1}, {0, 0, 0, 0, 0.25F, 0.5F}));
  op.input(floats({3, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0}));
  op.input(floats({std::ssize(biases) / 2, 2}, biases));
  return op.run<float>(DType::kFloat32, {1, 1, 2});
}

// 0.25 + (2 + 1) / 2, 0.5 + (1 + 3) / 2.
TEST(Recurrent, GruResetsTheProductWithItsBias) {
  EXPECT_THAT(gated(Cell::kGru, {0, 0, 0, 0, 0, 0, 1, 3}),
              ElementsAre(FloatNear(0.5F * std::tanh(1.75F) + 0.5F, 1e-6F),
                          FloatNear(0.5F * std::tanh(2.5F) + 1, 1e-6F)));
}

// 0.25 + 2 / 2 + 1, 0.5 + 1 / 2 + 3.
TEST(Recurrent, GruMayResetHiddenStatesBefore) {
  EXPECT_THAT(gated(Cell::kGruResetBefore, {0, 0, 0, 0, 1, 3}),
              ElementsAre(FloatNear(0.5F * std::tanh(2.25F) + 0.5F, 1e-6F),
                          FloatNear(0.5F * std::tanh(4.0F) + 1, 1e-6F)));
}

// i, f, o at a half, no candidate: each time halves the cells.
TEST(Lstm, ReversedEndsWithTheFirstTime) {
  OneOp op{Lstm{.reverse = true}};
  op.input(floats({1, 2, 1}, {0, 0}));
  op.input(floats({1, 2}, {0, 8}));
  op.input(floats({4, 1, 1}, {0, 0, 0, 0}));
  op.input(floats({4, 1, 1}, {0, 0, 0, 0}));
  op.input(floats({4, 1}, {0, 0, 0, 0}));
  EXPECT_THAT(op.run<float>(DType::kFloat32, {1, 3}),
              ElementsAre(FloatNear(0.5F * std::tanh(2.0F), 1e-6F),
                          FloatNear(0.5F * std::tanh(4.0F), 1e-6F), 2));
}

}  // namespace
}  // namespace thimble::testing
