// SPDX-License-Identifier: Apache-2.0
// A part of what bench/storage_faults counts, and that it would find a wrong output.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>

#include "bench/storage_campaign.h"
#include "runtime/storage/ram_disk.h"
#include "tests/storage/toy_aead.h"

namespace thimble {
namespace {

constexpr const char* kModel = "zoo:unet:resolution=16";

void expect_sound(const FaultTally& tally, const std::string& fault) {
  EXPECT_GT(tally.faults, 0) << fault;
  EXPECT_EQ(tally.wrong, 0) << fault;
  EXPECT_EQ(tally.hangs, 0) << fault;
  EXPECT_EQ(tally.unhealed, 0) << fault;
  EXPECT_EQ(tally.misuses, 0) << fault;
  EXPECT_EQ(tally.correct + tally.statuses + tally.cut_off, tally.runs) << fault;
}

class StorageFaults : public ::testing::TestWithParam<const char*> {};

TEST_P(StorageFaults, GiveTheRightOutputOrAStatus) {
  SpilledNetwork network(kModel, GetParam());
  StorageCampaign campaign(network);
  const bool erases = network.storage().storage->erase_bytes > 0;
  for (int k = 1; k < kStorageFaults; ++k) {
    const auto fault = static_cast<StorageFault>(k);
    if (fault == StorageFault::kHalfErased && !erases) continue;
    const FaultTally tally = campaign.run(fault, 40, static_cast<uint64_t>(k));
    expect_sound(tally, name(fault));
    if (fault == StorageFault::kFlippedInStorage) {
      EXPECT_EQ(tally.statuses, tally.runs);
    }
    if (fault == StorageFault::kPowerLost) {
      EXPECT_EQ(tally.cut_off, tally.runs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bench, StorageFaults,
                         ::testing::Values("spare:write=8,queue=4",
                                           "spare:write=4,erase=1K,queue=2"));

TEST(RemoteFaults, GiveTheRightOutputOrAStatus) {
  SpilledNetwork network(kModel, "host:write=1,queue=4");
  RemoteCampaign campaign(network);
  for (int k = 1; k < kRemoteFaults; ++k) {
    const auto fault = static_cast<RemoteFault>(k);
    expect_sound(campaign.run(fault, 20, static_cast<uint64_t>(k)), name(fault));
  }
}

TEST(StorageCampaign, SeesWrongOutputsWhereNothingIsCompared) {
  const std::string comparison = "== flight.tags[record]";
  std::vector<RuntimeFile> runtime(runtime_files().begin(), runtime_files().end());
  std::deque<std::string> texts;
  for (RuntimeFile& file : runtime) {
    if (!file.path.ends_with("storage/transfers.cc")) continue;
    std::string& text = texts.emplace_back(file.text);
    const size_t at = text.find(comparison);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, comparison.size(), "!= flight.tags[record] + 1");
    file.text = text;
  }
  ASSERT_EQ(texts.size(), 1U);
  SpilledNetwork network(kModel, "spare:write=8,queue=4", "tinyseg", runtime);
  StorageCampaign campaign(network);
  EXPECT_GT(campaign.run(StorageFault::kFlippedInTransit, 40, 1).wrong, 10);
  EXPECT_GT(campaign.run(StorageFault::kLostWrite, 40, 1).wrong, 10);
}

// Flash of pages of 1 KiB that is sealed in cells of 64 bytes: 12 of them lie in a page.
TEST(SealedStorage, CarriesASpilledNetwork) {
  SpilledNetwork network(kModel, "sealed:write=64,erase=768");
  std::vector<uint8_t> bytes(8 << 10);
  std::vector<uint32_t> counters(8 * 12);
  std::vector<int> statuses(network.tokens());
  std::array<uint8_t, 80> buffer{};
  thimble_ram_disk disk{bytes.data(), 8 << 10, 4, 1 << 10, THIMBLE_RAM_DISK_NOR_CHECKED, 0};
  const thimble_storage inner = thimble_ram_disk_open(&disk);
  testing::ToyAead toy;
  thimble_sealed sealed{.inner = &inner,
                        .aead = toy.aead(),
                        .inner_size = 8 << 10,
                        .inner_granule = 4,
                        .inner_block = 1 << 10,
                        .cell = 64,
                        .salt = {},
                        .counters = counters.data(),
                        .counter_count = static_cast<uint32_t>(counters.size()),
                        .buffer = buffer.data(),
                        .buffer_size = static_cast<uint32_t>(buffer.size()),
                        .statuses = statuses.data(),
                        .tokens = network.tokens(),
                        .written = 0};
  const thimble_storage storage = thimble_sealed_open(&sealed);
  ASSERT_EQ(thimble_sealed_block(&sealed), 768U);
  ASSERT_GE(thimble_sealed_bytes(&sealed), network.storage().size_bytes);
  for (const uint64_t seed : {1, 2}) {
    network.set_input(network.input(seed));
    EXPECT_EQ(network.run(&storage), 0);
    EXPECT_EQ(network.output(), network.expected(seed));
  }
  EXPECT_EQ(toy.nonces.size(), 2U * 2'048 / 64);
  const size_t sealed_first = toy.nonces.size();
  network.set_input(network.input(1));
  toy.fails = true;
  EXPECT_EQ(network.run(&storage), THIMBLE_SEALED_NO_CIPHER);
  EXPECT_EQ(toy.nonces.size(), sealed_first);
}

}  // namespace
}  // namespace thimble
