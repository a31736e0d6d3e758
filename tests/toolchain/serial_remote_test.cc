// SPDX-License-Identifier: Apache-2.0
// The driver and the host of the serial remote, over a line that is right, faulty, silent or lies.
#include "runtime/storage/serial_remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>

#include "tests/toolchain/serial_line.h"

namespace thimble {
namespace {

using ::testing::Each;
using testing::SerialLine;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kTokens = 4;

Bytes counted(uint32_t size, uint8_t first = 0) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

class Device {
 public:
  explicit Device(uint32_t seed = 1) : line_(seed) {
    const thimble_serial_link link = line_.link();
    storage_ = thimble_serial_remote_open(&remote_, &link, operations_.data(), kTokens);
  }

  int write(uint32_t offset, const Bytes& bytes, uint32_t token = 0) {
    const int status = begin_write(offset, bytes, token);
    return status != 0 ? status : wait(token);
  }
  int begin_write(uint32_t offset, const Bytes& bytes, uint32_t token) {
    return storage_.write_async(storage_.context, token, offset, bytes.data(),
                                static_cast<uint32_t>(bytes.size()));
  }
  int begin_read(uint32_t offset, Bytes& bytes, uint32_t token) {
    return storage_.read_async(storage_.context, token, offset, bytes.data(),
                               static_cast<uint32_t>(bytes.size()));
  }
  int read(uint32_t offset, Bytes& bytes, uint32_t token = 0) {
    const int status = begin_read(offset, bytes, token);
    return status != 0 ? status : wait(token);
  }
  int erase(uint32_t offset, uint32_t size, uint32_t token = 0) {
    const int status = storage_.erase_async(storage_.context, token, offset, size);
    return status != 0 ? status : wait(token);
  }
  int wait(uint32_t token) { return storage_.wait(storage_.context, token); }
  void cancel() { storage_.cancel(storage_.context); }

