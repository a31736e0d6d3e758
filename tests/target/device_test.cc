// SPDX-License-Identifier: Apache-2.0
// Every file in devices/, and the names that people type.
#include "thimble/target/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"
#include "thimble/target/nearest_names.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string found(const std::string& name) {
  try {
    return find_device(name).target.name;
  } catch (const CompileError& error) {
    return error.what();
  }
}

TEST(Devices, AreAllThatTheFolderHas) {
  size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(THIMBLE_SOURCE_DIR) / "devices"))
    files += entry.path().extension() == ".json" ? 1U : 0U;
  EXPECT_EQ(device_files().size(), files);
  size_t boards = 0, chips = 0;
  for (const Device& device : builtin_devices())
    (device.board ? boards : chips) += device.emulated ? 0U : 1U;
  EXPECT_GE(boards, 100U);
  EXPECT_GE(chips, 70U);
}

TEST(Devices, AreCalledByNamesOfTheirOwn) {
  std::map<std::string, std::string> owners;
  for (const Device& device : builtin_devices()) {
    std::set<std::string> names = {plain_name(device.target.name)};
    for (const std::string& alias : device.aliases)
      EXPECT_TRUE(names.insert(plain_name(alias)).second) << alias;
    for (const std::string& name : names) {
      const auto [at, fresh] = owners.try_emplace(name, device.target.name);
      EXPECT_TRUE(fresh) << name << " is " << at->second << " and " << device.target.name;
      EXPECT_EQ(found(name), device.target.name);
    }
  }
}

TEST(Devices, HaveFiguresThatAChipCanHaveAndSourcesForThem) {
  for (const Device& device : builtin_devices()) {
    SCOPED_TRACE(device.target.name);
    EXPECT_FALSE(device.vendor.empty());
    EXPECT_GE(device.target.clock_hz, 10'000'000);
    EXPECT_LE(device.target.clock_hz, 1'000'000'000);
    EXPECT_GE(device.target.sram_bytes(), 8 << 10);
    EXPECT_LE(device.target.sram_bytes(), 8 << 20);
    EXPECT_LE(device.target.flash_bytes, 128 << 20);
    EXPECT_TRUE(!device.board || device.target.flash_bytes > 0) << "programs lie somewhere";
    EXPECT_LE(device.target.flash_wait_states.value_or(0), 15);
    EXPECT_LE(device.target.flash_line_bytes.value_or(0), 64);
    EXPECT_TRUE(!device.target.flash_line_bytes || device.target.flash_wait_states);
    ASSERT_FALSE(device.sources.empty());
    for (const std::string& source : device.sources)
      EXPECT_THAT(source, HasSubstr(": ")) << "a document, and what is from there";
    for (const Memory& memory : device.target.memories) {
      for (const Bank& bank : memory.banks)
        EXPECT_EQ(bank.base % memory.alignment, 0) << memory.name;
    }
  }
}

TEST(Devices, AreSortedByName) {
  EXPECT_TRUE(std::ranges::is_sorted(builtin_devices(), {},
                                     [](const Device& device) { return device.target.name; }));
}

TEST(Devices, AreFoundAsPeopleTypeThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"nucleo-f446re", "nucleo-f446re"},
      {"NUCLEO_F446RE", "nucleo-f446re"},
      {"STM32F446RE", "stm32f446re"},
      {"STM32F446RET6", "stm32f446re"},
      {"stm32f446", "stm32f446re"},
      {"stm32n657", "stm32n657x0"},
      {"nrf52840", "nrf52840"},
      {"nRF52840-DK", "nrf52840-dk"},
      {"rp2040", "rp2040"},
      {"pico", "raspberry-pi-pico"},
      {"pico2", "raspberry-pi-pico-2"},
      {"Pico W", "raspberry-pi-pico"},
      {"esp32", "esp32"},
      {"esp32-c3", "esp32-c3"},
      {"esp32s3", "esp32-s3"},
      {"teensy41", "teensy-4.1"},
      {"Teensy 4.1", "teensy-4.1"},
      {"nano-33-ble", "arduino-nano-33-ble"},
      {"arduino nano 33 ble sense", "arduino-nano-33-ble-sense"},
      {"samd21", "atsamd21g18"},
      {"apollo3", "apollo3-blue"},
      {"MAX78000", "max78000"},
  };
  for (const auto& [typed, name] : cases) EXPECT_EQ(found(typed), name) << typed;
}

