// SPDX-License-Identifier: Apache-2.0
#include "zoo/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>

#include "thimble/model/error.h"

namespace thimble::zoo {
namespace {

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string admissible(const Parameter& p) {
  if (!p.choices.empty()) return fmt::format("one of {}", fmt::join(p.choices, ", "));
  if (p.unit > 1) return fmt::format("a multiple of {} from {} to {}", p.unit, p.least, p.most);
  return fmt::format("{} from {} to {}", p.whole ? "an integer" : "a number", p.least, p.most);
}

bool takes(const Parameter& p, const std::string& value) {
  if (!p.choices.empty()) return std::ranges::find(p.choices, value) != p.choices.end();
  const std::optional<double> n = number(value);
  if (!n.has_value() || !(*n >= p.least && *n <= p.most)) return false;
  if (!p.whole) return true;
  if (!std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; })) return false;
  return static_cast<int64_t>(*n) % p.unit == 0;
}

std::string keys(const std::vector<Parameter>& known) {
  std::vector<std::string> names;
  for (const Parameter& p : known) names.push_back(p.key);
  return names.empty() ? "it takes no parameters"
                       : fmt::format("there are {}", fmt::join(names, ", "));
}

}  // namespace

Parameter whole_number(const std::string& key, int64_t initial, int64_t least, int64_t most,
                       const std::string& meaning) {
  return {.key = key,
          .initial = std::to_string(initial),
          .meaning = meaning,
          .least = static_cast<double>(least),
          .most = static_cast<double>(most)};
}

Parameter multiple_of(int64_t unit, const std::string& key, int64_t initial, int64_t least,
                      int64_t most, const std::string& meaning) {
  Parameter result = whole_number(key, initial, least, most, meaning);
  result.unit = unit;
  return result;
}

Parameter real_number(const std::string& key, const std::string& initial, double least, double most,
                      const std::string& meaning) {
  return {.key = key,
          .initial = initial,
          .meaning = meaning,
          .least = least,
          .most = most,
          .whole = false};
}

Parameter one_of(const std::string& key, const std::vector<std::string>& choices,
                 const std::string& meaning) {
  return {.key = key, .initial = choices.at(0), .meaning = meaning, .choices = choices};
}

Parameters::Parameters(const std::string& where, const std::vector<Parameter>& known,
                       const std::string& given) {
  for (const Parameter& p : known) values_[p.key] = p.initial;
  std::set<std::string> seen;
  std::istringstream pairs(given);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      throw CompileError(where, fmt::format("'{}' is not key=value; {}", pair, keys(known)));
    }
    const std::string key = pair.substr(0, equals);
    const std::string value = pair.substr(equals + 1);
    const auto p = std::ranges::find(known, key, &Parameter::key);
    if (p == known.end()) {
      throw CompileError(where, fmt::format("there is no parameter '{}'; {}", key, keys(known)));
    }
    if (!seen.insert(key).second) {
      throw CompileError(where, fmt::format("the parameter '{}' is given twice", key));
    }
    if (!takes(*p, value)) {
      throw CompileError(
          where, fmt::format("'{}' is not a value of {}: it is {}", value, key, admissible(*p)));
    }
    values_[key] = value;
  }
}

int64_t Parameters::integer(const std::string& key) const {
  return static_cast<int64_t>(real(key));
}

double Parameters::real(const std::string& key) const {
  const std::optional<double> value = number(text(key));
  check(value.has_value(), "a parameter that is read as a number is one");
  return *value;
}

const std::string& Parameters::text(const std::string& key) const { return values_.at(key); }

}  // namespace thimble::zoo
