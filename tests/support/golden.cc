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

template <class T>
std::string value_at(const Bytes& bytes, size_t element) {
  T value;
  std::memcpy(&value, &bytes[element * sizeof(T)], sizeof(T));
  return fmt::format("{}", value);
}

std::string element_text(const Bytes& bytes, DType type, size_t element) {
  switch (type) {
    case DType::kBool:
    case DType::kUInt8:
      return value_at<uint8_t>(bytes, element);
    case DType::kInt8:
      return value_at<int8_t>(bytes, element);
    case DType::kInt16:
      return value_at<int16_t>(bytes, element);
    case DType::kInt32:
      return value_at<int32_t>(bytes, element);
    case DType::kUInt32:
      return value_at<uint32_t>(bytes, element);
    case DType::kUInt64:
      return value_at<uint64_t>(bytes, element);
    case DType::kInt64:
      return value_at<int64_t>(bytes, element);
    case DType::kFloat32:
      return value_at<float>(bytes, element);
  }
  return "?";
}

std::vector<int64_t> coordinates(size_t element, const Shape& shape) {
  std::vector<int64_t> result(shape.size());
  int64_t rest = static_cast<int64_t>(element);
  for (size_t axis = shape.size(); axis-- > 0;) {
    const int64_t extent = std::max<int64_t>(shape[axis], 1);
    result[axis] = rest % extent;
    rest /= extent;
  }
  return result;
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

std::string first_difference(const Bytes& expected, const Bytes& actual, DType type,
                             const Shape& shape) {
  if (expected == actual) return "";
  if (expected.size() != actual.size()) {
    return fmt::format("expected {} bytes, got {}", expected.size(), actual.size());
  }
  const auto position = std::mismatch(expected.begin(), expected.end(), actual.begin()).first;
  const size_t element =
      static_cast<size_t>(position - expected.begin()) / static_cast<size_t>(size_bytes(type));
  return fmt::format("element [{}] (number {}): expected {}, got {}",
                     fmt::join(coordinates(element, shape), ","), element,
                     element_text(expected, type, element), element_text(actual, type, element));
}

std::string first_deviation(const Bytes& expected, const Bytes& actual, DType type,
                            const Shape& shape) {
  if (type != DType::kFloat32 || expected.size() != actual.size())
    return first_difference(expected, actual, type, shape);
  constexpr double kRelative = 1e-5;
  for (size_t at = 0; at + sizeof(float) <= expected.size(); at += sizeof(float)) {
    float want = 0, got = 0;
    std::memcpy(&want, &expected[at], sizeof want);
    std::memcpy(&got, &actual[at], sizeof got);
    if (want == got || (std::isnan(want) && std::isnan(got))) continue;
    if (std::abs(double{want} - double{got}) <= kRelative * std::abs(double{want})) continue;
    const size_t element = at / sizeof(float);
    return fmt::format("element [{}] (number {}): expected {}, got {}",
                       fmt::join(coordinates(element, shape), ","), element,
                       element_text(expected, type, element), element_text(actual, type, element));
  }
  return "";
}

}  // namespace thimble::testing
