// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/plan_damage.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thimble::testing {
namespace {

using Json = nlohmann::ordered_json;

/// A value and the key that it, or the list around it, stands under.
struct Spot {
  Json* value;
  std::string key;
};

void collect(Json& json, const std::string& key, std::vector<Spot>& spots) {
  spots.push_back({&json, key});
  if (json.is_object()) {
    for (auto& [name, value] : json.items()) {
      if (name != "model" && name != "thimble_plan") collect(value, name, spots);
    }
  } else if (json.is_array()) {
    for (Json& value : json) collect(value, key, spots);
  }
}

template <class T, size_t N>
const T& one_of(const std::array<T, N>& values, zoo::Random& random) {
  return values[static_cast<size_t>(random.between(0, static_cast<int>(N) - 1))];
}

bool is_interval(const Spot& spot) {
  return (spot.key == "region" || spot.key == "chunk") && spot.value->is_array() &&
         spot.value->size() == 2 && !(*spot.value)[0].is_array();
}

void shift(Json& bound, int64_t by) {
  Json& number = bound.is_object() ? bound["base"] : bound;
  if (!number.is_number_integer()) return;
  const int64_t value = number.get<int64_t>();
  if (value < INT64_MAX - 8 && value > INT64_MIN + 8) number = value + by;
}

void damage_interval(Json& interval, zoo::Random& random) {
  const int by = random.between(1, 3);
  switch (random.between(0, 6)) {
    case 0:
      return std::swap(interval[0], interval[1]);
    case 1:
      interval[1] = interval[0];
      return;
    case 2:
      interval[0] = interval[1];
      return;
    case 3:
      shift(interval[0], by);
      return shift(interval[1], by);
    case 4:
      shift(interval[0], -by);
      return shift(interval[1], -by);
    case 5:
      return shift(interval[1], -by);
    default:
      return shift(interval[0], by);
  }
}

void damage_number(Json& number, zoo::Random& random) {
  static constexpr std::array<int64_t, 12> kEdges = {
      0,         1,         -1,    INT32_MAX, INT32_MIN,  int64_t{1} << 31,
      INT64_MAX, INT64_MIN, 65536, 1 << 30,   -(1 << 30), int64_t{INT32_MAX} - 1};
  const int64_t value = number.is_number_integer() ? number.get<int64_t>() : 0;
  const bool far = value > INT64_MAX / 4 || value < INT64_MIN / 4;
  const int kind = random.between(0, 9);
  if (kind < 5 && !far) {
    number = value + (random.between(0, 1) == 0 ? -1 : 1) * random.between(1, kind < 3 ? 1 : 16);
  } else if (kind < 7 && !far) {
    number = kind == 5 ? value * 2 : -value;
  } else {
    number = one_of(kEdges, random);
  }
}

const std::array<const char*, 5> kMemories = {"arena", "caller", "stream", "sram2", "psram"};

void damage_text(Json& text, zoo::Random& random) {
  static const std::array<const char*, 4> kMethods = {"compute", "in_place", "accumulate",
                                                      "finalise"};
  static const std::array<const char*, 4> kTypes = {"int8", "int16", "int32", "float32"};
  for (const char* known : kMethods) {
    if (text == known) text = one_of(kMethods, random);
  }
  for (const char* known : kTypes) {
    if (text == known) text = one_of(kTypes, random);
  }
  for (const char* known : kMemories) {
    if (text == known) text = one_of(kMemories, random);
  }
}

void damage_list(Json& list, zoo::Random& random) {
  if (list.empty()) return;
  const auto last = static_cast<int>(list.size()) - 1;
  const auto a = static_cast<size_t>(random.between(0, last));
  const auto b = static_cast<size_t>(random.between(0, last));
  switch (random.between(0, 2)) {
    case 0:
      list.erase(a);
      return;
    case 1:
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(b), Json(list[a]));
      return;
    default:
      return std::swap(list[a], list[b]);
  }
}

// Drops an entry, or adds one that others of its kind have.
void damage_object(Json& object, zoo::Random& random) {
  static const std::array<const char*, 6> kOptional = {"ring",    "order",      "chunk",
                                                       "scratch", "recomputes", "memory"};
  const char* key = one_of(kOptional, random);
  if (object.contains(key)) {
    object.erase(key);
  } else if (object.contains("op")) {
    object[std::string(key) == "chunk" ? "chunk" : "recomputes"] =
        std::string(key) == "chunk" ? Json::array({0, random.between(0, 4)}) : Json(true);
  } else if (object.contains("extents") && std::string(key) == "memory") {
    object["memory"] = one_of(kMemories, random);
  } else if (object.contains("extents")) {
    object["ring"] = {{"axis", random.between(0, 2)}, {"modulus", random.between(1, 12)}};
  }
}

void damage(const std::vector<Spot>& spots, const Spot& spot, zoo::Random& random) {
  Json& value = *spot.value;
  // The value that this field has in another buffer, step, ...
  if (random.between(0, 7) == 0) {
    std::vector<const Json*> alike;
    for (const Spot& other : spots) {
      if (other.key == spot.key && other.value->type() == value.type())
        alike.push_back(other.value);
    }
    const auto last = static_cast<int>(alike.size()) - 1;
    const Json other = *alike[static_cast<size_t>(random.between(0, last))];
    value = other;
  } else if (is_interval(spot)) {
    damage_interval(value, random);
  } else if (value.is_number_integer()) {
    damage_number(value, random);
  } else if (value.is_number()) {
    value = value.get<double>() * (random.between(0, 1) == 0 ? 2.0 : 1e-9);
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else if (value.is_string()) {
    damage_text(value, random);
  } else if (value.is_array()) {
    damage_list(value, random);
  } else {
    damage_object(value, random);
  }
}

}  // namespace

Json damaged(const Json& plan, zoo::Random& random) {
  Json result = plan;
  const int changes = random.between(1, 3);
  for (int k = 0; k < changes; ++k) {
    std::vector<Spot> spots;
    collect(result, "", spots);
    std::vector<size_t> intervals;
    for (size_t s = 0; s < spots.size(); ++s) {
      if (is_interval(spots[s])) intervals.push_back(s);
    }
    // Regions and chunks are few among all numbers, and most of what can go wrong unseen.
    const bool interval = !intervals.empty() && random.between(0, 3) == 0;
    const auto last = static_cast<int>(interval ? intervals.size() : spots.size()) - 1;
    const auto at = static_cast<size_t>(random.between(0, last));
    damage(spots, spots[interval ? intervals[at] : at], random);
  }
  return result;
}

}  // namespace thimble::testing
