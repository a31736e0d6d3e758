// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/code_model.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"
#include "thimble/target/same_code.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

// Rounded: what differs behind the third digit is noise of the fit.
double rounded(double value) { return std::round(value * 1000) / 1000; }

Json counts_json(const CodeCounts& counts) {
  Json json = Json::object();
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] != 0) json[name(static_cast<CodeFeature>(k))] = rounded(counts[k]);
  }
  return json;
}

/// Reads fields of one object; whatever is not as it should be is the file's fault.
class Reader {
 public:
  Reader(const nlohmann::json& json, const std::string& where) : json_(json), where_(where) {
    if (!json.is_object()) throw CompileError(where, "must be an object {...}");
  }
  [[nodiscard]] const nlohmann::json& field(const char* name) const {
    if (!json_.contains(name))
      throw CompileError(where_, fmt::format("lacks the field '{}'", name));
    return json_.at(name);
  }
  [[nodiscard]] std::string text(const char* name) const {
    if (!field(name).is_string())
      throw CompileError(where_, fmt::format("'{}' must be a text", name));
    return field(name).get<std::string>();
  }
  [[nodiscard]] double number(const char* name) const { return number_of(field(name), name); }
  [[nodiscard]] int64_t bytes(const char* name) const { return static_cast<int64_t>(number(name)); }
  [[nodiscard]] std::map<std::string, double> numbers(const char* name) const {
    std::map<std::string, double> result;
    for (const auto& [key, value] : field(name).items()) result[key] = number_of(value, key);
    return result;
  }
  [[nodiscard]] CodeCounts counts(const char* field_name) const {
    CodeCounts result{};
    for (const auto& [key, value] : field(field_name).items()) {
      size_t k = 0;
      while (k < result.size() && key != thimble::name(static_cast<CodeFeature>(k))) ++k;
      if (k == result.size())
        throw CompileError(where_, fmt::format("has an unknown field '{}'", key));
      result[k] = number_of(value, key);
    }
    return result;
  }

 private:
  [[nodiscard]] double number_of(const nlohmann::json& value, const std::string& name) const {
    if (!value.is_number()) throw CompileError(where_, fmt::format("'{}' must be a number", name));
    return value.get<double>();
  }

  const nlohmann::json& json_;
  std::string where_;
};

CodePart read_part(const nlohmann::json& json, const std::string& where) {
  const Reader read(json, where);
  CodePart part{.kernels = {}, .bytes = read.number("bytes"), .uses = {}};
  for (const nlohmann::json& kernel : read.field("kernels")) {
    if (!kernel.is_string()) throw CompileError(where, "'kernels' must be a list of texts");
    part.kernels.insert(kernel.get<std::string>());
  }
  if (json.contains("uses")) part.uses = read.numbers("uses");
  return part;
}

Json part_json(const CodePart& part) {
  Json json = {{"kernels", part.kernels}, {"bytes", std::llround(part.bytes)}};
  for (const auto& [use, bytes] : part.uses) {
    if (std::llround(bytes) != 0) json["uses"][use] = std::llround(bytes);
  }
  return json;
}

}  // namespace

const char* name(CodeFeature feature) {
  static constexpr std::array<const char*, kCodeFeatures> kNames = {
      "program", "stage", "loop",         "call",         "operand", "offset", "bound",
      "cut",     "table", "table_kernel", "table_params", "port",    "state",  "data"};
  return kNames[static_cast<size_t>(feature)];
}

CodeModel parse_code_model(const std::string& json, const std::string& where) {
  nlohmann::json parsed;
  try {
    parsed = parse_json(json, {.depth = 8, .bytes = size_t{1} << 20});
  } catch (const std::invalid_argument& error) {
    throw CompileError(where, fmt::format("is not JSON: {}", error.what()));
  }
  const Reader read(parsed, where);
  CodeModel model{.core = read.text("core"), .compiler = read.text("compiler")};
  for (const auto& [kernel, bytes] : read.numbers("kernel_stack"))
    model.kernel_stack[kernel] = static_cast<int64_t>(bytes);
  model.emitted = read.counts("emitted");
  model.frames = read.counts("frames");
  const Reader stack(read.field("stack"), where + ", stack");
  model.entry_stack_bytes = stack.bytes("entry");
  model.table_stack_bytes = stack.bytes("table");
  const Reader error(read.field("error"), where + ", error");
  model.error = {.code_share = error.number("code_share"),
                 .code_bytes = error.bytes("code_bytes"),
                 .stack_share = error.number("stack_share"),
                 .stack_bytes = error.bytes("stack_bytes")};
  for (const nlohmann::json& part : read.field("parts"))
    model.parts.push_back(read_part(part, where));
  return model;
}

std::string code_model_json(const CodeModel& model, const std::string& command) {
  Json parts = Json::array();
  for (const CodePart& part : model.parts) parts.push_back(part_json(part));
  const Json json = {
      {"core", model.core},
      {"compiler", model.compiler},
      {"command", command},
      {"error",
       {{"code_share", rounded(model.error.code_share)},
        {"code_bytes", model.error.code_bytes},
        {"stack_share", rounded(model.error.stack_share)},
        {"stack_bytes", model.error.stack_bytes}}},
      {"emitted", counts_json(model.emitted)},
      {"frames", counts_json(model.frames)},
      {"stack", {{"entry", model.entry_stack_bytes}, {"table", model.table_stack_bytes}}},
      {"kernel_stack", model.kernel_stack},
      {"parts", parts}};
  return json.dump(1) + "\n";
}

std::optional<CodeModel> code_model(const std::string& core) {
  static std::mutex mutex;
  static std::map<std::string, CodeModel, std::less<>> models;
  const std::scoped_lock lock(mutex);
  const std::string fitted = core_of_same_code(core);
  if (const auto known = models.find(fitted); known != models.end()) return known->second;
  for (const EmbeddedFile& file : code_files()) {
    if (file.path != fitted + ".json") continue;
    CodeModel model = parse_code_model(std::string(file.text), std::string(file.path));
    return models.emplace(fitted, std::move(model)).first->second;
  }
  return std::nullopt;
}

}  // namespace thimble