TEST(Devices, WhatCouldBeSeveralListsThem) {
  EXPECT_THAT(found("stm32f40"), AllOf(HasSubstr("device 'stm32f40': could be "),
                                       HasSubstr("stm32f401re, stm32f405rg"),
                                       HasSubstr("; which one? (`thimble devices stm32f40`)")));
  EXPECT_THAT(found("nrf52"), AllOf(HasSubstr("nrf52832"), HasSubstr("nrf52840-dk")));
  EXPECT_THAT(found("stm32"), HasSubstr(", ...; which one?"));
}

TEST(Devices, WhatIsNoneNamesTheNearest) {
  EXPECT_THAT(found("nucleo-f446rr"), AllOf(HasSubstr("device 'nucleo-f446rr': is not known"),
                                            HasSubstr("nucleo-f446re"), HasSubstr("FILE.json")));
  EXPECT_THAT(found("esp32-c5"), HasSubstr("the nearest are esp32-c3"));
  EXPECT_THAT(found("esp32-s31"), HasSubstr("is not known"));
  EXPECT_THAT(found("f446re"), HasSubstr("nucleo-f446re"));
  EXPECT_THAT(found(""), HasSubstr("is not known"));
  EXPECT_THAT(found(std::string(100'000, 'a')), HasSubstr("is not known"));
}

TEST(Devices, AreSearchedByChipBoardVendorAndCore) {
  const auto names = [](const std::vector<std::string>& words) {
    std::set<std::string> result;
    for (const Device& device : matching_devices(words)) result.insert(device.target.name);
    return result;
  };
  EXPECT_TRUE(names({"NRF52"}).contains("arduino-nano-33-ble"));
  EXPECT_TRUE(names({"nordic"}).contains("nrf5340-dk"));
  EXPECT_TRUE(names({"arduino", "cortex-m7"}).contains("arduino-giga-r1"));
  EXPECT_FALSE(names({"arduino", "cortex-m7"}).contains("arduino-due"));
  EXPECT_TRUE(names({"pico2"}).contains("raspberry-pi-pico-2"));
  EXPECT_TRUE(names({"no such thing"}).empty());
  EXPECT_EQ(names({}).size(), builtin_devices().size());
}

TEST(Devices, BoardsHaveWhatTheirChipHasAndMore) {
  const std::vector<Device> devices = parse_devices(R"({"chip": "C9", "vendor": "v",
    "core": "cortex-m4", "clock_hz": 1000, "flash_wait_states": 0, "memories": [
      {"name": "sram", "kind": "sram", "banks": [{"base": "0x20000000", "size": "64K"}]}],
    "sources": ["d: all"], "boards": [{"name": "b", "aliases": ["bb"], "flash": "2M", "vendor": "w",
      "memories": [{"name": "psram", "kind": "external_ram",
                    "banks": [{"base": "0x60000000", "size": "8M"}]}], "sources": ["e: more"]}]})",
                                                    "c9.json");
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].target.name, "c9");
  EXPECT_EQ(devices[0].target.flash_bytes, 0);
  EXPECT_FALSE(devices[0].board);
  EXPECT_EQ(devices[1].target.name, "b");
  EXPECT_EQ(devices[1].target.chip, "C9");
  EXPECT_EQ(devices[1].vendor, "w");
  EXPECT_EQ(devices[1].target.flash_bytes, 2 << 20);
  EXPECT_EQ(devices[1].target.memories.size(), 2U);
  EXPECT_EQ(devices[1].sources, (std::vector<std::string>{"d: all", "e: more"}));
}

TEST(NearestNames, CountEditsAndWhatIsInside) {
  const std::vector<std::string> names = {"abcd", "abce", "xyz", "a-b-c-d-e-f"};
  EXPECT_EQ(nearest_names("ABC-D", names, 2), (std::vector<std::string>{"abcd", "a-b-c-d-e-f"}));
  EXPECT_EQ(nearest_names("xyy", names, 1), (std::vector<std::string>{"xyz"}));
  EXPECT_EQ(nearest_names("", names, 9).size(), 4U);
}

}  // namespace
}  // namespace thimble
