// SPDX-License-Identifier: Apache-2.0
#include "tests/onnx/onnx_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/onnx.h"
#include "thimble/import/onnx/constant.h"
#include "thimble/import/onnx/movement.h"
#include "thimble/import/onnx/protozero.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;
using Inference = Golden::Inference;

constexpr int64_t kMostBytes = int64_t{1} << 30;
/// The error that is allowed, of the largest value: sums have other orders.
double most_error(const OnnxCase& c, onnx::ElementType type) {
  constexpr double kFloat = 1e-5, kFloat16 = 1e-3, kBfloat16 = 1e-2, kStep = 1.5 / 127;
  // Windows are recorded with 3.1415 for pi. Sums of 6,480 numbers depend on their order.
  constexpr double kPi = 1e-4, kLongSum = 1e-4;
  if (c.suite == "debian/node" && c.name.find("window") != std::string::npos &&
      !c.name.starts_with("stft"))
    return kPi;
  if (c.name.find("sce_NCd1d2d3d4d5_mean") != std::string::npos) return kLongSum;
  // A sum beside a tie falls to either integer.
  if (c.suite == "quantised") return kStep;
  // Recorded as four digits.
  if (c.name == "averagepool_2d_ceil_last_window_starts_on_pad") return kFloat16;
  if (type == onnx::ElementType::kFloat16) return kFloat16;
  return type == onnx::ElementType::kBfloat16 ? kBfloat16 : kFloat;
}

const fs::path kDebian = "/usr/share/libonnx-testdata/data";

std::string text_of_file(const fs::path& file) {
  const Bytes bytes = read_file(file, kMostBytes);
  return {bytes.begin(), bytes.end()};
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

NamedTensor tensor_in(const fs::path& file, onnx::ElementType declared) {
  const Bytes bytes = read_file(file, kMostBytes);
  const onnx::TensorRecord record = onnx::read_tensor(bytes, file.filename().string());
  if (record.type != declared)  // numpy has no bfloat16
    throw CompileError(file.filename().string(),
                       fmt::format("recorded as {}", onnx::name(record.type)));
  const onnx::Constant constant = onnx::constant_of(record, "", file.string());
  if (record.type == onnx::ElementType::kDouble &&
      std::ranges::any_of(onnx::reals(constant), [](float value) { return std::isinf(value); }))
    throw CompileError(file.filename().string(), "recorded beyond float32");
  return {constant.type, constant.shape, *constant.data};
}

std::vector<NamedTensor> tensors_in(const fs::path& folder, const char* prefix,
                                    const std::vector<onnx::ValueRecord>& values) {
  std::vector<NamedTensor> result;
  for (size_t k = 0;; ++k) {
    const fs::path file = folder / fmt::format("{}_{}.pb", prefix, k);
    if (!fs::exists(file)) return result;
    result.push_back(tensor_in(file, values.at(k).type));
  }
}

std::vector<Inference> recorded(const OnnxCase& c, const onnx::GraphRecord& graph) {
  fs::path golden = c.model;
  golden.replace_extension(".golden.safetensors");
  if (fs::exists(golden)) return load_golden(golden).seeds;
  std::vector<Inference> result;
  for (int set = 0;; ++set) {
    const fs::path folder = c.model.parent_path() / fmt::format("test_data_set_{}", set);
    if (!fs::exists(folder)) return result;
    result.push_back(
        {tensors_in(folder, "input", graph.inputs), tensors_in(folder, "output", graph.outputs)});
  }
}

/// Inputs that are no defaults of initializers, in the file's order.
std::vector<std::string> input_names(const onnx::ModelRecord& record) {
  std::set<std::string_view> constant;
  for (const auto& initializer : record.graph.initializers) constant.insert(initializer.name);
  std::vector<std::string> result;
  for (const auto& input : record.graph.inputs)
    if (!constant.contains(input.name)) result.emplace_back(input.name);
  return result;
}

int element_type(DType type) {
  for (int k = 1; k < 32; ++k)
    if (onnx::holds(static_cast<onnx::ElementType>(k), type)) return k;
  return 0;
}

std::string initializer(const std::string& name, const NamedTensor& value) {
  std::string bytes;
  protozero::pbf_writer tensor(bytes);
  for (const int64_t extent : value.shape) tensor.add_int64(1, extent);
  tensor.add_int32(2, element_type(value.type));
  tensor.add_string(8, name);
  tensor.add_bytes(9, reinterpret_cast<const char*>(value.data.data()), value.data.size());
  return bytes;
}

/// The model with further initializers.
std::string frozen(const std::string& model, const std::map<std::string, NamedTensor>& constants) {
  std::string result;
  protozero::pbf_writer to(result);
  protozero::pbf_reader from(model);
  while (from.next()) {
    if (from.tag() == 7) {
      std::string graph(from.get_view());
      protozero::pbf_writer more(graph);
      for (const auto& [name, value] : constants) more.add_message(5, initializer(name, value));
      to.add_message(7, graph);
    } else if (from.wire_type() == protozero::pbf_wire_type::varint) {
      to.add_uint64(from.tag(), from.get_uint64());
    } else {
      to.add_bytes(from.tag(), from.get_string());
    }
  }
  return result;
}

/// The largest difference, of the largest value.
double relative_error(const NamedTensor& expected, const Bytes& bytes) {
  std::vector<float> a(bytes.size() / sizeof(float)), b(a.size());
  std::memcpy(a.data(), bytes.data(), bytes.size());
  std::memcpy(b.data(), expected.data.data(), bytes.size());
  double largest = 0, worst = 0;
  for (const float value : b)
    if (std::isfinite(value)) largest = std::max<double>(largest, std::abs(value));
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
    const double error = std::abs(static_cast<double>(a[k]) - b[k]);
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
  }
  return worst == 0 ? 0 : worst / largest;
}

