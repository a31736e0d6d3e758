// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/accumulator_scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr const char* kScalesFormat = "thimble-accumulators";

DType sums_type(const std::string& text, const std::string& where) {
  for (const DType type : {DType::kInt8, DType::kInt16}) {
    if (text == name(type)) return type;
  }
  throw CompileError(where, fmt::format("sums of type '{}': there are int8 and int16", text));
}

AccumulatorScale scale_from(const nlohmann::json& json, const std::string& where) {
  AccumulatorScale result;
  result.name = json.at("name").get<std::string>();
  result.type = sums_type(json.at("type").get<std::string>(), where);
  result.scale = json.at("scale").get<float>();
  const auto zero_point = json.at("zero_point").get<int64_t>();
  const int64_t most = result.type == DType::kInt8 ? 127 : 32767;
  if (!std::isfinite(result.scale) || result.scale <= 0) {
    throw CompileError(where, fmt::format("the scale of '{}' is no number above 0", result.name));
  }
  if (zero_point < -most - 1 || zero_point > most) {
    throw CompileError(where, fmt::format("the zero point of '{}' is not one of {}", result.name,
                                          thimble::name(result.type)));
  }
  result.zero_point = static_cast<int32_t>(zero_point);
  return result;
}

}  // namespace

std::string to_json(const AccumulatorScales& scales) {
  nlohmann::ordered_json json{{"format", kScalesFormat}, {"version", 1}};
  json["accumulators"] = nlohmann::ordered_json::array();
  for (const AccumulatorScale& s : scales) {
    json["accumulators"].push_back({{"name", s.name},
                                    {"type", name(s.type)},
                                    {"scale", s.scale},
                                    {"zero_point", s.zero_point}});
  }
  return json.dump(2) + '\n';
}

AccumulatorScales accumulator_scales_from(const std::string& json, const std::string& where) {
  AccumulatorScales result;
  std::set<std::string> names;
  try {
    const nlohmann::json all = parse_json(json, {});
    if (all.at("format") != kScalesFormat || all.at("version") != 1) {
      throw CompileError(where, fmt::format("is not of the format {}, version 1", kScalesFormat));
    }
    for (const nlohmann::json& each : all.at("accumulators")) {
      result.push_back(scale_from(each, where));
      if (!names.insert(result.back().name).second)
        throw CompileError(where, fmt::format("has '{}' twice", result.back().name));
    }
  } catch (const std::invalid_argument& fault) {
    throw CompileError(where, fault.what());
  } catch (const nlohmann::json::exception& fault) {
    throw CompileError(
        where,
        fmt::format("scales of accumulators are wanted (docs/planners.md): {}", fault.what()));
  }
  return result;
}

size_t set_scales(const Graph& graph, const AccumulatorScales& scales, const std::string& where,
                  std::vector<Accumulator>& accumulators) {
  size_t count = 0;
  for (Accumulator& a : accumulators) {
    const std::string& of = graph.tensor(a.tensor).name;
    const auto found = std::ranges::find(scales, of, &AccumulatorScale::name);
    if (found == scales.end()) continue;
    if (found->type != a.type) {
      throw CompileError(where, fmt::format("has '{}' in {}, the plan sums it in {}", of,
                                            name(found->type), name(a.type)));
    }
    a.scale = found->scale;
    a.zero_point = found->zero_point;
    ++count;
  }
  return count;
}

}  // namespace thimble
