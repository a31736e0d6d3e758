// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/host_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "thimble/toolchain/temporary_folder.h"
#include "thimble_runtime/transfers.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

using ::testing::DoubleEq;
using ::testing::Each;
using ::testing::ElementsAre;
using FileBytes = std::vector<uint8_t>;

constexpr uint32_t kFileBytes = 4096, kFileTokens = 4;
constexpr double kAnHour = 3600;  // nobody waits for it

class HostFile : public ::testing::Test {
 protected:
  ~HostFile() override { thimble_host_file_close(file_); }

  void open(const thimble_host_file_device& device = {}) {
    file_ = thimble_host_file_open(path().c_str(), kFileBytes, kFileTokens, &device);
    ASSERT_NE(file_, nullptr);
    storage_ = thimble_host_file_storage(file_);
  }
  int begin_read(uint32_t token, uint32_t offset, FileBytes& bytes) {
    return storage_.read_async(storage_.context, token, offset, bytes.data(),
                               static_cast<uint32_t>(bytes.size()));
  }
  int begin_write(uint32_t token, uint32_t offset, FileBytes&& bytes) = delete;  // would be gone
  int begin_write(uint32_t token, uint32_t offset, const FileBytes& bytes) {
    return storage_.write_async(storage_.context, token, offset, bytes.data(),
                                static_cast<uint32_t>(bytes.size()));
  }
  int begin_erase(uint32_t token, uint32_t offset, uint32_t size) {
    return storage_.erase_async(storage_.context, token, offset, size);
  }
  int wait_for(uint32_t token) { return storage_.wait(storage_.context, token); }
  thimble_host_file_counts counts() { return thimble_host_file_counts_of(file_); }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "spill.bin"; }

  TemporaryFolder folder_;
  thimble_host_file* file_ = nullptr;
  thimble_storage storage_{};
};

// What takes the place of a device's time: it notes how long, and lasts until the test lets it end.
class DeviceTime {
 public:
  explicit DeviceTime(int allowed) : allowed_(allowed) {}

  static void pass(void* context, double seconds) {
    auto& time = *static_cast<DeviceTime*>(context);
    std::unique_lock lock(time.mutex_);
    time.thread_ = std::this_thread::get_id();
    time.seconds_.push_back(seconds);
    time.changed_.notify_all();
    time.changed_.wait(lock,
                       [&] { return static_cast<int>(time.seconds_.size()) <= time.allowed_; });
  }
  // Returns when so many operations are executed, or have been.
  void wait_until_begun(size_t operations) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return seconds_.size() >= operations; });
  }
  void allow(int operations) {
    const std::lock_guard lock(mutex_);
    allowed_ = operations;
    changed_.notify_all();
  }
  std::vector<double> seconds() {
    const std::lock_guard lock(mutex_);
    return seconds_;
  }
  std::thread::id thread() {
    const std::lock_guard lock(mutex_);
    return thread_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int allowed_;  ///< operations that may end
  std::vector<double> seconds_;
  std::thread::id thread_;
};

