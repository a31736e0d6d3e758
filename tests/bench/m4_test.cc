// SPDX-License-Identifier: Apache-2.0
// bench/results/m4.csv: what the models of the Cortex-M4 cost. A change that alters a number alters
// the file too, so that it is seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

const char* const kResults = THIMBLE_SOURCE_DIR "/bench/results/m4.csv";
constexpr const char* kUpdate =
    "if the change is meant: "
    "THIMBLE_UPDATE=1 GTEST_FILTER='M4Results.*' scripts/run_tests build/dev";

/// A results file of firmware_bench: "# COMMAND (TOOLS)", names of columns, rows.
struct Results {
  std::string command, tools;
  std::string columns;
  std::map<std::string, std::string> rows;  ///< by model and plan
};

Results read_results(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string head;
  std::getline(file, head);
  const size_t bracket = head.rfind(" (");
  if (!head.starts_with("# ") || bracket == std::string::npos) return {};
  Results results{head.substr(2, bracket - 2), head.substr(bracket + 1), {}, {}};
  std::getline(file, results.columns);
  for (std::string line; std::getline(file, line);) {
    const size_t end_of_plan = line.find(',', line.find(',') + 1);
    results.rows[line.substr(0, end_of_plan)] = line.substr(std::min(end_of_plan, line.size()));
  }
  return results;
}

/// Runs the command of the file, with its models wherever the shared data are.
Results measure_again(const std::string& command) {
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path() / "m4.csv";
  const std::string shared = "../shared/";
  std::vector<std::string> arguments{THIMBLE_FIRMWARE_BENCH};
  std::istringstream words(command);
  std::string word;
  words >> word;  // the program
  while (words >> word) {
    if (!arguments.empty() && arguments.back() == "--output") word = output.string();
    if (word.starts_with(shared)) word = testing::shared_folder() / word.substr(shared.size());
    arguments.push_back(word);
  }
  const ProcessResult run = run_process(
      {.arguments = arguments, .working_folder = THIMBLE_SOURCE_DIR, .timeout_seconds = 600});
  EXPECT_TRUE(run.succeeded()) << run.err;
  return read_results(output);
}

/// A number of a row, by the name of its column (all but the first two).
int64_t field(const Results& results, const std::string& row, const std::string& column) {
  std::istringstream names(results.columns), values(row);
  std::string name, value;
  for (int k = 0; k < 2; ++k) std::getline(names, name, ',');
  std::getline(values, value, ',');  // before the first comma there is nothing
  while (std::getline(names, name, ',') && std::getline(values, value, ',')) {
    if (name == column) return std::stoll(value);
  }
  ADD_FAILURE() << "no " << column << " in " << row;
  return 0;
}

/// "GCC 12.2.1 -O2" of "(GCC 12.2.1 -O2, QEMU ...".
std::string compiler(const Results& results) {
  return results.tools.substr(0, results.tools.find(','));
}

void write_results(const Results& results) {
  std::ofstream file(kResults, std::ios::binary);
  file << "# " << results.command << " " << results.tools << "\n" << results.columns << "\n";
  for (const auto& [name, row] : results.rows) file << name << row << "\n";
}

TEST(M4Results, AreWhatIsMeasured) {
  THIMBLE_NEEDS_SHARED();
  const Results recorded = read_results(kResults);
  ASSERT_FALSE(recorded.command.empty()) << kResults << " has no command in its first line";
  Results measured = measure_again(recorded.command);
  ASSERT_FALSE(measured.rows.empty());
  for (const auto& [name, row] : measured.rows)
    EXPECT_LT(field(measured, row, "stack_bytes"), 1024) << name;
  measured.command = recorded.command;
  if (testing::workload().update) {
    write_results(measured);
    return;
  }
  if (compiler(measured) != compiler(recorded)) {
    GTEST_SKIP() << "bench/results/m4.csv was measured with another arm-none-eabi-g++: "
                 << recorded.tools << ", here " << measured.tools;
  }
  EXPECT_EQ(measured.columns, recorded.columns) << kUpdate;
  for (const auto& [name, row] : recorded.rows) {
    EXPECT_EQ(measured.rows[name], row) << name << " of " << recorded.columns << "; " << kUpdate;
  }
  EXPECT_EQ(measured.rows.size(), recorded.rows.size()) << kUpdate;
}

}  // namespace
}  // namespace thimble
