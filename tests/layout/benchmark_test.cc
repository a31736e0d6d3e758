// SPDX-License-Identifier: Apache-2.0
// The published static allocation problems (google/minimalloc) fit the capacity in their file's
// name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/shared.h"
#include "thimble/layout/layout.h"
#include "thimble/layout/problem_csv.h"

namespace thimble::layout {
namespace {

Problem read_problem(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return problem_from_csv(text, path.string()).problem;
}

class PublishedProblem : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedProblem, FitsItsCapacity) {
  const std::string name = GetParam();
  const auto path = thimble::testing::shared_folder() / "bench" / "layout" / (name + ".csv");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs " << path << ": set THIMBLE_SHARED";
  const Problem problem = read_problem(path);
  const int64_t capacity = std::stoll(name.substr(name.find('.') + 1));
  const Solution solution = exact(problem, {.work = 1'000'000'000, .good_enough_bytes = capacity});
  EXPECT_EQ(validate(problem, solution.addresses), "");
  EXPECT_LE(solution.arena_bytes, capacity);
}

// What takes most work of the eight: its bound can be met.
TEST(PublishedLeast, OfDIsItsBound) {
  const auto path = thimble::testing::shared_folder() / "bench" / "layout" / "D.1048576.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs " << path << ": set THIMBLE_SHARED";
  const Solution solution = exact(read_problem(path), {});
  EXPECT_TRUE(solution.proven_optimal);
  EXPECT_EQ(solution.arena_bytes, 986'112);
}

INSTANTIATE_TEST_SUITE_P(Minimalloc, PublishedProblem,
                         ::testing::Values("example.12", "A.1048576", "B.1048576", "C.1048576",
                                           "D.1048576", "E.1048576", "F.1048576", "G.1048576",
                                           "H.1048576"),
                         [](const auto& kind) {
                           return std::string(kind.param, std::string(kind.param).find('.'));
                         });

}  // namespace
}  // namespace thimble::layout
