// SPDX-License-Identifier: Apache-2.0
// The interpreter against all small models of one operator, and how many of them are taken: a table
// that may only grow (bench/results/ops.csv; THIMBLE_UPDATE=1 writes it).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "tests/reference/compare_golden.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

const char* const kTable = THIMBLE_SOURCE_DIR "/bench/results/ops.csv";

/// Models of an operator and a type, those that are taken, why the first other one is not.
struct Row {
  int models = 0, taken = 0;
  std::string refusal;
};
using Rows = std::map<std::string, Row>;  ///< "ADD,int8"

/// What stands behind file and operator.
std::string reason(const std::string& message) {
  size_t begin = 0;
  for (const std::string_view before : {".tflite: ", " #0: "}) {
    const size_t at = message.find(before);
    if (at != std::string::npos) begin = at + before.size();
  }
  const std::string text = message.substr(begin);
  return text.substr(0, std::min(text.find("; docs/supported_ops.md"), text.find("; it has ")));
}

/// The cases whose operator begins with one of the letters. All that is taken must be exact.
Rows compared(const std::string& letters) {
  Rows rows;
  Counts counts;
  for (const OpsCase& c : all_ops_cases()) {
    if (letters.find(c.op[0]) == std::string::npos) continue;
    SCOPED_TRACE(fmt::format("{}: {}", c.name, c.configuration));
    Row& row = rows[c.op + ',' + c.type];
    ++row.models;
    try {
      const Graph graph = import_tflite(c.model());
      EXPECT_EQ(compare(graph, load_golden(c.golden()), counts), "");
      ++row.taken;
    } catch (const CompileError& error) {
      if (row.refusal.empty()) row.refusal = reason(error.what());
    }
  }
  return rows;
}

std::string line(const Rows::value_type& row) {
  return fmt::format("{},{},{},\"{}\"\n", row.first, row.second.models, row.second.taken,
                     row.second.refusal);
}

class AllOps : public ::testing::TestWithParam<std::string> {};

TEST_P(AllOps, AreExactOrRefusedAsRecorded) {
  THIMBLE_NEEDS_SHARED();
  std::ifstream file(kTable);
  const std::string table{std::istreambuf_iterator<char>(file), {}};
  for (const Rows::value_type& row : compared(GetParam())) {
    EXPECT_NE(table.find('\n' + line(row)), std::string::npos)
        << line(row)
        << "if that is more than it was: THIMBLE_UPDATE=1 GTEST_FILTER='WriteOpsTable.*' "
           "scripts/run_tests build/dev";
  }
}

INSTANTIATE_TEST_SUITE_P(Letters, AllOps,
                         ::testing::Values("A", "B", "CD", "EFGHIJ", "KLM", "NOPQR", "S",
                                           "TUVWXYZ"),
                         [](const auto& tested) { return tested.param; });

TEST(WriteOpsTable, WhereAsked) {
  THIMBLE_NEEDS_SHARED();
  if (!workload().update) GTEST_SKIP() << "only with THIMBLE_UPDATE=1";
  const Rows rows = compared("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  int models = 0, taken = 0;
  std::string text = "operator,type,models,taken and exact,why the first other one is not\n";
  for (const Rows::value_type& row : rows) {
    models += row.second.models;
    taken += row.second.taken;
    text += line(row);
  }
  std::ofstream(kTable, std::ios::binary) << text;
  std::cout << fmt::format("[ counts   ] {} of {} models are taken and exact\n", taken, models);
}

}  // namespace
}  // namespace thimble::testing
