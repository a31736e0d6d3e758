// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

/// Fields of one line of CSV; quotes protect commas and are doubled inside quotes.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

bool is_taken(const OpsCase& c) {
  try {
    (void)import_tflite(c.model());
    return true;
  } catch (const CompileError&) {
    return false;
  }
}

/// prefix0, prefix1, ... as far as they exist.
std::vector<NamedTensor> numbered(const TensorFile& file, const std::string& prefix) {
  std::vector<NamedTensor> result;
  for (int i = 0;; ++i) {
    const auto found = file.tensors.find(fmt::format("{}{}", prefix, i));
    if (found == file.tensors.end()) return result;
    result.push_back(found->second);
  }
}

}  // namespace

std::filesystem::path OpsCase::model() const {
  return shared_folder() / "ops" / (name + ".tflite");
}

std::filesystem::path OpsCase::golden() const {
  return shared_folder() / "ops" / (name + ".golden.safetensors");
}

std::vector<OpsCase> all_ops_cases() {
  std::ifstream index(shared_folder() / "ops" / "INDEX.csv");
  std::vector<OpsCase> cases;
  std::string line;
  std::getline(index, line);  // the header
  while (std::getline(index, line)) {
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.size() == 4) cases.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return cases;
}

std::vector<OpsCase> ops_cases() {
  std::vector<OpsCase> cases = all_ops_cases();
  std::erase_if(cases, [](const OpsCase& c) { return !is_taken(c); });
  return cases;
}

std::vector<std::string> issue_models() {
  return {"person_detect",          "vww_96_int8",    "kws_ref_model",
          "pretrainedResnet_quant", "ad01_int8",      "micro_speech_quantized",
          "tinyengine_vww",         "mcunetv2_large", "mobilenet_v2"};
}

std::vector<std::string> recurrent_models() {
  return {"keyword_scrambled_8bit", "micro_speech_lstm", "trained_lstm_int8"};
}

std::vector<std::string> float_models() {
  return {"ad01_fp32", "hello_world_float", "pretrainedResnet_float", "ptq_mnist_lenet-300-100"};
}

std::string test_name(std::string model) {
  std::ranges::replace(model, '-', '_');
  return model;
}

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  const std::filesystem::path folder = shared_folder() / "models";
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (std::filesystem::exists(golden_paths(name)[0])) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path model_path(const std::string& model) {
  return shared_folder() / "models" / (model + ".tflite");
}

std::vector<std::filesystem::path> golden_paths(const std::string& model) {
  const std::filesystem::path folder = shared_folder() / "golden";
  const std::string suffix = ".golden.safetensors";
  std::vector<std::filesystem::path> variants;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    const bool is_variant = file.starts_with(model + ".") && file != model + suffix;
    if (is_variant && file.ends_with(suffix)) variants.push_back(entry.path());
  }
  std::sort(variants.begin(), variants.end());
  variants.insert(variants.begin(), folder / (model + suffix));
  return variants;
}

std::vector<Bytes> Golden::Inference::input_bytes() const {
  std::vector<Bytes> result;
  for (const NamedTensor& input : inputs) result.push_back(input.data);
  return result;
}

Golden load_golden(const std::filesystem::path& file) {
  const TensorFile content = read_safetensors(file);
  Golden golden;
  golden.seeds.push_back({numbered(content, "input."), numbered(content, "output.")});
  for (int seed = 2;; ++seed) {
    const std::string prefix = fmt::format("seed{}/", seed);
    std::vector<NamedTensor> outputs = numbered(content, prefix + "output.");
    if (outputs.empty()) break;
    golden.seeds.push_back({numbered(content, prefix + "input."), std::move(outputs)});
  }
  for (int op = 0; content.metadata.contains(fmt::format("opname.{}", op)); ++op) {
    std::vector<NamedTensor> outputs = numbered(content, fmt::format("op.{}.", op));
    for (size_t i = 0; i < outputs.size(); ++i) {
      golden.op_outputs[{op, static_cast<int>(i)}] = std::move(outputs[i]);
    }
  }
  for (size_t turn = 1; turn <= golden.seeds.size(); ++turn) {
    std::vector<NamedTensor> outputs = numbered(content, fmt::format("seq{}/output.", turn));
    if (!outputs.empty()) golden.sequence.push_back(std::move(outputs));
  }
  std::map<int, Bytes> states;
  for (const auto& [key, value] : content.tensors) {
    if (key.starts_with("state.")) states[std::stoi(key.substr(6))] = value.data;
  }
  for (const auto& [tensor, bytes] : states)
    golden.states.insert(golden.states.end(), bytes.begin(), bytes.end());
  return golden;
}

}  // namespace thimble::testing
