// SPDX-License-Identifier: Apache-2.0
// kernel_bench itself compares its count of instructions with the board's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

std::vector<std::string> split(const std::string& line) {
  std::istringstream fields(line);
  std::vector<std::string> result;
  for (std::string field; std::getline(fields, field, ',');) result.push_back(field);
  if (line.ends_with(',')) result.emplace_back();
  return result;
}

TEST(KernelBench, CountsEveryCall) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "calls.csv").string();
  const ProcessResult result = run_process(
      {.arguments = {THIMBLE_KERNEL_BENCH, "--output", path, "zoo:demo"}, .working_folder = {}});
  ASSERT_TRUE(result.succeeded()) << result.err;
  std::ifstream lines(path);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  const std::vector<std::string> columns = split(line);
  int64_t calls = 0, instructions = 0, cycles = 0;
  std::map<std::string, std::string> row;
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = split(line);
    ASSERT_THAT(fields, SizeIs(columns.size()));
    for (size_t k = 0; k < fields.size(); ++k) row[columns[k]] = fields[k];
    if (row["operator"] == "total") break;
    ++calls;
    EXPECT_GT(std::stoll(row["code_bytes"]), 0) << line;
    // No instruction takes less than a cycle, and few take more than two.
    const int64_t counted = std::stoll(row["instructions"]);
    EXPECT_THAT(std::stoll(row["cycles"]), AllOf(Ge(counted), Le(4 * counted))) << line;
    instructions += counted;
    cycles += std::stoll(row["cycles"]);
  }
  ASSERT_EQ(row["operator"], "total");
  EXPECT_GT(calls, 2);
  // What is between the calls is little: a row of the table of steps takes some 600, to unpack
  // its parameters.
  EXPECT_THAT(std::stoll(row["instructions"]),
              AllOf(Ge(instructions), Le(instructions + 700 * calls)));
  EXPECT_GE(std::stoll(row["cycles"]), cycles);
}

}  // namespace
}  // namespace thimble