/// Empty: near enough.
std::string difference(const NamedTensor& expected, const Tensor& made, const Bytes& bytes,
                       double most_error) {
  if (expected.type != made.type)
    return fmt::format("{} instead of {}", name(made.type), name(expected.type));
  if (expected.data.size() != bytes.size())
    return fmt::format("{} instead of {}", to_string(made.shape), to_string(expected.shape));
  if (expected.type != DType::kFloat32)
    return expected.data == bytes ? "" : fmt::format("other values of {}", name(expected.type));
  const double error = relative_error(expected, bytes);
  return error <= most_error ? "" : fmt::format("off by {:.2g}", error);
}

struct Recorded {
  std::vector<std::string> inputs;              ///< their names
  std::vector<onnx::ElementType> output_types;  ///< as the file declares them
  std::vector<Inference> inferences;
};

/// Empty: all that is recorded with these constants is what the network computes.
std::string differences(const OnnxCase& c, const Graph& graph, const Recorded& recorded,
                        const std::set<size_t>& constants) {
  const std::vector<std::string>& names = recorded.inputs;
  for (const Inference& inference : recorded.inferences) {
    if (inference.inputs.size() != names.size()) return "other inputs are recorded";
    if (std::ranges::any_of(constants, [&](size_t k) {
          return inference.inputs[k] != recorded.inferences[0].inputs[k];
        }))
      continue;
    std::vector<Bytes> inputs;
    for (const Port& port : graph.inputs) {
      const auto found = std::ranges::find(names, graph.tensor(port.tensor).name);
      if (found == names.end()) return "an input without a name";
      inputs.push_back(inference.inputs[static_cast<size_t>(found - names.begin())].data);
    }
    const TensorValues values = interpret(graph, inputs);
    if (graph.outputs.size() != inference.outputs.size()) return "other outputs are recorded";
    for (size_t k = 0; k < graph.outputs.size(); ++k) {
      const TensorId id = graph.outputs[k].tensor;
      const std::string why = difference(inference.outputs[k], graph.tensor(id), values[id.index()],
                                         most_error(c, recorded.output_types.at(k)));
      if (!why.empty()) return fmt::format("output {}: {}", k, why);
    }
  }
  return {};
}

/// Which inputs to freeze, one after the other until the model is taken: the first is the data.
std::vector<std::set<size_t>> ways_to_freeze(size_t inputs) {
  std::vector<std::set<size_t>> ways = {{}};
  for (size_t from = inputs; from-- > 0;) {
    std::set<size_t> way;
    for (size_t k = from; k < inputs; ++k) way.insert(k);
    ways.push_back(std::move(way));
  }
  if (inputs > 1) {  // or the second
    std::set<size_t> others = {0};
    for (size_t k = 2; k < inputs; ++k) others.insert(k);
    ways.insert(ways.end() - 1, std::move(others));
  }
  return ways;
}

}  // namespace

const std::vector<std::string>& onnx_suites() {
  static const std::vector<std::string> suites = {"node",
                                                  "node_newer",
                                                  "torch",
                                                  "quantised",
                                                  "mlperf_tiny",
                                                  "edge",
                                                  "real",
                                                  "debian/node",
                                                  "debian/pytorch-converted",
                                                  "debian/pytorch-operator",
                                                  "debian/simple"};
  return suites;
}

