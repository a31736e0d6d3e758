// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "thimble/model/error.h"
#include "thimble/target/device.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string with(const std::string& from, const std::string& to) {
  std::string text = R"({"name": "b", "chip": "c", "core": "cortex-m4", "clock_hz": 1000,
    "flash": "1M", "memories": [{"name": "sram", "kind": "sram",
    "banks": [{"base": "0x20000000", "size": "64K"}, {"base": "0x20010000", "size": 4096}]}]})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

std::string fault_of(const std::string& json) {
  try {
    (void)parse_target(json, "b.json");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Target, ReadsADescription) {
  const Target expected{.name = "b",
                        .chip = "c",
                        .core = core_named("cortex-m4"),
                        .clock_hz = 1000,
                        .flash_bytes = 1 << 20,
                        .memories = {{.name = "sram",
                                      .kind = MemoryKind::kSram,
                                      .alignment = 4,
                                      .banks = {{0x20000000, 65536}, {0x20010000, 4096}}}}};
  EXPECT_EQ(parse_target(with("", ""), "b.json"), expected);
}

TEST(Target, KnowsContiguousMemory) {
  const Target l4 = find_target("nucleo-l476rg");
  EXPECT_EQ(l4.sram_bytes(), 128 << 10);
  EXPECT_EQ(l4.memories[0].largest_run_bytes(), 96 << 10);
  const Target f7 = find_target("nucleo-f767zi");
  EXPECT_EQ(f7.sram_bytes(), 512 << 10);
  EXPECT_EQ(f7.largest_sram_run_bytes(), 512 << 10) << "DTCM and SRAM touch";
  const Target disco = find_target("stm32f746g-disco");
  EXPECT_EQ(disco.sram_bytes(), 320 << 10) << "SDRAM is not on the chip";
}

TEST(Target, IsFoundInAFile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "mine.json";
  std::ofstream(path) << with("", "");
  EXPECT_EQ(find_target(path.string()).name, "b");
  EXPECT_THROW((void)find_target((folder.path() / "absent.json").string()), CompileError);
}

TEST(Target, RejectsWhatWouldBeOptionsOfACompiler) {
  for (const char* core : {"cortex-m4; rm x", "cortex-m4 -o x", "../x", "a\\nb"}) {
    EXPECT_THAT(fault_of(with("cortex-m4", core)),
                AnyOf(StartsWith("b.json: core '"), StartsWith("b.json: 'core' must be")))
        << core;
  }
  EXPECT_EQ(fault_of(with("cortex-m4", "Cortex_M33+nodsp")), "accepted");
}

TEST(Target, RejectsWhatNoChipHas) {
  EXPECT_THAT(fault_of(with("0x20010000", "0xFFFFFFFF")),
              HasSubstr("bank 1: does not end within 32 bits of addresses"));
  EXPECT_THAT(fault_of(with("0x20010000", "0x7FFFFFFFFFFFFFFF")), HasSubstr("within 32 bits"));
  EXPECT_THAT(fault_of(with("\"kind\"", "\"alignment\": 1099511627776, \"kind\"")),
              HasSubstr("'alignment' must be a power of two, 65536 at most"));
  EXPECT_THAT(fault_of(with("\"sram\"", "\"a\\nb\"")), HasSubstr("without line breaks"));
}

TEST(Target, RejectsFaultyDescriptions) {
  const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"{\"name\"", "[\"name\"", "b.json: is not JSON"},
      {"\"clock_hz\"", "\"clock\"", "unknown field 'clock'; known are name, chip, core, clock_hz"},
      {"\"core\": \"cortex-m4\",", "", "lacks the field 'core'"},
      {"1000", "0", "'clock_hz' must be a whole number above 0"},
      {"\"1M\"", "\"1Q\"", "'flash': size '1Q': has an unknown unit"},
      {"\"kind\": \"sram\"", "\"kind\": \"dram\"", "'kind' is 'dram'; known are tightly_coupled"},
      {"\"kind\":", "\"alignment\": 3, \"kind\":", "b.json, memory 0: 'alignment' must be a power"},
      {"0x20010000", "20010000", "b.json, memory 0, bank 1: 'base' must be an address"},
      {"0x20010000", "0x2000FFFF", "the banks at 0x20000000 and 0x2000ffff overlap"},
      {"4096", "-4096", "'size' must be a whole number above 0"},
      {"\"name\": \"sram\"", "\"name\": \"\"", "'name' must be a text that is not empty"},
  };
  for (const auto& c : cases) EXPECT_THAT(fault_of(with(c.from, c.to)), HasSubstr(c.message));
}

}  // namespace
}  // namespace thimble
