// SPDX-License-Identifier: Apache-2.0
// Drivers of storage on emulated boards: the UART of an M4 board and a host, the flash of an nRF51.
#include "thimble_runtime/storage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "thimble/toolchain/qemu.h"
#include "thimble/toolchain/remote_host.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr double kStorageSeconds = 120;

const std::filesystem::path source_folder() { return THIMBLE_SOURCE_DIR; }

CrossBuild storage_build(const std::string& model, const std::vector<std::string>& drivers,
                         const std::string& core, int64_t ram_bytes) {
  const std::filesystem::path storage = source_folder() / "runtime" / "storage";
  CrossBuild build{.sources = {},
                   .weight_sources = {},
                   .table_sources = {source_folder() / "tests/firmware/storage" / model},
                   .include_folders = {storage, source_folder() / "runtime/include"},
                   .core = core,
                   .ram_bytes = ram_bytes};
  for (const std::string& driver : drivers) build.sources.push_back(storage / driver);
  return build;
}

TEST(StorageOnQemu, StoresAndFetchesOverAUart) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "line";
  RemoteHost host(path, 200'000);
  Bytes input(102'400);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(i * i >> 7);
  const CrossBuild build = storage_build("serial_trip.cc", {"serial_frame.cc", "serial_remote.cc"},
                                         "cortex-m4", 110'000);
  const Measured measured =
      run_on_qemu(build, {InputSet{{input}}},
                  {.timeout_seconds = kStorageSeconds, .serial = "unix:" + path.string()});
  host.end();
  EXPECT_EQ(measured.machine, "mps2-an386");
  const EmulatedRun& run = measured.sets.at(0).at(0);
  EXPECT_TRUE(run.guards_intact());
  ASSERT_THAT(run.outputs.at(0), SizeIs(input.size() + 1));
  EXPECT_EQ(static_cast<int8_t>(run.outputs[0].back()), 0) << "status";
  EXPECT_TRUE(std::equal(input.begin(), input.end(), run.outputs[0].begin()));
  const RemoteCounts& counts = host.counts();
  EXPECT_EQ(counts.written_bytes, 102'400);
  EXPECT_GE(counts.read_bytes, 102'400);
  EXPECT_EQ(counts.damaged, 0);
}

TEST(StorageOnQemu, ErasesWritesAndReadsTheFlashOfAnNrf51) {
  Bytes input(2'502);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(i * 37 + 11);
  const CrossBuild build = storage_build("nvmc_trip.cc", {"nrf51_nvmc.cc"}, "cortex-m0", 2'600);
  // Twice: what the first run left in the flash is erased.
  const Measured measured = run_on_qemu(build, {InputSet{{input}}, InputSet{{input}}},
                                        {.timeout_seconds = kStorageSeconds});
  EXPECT_EQ(measured.machine, "microbit");
  for (const std::vector<EmulatedRun>& runs : measured.sets) {
    const Bytes& output = runs.at(0).outputs.at(0);
    ASSERT_THAT(output, SizeIs(input.size() + 16));
    EXPECT_TRUE(std::equal(input.begin(), input.end(), output.begin()));
    std::vector<int> statuses;
    for (size_t i = input.size(); i < output.size(); ++i)
      statuses.push_back(static_cast<int8_t>(output[i]));
    EXPECT_THAT(statuses, ElementsAre(0, 0, THIMBLE_STORAGE_WRITE_FAILED, 0, 0,
                                      THIMBLE_STORAGE_WRITE_FAILED, THIMBLE_STORAGE_ERASE_FAILED,
                                      THIMBLE_STORAGE_WRITE_FAILED, THIMBLE_STORAGE_FULL,
                                      THIMBLE_STORAGE_FULL, THIMBLE_STORAGE_FULL, 0, 0, -1, -1, 0));
  }
}

// Cards that count in bytes, and such that count in blocks.
TEST(StorageOnQemu, WritesAndReadsAnSdCard) {
  Bytes input(2'502);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(i * 37 + 11);
  CrossBuild build = storage_build("card_trip.cc", {"sd_card.cc"}, "cortex-m3", 2'600);
  build.storage = StorageDriver::kSdCard;
  for (const int64_t card_bytes : {int64_t{1} << 20, int64_t{4} << 30}) {
    const Measured measured = run_on_qemu(
        build, {InputSet{{input}}}, {.timeout_seconds = kStorageSeconds, .card_bytes = card_bytes});
    EXPECT_EQ(measured.machine, "lm3s6965evb");
    EXPECT_TRUE(measured.sets.at(0).at(0).guards_intact());
    const Bytes& output = measured.sets[0][0].outputs.at(0);
    ASSERT_THAT(output, SizeIs(input.size() + 12));
    EXPECT_TRUE(std::equal(input.begin(), input.end(), output.begin()));
    std::vector<int> statuses;
    for (size_t i = input.size(); i < output.size(); ++i)
      statuses.push_back(static_cast<int8_t>(output[i]));
    EXPECT_THAT(statuses, ElementsAre(0, 0, THIMBLE_STORAGE_WRITE_FAILED, THIMBLE_STORAGE_FULL,
                                      THIMBLE_STORAGE_FULL, 0, 0, 0, 0, 0, 0, 0));
  }
}

// Four rows, the second one noise, which lies in the flash as it is.
TEST(StorageOnQemu, FetchesCompressedRowsFromTheFlashOfAnNrf51) {
  Bytes input(1'200, 0x80);
  for (size_t i = 0; i < input.size(); ++i) {
    if (i % 3 == 0 || i / 300 == 1) input[i] = static_cast<uint8_t>(i * 37 + 11);
  }
  const CrossBuild build =
      storage_build("compressed_trip.cc",
                    {"nrf51_nvmc.cc", "compress.cc", "compressed_transfers.cc", "transfers.cc"},
                    "cortex-m0", 1'300);
  const Measured measured =
      run_on_qemu(build, {InputSet{{input}}}, {.timeout_seconds = kStorageSeconds});
  EXPECT_EQ(measured.machine, "microbit");
  const EmulatedRun& run = measured.sets.at(0).at(0);
  EXPECT_TRUE(run.guards_intact());
  const Bytes& output = run.outputs.at(0);
  ASSERT_THAT(output, SizeIs(input.size() + 5));
  EXPECT_TRUE(std::equal(input.begin(), input.end(), output.begin()));
  EXPECT_THAT(Bytes(output.end() - 5, output.end()), ElementsAre(0, 1, 0, 1, 1))
      << "the status, and which rows are compressed";
}

}  // namespace
}  // namespace thimble
