// SPDX-License-Identifier: Apache-2.0
#include "bench/nnls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "zoo/random.h"

namespace thimble {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using Rows = std::vector<std::vector<double>>;

TEST(NonnegativeLeastSquares, FindsWhatTheLinesWereMadeFrom) {
  EXPECT_THAT(nonnegative_least_squares({{1, 0}, {1, 1}, {1, 2}}, {3, 5, 7}),
              ElementsAre(DoubleNear(3, 1e-6), DoubleNear(2, 1e-6)));
}

// Unconstrained it would be 4 - x.
TEST(NonnegativeLeastSquares, KeepsToZeroWhatWouldBeBelow) {
  EXPECT_THAT(nonnegative_least_squares({{1, 0}, {1, 1}, {1, 2}}, {4, 3, 2}),
              ElementsAre(DoubleNear(3, 1e-6), DoubleNear(0, 1e-6)));
}

TEST(NonnegativeLeastSquares, GivesNothingToColumnsOfZeros) {
  EXPECT_THAT(nonnegative_least_squares({{0, 2}, {0, 4}}, {1, 2}),
              ElementsAre(0, DoubleNear(0.5, 1e-6)));
}

// At the least: no gradient points to where an entry may still go (Karush, Kuhn, Tucker).
TEST(NonnegativeLeastSquares, IsOptimalOnRandomSystems) {
  zoo::Random random(1);
  for (int round = 0; round < 50; ++round) {
    const auto columns = static_cast<size_t>(random.between(1, 12));
    Rows rows(30, std::vector<double>(columns));
    std::vector<double> b(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      for (double& a : rows[i]) a = random.unit() < 0.4 ? 0 : random.unit();
      b[i] = random.unit() - 0.3;
    }
    const std::vector<double> x = nonnegative_least_squares(rows, b);
    for (size_t j = 0; j < columns; ++j) {
      double gradient = 0;
      for (size_t i = 0; i < rows.size(); ++i) {
        double residual = b[i];
        for (size_t k = 0; k < columns; ++k) residual -= rows[i][k] * x[k];
        gradient += rows[i][j] * residual;
      }
      EXPECT_GE(x[j], 0);
      EXPECT_LT(gradient, 1e-6);
      EXPECT_GT(gradient, x[j] > 0 ? -1e-6 : -1e6);
    }
  }
}

}  // namespace
}  // namespace thimble