  SerialLine line_;
  std::array<thimble_serial_operation, kTokens> operations_;
  thimble_serial_remote remote_;
  thimble_storage storage_;
};

class SerialRemote : public ::testing::Test, public Device {};

TEST_F(SerialRemote, ReadsWhatWasWritten) {
  EXPECT_EQ(thimble_serial_remote_connect(&remote_, 1 << 16), 0);
  EXPECT_EQ(write(100, counted(10'000)), 0);
  Bytes read_back(10'000);
  EXPECT_EQ(read(100, read_back), 0);
  EXPECT_EQ(read_back, counted(10'000));
  EXPECT_EQ(line_.host.counts().written_bytes, 10'000);
  EXPECT_EQ(remote_.resent, 0u);
}

TEST_F(SerialRemote, TakesBytesOfAllValuesAndNoBytes) {
  for (const uint32_t size : {0u, 1u, 253u, 254u, 255u, 511u, 512u, 513u}) {
    for (const uint8_t value : {0, 1, 255}) {
      EXPECT_EQ(write(size, Bytes(size, value)), 0);
      Bytes read_back(size, 7);
      EXPECT_EQ(read(size, read_back), 0);
      EXPECT_THAT(read_back, Each(value)) << size;
    }
  }
}

TEST_F(SerialRemote, SendsWritesWithoutWaiting) {
  ASSERT_EQ(thimble_serial_remote_connect(&remote_, 0), 0);
  const Bytes line = counted(960);
  const int64_t before = line_.sent_frames();
  EXPECT_EQ(begin_write(0, line, 0), 0);
  EXPECT_EQ(begin_write(960, line, 1), 0);
  EXPECT_EQ(line_.sent_frames() - before, 4);
  EXPECT_EQ(line_.host.counts().written_bytes, 1920);
  EXPECT_EQ(wait(1), 0);
  EXPECT_EQ(wait(0), 0);
  EXPECT_EQ(line_.sent_frames() - before, 4);
}

TEST_F(SerialRemote, OverlappingOperationsKeepTheirOrder) {
  Bytes first(5000, 0);
  const Bytes ones(5000, 1), twos(5000, 2);
  EXPECT_EQ(begin_write(0, ones, 0), 0);
  EXPECT_EQ(begin_read(0, first, 1), 0);
  EXPECT_EQ(begin_write(0, twos, 2), 0);
  for (uint32_t token = 0; token < 3; ++token) EXPECT_EQ(wait(token), 0);
  EXPECT_THAT(first, Each(1));
  EXPECT_EQ(read(0, first), 0);
  EXPECT_THAT(first, Each(2));
}

TEST_F(SerialRemote, SaysWhatWasNeverWrittenOrWasErased) {
  Bytes bytes(10);
  EXPECT_EQ(read(0, bytes), THIMBLE_SERIAL_GONE);
  EXPECT_EQ(write(0, counted(5000)), 0);
  EXPECT_EQ(erase(4090, 500), 0);
  EXPECT_EQ(read(4080, bytes), 0);
  EXPECT_EQ(read(4081, bytes), THIMBLE_SERIAL_GONE);
  EXPECT_EQ(read(4590, bytes), 0);
}

TEST_F(SerialRemote, SaysWhatDoesNotFit) {
  EXPECT_EQ(thimble_serial_remote_connect(&remote_, (1 << 16) + 1), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(write(1 << 16, counted(1)), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(write(0xFFFFFFFF, counted(2)), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(write((1 << 16) - 1, counted(1)), 0);
}

TEST_F(SerialRemote, ReplacesAHostThatIsTooSmall) {
  line_.host = RemoteStore(100, 5);
  EXPECT_EQ(write(90, counted(11)), THIMBLE_STORAGE_FULL) << "found when the host says its size";
  line_.restart_host();
  cancel();
  EXPECT_EQ(write(90, counted(11)), 0);
}

TEST_F(SerialRemote, RefusesTokensThatAreNoneOrInUse) {
  const Bytes bytes = counted(4);
  EXPECT_EQ(begin_write(0, bytes, kTokens), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(begin_write(0, bytes, 0), 0);
  EXPECT_EQ(begin_write(8, bytes, 0), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(wait(0), 0);
  EXPECT_EQ(wait(0), THIMBLE_STORAGE_READ_FAILED);
}

TEST_F(SerialRemote, EndsWhenTheHostIsSilent) {
  line_.silent = true;
  EXPECT_EQ(thimble_serial_remote_connect(&remote_, 0), THIMBLE_STORAGE_TIMED_OUT);
  const uint32_t before = line_.milliseconds;
  EXPECT_EQ(write(0, counted(100)), THIMBLE_STORAGE_TIMED_OUT);
  EXPECT_LE(line_.milliseconds - before, remote_.give_up_ms + 2);
  line_.silent = false;
  EXPECT_EQ(write(0, counted(100)), 0);
}

TEST_F(SerialRemote, GoesOnWhenTheHostIsStartedAnewWhileWriting) {
  line_.frames_until_restart = 8;
  EXPECT_EQ(write(0, counted(20'000)), 0);
  EXPECT_EQ(line_.restarts, 1);
  Bytes end(512), begin(512);
  EXPECT_EQ(read(20'000 - 512, end), 0);
  EXPECT_EQ(end, counted(512, static_cast<uint8_t>(20'000 - 512)));
  EXPECT_EQ(read(0, begin), THIMBLE_SERIAL_GONE) << "the first host had it";
}

// It begins with the same numbers as before.
TEST_F(SerialRemote, KnowsABoardThatWasReset) {
  for (const uint8_t value : {1, 2}) {
    line_.milliseconds = 0;
    const thimble_serial_link link = line_.link();
    storage_ = thimble_serial_remote_open(&remote_, &link, operations_.data(), kTokens);
    EXPECT_EQ(write(0, Bytes(100, value)), 0);
    Bytes read_back(100);
    EXPECT_EQ(read(0, read_back), 0);
    EXPECT_THAT(read_back, Each(value));
  }
}

TEST_F(SerialRemote, ForgetsWhatIsCancelled) {
  const Bytes bytes = counted(20'000);
  EXPECT_EQ(begin_write(0, bytes, 0), 0);
  cancel();
  EXPECT_EQ(wait(0), THIMBLE_STORAGE_READ_FAILED);
  EXPECT_EQ(write(0, counted(700, 3)), 0);
  Bytes read_back(700);
  EXPECT_EQ(read(0, read_back), 0);
  EXPECT_EQ(read_back, counted(700, 3));
}

// Lies with right checks: data of another size are taken for none, and the buffer is left alone.
TEST_F(SerialRemote, TakesOnlyDataOfTheSizeAskedFor) {
  ASSERT_EQ(write(0, counted(100)), 0);
  line_.rewrite = [](runtime::FrameHeader& header, Bytes& payload) {
    if (header.kind == runtime::FrameKind::kData) payload.resize(99);
  };
  Bytes bytes(100, 7);
  EXPECT_EQ(read(0, bytes), THIMBLE_STORAGE_TIMED_OUT);
  EXPECT_THAT(bytes, Each(7));
}

// Another session's frames and greetings are not this one's.
TEST_F(SerialRemote, TakesOnlyFramesOfItsSession) {
  ASSERT_EQ(thimble_serial_remote_connect(&remote_, 0), 0);
  line_.rewrite = [](runtime::FrameHeader& header, Bytes&) { header.session ^= 1; };
  EXPECT_EQ(write(0, counted(100)), THIMBLE_STORAGE_TIMED_OUT);
  line_.rewrite = [](runtime::FrameHeader& header, Bytes&) { header.sequence ^= 1; };
  EXPECT_EQ(thimble_serial_remote_connect(&remote_, 0), THIMBLE_STORAGE_TIMED_OUT);
}

TEST_F(SerialRemote, EndsWhenTheLineIsOutOfOrder) {
  remote_.link.send = [](void*, const void*, uint32_t) { return -7; };
  EXPECT_EQ(write(0, counted(100)), THIMBLE_STORAGE_WRITE_FAILED);
  remote_.link.receive = [](void*, void*, uint32_t) { return 1'000'000; };
  Bytes bytes(10);
  EXPECT_EQ(read(0, bytes), THIMBLE_STORAGE_READ_FAILED);
}

TEST_F(SerialRemote, EndsOnNoiseWithoutEnd) {
  remote_.link.receive = [](void* context, void* bytes, uint32_t size) {
    auto& line = *static_cast<SerialLine*>(context);
    ++line.milliseconds;
    for (uint32_t i = 0; i < size; ++i)
      static_cast<uint8_t*>(bytes)[i] = static_cast<uint8_t>(line.random() % 40);
    return static_cast<int32_t>(size);
  };
  EXPECT_EQ(write(0, counted(100)), THIMBLE_STORAGE_TIMED_OUT);
  EXPECT_GT(remote_.damaged, 0u);
}

// What a program does with the storage, against what it must read.
class Exercise : public Device {
 public:
  explicit Exercise(uint32_t seed) : Device(seed) {
    constexpr uint32_t kWindows[] = {1, 3, 16};
    remote_.window = kWindows[seed % 3];
    const Bytes bytes = counted(kStoredBytes);
    EXPECT_EQ(write(0, bytes), 0);
    std::copy(bytes.begin(), bytes.end(), expected_.begin());
  }

  struct Outcome {
    int64_t right = 0, failed = 0, wrong = 0;
  };

  /// Writes and reads at random; a read that says it is done is right or wrong.
  Outcome run(int rounds) {
    Outcome outcome;
    for (int round = 0; round < rounds; ++round) {
      std::array<Begun, kTokens> all;
      for (uint32_t token = 0; token < kTokens; ++token) all[token] = begin_any(token);
      for (uint32_t token = 0; token < kTokens; ++token) {
        if (all[token].status == 0) all[token].status = wait(token);
        if (!all[token].is_read && all[token].status != 0) remember(all[token], all);
      }
      for (const Begun& one : all) {
        if (!one.is_read) continue;
        int64_t& count = one.status != 0 ? outcome.failed
                         : is_right(one) ? outcome.right
                                         : outcome.wrong;
        ++count;
      }
      if (line_.random() % 16 == 0) cancel();
    }
    return outcome;
  }

 private:
  static constexpr uint32_t kStoredBytes = 12'000;
  using Expected = std::optional<uint8_t>;  // nothing: a write failed there

  struct Begun {
    bool is_read = false;
    uint32_t offset = 0;
    int status = 0;
    Bytes bytes;
    std::vector<Expected> expected;  // of a read
  };

  /// Anywhere: what overlaps what is in flight waits for it.
  Begun begin_any(uint32_t token) {
    Begun begun;
    begun.offset = line_.random() % (kStoredBytes - 3000);
    begun.is_read = line_.random() % 2 == 0;
    begun.bytes.resize(1 + line_.random() % 3000);
    const auto first = expected_.begin() + begun.offset;
    if (begun.is_read) {
      begun.expected.assign(first, first + static_cast<std::ptrdiff_t>(begun.bytes.size()));
      begun.status = begin_read(begun.offset, begun.bytes, token);
    } else {
      for (uint8_t& byte : begun.bytes) byte = static_cast<uint8_t>(line_.random() >> 9);
      std::copy(begun.bytes.begin(), begun.bytes.end(), first);
      begun.status = begin_write(begun.offset, begun.bytes, token);
    }
    return begun;
  }

  /// A write that failed may have written any of its bytes, and reads behind it found these.
  void remember(const Begun& failed, std::array<Begun, kTokens>& all) {
    for (size_t i = 0; i < failed.bytes.size(); ++i) {
      const size_t at = failed.offset + i;
      expected_[at] = std::nullopt;
      for (Begun& one : all)
        if (at >= one.offset && at - one.offset < one.expected.size())
          one.expected[at - one.offset] = std::nullopt;
    }
  }
  static bool is_right(const Begun& read) {
    for (size_t i = 0; i < read.bytes.size(); ++i)
      if (read.expected[i] && *read.expected[i] != read.bytes[i]) return false;
    return true;
  }

  std::array<Expected, kStoredBytes> expected_{};
};

TEST(SerialRemoteFaults, TenThousandGiveTheRightDataOrAStatus) {
  int64_t faults = 0, restarts = 0, right = 0, failed = 0;
  for (uint32_t seed = 1; faults < 10'000; ++seed) {
    Exercise exercise(seed);
    exercise.line_.fault_rate = 0.02 * (1 + seed % 12);
    if (seed % 4 == 0) exercise.line_.frames_until_restart = 1 + seed % 97;
    const Exercise::Outcome outcome = exercise.run(10);
    ASSERT_EQ(outcome.wrong, 0) << "seed " << seed;
    faults += exercise.line_.faults;
    restarts += exercise.line_.restarts;
    right += outcome.right;
    failed += outcome.failed;
    EXPECT_TRUE(outcome.failed == 0 || exercise.line_.restarts > 0) << "seed " << seed;
  }
  EXPECT_GT(restarts, 10);
  EXPECT_GT(failed, 10) << "what the host lost";
  EXPECT_GT(right, 1000);
}

// A host that lies with right checks can hand out other bytes, which the tags of records find.
// Nothing else happens, and every wait ends.
TEST(SerialRemoteFaults, LiarsChangeNothingButTheBytesAskedFor) {
  int64_t lies = 0, right = 0;
  for (uint32_t seed = 1; lies < 10'000; ++seed) {
    Exercise exercise(seed);
    exercise.line_.lie_rate = 0.01 * (1 + seed % 30);
    right += exercise.run(10).right;
    lies += exercise.line_.lies;
  }
  EXPECT_GT(right, 0);
}

// Frames of a device that lies: whatever the host is told, it answers in bounds.
TEST(RemoteStore, TakesAnyRequest) {
  std::mt19937 random(1);
  RemoteStore store(20'000, 1);
  uint32_t session = 0, sequence = 0;
  for (int i = 0; i < 10'000; ++i) {
    constexpr uint8_t kKinds[] = {1, 2, 2, 3, 3, 4, 5, 6, 7, 16};
    runtime::FrameHeader header;
    header.kind = static_cast<runtime::FrameKind>(kKinds[random() % std::size(kKinds)]);
    header.length = static_cast<uint16_t>(random() % 8 == 0 ? random() : random() % 64);
    if (header.kind == runtime::FrameKind::kHello && random() % 8 != 0) header.length = 1;
    header.session = session;
    header.sequence = random() % 4 == 0 ? random() : sequence;
    header.offset = random() % 16 == 0 ? random() : random() % 4000;
    Bytes payload = counted(random() % 513);
    if (header.kind == runtime::FrameKind::kErase && random() % 8 != 0) payload = {100, 1, 0, 0};
    Bytes request;
    runtime::write_frame(
        header, payload.data(), static_cast<uint32_t>(payload.size()),
        [&](const uint8_t* at, uint32_t count) { request.insert(request.end(), at, at + count); });
    const Bytes answers = store.take(request);
    ASSERT_LE(answers.size(), 25 * request.size() + 600);
    thimble_serial_receiver receiver = {};
    runtime::Frame frame;
    for (const uint8_t byte : answers) {
      const uint32_t length = runtime::receive_byte(receiver, byte);
      if (length == 0) continue;
      ASSERT_TRUE(runtime::parse_frame(receiver.bytes, length, frame));
      if (frame.header.kind == runtime::FrameKind::kWelcome) {
        session = frame.header.session;
        sequence = header.sequence;
      }
      if (frame.header.kind == runtime::FrameKind::kAck) sequence = frame.header.sequence;
      if (frame.header.kind == runtime::FrameKind::kData) ++sequence;
      if (frame.header.kind == runtime::FrameKind::kGone) ++sequence;
    }
  }
  const RemoteCounts& counts = store.counts();
  for (const int64_t count : {counts.writes, counts.reads, counts.erased_bytes, counts.gone,
                              counts.repeated, counts.gaps, counts.refused, counts.read_bytes})
    EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace thimble
