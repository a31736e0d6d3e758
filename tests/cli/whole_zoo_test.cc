// SPDX-License-Identifier: Apache-2.0
// `thimble compare` over the whole zoo: every network planned and verified. All planners take
// two to three times as long: bench/results/zoo.csv.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/workload.h"
#include "zoo/zoo.h"

namespace thimble::testing {
namespace {

using WholeZoo = CommandLine;

TEST_F(WholeZoo, IsCompared) {
  if (!workload().large_networks)
    GTEST_SKIP() << "plans the whole zoo: set THIMBLE_LARGE_NETWORKS=1 to run it";
  const ProcessResult result =
      thimble({"compare", "--zoo", "--planners", "original,reorder", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json models = json_of(result.out).at("models");
  ASSERT_EQ(models.size(), zoo_entries().size());
  for (size_t k = 0; k < models.size(); ++k)
    EXPECT_EQ(models.at(k).at("model"), "zoo:" + zoo_entries()[k].name);
  for (const nlohmann::json& model : models) {
    const nlohmann::json& cells = model.at("planners");
    EXPECT_LE(cells.at(1).at("peak_bytes"), cells.at(0).at("peak_bytes")) << model.at("model");
  }
}

}  // namespace
}  // namespace thimble::testing
