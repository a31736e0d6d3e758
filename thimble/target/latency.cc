// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"
#include "thimble/target/same_code.h"

namespace thimble {
namespace {

using Json = nlohmann::json;

constexpr const char* kFloats = "floats";

double coefficient(const Json& value, const std::string& where, const std::string& field) {
  constexpr double kMost = 1e9;  // sums of these stay numbers
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > kMost)
    throw CompileError(where, fmt::format("'{}' must be a number from 0 to 1e9", field));
  return value.get<double>();
}

const Json& member(const Json& json, const char* field, const std::string& where) {
  if (!json.is_object() || !json.contains(field))
    throw CompileError(where, fmt::format("lacks the field '{}'", field));
  return json.at(field);
}

Features read_coefficients(const Json& json, const std::string& where) {
  if (!json.is_object()) throw CompileError(where, "must be an object {...}");
  Features result{};
  for (const auto& [field, value] : json.items()) {
    size_t k = 0;
    while (k < result.size() && field != name(static_cast<Feature>(k))) ++k;
    if (k == result.size())
      throw CompileError(where, fmt::format("has an unknown field '{}'", field));
    result[k] = coefficient(value, where, field);
  }
  return result;
}

const Features* longest_beginning(const std::map<std::string, Features>& kernels,
                                  const std::string& kernel) {
  const Features* found = nullptr;
  size_t longest = 0;
  for (const auto& [name, features] : kernels) {
    if (kernel.starts_with(name) && name.size() > longest) {
      longest = name.size();
      found = &features;
    }
  }
  return found;
}

// Between float32 alone; elements of copies and pads have no type.
bool computes_floats(const KernelInfo& kernel) {
  return kernel.in == DType::kFloat32 && kernel.out == DType::kFloat32;
}

// What the loops of the source come to, with instructions for float32 or with calls that do
// without: for kernels that have no coefficients of their own (docs/cost.md).
Features guessed_for_floats(const Core& core) {
  const bool hardware = std::ranges::find(core.flags, "-mfloat-abi=hard") != core.flags.end();
  Features each{};
  const auto set = [&](Feature feature, double with, double without) {
    each[static_cast<size_t>(feature)] = hardware ? with : without;
  };
  set(Feature::kCall, 50, 50);
  set(Feature::kLooped, 20, 20);
  set(Feature::kRow, 20, 20);
  set(Feature::kPixel, 30, 30);
  set(Feature::kElement, 15, 150);
  set(Feature::kSingleRun, 14, 14);
  set(Feature::kSingleProduct, 4.5, 165);
  set(Feature::kWeight, 3.5, 165);
  return each;
}

/// Whether the coefficients under a name are of some kernel.
bool is_fitted(const std::string& name) {
  return std::ranges::any_of(kernels(), [&](const KernelInfo& kernel) {
    return name == fitted_as(kernel) || std::string_view(kernel.name).starts_with(name);
  });
}

}  // namespace

std::string measured_as(const KernelInfo& kernel) {
  return computes_floats(kernel) ? kFloats : fitted_as(kernel);
}

const Features* LatencyModel::coefficients(const std::string& kernel) const {
  const KernelId id = kernel_named(kernel);
  if (id.valid() && computes_floats(info(id))) {
    const auto own = kernels.find(kernel);
    return own == kernels.end() ? &floats : &own->second;
  }
  const std::string fitted = id.valid() ? fitted_as(info(id)) : kernel;
  if (const Features* found = longest_beginning(kernels, fitted)) return found;
  if (!id.valid()) return nullptr;
  if (info(id).family == Family::kCopy || info(id).family == Family::kShiftIn)
    return longest_beginning(kernels, "copy_8");
  if (info(id).params == 0) return nullptr;
  for (const KernelInfo& other : thimble::kernels()) {
    if (other.params != info(id).params || other.in != info(id).in || other.out != info(id).out)
      continue;
    if (const Features* found = longest_beginning(kernels, other.name)) return found;
  }
  return nullptr;
}

std::optional<double> LatencyModel::estimate(const CallShape& call) const {
  const Features* each = coefficients(info(call.kernel).name);
  if (each == nullptr) return std::nullopt;
  return dot(features(call), *each);
}

LatencyModel latency_model_of_macs(double cycles) {
  Features products{};
  for (const auto& [feature, macs] : {std::pair(Feature::kQuadProduct, 4.0),
                                      {Feature::kQuadStrided, 4.0},
                                      {Feature::kSingleProduct, 1.0},
                                      {Feature::kFourProduct, 4.0},
                                      {Feature::kOneProduct, 1.0}})
    products[static_cast<size_t>(feature)] = macs * cycles;
  LatencyModel model{.core = "MACs"};
  for (const KernelInfo& kernel : kernels()) {
    if (kernel.set == InstructionSet::kPortable) model.kernels[kernel.name] = products;
  }
  return model;
}

