// SPDX-License-Identifier: Apache-2.0
#include "thimble/devices/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "thimble/devices/embedded_file.h"
#include "thimble/devices/temporary_folder.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string with(const std::string& from, const std::string& to) {
  std::string text = R"({"name": "b", "chip": "c", "core": "cortex-m4", "clock_hz": 1000,
    "flash": "1M", "tiers": [{"name": "sram", "kind": "sram",
    "banks": [{"base": "0x20000000", "size": "64K"}, {"base": "0x20010000", "size": 4096}]}]})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

std::string fault_of(const std::string& json) {
  try {
    (void)parse_device(json, "b.json");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Device, ReadsADescription) {
  const Device expected{.name = "b",
                        .chip = "c",
                        .core = "cortex-m4",
                        .clock_hz = 1000,
                        .flash_bytes = 1 << 20,
                        .tiers = {{.name = "sram",
                                   .kind = TierKind::kSram,
                                   .alignment = 4,
                                   .banks = {{0x20000000, 65536}, {0x20010000, 4096}}}}};
  EXPECT_EQ(parse_device(with("", ""), "b.json"), expected);
}

TEST(Device, KnowsContiguousMemory) {
  const Device l4 = find_device("nucleo-l476rg");
  EXPECT_EQ(l4.sram_bytes(), 128 << 10);
  EXPECT_EQ(l4.tiers[0].largest_run_bytes(), 96 << 10);
  const Device f7 = find_device("nucleo-f767zi");
  EXPECT_EQ(f7.sram_bytes(), 512 << 10);
  EXPECT_EQ(f7.largest_sram_run_bytes(), 512 << 10) << "DTCM and SRAM touch";
  const Device disco = find_device("stm32f746g-disco");
  EXPECT_EQ(disco.sram_bytes(), 320 << 10) << "SDRAM is not on the chip";
}

TEST(Device, BuiltinOnesAreSortedAndNamedAsTheirFiles) {
  const std::vector<Device> devices = builtin_devices();
  ASSERT_EQ(devices.size(), device_files().size());
  ASSERT_GE(devices.size(), 10U);
  for (size_t i = 0; i < devices.size(); ++i) {
    EXPECT_TRUE(i == 0 || devices[i - 1].name < devices[i].name) << devices[i].name;
    EXPECT_EQ(device_files()[i].path, devices[i].name + ".json");
  }
}

TEST(Device, BuiltinListHasEveryDescription) {
  const auto folder = std::filesystem::path(THIMBLE_SOURCE_DIR) / "devices";
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files += entry.path().extension() == ".json" ? 1U : 0U;
  }
  EXPECT_EQ(builtin_devices().size(), files);
}

TEST(Device, UnknownNameListsWhatExists) {
  try {
    (void)find_device("nucleo-f999zz");
    FAIL() << "found";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("device 'nucleo-f999zz'"), HasSubstr("nucleo-f446re"),
                                    HasSubstr("FILE.json")));
  }
}

TEST(Device, IsFoundInAFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "mine.json";
  std::ofstream(path) << with("", "");
  EXPECT_EQ(find_device(path.string()).name, "b");
  EXPECT_THROW((void)find_device((folder.path() / "absent.json").string()), CompileError);
}

TEST(Device, RejectsFaultyDescriptions) {
  const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"{\"name\"", "[\"name\"", "b.json: is not JSON"},
      {"\"clock_hz\"", "\"clock\"", "unknown field 'clock'; known are name, chip, core, clock_hz"},
      {"\"core\": \"cortex-m4\",", "", "lacks the field 'core'"},
      {"1000", "0", "'clock_hz' must be a whole number above 0"},
      {"\"1M\"", "\"1Q\"", "'flash': size '1Q': has an unknown unit"},
      {"\"kind\": \"sram\"", "\"kind\": \"dram\"", "'kind' is 'dram'; known are tightly_coupled"},
      {"\"kind\":", "\"alignment\": 3, \"kind\":", "b.json, tier 0: 'alignment' must be a power"},
      {"0x20010000", "20010000", "b.json, tier 0, bank 1: 'base' must be an address"},
      {"0x20010000", "0x2000FFFF", "the banks at 0x20000000 and 0x2000ffff overlap"},
      {"4096", "-4096", "'size' must be a whole number above 0"},
      {"\"name\": \"sram\"", "\"name\": \"\"", "'name' must be a text that is not empty"},
  };
  for (const auto& c : cases) EXPECT_THAT(fault_of(with(c.from, c.to)), HasSubstr(c.message));
}

}  // namespace
}  // namespace thimble
