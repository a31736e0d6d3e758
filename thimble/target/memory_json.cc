// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/memory_json.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>

namespace thimble {
namespace {

constexpr std::array kMemoryKinds = {MemoryKind::kTightlyCoupled, MemoryKind::kSram,
                                     MemoryKind::kExternalRam, MemoryKind::kMappedFlash,
                                     MemoryKind::kBlockStorage};

constexpr int64_t kMostAlignment = 1 << 16;
constexpr int64_t kAddresses = int64_t{1} << 32;  ///< of a microcontroller

// What a storage can be described with. Slower, dearer or more lasting ones are typing errors.
constexpr int64_t kMostBytesPerSecond = 1'000'000'000'000, kMostCycles = 1'000'000'000'000'000;
constexpr double kMostSeconds = 3600, kMostNanojoules = 1e12;

MemoryKind read_kind(const JsonObject& object) {
  const std::string word = object.text("kind");
  std::string all;
  for (const MemoryKind kind : kMemoryKinds) {
    if (word == name(kind)) return kind;
    all += all.empty() ? name(kind) : std::string(", ") + name(kind);
  }
  object.reject(fmt::format("'kind' is '{}'; known are {}", word, all));
}

constexpr std::initializer_list<const char*> kStorageFields = {"write_granule_bytes",
                                                               "erase_block_bytes",
                                                               "read_bytes_per_second",
                                                               "write_bytes_per_second",
                                                               "access_seconds",
                                                               "erase_seconds",
                                                               "endurance_cycles",
                                                               "read_nanojoules_per_byte",
                                                               "write_nanojoules_per_byte",
                                                               "erase_nanojoules_per_block",
                                                               "transfers_in_flight",
                                                               "stalls_core",
                                                               "part_of_flash"};

void check_blocks(const StorageFigures& figures, const JsonObject& object) {
  const int64_t granule = figures.write_granule_bytes.value_or(1);
  if (!std::has_single_bit(static_cast<uint64_t>(granule)))
    object.reject("'write_granule_bytes' must be a power of two");
  if (!figures.erase_block_bytes) return;
  if (*figures.erase_block_bytes % granule != 0)
    object.reject("'erase_block_bytes' must be a multiple of 'write_granule_bytes'");
  if (*figures.erase_block_bytes > 0) return;
  for (const char* field : {"erase_seconds", "erase_nanojoules_per_block"}) {
    if (object.has(field))
      object.reject(
          fmt::format("has '{}', but 'erase_block_bytes' says that nothing is erased", field));
  }
}

std::vector<Bank> read_banks(const JsonObject& object) {
  std::vector<Bank> banks;
  for (const nlohmann::json& item : object.list("banks")) {
    const JsonObject bank{item, fmt::format("{}, bank {}", object.where, banks.size())};
    bank.check_fields({"base", "size"});
    banks.push_back({.base = bank.address("base"), .size_bytes = bank.size("size")});
    const Bank& read = banks.back();
    if (read.base > kAddresses || read.size_bytes > kAddresses - read.base)
      bank.reject("does not end within 32 bits of addresses");
  }
  return banks;
}

// Memory number `number` has no fixed address: this one is apart from all others.
Bank unmapped_bank(const JsonObject& object, MemoryKind kind, size_t number) {
  if (on_chip(kind) || kind == MemoryKind::kMappedFlash)
    object.reject(
        fmt::format("has 'size' without 'banks', which memory of kind {} needs", name(kind)));
  if (object.has("banks")) object.reject("has 'banks' and 'size'; a bank has its own");
  const int64_t bytes = object.size("size");
  if (bytes > kUnmappedBase / 2) object.reject("'size' must be 4G at most");
  return {.base = kUnmappedBase * static_cast<int64_t>(number + 1), .size_bytes = bytes};
}

void check_banks_of_blocks(const Memory& memory, const JsonObject& object) {
  const int64_t block = memory.storage ? memory.storage->erase_block_bytes.value_or(0) : 0;
  for (size_t b = 0; block > 0 && b < memory.banks.size(); ++b) {
    if (memory.banks[b].base % block != 0 || memory.banks[b].size_bytes % block != 0)
      object.reject(fmt::format("bank {} is not made of whole blocks of {} B", b, block));
  }
}

}  // namespace

StorageFigures read_storage(const JsonObject& object) {
  object.check_fields(kStorageFields);
  const auto sized = [&](const char* field, int64_t most) -> std::optional<int64_t> {
    if (!object.has(field)) return std::nullopt;
    const int64_t bytes = object.size(field);
    if (bytes > most) object.reject(fmt::format("'{}' must be {} at most", field, most));
    return bytes;
  };
  const auto counted = [&](const char* field, int64_t most) -> std::optional<int64_t> {
    return object.has(field) ? std::optional(object.count(field, most)) : std::nullopt;
  };
  const auto measured = [&](const char* field, double most, bool zero) -> std::optional<double> {
    return object.has(field) ? std::optional(object.quantity(field, most, zero)) : std::nullopt;
  };
  StorageFigures figures{
      .write_granule_bytes = sized("write_granule_bytes", kMostGranuleBytes),
      .read_bytes_per_second = counted("read_bytes_per_second", kMostBytesPerSecond),
      .write_bytes_per_second = counted("write_bytes_per_second", kMostBytesPerSecond),
      .access_seconds = measured("access_seconds", kMostSeconds, true),
      .erase_seconds = measured("erase_seconds", kMostSeconds, false),
      .endurance_cycles = counted("endurance_cycles", kMostCycles),
      .read_nanojoules_per_byte = measured("read_nanojoules_per_byte", kMostNanojoules, true),
      .write_nanojoules_per_byte = measured("write_nanojoules_per_byte", kMostNanojoules, true),
      .erase_nanojoules_per_block = measured("erase_nanojoules_per_block", kMostNanojoules, true),
      .transfers_in_flight = counted("transfers_in_flight", kMostInFlight)};
  const bool never_erased = object.has("erase_block_bytes") && object.at("erase_block_bytes") == 0;
  figures.erase_block_bytes = never_erased ? 0 : sized("erase_block_bytes", kMostBlockBytes);
  if (object.has("stalls_core")) figures.stalls_core = object.flag("stalls_core");
  if (object.has("part_of_flash")) figures.part_of_flash = object.flag("part_of_flash");
  check_blocks(figures, object);
  return figures;
}

Memory read_memory(const JsonObject& object, size_t number) {
  object.check_fields(
      {"name", "kind", "alignment", "banks", "size", "bytes_per_second", "storage"});
  Memory memory;
  memory.name = object.text("name");
  memory.kind = read_kind(object);
  const bool stores = memory.kind == MemoryKind::kBlockStorage;
  if (object.has("alignment")) memory.alignment = object.number("alignment");
  if (object.has("bytes_per_second")) {
    if (stores) object.reject("is block storage, whose speeds are fields of 'storage'");
    memory.bytes_per_second = object.number("bytes_per_second");
  }
  if (!std::has_single_bit(static_cast<uint64_t>(memory.alignment)) ||
      memory.alignment > kMostAlignment) {
    object.reject(fmt::format("'alignment' must be a power of two, {} at most", kMostAlignment));
  }
  memory.banks = object.has("size") ? std::vector{unmapped_bank(object, memory.kind, number)}
                                    : read_banks(object);
  if (object.has("storage")) {
    if (!stores) object.reject("has 'storage', which only block_storage may have");
    memory.storage = read_storage(JsonObject{object.at("storage"), object.where + ", storage"});
  }
  check_banks_of_blocks(memory, object);
  return memory;
}

}  // namespace thimble
