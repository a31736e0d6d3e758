// SPDX-License-Identifier: Apache-2.0
// Which models of PyTorch keep a TRANSPOSE, and why: tests/onnx/transposes.csv. THIMBLE_UPDATE=1
// writes the counts anew; the reasons are for people to write.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/onnx/onnx_case.h"
#include "tests/support/workload.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/onnx.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble::testing {
namespace {

const std::filesystem::path kTransposes =
    std::filesystem::path(THIMBLE_SOURCE_DIR) / "tests/onnx/transposes.csv";

struct Kept {
  int64_t count = 0;
  std::string why;
  bool operator==(const Kept&) const = default;
};
using KeptRows = std::map<std::string, Kept>;

KeptRows recorded() {
  KeptRows rows;
  std::ifstream in(kTransposes);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t first = line.find(','), second = line.find(',', first + 1);
    rows[line.substr(0, first)] = {std::stoll(line.substr(first + 1, second - first - 1)),
                                   line.substr(second + 1)};
  }
  return rows;
}

TEST(Transposes, AreLeftWhereTheTableSaysWhy) {
  KeptRows table = recorded(), rows;
  bool any = false;
  for (const std::string suite : {"torch", "mlperf_tiny"}) {
    for (const OnnxCase& c : onnx_cases(suite)) {
      any = true;
      const Graph graph = rewrite(import_onnx(c.model, {}));
      const int64_t count = std::ranges::count_if(
          graph.ops, [](const Op& op) { return std::holds_alternative<Transpose>(op.attributes); });
      if (count > 0) rows[c.name] = {count, table[c.name].why};
    }
  }
  if (!any) GTEST_SKIP() << "needs the shared ONNX models: set THIMBLE_SHARED";
  if (workload().update) {
    std::string text =
        "# THIMBLE_UPDATE=1 build/dev/tests/onnx/test_onnx --gtest_filter='Transposes*'\n"
        "# model,TRANSPOSE operators of the rewritten network,why\n";
    for (const auto& [name, row] : rows)
      text += fmt::format("{},{},{}\n", name, row.count, row.why);
    const std::string_view pieces[] = {text};
    write_file(kTransposes, pieces);
  }
  table = recorded();
  for (const auto& [name, row] : rows) {
    EXPECT_EQ(row.count, table[name].count) << name;
    EXPECT_FALSE(row.why.empty()) << name << " keeps a transpose, and the table does not say why";
  }
  EXPECT_EQ(rows.size(), table.size());
}

}  // namespace
}  // namespace thimble::testing
