// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/device_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The device has all that there is: banks, waits, storage with every figure and with few, no
// address.
constexpr const char* kChip = R"({"chip": "C9", "vendor": "v", "core": "cortex-m23",
  "clock_hz": 100000000, "flash": "1M", "flash_wait_states": 3, "memories": [
    {"name": "dtcm", "kind": "tightly_coupled", "banks": [
      {"base": "0x20000000", "size": "64K"}, {"base": "0x20010000", "size": "16K"}]},
    {"name": "psram", "kind": "external_ram", "size": "8M", "bytes_per_second": 40000000},
    {"name": "sdram", "kind": "external_ram", "banks": [{"base": "0xC0000000", "size": "8M"}]},
    {"name": "bank2", "kind": "block_storage", "banks": [{"base": "0x08080000", "size": "512K"}],
     "storage": {"write_granule_bytes": 32, "erase_block_bytes": "128K",
       "read_bytes_per_second": 400000000, "write_bytes_per_second": 320000,
       "access_seconds": 0.0000015, "erase_seconds": 1, "endurance_cycles": 10000,
       "read_nanojoules_per_byte": 0.25, "write_nanojoules_per_byte": 40,
       "erase_nanojoules_per_block": 30000, "transfers_in_flight": 1, "stalls_core": true,
       "part_of_flash": true}},
    {"name": "mram", "kind": "block_storage", "size": "1M",
     "storage": {"erase_block_bytes": 0, "endurance_cycles": 100000, "stalls_core": false}},
    {"name": "card", "kind": "block_storage", "size": "1G"}],
  "sources": ["DS1, table 2: all"]})";

TEST(DeviceText, SaysAllThatIsKnownAndWhatIsNot) {
  EXPECT_EQ(device_text(parse_devices(kChip, "c9.json").at(0)),
            R"(c9: a chip of v
  core                  cortex-m23
  clock                 100 MHz
  SRAM                  80.0 KiB (81,920 B), 80.0 KiB (81,920 B) of it in one piece
  flash                 1.0 MiB (1,048,576 B) for code and weights
  wait states of flash  3
  not known: speed of sdram

memory  kind             bank                             size  waits, cycles a byte
dtcm    tightly_coupled  0x20000000        64.0 KiB (65,536 B)                     0
                         0x20010000        16.0 KiB (16,384 B)
psram   external_ram     no address      8.0 MiB (8,388,608 B)                   2.5
sdram   external_ram     0xC0000000      8.0 MiB (8,388,608 B)           4 (assumed)
bank2   block_storage    0x08080000      512.0 KiB (524,288 B)                     -
mram    block_storage    no address      1.0 MiB (1,048,576 B)                     -
card    block_storage    no address  1.0 GiB (1,073,741,824 B)                     -

bank2: storage in a part of flash, which code and weights then lack
  write granule            32 B
  erase block              128.0 KiB (131,072 B)
  read bandwidth           400 MB/s
  write bandwidth          320 kB/s
  access latency           1.5 us
  block erase time         1 s
  endurance                10,000 erases of a block
  energy per byte read     0.25 nJ
  energy per byte written  40 nJ
  energy per block erased  3e+04 nJ
  transfers in flight      1 at most
  while it is written      the core waits, as it executes from the same bank or chip

mram: storage
  erase block          none: it is overwritten without being erased
  endurance            100,000 writes of a byte
  while it is written  the core goes on
  not known: write granule, read bandwidth, write bandwidth, access latency, energy per byte read, energy per byte written, transfers in flight

card: storage of which no figure is known

Estimates of time leave out caches and wait states of flash: what neither cache nor prefetch serves takes up to 4 times as long.

sources
  DS1, table 2: all
)");
}

TEST(DeviceText, LeavesOutNoWaitStatesThatAreNotThere) {
  Device device = parse_devices(kChip, "c9.json").at(0);
  device.target.flash_wait_states = 0;
  EXPECT_THAT(device_text(device), AllOf(HasSubstr("wait states of flash  0\n"),
                                         HasSubstr("Estimates of time leave out caches.\n")));
  device.target.flash_wait_states = 3;
  device.target.flash_line_bytes = 16;
  EXPECT_THAT(device_text(device), HasSubstr("wait states of flash  3 for 16 B\n"));
  device.target.flash_wait_states = std::nullopt;
  EXPECT_THAT(device_text(device),
              AllOf(HasSubstr("not known: wait states of flash, speed of sdram\n"),
                    HasSubstr("leave out caches and wait states of flash.\n")));
}

TEST(DeviceText, HasEveryMemoryAndSourceOfTheDevicesThatAreKnown) {
  for (const Device& device : builtin_devices()) {
    const std::string text = device_text(device);
    for (const Memory& memory : device.target.memories)
      EXPECT_THAT(text, HasSubstr("\n" + memory.name + " ")) << device.target.name;
    EXPECT_THAT(text, HasSubstr("\n  --export ")) << device.target.name;
    for (const std::string& source : device.sources)
      EXPECT_THAT(text, HasSubstr("\n  " + source + "\n")) << device.target.name;
    EXPECT_THAT(text, Not(HasSubstr("no figure is known"))) << device.target.name;
  }
}

}  // namespace
}  // namespace thimble
