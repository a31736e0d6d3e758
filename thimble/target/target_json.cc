// SPDX-License-Identifier: Apache-2.0
// Target descriptions as JSON. Every fault names the file and the field.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"
#include "thimble/target/device.h"
#include "thimble/target/json_object.h"
#include "thimble/target/memory_json.h"

namespace thimble {
namespace {

using Json = nlohmann::json;

Core read_core(const JsonObject& object) {
  const std::string name = object.text("core");
  try {
    return core_named(name);
  } catch (const CompileError& error) {
    object.reject(error.what());
  }
}

// Every byte belongs to one bank.
void check_disjoint(const Target& target, const JsonObject& object) {
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

// Programs lie in what is left of it.
void check_flash_holds_storage(const Target& target, const JsonObject& object) {
  int64_t bytes = 0;
  for (const Memory& memory : target.memories)
    bytes += memory.storage && memory.storage->part_of_flash ? memory.size_bytes() : 0;
  if (bytes > 0 && bytes >= target.flash_bytes)
    object.reject("has no flash left for programs beside the storage that is part of it");
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

Target read_description(const JsonObject& object) {
  Target target;
  target.name = object.text("name");
  target.chip = object.text("chip");
  target.core = read_core(object);
  target.clock_hz = object.number("clock_hz");
  if (object.json.contains("flash")) target.flash_bytes = object.size("flash");
  if (object.json.contains("flash_wait_states"))
    target.flash_wait_states = object.number("flash_wait_states", 0);
  if (object.json.contains("flash_line_bytes"))
    target.flash_line_bytes = object.number("flash_line_bytes");
  for (const Json& item : object.list("memories")) {
    const size_t number = target.memories.size();
    target.memories.push_back(
        read_memory({item, fmt::format("{}, memory {}", object.where, number)}, number));
  }
  check_disjoint(target, object);
  check_flash_holds_storage(target, object);
  return target;
}

// A list of texts; none if the field is missing.
std::vector<std::string> texts(const JsonObject& object, const char* field) {
  std::vector<std::string> lines;
  if (!object.json.contains(field)) return lines;
  for (const Json& item : object.list(field)) {
    const Json line = {{"text", item}};
    lines.push_back(JsonObject{line, fmt::format("{}, {}", object.where, field)}.text("text"));
  }
  return lines;
}

// What is not of a target.
Device read_device(const JsonObject& described, bool board) {
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
Json board_of(const Json& chip, const JsonObject& board) {
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
  const JsonObject object{description, where};
  object.check_fields({"name", "chip", "core", "clock_hz", "flash", "flash_wait_states",
                       "flash_line_bytes", "memories"});
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
  const JsonObject object{chip, where};
  object.check_fields({"chip", "vendor", "aliases", "core", "clock_hz", "flash",
                       "flash_wait_states", "flash_line_bytes", "memories", "emulated", "sources",
                       "boards"});
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
