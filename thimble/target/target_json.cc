// SPDX-License-Identifier: Apache-2.0
// Target descriptions as JSON. Every fault names the file and the field.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"
#include "thimble/target/size.h"
#include "thimble/target/target.h"

namespace thimble {
namespace {

using Json = nlohmann::json;

constexpr std::array kMemoryKinds = {MemoryKind::kTightlyCoupled, MemoryKind::kSram,
                                     MemoryKind::kExternalRam, MemoryKind::kMappedFlash,
                                     MemoryKind::kBlockStorage};

constexpr int64_t kMostAlignment = 1 << 16;
constexpr int64_t kAddresses = int64_t{1} << 32;  ///< of a microcontroller

// A JSON object and the words that say where it is.
struct Object {
  const Json& json;
  std::string where;

  [[noreturn]] void reject(const std::string& message) const { throw CompileError(where, message); }

  void check_fields(std::initializer_list<const char*> known) const {
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

  [[nodiscard]] const Json& at(const char* field) const {
    if (!json.contains(field)) reject(fmt::format("lacks the field '{}'", field));
    return json.at(field);
  }

  [[nodiscard]] std::string text(const char* field) const {
    const Json& value = at(field);
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
      reject(fmt::format("'{}' must be a text that is not empty", field));
    }
    const auto& line = value.get_ref<const std::string&>();
    if (std::ranges::any_of(line, [](char c) { return static_cast<uint8_t>(c) < ' '; }))
      reject(fmt::format("'{}' must be a text without line breaks and other control characters",
                         field));
    return line;
  }

  [[nodiscard]] int64_t number(const char* field) const {
    const Json& value = at(field);
    if (!value.is_number_integer() || value.get<int64_t>() <= 0) {
      reject(fmt::format("'{}' must be a whole number above 0", field));
    }
    return value.get<int64_t>();
  }

  // 131072 or "128K".
  [[nodiscard]] int64_t size(const char* field) const {
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

  // "0x20000000".
  [[nodiscard]] int64_t address(const char* field) const {
    const std::string digits = text(field);
    int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const bool prefix = digits.starts_with("0x") && digits.size() > 2 && digits[2] != '-';
    const auto parsed = prefix ? std::from_chars(digits.data() + 2, end, value, 16)
                               : std::from_chars_result{digits.data(), std::errc::invalid_argument};
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      reject(
          fmt::format("'{}' must be an address such as \"0x20000000\", not \"{}\"", field, digits));
    }
    return value;
  }

  [[nodiscard]] const Json& list(const char* field) const {
    const Json& value = at(field);
    if (!value.is_array() || value.empty()) {
      reject(fmt::format("'{}' must be a list that is not empty", field));
    }
    return value;
  }
};

MemoryKind read_kind(const Object& object) {
  const std::string word = object.text("kind");
  std::string all;
  for (const MemoryKind kind : kMemoryKinds) {
    if (word == name(kind)) return kind;
    all += all.empty() ? name(kind) : std::string(", ") + name(kind);
  }
  object.reject(fmt::format("'kind' is '{}'; known are {}", word, all));
}

Memory read_memory(const Object& object) {
  object.check_fields({"name", "kind", "alignment", "banks"});
  Memory memory;
  memory.name = object.text("name");
  memory.kind = read_kind(object);
  if (object.json.contains("alignment")) memory.alignment = object.number("alignment");
  if (!std::has_single_bit(static_cast<uint64_t>(memory.alignment)) ||
      memory.alignment > kMostAlignment) {
    object.reject(fmt::format("'alignment' must be a power of two, {} at most", kMostAlignment));
  }
  for (const Json& item : object.list("banks")) {
    const Object bank{item, fmt::format("{}, bank {}", object.where, memory.banks.size())};
    bank.check_fields({"base", "size"});
    memory.banks.push_back({.base = bank.address("base"), .size_bytes = bank.size("size")});
    const Bank& read = memory.banks.back();
    if (read.base > kAddresses || read.size_bytes > kAddresses - read.base)
      bank.reject("does not end within 32 bits of addresses");
  }
  return memory;
}

Core read_core(const Object& object) {
  const std::string name = object.text("core");
  if (!is_core_name(name)) {
    object.reject(
        fmt::format("'core' must be a name as GCC's -mcpu takes it, such as "
                    "\"cortex-m4\", not \"{}\"",
                    name));
  }
  return core_named(name);
}

// Every byte belongs to one bank.
void check_disjoint(const Target& target, const Object& object) {
  std::vector<Bank> seen;
  for (const Memory& memory : target.memories) {
    for (const Bank& bank : memory.banks) {
      for (const Bank& other : seen) {
        if (bank.base < other.base + other.size_bytes && other.base < bank.base + bank.size_bytes) {
          object.reject(
              fmt::format("the banks at 0x{:08x} and 0x{:08x} overlap", other.base, bank.base));
        }
      }
      seen.push_back(bank);
    }
  }
}

}  // namespace

Target parse_target(const std::string& json, const std::string& where) {
  Json parsed;
  try {
    parsed = parse_json(json, {.depth = 8, .bytes = size_t{1} << 20});
  } catch (const std::invalid_argument& error) {
    throw CompileError(where, fmt::format("is not JSON: {}", error.what()));
  }
  const Object object{parsed, where};
  object.check_fields({"name", "chip", "core", "clock_hz", "flash", "memories"});
  Target target;
  target.name = object.text("name");
  target.chip = object.text("chip");
  target.core = read_core(object);
  target.clock_hz = object.number("clock_hz");
  target.flash_bytes = object.size("flash");
  for (const Json& item : object.list("memories")) {
    target.memories.push_back(
        read_memory({item, fmt::format("{}, memory {}", where, target.memories.size())}));
  }
  check_disjoint(target, object);
  return target;
}

Target read_target(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw CompileError(path.string(), "cannot be read as a target description");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_target(text.str(), path.string());
}

}  // namespace thimble
