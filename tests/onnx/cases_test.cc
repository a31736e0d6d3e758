// SPDX-License-Identifier: Apache-2.0
// What becomes of every recorded ONNX model: the table in tests/onnx/cases.csv, in which none is
// wrong. With THIMBLE_UPDATE=1 it is written anew.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/onnx/onnx_case.h"
#include "tests/support/workload.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/survey.h"

namespace thimble::testing {
namespace {

const std::filesystem::path kTable =
    std::filesystem::path(THIMBLE_SOURCE_DIR) / "tests/onnx/cases.csv";

/// "model: Conv #0 'y' is not ..." without what only this file has.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, ',', ';');
  std::ranges::replace(text, '"', '\'');
  return text.starts_with("model: ") ? text.substr(7) : text;
}

std::string row(const OnnxCase& c, const OnnxOutcome& made) {
  return fmt::format("{},{},{},{}", c.suite, c.name, name(made.kind), one_line(made.why));
}

std::map<std::string, std::vector<std::string>> table() {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream in(kTable);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') rows[line.substr(0, line.find(','))].push_back(line);
  return rows;
}

class OnnxSuite : public ::testing::TestWithParam<std::string> {};

/// What the survey says stops a model; empty: nothing does.
std::string obstacle(const OnnxCase& c, const OnnxOutcome& made) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(made.model.data()), made.model.size());
  const Survey survey = survey_onnx(bytes, c.name, c.name, c.model.parent_path().string());
  return survey.obstacles.empty() ? "" : survey.obstacles.front().reason;
}

TEST_P(OnnxSuite, IsTakenAsTheTableSays) {
  const std::vector<OnnxCase> cases = onnx_cases(GetParam());
  if (cases.empty())
    GTEST_SKIP() << "needs the shared ONNX models (THIMBLE_SHARED) and libonnx-testdata";
  std::vector<std::string> rows;
  for (const OnnxCase& c : cases) {
    const OnnxOutcome made = outcome(c);
    EXPECT_NE(made.kind, OnnxOutcome::Kind::kWrong) << row(c, made);
    if (made.kind != OnnxOutcome::Kind::kRefused) {
      EXPECT_EQ(obstacle(c, made), "") << c.name;
    }
    rows.push_back(row(c, made));
  }
  EXPECT_EQ(rows, table()[GetParam()]) << "THIMBLE_UPDATE=1 writes the table anew";
}

INSTANTIATE_TEST_SUITE_P(All, OnnxSuite, ::testing::ValuesIn(onnx_suites()), [](const auto& suite) {
  std::string text = suite.param;
  std::ranges::replace_if(
      text, [](char c) { return c == '/' || c == '-'; }, '_');
  return text;
});

constexpr const char* kInIntegers = "in integers";
constexpr const char* kAsOnnxRuntime = "as ONNX Runtime";

std::string row_in_integers(const OnnxCase& c, const char* suite, const InIntegers& made) {
  if (!made.refusal.empty())
    return fmt::format("{},{},refused,{}", suite, c.name, one_line(made.refusal));
  std::string text = fmt::format("{},{},passed,{} operators; {} of float32; ", suite, c.name,
                                 made.operators, made.of_numbers);
  if (made.differ == 0) return text + "identical";
  return text +
         fmt::format("{} of {} values differ; by {:.2g}", made.differ, made.values, made.error);
}

/// Quantised models by TensorFlow Lite's arithmetic against ONNX Runtime's integer kernels: each
/// operator may be a step off.
TEST(QuantisedOnnx, IsNearOnnxRuntimeInIntegers) {
  constexpr double kSomeSteps = 7.0 / 127;
  const std::vector<OnnxCase> cases = onnx_cases("quantised");
  if (cases.empty()) GTEST_SKIP() << "needs the shared ONNX models: set THIMBLE_SHARED";
  std::vector<std::string> rows;
  for (const OnnxCase& c : cases) {
    const InIntegers made = in_integers(c, QuantisedAs::kTflite);
    EXPECT_LT(made.error, kSomeSteps) << c.name;
    rows.push_back(row_in_integers(c, kInIntegers, made));
  }
  EXPECT_EQ(rows, table()[kInIntegers]) << "THIMBLE_UPDATE=1 writes the table anew";
}

/// In ONNX's arithmetic they do what its integer kernels do.
TEST(QuantisedOnnx, IsAsOnnxRuntime) {
  const std::vector<OnnxCase> cases = onnx_cases("quantised");
  if (cases.empty()) GTEST_SKIP() << "needs the shared ONNX models: set THIMBLE_SHARED";
  std::vector<std::string> rows;
  for (const OnnxCase& c : cases)
    rows.push_back(row_in_integers(c, kAsOnnxRuntime, in_integers(c, QuantisedAs::kOnnx)));
  EXPECT_EQ(rows, table()[kAsOnnxRuntime]) << "THIMBLE_UPDATE=1 writes the table anew";
}

TEST(WriteOnnxTable, WhereAsked) {
  if (!workload().update) GTEST_SKIP() << "only with THIMBLE_UPDATE=1";
  std::string text =
      "# THIMBLE_UPDATE=1 build/dev/tests/onnx/test_onnx --gtest_filter='WriteOnnxTable*'\n"
      "# suite,model,outcome,why (refused: the reason; passed: inputs that were frozen)\n";
  for (const std::string& suite : onnx_suites())
    for (const OnnxCase& c : onnx_cases(suite)) text += row(c, outcome(c)) + "\n";
  for (const OnnxCase& c : onnx_cases("quantised"))
    text += row_in_integers(c, kInIntegers, in_integers(c, QuantisedAs::kTflite)) + "\n";
  for (const OnnxCase& c : onnx_cases("quantised"))
    text += row_in_integers(c, kAsOnnxRuntime, in_integers(c, QuantisedAs::kOnnx)) + "\n";
  const std::string_view pieces[] = {text};
  write_file(kTable, pieces);
}

}  // namespace
}  // namespace thimble::testing
