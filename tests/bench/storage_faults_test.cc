// SPDX-License-Identifier: Apache-2.0
// A part of what bench/storage_faults counts, and that it would find a wrong output.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "bench/storage_campaign.h"

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

}  // namespace
}  // namespace thimble
