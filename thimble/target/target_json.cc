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
#include "thimble/target/device.h"
#include "thimble/target/size.h"

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

  [[nodiscard]] int64_t number(const char* field, int64_t least = 1) const {
    const Json& value = at(field);
    if (!value.is_number_integer() || value.get<int64_t>() < least) {
      reject(
          fmt::format("'{}' must be a whole number {}", field, least > 0 ? "above 0" : "from 0"));
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
  object.check_fields({"name", "kind", "alignment", "banks", "bytes_per_second"});
  Memory memory;
  memory.name = object.text("name");
  memory.kind = read_kind(object);
  if (object.json.contains("alignment")) memory.alignment = object.number("alignment");
  if (object.json.contains("bytes_per_second"))
    memory.bytes_per_second = object.number("bytes_per_second");
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
  try {
    return core_named(name);
  } catch (const CompileError& error) {
    object.reject(error.what());
  }
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

// "apollo3-blue" of "Apollo3 Blue": one word on a command line.
std::string name_of_chip(std::string chip) {
  for (char& c : chip) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ') c = '-';
  }
  return chip;
}

Json parsed(const std::string& json, const std::string& where) {
  try {
    return parse_json(json, {.depth = 8, .bytes = size_t{1} << 20});
  } catch (const std::invalid_argument& error) {
    throw CompileError(where, fmt::format("is not JSON: {}", error.what()));
  }
}

Target read_description(const Object& object) {
  Target target;
  target.name = object.text("name");
  target.chip = object.text("chip");
  target.core = read_core(object);
  target.clock_hz = object.number("clock_hz");
  if (object.json.contains("flash")) target.flash_bytes = object.size("flash");
  if (object.json.contains("flash_wait_states"))
    target.flash_wait_states = object.number("flash_wait_states", 0);
  for (const Json& item : object.list("memories")) {
    target.memories.push_back(
        read_memory({item, fmt::format("{}, memory {}", object.where, target.memories.size())}));
  }
  check_disjoint(target, object);
  return target;
}

// A list of texts; none if the field is missing.
std::vector<std::string> texts(const Object& object, const char* field) {
  std::vector<std::string> lines;
  if (!object.json.contains(field)) return lines;
  for (const Json& item : object.list(field)) {
    const Json line = {{"text", item}};
    lines.push_back(Object{line, fmt::format("{}, {}", object.where, field)}.text("text"));
  }
  return lines;
}

// What is not of a target.
Device read_device(const Object& described, bool board) {
  Device device{.target = read_description(described),
                .vendor = described.text("vendor"),
                .aliases = texts(described, "aliases"),
                .sources = texts(described, "sources"),
                .board = board};
  if (device.sources.empty()) described.reject("lacks 'sources'");
  if (described.json.contains("emulated")) device.emulated = described.json.at("emulated") == true;
  return device;
}

// A description of the board: the chip's fields, then its own.
Json board_of(const Json& chip, const Object& board) {
  board.check_fields({"name", "vendor", "aliases", "flash", "memories", "sources"});
  Json merged = chip;
  for (const char* field : {"name", "vendor", "flash", "aliases"}) {
    if (board.json.contains(field)) merged[field] = board.at(field);
  }
  if (!board.json.contains("aliases")) merged.erase("aliases");
  for (const char* field : {"memories", "sources"}) {
    if (!board.json.contains(field)) continue;
    for (const Json& item : board.list(field)) merged[field].push_back(item);
  }
  return merged;
}

}  // namespace

Target parse_target(const std::string& json, const std::string& where) {
  const Json description = parsed(json, where);
  const Object object{description, where};
  object.check_fields(
      {"name", "chip", "core", "clock_hz", "flash", "flash_wait_states", "memories"});
  (void)object.at("flash");
  return read_description(object);
}

Target read_target(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw CompileError(path.string(), "cannot be read as a target description");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_target(text.str(), path.string());
}

std::vector<Device> parse_devices(const std::string& json, const std::string& where) {
  Json chip = parsed(json, where);
  const Object object{chip, where};
  object.check_fields({"chip", "vendor", "aliases", "core", "clock_hz", "flash",
                       "flash_wait_states", "memories", "emulated", "sources", "boards"});
  const Json boards = chip.contains("boards") ? Json(object.list("boards")) : Json::array();
  chip.erase("boards");
  std::vector<Device> devices;
  chip["name"] = name_of_chip(object.text("chip"));
  if (!chip.contains("emulated")) devices.push_back(read_device(object, false));
  for (const Json& board : boards) {
    const std::string at = fmt::format("{}, board {}", where, devices.size());
    const Json merged = board_of(chip, {board, at});
    devices.push_back(read_device({merged, at}, true));
  }
  return devices;
}

}  // namespace thimble