std::vector<OnnxCase> onnx_cases(const std::string& suite) {
  std::vector<OnnxCase> cases;
  const bool of_debian = suite.starts_with("debian/");
  const fs::path folder = of_debian ? kDebian / suite.substr(7) : shared_folder() / "onnx" / suite;
  if (!fs::exists(folder)) return cases;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (of_debian && fs::exists(path / "model.onnx"))
      cases.push_back({suite, path.filename().string().substr(5), path / "model.onnx"});
    if (!of_debian && path.extension() == ".onnx")
      cases.push_back({suite, path.stem().string(), path});
  }
  std::ranges::sort(cases, {}, &OnnxCase::name);
  return cases;
}

const char* name(OnnxOutcome::Kind kind) {
  switch (kind) {
    case OnnxOutcome::Kind::kPassed:
      return "passed";
    case OnnxOutcome::Kind::kWrong:
      return "wrong";
    case OnnxOutcome::Kind::kRefused:
      return "refused";
    case OnnxOutcome::Kind::kNotCompared:
      return "taken";
  }
  return "?";
}

OnnxOutcome outcome(const OnnxCase& c, const ImportOptions& options) {
  using Kind = OnnxOutcome::Kind;
  const std::string bytes = text_of_file(c.model);
  Recorded with;
  std::string not_compared;
  try {
    const onnx::ModelRecord record = onnx::read_model(bytes_of(bytes), "model");
    with.inputs = input_names(record);
    for (const auto& output : record.graph.outputs) with.output_types.push_back(output.type);
    with.inferences = recorded(c, record.graph);
    if (with.inferences.empty()) not_compared = "nothing is recorded";
  } catch (const CompileError& error) {
    not_compared = error.what();  // of a type that there is not
  }
  const bool known =
      !with.inferences.empty() && with.inferences[0].inputs.size() == with.inputs.size();
  std::string refusal;
  for (const std::set<size_t>& way : ways_to_freeze(known ? with.inputs.size() : 0)) {
    std::map<std::string, NamedTensor> constants;
    std::string which;
    for (const size_t k : way) {
      constants.emplace(with.inputs[k], with.inferences[0].inputs[k]);
      which += (which.empty() ? "with frozen " : " ") + with.inputs[k];
    }
    const std::string model = frozen(bytes, constants);
    try {
      const Graph graph =
          import_onnx(bytes_of(model), c.name, "model", c.model.parent_path().string(), options);
      if (!not_compared.empty()) return {Kind::kNotCompared, not_compared, model};
      const std::string wrong = differences(c, graph, with, way);
      return {wrong.empty() ? Kind::kPassed : Kind::kWrong, wrong.empty() ? which : wrong, model};
    } catch (const CompileError& error) {
      refusal = error.what();  // the last one: less is left to ask for
    }
  }
  return {Kind::kRefused, refusal, bytes};
}

InIntegers in_integers(const OnnxCase& c, QuantisedAs arithmetic) {
  InIntegers result;
  fs::path golden = c.model;
  golden.replace_extension(".golden.safetensors");
  try {
    const Graph graph = import_onnx(read_file(c.model, kMostBytes), c.name, "model",
                                    c.model.parent_path().string(), {.quantised = arithmetic});
    for (const Op& op : graph.ops) {
      const bool converts = std::holds_alternative<Quantize>(op.attributes) ||
                            std::holds_alternative<Dequantize>(op.attributes);
      const bool moves = onnx::is_movement(op.attributes);
      ++result.operators;
      if (!converts && !moves && graph.tensor(op.outputs[0]).type == DType::kFloat32)
        ++result.of_numbers;
    }
    const TensorFile file = read_safetensors(golden);
    for (const std::string seed : {"", "seed2/", "seed3/"}) {
      std::vector<Bytes> inputs;
      for (size_t k = 0; k < graph.inputs.size(); ++k)
        inputs.push_back(file.tensors.at(fmt::format("{}input.{}", seed, k)).data);
      const TensorValues values = interpret(graph, inputs);
      for (size_t k = 0; k < graph.outputs.size(); ++k) {
        const NamedTensor& expected = file.tensors.at(fmt::format("{}fused/output.{}", seed, k));
        const TensorId id = graph.outputs[k].tensor;
        const Bytes& made = values[id.index()];
        result.error = std::max(result.error, relative_error(expected, made));
        for (size_t at = 0; at + sizeof(float) <= made.size(); at += sizeof(float)) {
          ++result.values;
          result.differ += std::memcmp(&made[at], &expected.data[at], sizeof(float)) != 0 ? 1 : 0;
        }
      }
    }
  } catch (const CompileError& error) {
    result.refusal = error.what();
  }
  return result;
}

}  // namespace thimble::testing
