// SPDX-License-Identifier: Apache-2.0
// Sequences of events whose times are computed by hand.
#include "thimble/target/device_time.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace thimble {
namespace {

constexpr double kTiny = 1e-12;

/// 1,000 B a second, an erase of 0.2 s.
StorageFigures slow_storage() {
  return {.read_bytes_per_second = 1000, .write_bytes_per_second = 1000, .erase_seconds = 0.2};
}

constexpr ChannelRequest kRead100{ChannelWork::kRead, 100};    // 0.1 s
constexpr ChannelRequest kWrite100{ChannelWork::kWrite, 100};  // 0.1 s
constexpr ChannelRequest kEraseOne{ChannelWork::kErase, 1};    // 0.2 s

double waited(const DeviceTime& time, WaitCause cause) {
  return time.waited()[static_cast<size_t>(cause)];
}

double all_waited(const DeviceTime& time) {
  return std::accumulate(time.waited().begin(), time.waited().end(), 0.0);
}

TEST(DeviceTime, AReadGoesOnBesideWhatIsComputed) {
  DeviceTime time({{.figures = slow_storage()}});
  time.compute(0.05);
  time.begin(0, 7, {ChannelWork::kRead, 80});
  time.compute(0.05);
  time.wait(7);
  EXPECT_NEAR(time.now(), 0.13, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kRead), 0.03, kTiny);
  EXPECT_NEAR(time.channels()[0].busy(), 0.08, kTiny);
  EXPECT_NEAR(time.channels()[0].hidden, 0.05, kTiny);
}

TEST(DeviceTime, WhatHasEndedTakesNoWaiting) {
  DeviceTime time({{.figures = slow_storage()}});
  time.begin(0, 1, kRead100);
  time.compute(0.3);
  time.wait(1);
  time.wait(1);  // nothing was begun with it since
  EXPECT_NEAR(time.now(), 0.3, kTiny);
  EXPECT_NEAR(time.channels()[0].hidden, 0.1, kTiny);
}

TEST(DeviceTime, RequestsOfOneChannelQueueUp) {
  DeviceTime time({{.figures = slow_storage()}});
  time.begin(0, 1, kRead100);
  time.begin(0, 2, kWrite100);
  time.wait(2);
  time.wait(1);
  EXPECT_NEAR(time.now(), 0.2, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kQueue), 0.1, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kWrite), 0.1, kTiny);
  EXPECT_EQ(waited(time, WaitCause::kRead), 0);
}

TEST(DeviceTime, ChannelsDoNotHoldUpOneAnother) {
  DeviceTime time({{.figures = slow_storage()}, {.figures = slow_storage()}});
  time.begin(0, 1, kRead100);
  time.begin(1, 2, kWrite100);
  time.wait(1);
  time.wait(2);
  EXPECT_NEAR(time.now(), 0.1, kTiny);
}

TEST(DeviceTime, AFullQueueHoldsUpTheCore) {
  StorageFigures figures = slow_storage();
  figures.transfers_in_flight = 2;
  DeviceTime time({{.figures = figures}});
  for (int token = 0; token < 3; ++token) time.begin(0, token, kRead100);
  EXPECT_NEAR(time.now(), 0.1, kTiny) << "the first has ended";
  EXPECT_NEAR(waited(time, WaitCause::kQueue), 0.1, kTiny);
  time.wait(2);
  EXPECT_NEAR(time.now(), 0.3, kTiny);
}

TEST(DeviceTime, AccessesTakeTheirLatency) {
  StorageFigures figures = slow_storage();
  figures.access_seconds = 0.01;
  EXPECT_NEAR(DeviceTime::seconds_of(figures, kRead100), 0.11, kTiny);
  EXPECT_NEAR(DeviceTime::seconds_of(figures, kWrite100), 0.11, kTiny);
  EXPECT_NEAR(DeviceTime::seconds_of(figures, {ChannelWork::kErase, 3}), 0.6, kTiny);
}

// The core stops while its flash is written, not while that is read:
//   core   |0 computes 0.1|stopped 0.1|computes 0.05|
//   flash  |read          |write      |
TEST(DeviceTime, FlashThatCodeRunsFromStopsTheCoreWhileItIsWritten) {
  StorageFigures figures = slow_storage();
  figures.stalls_core = true;
  DeviceTime time({{.figures = figures}});
  time.begin(0, 1, kRead100);
  time.begin(0, 2, kWrite100);
  time.compute(0.15);
  EXPECT_NEAR(time.now(), 0.25, kTiny);
  EXPECT_NEAR(time.computed(), 0.15, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kStall), 0.1, kTiny);
  EXPECT_NEAR(time.channels()[0].hidden, 0.1, kTiny) << "the read";
  time.wait(2);
  EXPECT_NEAR(time.now(), 0.25, kTiny);
}

