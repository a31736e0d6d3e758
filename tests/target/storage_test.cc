// SPDX-License-Identifier: Apache-2.0
// What descriptions say of storage, and what the devices that are known have of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "thimble/model/error.h"
#include "thimble/target/device.h"
#include "thimble/target/target.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// A description of a chip with 1 MiB of flash, and a memory of these fields.
std::string with_memory(const std::string& fields) {
  return R"({"name": "b", "chip": "c", "core": "cortex-m4", "clock_hz": 1000, "flash": "1M",
    "memories": [{"name": "sram", "kind": "sram", "banks": [{"base": "0x20000000", "size": "64K"}]},
                 {"name": "m", )" +
         fields + "}]}";
}

/// A storage with these figures in half of the flash.
std::string with_storage(const std::string& figures) {
  return with_memory(R"("kind": "block_storage",
      "banks": [{"base": "0x08080000", "size": "512K"}], "storage": {)" +
                     figures + "}");
}

StorageFigures figures_of(const std::string& figures) {
  return parse_target(with_storage(figures), "b.json").memories.at(1).storage.value();
}

std::string refusal_of(const std::string& json) {
  try {
    (void)parse_target(json, "b.json");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Storage, ReadsAllFigures) {
  const StorageFigures expected{.write_granule_bytes = 32,
                                .erase_block_bytes = 128 << 10,
                                .read_bytes_per_second = 480'000'000,
                                .write_bytes_per_second = 320'000,
                                .access_seconds = 0,
                                .erase_seconds = 1.5,
                                .endurance_cycles = 10'000,
                                .read_nanojoules_per_byte = 0.25,
                                .write_nanojoules_per_byte = 40,
                                .erase_nanojoules_per_block = 3e7,
                                .transfers_in_flight = 2,
                                .stalls_core = false,
                                .part_of_flash = true};
  EXPECT_EQ(figures_of(R"("write_granule_bytes": 32, "erase_block_bytes": "128K",
      "read_bytes_per_second": 480000000, "write_bytes_per_second": 320000, "access_seconds": 0,
      "erase_seconds": 1.5, "endurance_cycles": 10000, "read_nanojoules_per_byte": 0.25,
      "write_nanojoules_per_byte": 40, "erase_nanojoules_per_block": 3e7,
      "transfers_in_flight": 2, "stalls_core": false, "part_of_flash": true)"),
            expected);
}

TEST(Storage, WhatIsNotKnownIsNotZero) {
  EXPECT_EQ(figures_of(""), StorageFigures());
  EXPECT_FALSE(figures_of("").erase_block_bytes.has_value());
  EXPECT_EQ(figures_of(R"("erase_block_bytes": 0)").erase_block_bytes, 0) << "never erased";
  EXPECT_FALSE(figures_of("").stalls_core.has_value());
  EXPECT_EQ(refusal_of(with_memory(R"("kind": "block_storage", "size": "1M")")), "accepted")
      << "no figures at all";
}

TEST(Storage, RejectsWhatNoStorageHas) {
  const std::array<std::pair<const char*, const char*>, 19> cases = {{
      {R"("granule": 4)", "b.json, memory 1, storage: has an unknown field 'granule'; known are "},
      {R"("write_granule_bytes": 3)", "'write_granule_bytes' must be a power of two"},
      {R"("write_granule_bytes": 0)", "'write_granule_bytes' must be a whole number above 0"},
      {R"("write_granule_bytes": "1M")", "'write_granule_bytes' must be 4096 at most"},
      {R"("erase_block_bytes": "32M")", "'erase_block_bytes' must be 16777216 at most"},
      {R"("erase_block_bytes": -4096)", "'erase_block_bytes' must be a whole number above 0"},
      {R"("erase_block_bytes": "3Q")", "'erase_block_bytes': size '3Q': has an unknown unit"},
      {R"("write_granule_bytes": 16, "erase_block_bytes": 4104)",
       "'erase_block_bytes' must be a multiple of 'write_granule_bytes'"},
      {R"("erase_block_bytes": "1M")", "memory 1: bank 0 is not made of whole blocks of 1048576 B"},
      {R"("erase_block_bytes": 0, "erase_seconds": 1)", "says that nothing is erased"},
      {R"("erase_seconds": 0)", "'erase_seconds' must be a number above 0, 3600 at most"},
      {R"("erase_seconds": "1 s")", "'erase_seconds' must be a number above 0"},
      {R"("access_seconds": -1)", "'access_seconds' must be a number from 0, 3600 at most"},
      {R"("read_bytes_per_second": 0)", "'read_bytes_per_second' must be a whole number above 0"},
      {R"("write_bytes_per_second": 2e18)", "'write_bytes_per_second' must be a whole number"},
      {R"("endurance_cycles": 0.5)", "'endurance_cycles' must be a whole number above 0"},
      {R"("transfers_in_flight": 65)", "'transfers_in_flight' must be 64 at most"},
      {R"("read_nanojoules_per_byte": 1e13)", "'read_nanojoules_per_byte' must be a number from 0"},
      {R"("stalls_core": 1)", "'stalls_core' must be true or false"},
  }};
  for (const auto& [figures, message] : cases)
    EXPECT_THAT(refusal_of(with_storage(figures)), HasSubstr(message)) << figures;
}

TEST(Storage, RejectsMemoriesThatCannotBeSo) {
  const std::array<std::pair<const char*, const char*>, 7> cases = {{
      {R"("kind": "sram", "banks": [{"base": "0x1000", "size": 8}], "storage": {})",
       "b.json, memory 1: has 'storage', which only block_storage may have"},
      {R"("kind": "block_storage", "size": "1M", "bytes_per_second": 5)",
       "is block storage, whose speeds are fields of 'storage'"},
      {R"("kind": "block_storage", "size": "1M", "storage": 5)",
       "b.json, memory 1, storage: must be an object"},
      {R"("kind": "block_storage")", "b.json, memory 1: lacks the field 'banks'"},
      {R"("kind": "block_storage", "size": "1M", "banks": [{"base": "0x1000", "size": 8}])",
       "has 'banks' and 'size'; a bank has its own"},
      {R"("kind": "sram", "size": "64K")",
       "has 'size' without 'banks', which memory of kind sram needs"},
      {R"("kind": "block_storage", "size": "1M", "storage": {"part_of_flash": true})",
       "b.json: has no flash left for programs beside the storage that is part of it"},
  }};
  for (const auto& [fields, message] : cases)
    EXPECT_THAT(refusal_of(with_memory(fields)), HasSubstr(message)) << fields;
}

// PSRAM that firmware maps where it wishes, a card.
TEST(Storage, MemoryWithoutAnAddressLiesApartFromAllOther) {
  const Target target = parse_target(
      R"({"name": "b", "chip": "c", "core": "cortex-m4", "clock_hz": 1000, "flash": "1M", "memories": [
          {"name": "sram", "kind": "sram", "banks": [{"base": "0x0", "size": "64K"}]},
          {"name": "psram", "kind": "external_ram", "size": "4G"},
          {"name": "card", "kind": "block_storage", "size": "1M"}]})",
      "b.json");
  EXPECT_TRUE(target.memories[0].banks[0].has_address());
  EXPECT_FALSE(target.memories[1].banks[0].has_address());
  EXPECT_FALSE(target.memories[2].banks[0].has_address());
  EXPECT_EQ(target.memories[1].size_bytes(), int64_t{4} << 30);
  EXPECT_EQ(target.sram_bytes(), 64 << 10);
  std::vector<Bank> all;
  for (const Memory& memory : target.memories) all.push_back(memory.banks[0]);
  EXPECT_EQ(largest_run_bytes(all), int64_t{4} << 30) << "no two of them touch";
}

