// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "thimble/model/error.h"
#include "thimble/target/size.h"

namespace thimble {

void JsonObject::reject(const std::string& message) const { throw CompileError(where, message); }

void JsonObject::check_fields(std::initializer_list<const char*> known) const {
  if (!json.is_object()) reject("must be an object {...}");
  for (const auto& [key, value] : json.items()) {
    bool found = false;
    std::string all;
    for (const char* field : known) {
      found = found || key == field;
      all += all.empty() ? field : std::string(", ") + field;
    }
    if (!found) reject(fmt::format("has an unknown field '{}'; known are {}", key, all));
  }
}

const nlohmann::json& JsonObject::at(const char* field) const {
  if (!json.contains(field)) reject(fmt::format("lacks the field '{}'", field));
  return json.at(field);
}

const nlohmann::json& JsonObject::list(const char* field) const {
  const nlohmann::json& value = at(field);
  if (!value.is_array() || value.empty())
    reject(fmt::format("'{}' must be a list that is not empty", field));
  return value;
}

bool JsonObject::flag(const char* field) const {
  if (!at(field).is_boolean()) reject(fmt::format("'{}' must be true or false", field));
  return at(field).get<bool>();
}

std::string JsonObject::text(const char* field) const {
  const nlohmann::json& value = at(field);
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    reject(fmt::format("'{}' must be a text that is not empty", field));
  const auto& line = value.get_ref<const std::string&>();
  if (std::ranges::any_of(line, [](char c) { return static_cast<uint8_t>(c) < ' '; }))
    reject(
        fmt::format("'{}' must be a text without line breaks and other control characters", field));
  return line;
}

int64_t JsonObject::number(const char* field, int64_t least) const {
  const nlohmann::json& value = at(field);
  if (!value.is_number_integer() || value.get<int64_t>() < least)
    reject(fmt::format("'{}' must be a whole number {}", field, least > 0 ? "above 0" : "from 0"));
  return value.get<int64_t>();
}

int64_t JsonObject::count(const char* field, int64_t most) const {
  const int64_t read = number(field);
  if (read > most) reject(fmt::format("'{}' must be {} at most", field, most));
  return read;
}

double JsonObject::quantity(const char* field, double most, bool zero) const {
  const nlohmann::json& value = at(field);
  const double read = value.is_number() ? value.get<double>() : -1;
  if (!(read >= 0 && read <= most) || (read == 0 && !zero))
    reject(fmt::format("'{}' must be a number {}, {} at most", field, zero ? "from 0" : "above 0",
                       most));
  return read;
}

int64_t JsonObject::size(const char* field) const {
  if (!at(field).is_string()) return number(field);
  int64_t size_bytes = 0;
  try {
    size_bytes = parse_size(text(field));
  } catch (const CompileError& error) {
    reject(fmt::format("'{}': {}", field, error.what()));
  }
  if (size_bytes == 0) reject(fmt::format("'{}' must be above 0", field));
  return size_bytes;
}

int64_t JsonObject::address(const char* field) const {
  const std::string digits = text(field);
  int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const bool prefix = digits.starts_with("0x") && digits.size() > 2 && digits[2] != '-';
  const auto parsed = prefix ? std::from_chars(digits.data() + 2, end, value, 16)
                             : std::from_chars_result{digits.data(), std::errc::invalid_argument};
  if (parsed.ec != std::errc() || parsed.ptr != end)
    reject(
        fmt::format("'{}' must be an address such as \"0x20000000\", not \"{}\"", field, digits));
  return value;
}

}  // namespace thimble