TEST_F(HostFile, HoldsWhatIsWritten) {
  open();
  const FileBytes out = {1, 2, 3, 4, 5};
  FileBytes in(5), beside(3, 9);
  ASSERT_EQ(begin_write(0, 100, out), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  ASSERT_EQ(begin_read(1, 100, in), THIMBLE_STORAGE_OK);
  ASSERT_EQ(begin_read(0, 105, beside), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(1), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  EXPECT_EQ(in, out);
  EXPECT_THAT(beside, Each(0));
  EXPECT_EQ(storage_.erase_async, nullptr);
}

TEST_F(HostFile, ErasesBlocksToOnes) {
  open({.granule = 8, .block = 1024});
  ASSERT_EQ(begin_erase(0, 1024, 2048), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  FileBytes all(kFileBytes);
  ASSERT_EQ(begin_read(0, 0, all), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], i / 1024 == 1 || i / 1024 == 2 ? 0xff : 0) << i;
  EXPECT_EQ(counts().erased_blocks, 2);
}

TEST_F(HostFile, WorksWhileTheCallerComputes) {
  DeviceTime time(0);
  open({.pass = DeviceTime::pass, .pass_context = &time});
  const FileBytes out = {1, 2, 3};
  ASSERT_EQ(begin_write(0, 0, out), THIMBLE_STORAGE_OK);
  time.wait_until_begun(1);  // computes; the operation cannot end before it is allowed to
  EXPECT_NE(time.thread(), std::this_thread::get_id());
  time.allow(1);
  EXPECT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
}

TEST_F(HostFile, WhatHasEndedIsNotWaitedFor) {
  DeviceTime time(1);
  open({.pass = DeviceTime::pass, .pass_context = &time});
  const FileBytes one = {1}, two = {2};
  ASSERT_EQ(begin_write(2, 0, one), THIMBLE_STORAGE_OK);
  ASSERT_EQ(begin_write(3, 1, two), THIMBLE_STORAGE_OK);
  time.wait_until_begun(2);  // so the first has ended
  EXPECT_EQ(counts().most_in_flight, 2);
  EXPECT_EQ(wait_for(2), THIMBLE_STORAGE_OK);
  EXPECT_EQ(counts().overlapped, 1);
  time.allow(2);
  EXPECT_EQ(wait_for(3), THIMBLE_STORAGE_OK);
}

TEST_F(HostFile, TakesTheTimeOfADevice) {
  DeviceTime time(100);
  open({.granule = 256,
        .block = 512,
        .read_bytes_per_second = 1e6,
        .write_bytes_per_second = 2e5,
        .access_seconds = 0.25,
        .erase_seconds = 1.5,
        .pass = DeviceTime::pass,
        .pass_context = &time});
  FileBytes bytes(1000);
  ASSERT_EQ(begin_erase(0, 0, 1536), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  ASSERT_EQ(begin_write(0, 256, bytes), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  ASSERT_EQ(begin_read(0, 3, bytes), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  EXPECT_THAT(time.seconds(), ElementsAre(DoubleEq(4.5), DoubleEq(0.255), DoubleEq(0.251)));
  EXPECT_NEAR(counts().device_seconds, 5.006, 1e-9);
  EXPECT_EQ(counts().written_bytes, 1000);
  EXPECT_EQ(counts().read_bytes, 1000);
}

TEST_F(HostFile, WaitsByItself) {
  open({.access_seconds = 0.001});
  const FileBytes out = {1, 2};
  FileBytes in(2);
  ASSERT_EQ(begin_write(0, 0, out), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  ASSERT_EQ(begin_read(0, 0, in), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  EXPECT_EQ(in, out);
}

TEST_F(HostFile, CancelEndsWhatIsInFlight) {
  open({.access_seconds = kAnHour});
  {
    FileBytes target(64);
    const FileBytes source(64, 1);
    ASSERT_EQ(begin_write(1, 0, source), THIMBLE_STORAGE_OK);
    ASSERT_EQ(begin_read(0, 1024, target), THIMBLE_STORAGE_OK);
    ASSERT_EQ(begin_write(2, 2048, source), THIMBLE_STORAGE_OK);
    storage_.cancel(storage_.context);
  }  // nothing touches them any more
  EXPECT_LE(counts().reads + counts().writes, 1);
  const FileBytes source(8);
  EXPECT_EQ(begin_write(2, 0, source), THIMBLE_STORAGE_OK) << "the token is free";
  EXPECT_EQ(begin_write(1, 8, source), THIMBLE_STORAGE_OK);
  thimble_host_file_close(file_);  // while both are in flight
  file_ = nullptr;
}

TEST_F(HostFile, RefusesWhatItCannotDo) {
  open({.granule = 4, .block = 1024});
  FileBytes bytes(8);
  EXPECT_EQ(begin_read(0, kFileBytes - 7, bytes), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(begin_write(0, 0xfffffffc, bytes), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(begin_write(0, 2, bytes), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(begin_erase(0, 512, 1024), THIMBLE_STORAGE_ERASE_FAILED);
  EXPECT_EQ(begin_erase(0, 1024, 512), THIMBLE_STORAGE_ERASE_FAILED);
  EXPECT_EQ(begin_read(kFileTokens, 0, bytes), THIMBLE_STORAGE_READ_FAILED) << "no such token";
  EXPECT_NE(wait_for(0), THIMBLE_STORAGE_OK) << "nothing was begun";
  EXPECT_NE(wait_for(kFileTokens), THIMBLE_STORAGE_OK);
}

TEST_F(HostFile, RefusesATokenInFlight) {
  open({.access_seconds = kAnHour});
  FileBytes bytes(8), others(8);
  ASSERT_EQ(begin_read(0, 0, bytes), THIMBLE_STORAGE_OK);
  EXPECT_EQ(begin_read(0, 8, others), THIMBLE_STORAGE_READ_FAILED);
  storage_.cancel(storage_.context);
}

TEST_F(HostFile, ShortReadsAreFaults) {
  open();
  std::filesystem::resize_file(path(), 1000);
  FileBytes bytes(64);
  ASSERT_EQ(begin_read(0, 960, bytes), THIMBLE_STORAGE_OK);
  EXPECT_EQ(wait_for(0), THIMBLE_STORAGE_READ_FAILED);
  std::array<runtime::InFlight, 1> flights{};
  runtime::Transfers transfers{&storage_, flights.data(), 0};
  uint32_t tag = 0;
  runtime::begin_read(transfers, 0, {960, 64, 64}, {bytes.data(), 0, 0}, &tag, 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_READ_FAILED);
  EXPECT_EQ(counts().reads, 1 + 1 + runtime::kRetries);
}

TEST_F(HostFile, IsItsOwnersAlone) {
  open();
  EXPECT_EQ(std::filesystem::status(path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(std::filesystem::file_size(path()), kFileBytes);
}

TEST_F(HostFile, LeavesALongerFileAsItIs) {
  std::ofstream(path()) << std::string(5000, 'x');
  open();
  EXPECT_EQ(std::filesystem::file_size(path()), 5000);
  FileBytes bytes(8);
  ASSERT_EQ(begin_read(0, 0, bytes), THIMBLE_STORAGE_OK);
  ASSERT_EQ(wait_for(0), THIMBLE_STORAGE_OK);
  EXPECT_THAT(bytes, Each('x'));
}

TEST_F(HostFile, SaysWhyItCannotBeOpened) {
  errno = 0;
  EXPECT_EQ(thimble_host_file_open((folder_.path() / "none/spill.bin").c_str(), 1, 1, nullptr),
            nullptr);
  EXPECT_EQ(errno, ENOENT);
  errno = 0;
  EXPECT_EQ(thimble_host_file_open(folder_.path().c_str(), 1, 1, nullptr), nullptr);
  EXPECT_EQ(errno, EISDIR);
  thimble_host_file_close(nullptr);
}

// Two tensors that are written and read in turn, each while the other is in flight.
TEST_F(HostFile, CarriesTransfers) {
  open({.granule = 16});
  zoo::Random random(4);
  std::array<runtime::InFlight, kFileTokens> flights{};
  runtime::Transfers transfers{&storage_, flights.data(), 0};
  std::array<FileBytes, 2> out, in;
  std::array<std::array<uint32_t, 10>, 2> tags{};
  for (int round = 0; round < 200; ++round) {
    const auto now = static_cast<size_t>(round % 2);
    const runtime::Records records{static_cast<uint32_t>(2048 * now), 30, 32};
    out[now].resize(300);
    for (uint8_t& byte : out[now]) byte = static_cast<uint8_t>(random.next());
    runtime::begin_write(transfers, 0, records, {out[now].data(), 0, 0}, tags[now].data(), 0, 10);
    const size_t before = 1 - now;
    in[before].assign(300, 0);
    const runtime::Records others{static_cast<uint32_t>(2048 * before), 30, 32};
    if (round > 0)
      runtime::begin_read(transfers, 1, others, {in[before].data(), 0, 0}, tags[before].data(), 0,
                          10);
    wait(transfers, 0);
    wait(transfers, 1);
    ASSERT_EQ(transfers.status, THIMBLE_STORAGE_OK);
    ASSERT_TRUE(round == 0 || in[before] == out[before]);
  }
  EXPECT_EQ(counts().writes, 200 * 10);
  EXPECT_EQ(counts().reads, 199 * 10);
  EXPECT_EQ(counts().most_in_flight, 2);
}

}  // namespace
}  // namespace thimble::testing
