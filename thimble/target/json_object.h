// SPDX-License-Identifier: Apache-2.0
// Fields of a JSON object that must be of a kind; what is not is a CompileError that says where.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace thimble {

/// A JSON object and the words that say where it is: "b.json, memory 0".
struct JsonObject {
  const nlohmann::json& json;
  std::string where;

  [[noreturn]] void reject(const std::string& message) const;
  /// That it is an object, and has none but these.
  void check_fields(std::initializer_list<const char*> known) const;
  [[nodiscard]] bool has(const char* field) const { return json.contains(field); }
  [[nodiscard]] const nlohmann::json& at(const char* field) const;
  [[nodiscard]] const nlohmann::json& list(const char* field) const;  ///< not empty
  [[nodiscard]] bool flag(const char* field) const;
  [[nodiscard]] std::string text(const char* field) const;  ///< of one line, not empty
  [[nodiscard]] int64_t number(const char* field, int64_t least = 1) const;
  [[nodiscard]] int64_t count(const char* field, int64_t most) const;  ///< 1 to `most`
  /// What is physical goes from 0, or above it, to `most`.
  [[nodiscard]] double quantity(const char* field, double most, bool zero) const;
  [[nodiscard]] int64_t size(const char* field) const;     ///< 131072 or "128K", above 0
  [[nodiscard]] int64_t address(const char* field) const;  ///< "0x20000000"
};

}  // namespace thimble