TEST(DevicesWithStorage, SayWhereItIsAndWhatItStops) {
  size_t devices = 0;
  for (const Device& device : builtin_devices()) {
    SCOPED_TRACE(device.target.name);
    bool any = false;
    for (const Memory& memory : device.target.memories) {
      if (memory.kind != MemoryKind::kBlockStorage) continue;
      SCOPED_TRACE(memory.name);
      any = true;
      ASSERT_TRUE(memory.storage.has_value());
      EXPECT_TRUE(memory.storage->erase_block_bytes.has_value());
      EXPECT_TRUE(memory.storage->stalls_core.has_value());
      EXPECT_EQ(memory.storage->transfers_in_flight, 1) << "flash does one thing at a time";
    }
    devices += any ? 1U : 0U;
  }
  EXPECT_GE(devices, 30U);
}

// A source that speaks of what is erased, or overwritten, behind its document's name.
TEST(DevicesWithStorage, HaveSourcesForIt) {
  const std::array words = {"sector", "page", "erase", "overwritten"};
  for (const Device& device : builtin_devices()) {
    const bool stores = std::ranges::any_of(device.target.memories, [](const Memory& memory) {
      return memory.kind == MemoryKind::kBlockStorage;
    });
    if (!stores) continue;
    const auto speaks_of_it = [&](const std::string& source) {
      const std::string facts = source.substr(std::min(source.find(": "), source.size()));
      return std::ranges::any_of(
          words, [&](const char* word) { return facts.find(word) != std::string::npos; });
    };
    EXPECT_TRUE(std::ranges::any_of(device.sources, speaks_of_it)) << device.target.name;
  }
}

TEST(DevicesWithStorage, HaveTheFiguresOfTheirDataSheets) {
  const auto storage = [](const char* device, const char* memory) {
    for (const Memory& m : find_device(device).target.memories)
      if (m.name == memory) return m.storage.value();
    throw InternalError("no such memory");
  };
  const StorageFigures h743 = storage("nucleo-h743zi", "flash_bank2");
  EXPECT_EQ(h743.write_granule_bytes, 32);
  EXPECT_EQ(h743.write_bytes_per_second, 320'000) << "32 B in 100 us";
  EXPECT_EQ(h743.erase_seconds, 1.0);
  EXPECT_EQ(h743.stalls_core, false) << "code lies in bank 1";
  const StorageFigures nano = storage("arduino-nano-33-ble", "flash_upper");
  EXPECT_EQ(nano.erase_seconds, 0.085);
  EXPECT_EQ(nano.stalls_core, true);
  const StorageFigures qspi = storage("stm32f746g-disco", "qspi_flash");
  EXPECT_EQ(qspi.read_bytes_per_second, 36'000'000) << "four bits at 72 MHz";
  EXPECT_FALSE(qspi.part_of_flash);
}

}  // namespace
}  // namespace thimble
