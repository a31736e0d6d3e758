// SPDX-License-Identifier: Apache-2.0
// docs/onnx_ops.md: operators of ONNX, with what becomes of ONNX's own tests of each. With
// THIMBLE_UPDATE=1 it is written anew.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/onnx/onnx_case.h"
#include "tests/support/workload.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/onnx/proto.h"
#include "thimble/import/onnx/reading.h"

namespace thimble::testing {
namespace {

const std::filesystem::path kPage = THIMBLE_SOURCE_DIR "/docs/onnx_ops.md";

struct Row {
  bool read = false;  ///< on what is computed; else on constants alone, or not at all
  int passed = 0, refused = 0;
  std::string why;  ///< of the first that is refused
};

/// The operator of a model that has one node; empty: it has more.
std::string only_operator(const OnnxCase& c) {
  const Bytes bytes = read_file(c.model, int64_t{1} << 30);
  const onnx::ModelRecord model = onnx::read_model(bytes, c.name);
  if (model.graph.nodes.size() != 1) return "";
  const onnx::NodeRecord& node = model.graph.nodes[0];
  return node.domain.empty() ? std::string(node.op) : fmt::format("{}.{}", node.domain, node.op);
}

/// Without the place: "is not supported for 5 axes ...".
std::string reason(const std::string& refusal) {
  const size_t at = refusal.find(": ", refusal.find('#'));
  std::string text = at == std::string::npos ? refusal : refusal.substr(at + 2);
  std::ranges::replace(text, '|', '/');
  for (const char* end : {"; docs/supported_ops.md", "; it has ", "; required: "})
    text = text.substr(0, text.find(end));
  return text;
}

std::map<std::string, Row> rows() {
  std::map<std::string, Row> result;
  for (const std::string& name : onnx::read_operators()) result[name].read = true;
  for (const char* suite : {"debian/node", "node_newer"}) {
    for (const OnnxCase& c : onnx_cases(suite)) {
      const std::string op = only_operator(c);
      if (op.empty()) continue;
      const OnnxOutcome made = outcome(c);
      Row& row = result[op];
      (made.kind == OnnxOutcome::Kind::kRefused ? row.refused : row.passed) += 1;
      if (made.kind == OnnxOutcome::Kind::kRefused && row.why.empty()) row.why = reason(made.why);
    }
  }
  return result;
}

std::string page() {
  std::string text =
      "# Operators of ONNX\n\n"
      "Made by `tests/onnx/operators_test.cc` (THIMBLE_UPDATE=1); do not edit. docs/onnx.md says "
      "what is done with a model.\n\n"
      "Passed, refused: of ONNX's own tests of that operator alone (Debian's libonnx-testdata, and "
      "newer ones), parameters that they give as inputs frozen. An operator that is not here is "
      "refused.\n\n"
      "| operator | passed | refused | the first refusal |\n|---|--:|--:|---|\n";
  for (const auto& [op, row] : rows()) {
    if (!row.read && row.passed == 0) continue;
    text += fmt::format("| {} | {} | {} | {} |\n", op, row.passed, row.refused, row.why);
  }
  return text;
}

TEST(OnnxOperators, PageIsUpToDate) {
  if (onnx_cases("debian/node").empty() || onnx_cases("node_newer").empty())
    GTEST_SKIP() << "needs the shared ONNX models (THIMBLE_SHARED) and libonnx-testdata";
  const std::string made = page();
  if (workload().update) std::ofstream(kPage, std::ios::binary) << made;
  std::ifstream file(kPage, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(found, made) << "set THIMBLE_UPDATE=1 and run this test to write " << kPage;
}

}  // namespace
}  // namespace thimble::testing
