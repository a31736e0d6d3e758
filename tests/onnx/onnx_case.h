// SPDX-License-Identifier: Apache-2.0
// Recorded ONNX models with the values that others computed: the shared ones, and the tests of
// ONNX's own backends from Debian's libonnx-testdata.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "thimble/import/import_options.h"

namespace thimble::testing {

struct OnnxCase {
  std::string suite;  ///< "torch", "debian/node"
  std::string name;
  std::filesystem::path model;
};

/// All suites, in the order of the table.
[[nodiscard]] const std::vector<std::string>& onnx_suites();
/// Sorted by name; empty where the data are absent.
[[nodiscard]] std::vector<OnnxCase> onnx_cases(const std::string& suite);

struct OnnxOutcome {
  enum class Kind : uint8_t { kPassed, kWrong, kRefused, kNotCompared };
  Kind kind;
  std::string why;    ///< the refusal, what is wrong; of what passed which inputs were frozen
  std::string model;  ///< the bytes that were imported: with these inputs as constants
};
[[nodiscard]] const char* name(OnnxOutcome::Kind kind);

/// Imports the model, where that refuses inputs that are parameters (shapes, axes, weights) with
/// those as the constants that the first inference has, and interprets what is recorded.
[[nodiscard]] OnnxOutcome outcome(const OnnxCase& c, const ImportOptions& options = {
                                                         .quantised = QuantisedAs::kFloat});

/// A quantised model in integers, beside what ONNX Runtime's integer kernels make.
struct InIntegers {
  std::string refusal;
  int64_t operators = 0, of_numbers = 0;  ///< those that compute float32, conversions left out
  int64_t values = 0, differ = 0;
  double error = 0;  ///< of the largest value
};
[[nodiscard]] InIntegers in_integers(const OnnxCase& c, QuantisedAs arithmetic);

}  // namespace thimble::testing
