// SPDX-License-Identifier: Apache-2.0
// `thimble compare` over the whole zoo: every network planned and verified, in the time promised.
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "zoo/zoo.h"

namespace thimble::testing {
namespace {

using WholeZoo = CommandLine;

TEST_F(WholeZoo, IsComparedInUnderFiveMinutes) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result = thimble({"compare", "--zoo", "--json"});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json models = nlohmann::json::parse(result.out).at("models");
  ASSERT_EQ(models.size(), zoo_entries().size());
  for (size_t k = 0; k < models.size(); ++k)
    EXPECT_EQ(models.at(k).at("model"), "zoo:" + zoo_entries()[k].name);
  for (const nlohmann::json& model : models) {
    const nlohmann::json& cells = model.at("planners");
    EXPECT_LE(cells.at(2).at("peak_bytes"), cells.at(0).at("peak_bytes")) << model.at("model");
  }
  std::printf("whole zoo: %.0f s\n", seconds.count());
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(seconds.count(), 300);
#endif
}

}  // namespace
}  // namespace thimble::testing
