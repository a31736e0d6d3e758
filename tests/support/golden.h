// SPDX-License-Identifier: Apache-2.0
// The models that issue 2 demands and the recorded values to compare with.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "thimble/import/tensor_file.h"
#include "thimble/model/graph.h"

namespace thimble::testing {

/// One row of the shared ops/INDEX.csv.
struct OpsCase {
  std::string name;           ///< "add_int8_00"
  std::string op;             ///< "ADD"; "MULTI" for graphs of several operators
  std::string type;           ///< "int8", or "mixed" for conversions
  std::string configuration;  ///< what varies, for messages

  [[nodiscard]] std::filesystem::path model() const;
  [[nodiscard]] std::filesystem::path golden() const;
};

/// In the order of the index; empty where the shared data are absent.
[[nodiscard]] std::vector<OpsCase> all_ops_cases();
/// Cases that Thimble takes. tests/reference/ops_test.cc knows how many these are.
[[nodiscard]] std::vector<OpsCase> ops_cases();

/// Names of the real models: "person_detect", ...
[[nodiscard]] std::vector<std::string> issue_models();
/// Models with variables.
[[nodiscard]] std::vector<std::string> recurrent_models();
/// Models of float32, wholly or in part.
[[nodiscard]] std::vector<std::string> float_models();
/// A model's name as GoogleTest takes it.
[[nodiscard]] std::string test_name(std::string model);
/// All models with recorded values, also those that Thimble does not take, sorted. Empty where the
/// shared data are absent.
[[nodiscard]] std::vector<std::string> golden_names();
[[nodiscard]] std::filesystem::path model_path(const std::string& model);
/// NAME.golden.safetensors, then any NAME.WHAT.golden.safetensors (photographs), sorted.
[[nodiscard]] std::vector<std::filesystem::path> golden_paths(const std::string& model);

struct Golden {
  /// What one inference reads and gives, in the order of the network's inputs and outputs.
  struct Inference {
    std::vector<NamedTensor> inputs, outputs;
    [[nodiscard]] std::vector<Bytes> input_bytes() const;
  };
  std::vector<Inference> seeds;  ///< seed 1 first; files of photographs have that one alone
  /// {operator's number in the file, output}: its value for seed 1.
  std::map<std::pair<int, int>, NamedTensor> op_outputs;
  /// For networks with variables: the outputs of the seeds in turn, fed to one instance, and the
  /// bytes of all variables after seed 1, in the order of the file's tensors.
  std::vector<std::vector<NamedTensor>> sequence;
  Bytes states;
};
[[nodiscard]] Golden load_golden(const std::filesystem::path& file);

}  // namespace thimble::testing