KernelCoefficients::KernelCoefficients(const LatencyModel& model) {
  for (const KernelInfo& kernel : thimble::kernels()) {
    of_.push_back(model.coefficients(kernel.name));
    knows_.push_back(kernel.set == InstructionSet::kPortable
                         ? of_.back() != nullptr
                         : model.kernels.contains(fitted_as(kernel)));
  }
}

LatencyModel parse_latency(const std::string& json, const std::string& where) {
  Json parsed;
  try {
    parsed = parse_json(json, {.depth = 8, .bytes = size_t{1} << 20});
  } catch (const std::invalid_argument& error) {
    throw CompileError(where, fmt::format("is not JSON: {}", error.what()));
  }
  LatencyModel model;
  const Json& core = member(parsed, "core", where);
  if (!core.is_string()) throw CompileError(where, "'core' must be a text");
  model.core = core.get<std::string>();
  if (!is_core_name(model.core))
    throw CompileError(where, "'core' must be the name of one, such as cortex-m4");
  if (parsed.contains("counted")) {
    const Json& counted = parsed.at("counted");
    if (counted != "instructions" && counted != "cycles")
      throw CompileError(where, "'counted' must be \"instructions\" or \"cycles\"");
    model.cycles = counted == "cycles";
  }
  model.floats = parsed.contains(kFloats)
                     ? read_coefficients(parsed.at(kFloats), where + ", " + kFloats)
                     : guessed_for_floats(core_named(model.core));
  model.program = coefficient(member(parsed, "program", where), where, "program");
  const Json& kernels = member(parsed, "kernels", where);
  if (!kernels.is_object()) throw CompileError(where, "'kernels' must be an object {...}");
  for (const auto& [kernel, coefficients] : kernels.items()) {
    if (!is_fitted(kernel))
      throw CompileError(where, fmt::format("has a kernel '{}' that is not known", kernel));
    model.kernels[kernel] = read_coefficients(coefficients, where + ", " + kernel);
  }
  if (model.kernels.empty()) throw CompileError(where, "has no kernels");
  return model;
}

std::string latency_json(const LatencyModel& model) {
  using Ordered = nlohmann::ordered_json;
  const auto coefficients = [](const Features& features) {
    Ordered result = Ordered::object();
    for (size_t k = 0; k < features.size(); ++k) {
      if (features[k] != 0) result[name(static_cast<Feature>(k))] = features[k];
    }
    return result;
  };
  Ordered kernels = Ordered::object();
  for (const auto& [kernel, features] : model.kernels) kernels[kernel] = coefficients(features);
  const Ordered json = {{"core", model.core},
                        {"counted", model.cycles ? "cycles" : "instructions"},
                        {"program", model.program},
                        {kFloats, coefficients(model.floats)},
                        {"kernels", kernels}};
  return json.dump(1) + "\n";
}

LatencyModel measured_model(const LatencyModel& counted, const std::string& core,
                            const std::map<std::string, double>& cycles, double rest) {
  const auto scaled = [&](const Features& features, const std::string& kernel) {
    const auto found = cycles.find(kernel);
    Features result = features;
    for (double& each : result) each *= found == cycles.end() ? rest : found->second;
    return result;
  };
  LatencyModel model{.core = core, .cycles = true, .program = counted.program * rest};
  model.floats = scaled(counted.floats, kFloats);
  for (const auto& [kernel, features] : counted.kernels) {
    const KernelId id = kernel_named(kernel);
    model.kernels[kernel] = scaled(features, id.valid() ? measured_as(info(id)) : kernel);
  }
  // Kernels that had others' coefficients may have their own now.
  for (const auto& [kernel, each] : cycles) {
    const Features* features = kernel == kFloats ? nullptr : counted.coefficients(kernel);
    if (features != nullptr) model.kernels[kernel] = scaled(*features, kernel);
  }
  return model;
}

std::optional<LatencyModel> latency_model(const Core& core) {
  if (core.measured != nullptr) return *core.measured;
  if (core.cycles_per_mac) return latency_model_of_macs(*core.cycles_per_mac);
  return latency_model(core.name);
}

std::optional<LatencyModel> latency_model(const std::string& core) {
  const std::string fitted = core_of_same_code(core);
  // Each is read once: compiling asks for it several times.
  static std::mutex mutex;
  static std::map<std::string, LatencyModel, std::less<>> models;
  const std::scoped_lock lock(mutex);
  if (const auto known = models.find(fitted); known != models.end()) return known->second;
  for (const EmbeddedFile& file : core_files()) {
    if (file.path != fitted + ".json") continue;
    LatencyModel model = parse_latency(std::string(file.text), std::string(file.path));
    return models.emplace(fitted, std::move(model)).first->second;
  }
  return std::nullopt;
}

}  // namespace thimble