TEST(DeviceTime, AWaitForAnEraseIsNoStall) {
  StorageFigures figures = slow_storage();
  figures.stalls_core = true;
  DeviceTime time({{.figures = figures}});
  time.begin(0, 1, kEraseOne);
  time.wait(1);
  time.compute(0.1);
  EXPECT_NEAR(waited(time, WaitCause::kErase), 0.2, kTiny);
  EXPECT_EQ(waited(time, WaitCause::kStall), 0);
}

TEST(DeviceTime, APolledChannelIsTheCoresWork) {
  DeviceTime time({{.figures = slow_storage(), .polled = true, .polled_erases = false}});
  time.begin(0, 1, kEraseOne);
  EXPECT_EQ(time.now(), 0);
  time.begin(0, 2, kWrite100);
  EXPECT_NEAR(time.now(), 0.3, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kQueue), 0.2, kTiny) << "for the erase";
  time.wait(1);
  time.wait(2);
  EXPECT_NEAR(time.now(), 0.3, kTiny);
  EXPECT_EQ(time.channels()[0].hidden, 0);
}

TEST(DeviceTime, ErasesBesideHoldUpOneAnotherAlone) {
  StorageFigures figures = slow_storage();
  figures.transfers_in_flight = 1;
  DeviceTime time({{.figures = figures, .erases_beside = true}});
  time.begin(0, 1, kEraseOne);
  time.begin(0, 2, kEraseOne);
  time.begin(0, 3, kWrite100);
  time.wait(3);
  EXPECT_NEAR(time.now(), 0.1, kTiny);
  time.wait(2);
  EXPECT_NEAR(time.now(), 0.4, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kQueue), 0.1, kTiny);
  EXPECT_NEAR(waited(time, WaitCause::kErase), 0.2, kTiny);
}

TEST(DeviceTime, WhatIsNotKnownTakesNone) {
  DeviceTime time(std::vector<Channel>(1));
  time.begin(0, 1, kWrite100);
  time.begin(0, 2, kEraseOne);
  time.compute(0.1);
  time.wait(1);
  time.wait(2);
  EXPECT_NEAR(time.now(), 0.1, kTiny);
}

TEST(DeviceTime, SpansAreWhatHappened) {
  DeviceTime time({{.figures = slow_storage()}}, true);
  time.compute(0.05, 3);
  time.begin(0, 1, kRead100);
  time.wait(1);
  using Span = TimeSpan;
  ASSERT_EQ(time.spans().size(), 3U);
  EXPECT_EQ(time.spans()[0], (Span{.label = 3, .begin = 0, .end = 0.05}));
  EXPECT_EQ(time.spans()[1].kind, Span::Kind::kWork);
  EXPECT_EQ(time.spans()[1].lane, 0);
  EXPECT_EQ(time.spans()[2].kind, Span::Kind::kWait);
  EXPECT_EQ(time.spans()[2].lane, Span::kCore);
  EXPECT_NEAR(time.spans()[2].end, 0.15, kTiny);
}

// Whatever happens, the core computes or waits, and nothing is hidden that was not done.
TEST(DeviceTime, AllTimeIsComputedOrWaited) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t most) { return static_cast<int>(random() % most); };
    std::vector<Channel> channels;
    for (int c = 0; c < 2; ++c) {
      StorageFigures figures = slow_storage();
      figures.transfers_in_flight = 1 + below(3);
      figures.stalls_core = below(2) == 0;
      channels.push_back({.figures = figures,
                          .polled = below(4) == 0,
                          .polled_erases = below(4) == 0,
                          .erases_beside = below(3) == 0});
    }
    DeviceTime time(channels, true);
    for (int step = 0; step < 40; ++step) {
      const int token = below(6);
      if (below(2) == 0) time.compute(0.01 * below(20), step);
      time.wait(token);
      time.begin(below(2), token, {static_cast<ChannelWork>(below(3)), below(3)});
    }
    EXPECT_NEAR(time.now(), time.computed() + all_waited(time), 1e-9) << seed;
    for (const ChannelSeconds& channel : time.channels())
      EXPECT_LE(channel.hidden, channel.busy() + 1e-9) << seed;
    double core_end = 0;
    for (const TimeSpan& span : time.spans()) {
      if (span.lane != TimeSpan::kCore) continue;
      EXPECT_NEAR(span.begin, core_end, 1e-9) << seed;
      core_end = span.end;
    }
    EXPECT_NEAR(core_end, time.now(), 1e-9) << seed;
  }
}

}  // namespace
}  // namespace thimble
