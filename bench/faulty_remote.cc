// SPDX-License-Identifier: Apache-2.0
#include "bench/faulty_remote.h"

#include <array>

namespace thimble {
namespace {

constexpr std::array kRemoteNames = {"none",
                                     "lossy line",
                                     "silent",
                                     "silent for a while",
                                     "slow",
                                     "lies",
                                     "started anew",
                                     "line out of order",
                                     "lossy line and lies"};
static_assert(kRemoteNames.size() == kRemoteFaults);

constexpr uint32_t kFramesOfARun = 60;  // about
constexpr uint32_t kNeverAgain = UINT32_MAX;

FaultyRemote& remote_of(void* context) { return *static_cast<FaultyRemote*>(context); }

}  // namespace

const char* name(RemoteFault fault) { return kRemoteNames[static_cast<size_t>(fault)]; }

FaultyRemote::FaultyRemote(uint32_t capacity_bytes, uint32_t tokens, uint32_t seed)
    : line_(seed, capacity_bytes),
      inner_(line_.link()),
      operations_(tokens),
      remote_(std::make_unique<thimble_serial_remote>()) {
  const thimble_serial_link link = {this, send, receive, clock};
  driver_ = thimble_serial_remote_open(remote_.get(), &link, operations_.data(), tokens);
}

void FaultyRemote::begin_run(RemoteFault fault, uint32_t seed, int most_calls,
                             std::jmp_buf* escape) {
  line_.random.seed(seed);
  const auto drawn = [this](uint32_t most) { return static_cast<uint32_t>(line_.random() % most); };
  const bool lossy = fault == RemoteFault::kLossy || fault == RemoteFault::kLossyAndLying;
  const bool lies = fault == RemoteFault::kLies || fault == RemoteFault::kLossyAndLying;
  line_.fault_rate = lossy ? 0.01 + drawn(25) / 100.0 : 0;
  line_.lie_rate = lies ? 0.01 + drawn(50) / 100.0 : 0;
  line_.silent = false;
  line_.frames_until_restart = fault == RemoteFault::kStartedAnew ? 1 + drawn(kFramesOfARun) : 0;
  fault_ = fault;
  first_frame_ = drawn(kFramesOfARun);
  silent_ms_ = fault == RemoteFault::kSilentAWhile ? 1 + drawn(5'000) : kNeverAgain;
  delay_ms_ = fault == RemoteFault::kSlow ? 1 + drawn(3'000) : 0;
  for (auto& [time, byte] : late_) time = line_.milliseconds;  // at last
  before_ = line_.faults + line_.lies + line_.restarts;
  frames_before_ = line_.sent_frames();
  of_run_ = 0;
  silent_since_ = 0;
  calls = 0;
  most_calls_ = most_calls;
  escape_ = escape;
}

int64_t FaultyRemote::faults() const {
  return of_run_ + line_.faults + line_.lies + line_.restarts - before_;
}

void FaultyRemote::count_call() {
  if (++calls > most_calls_) std::longjmp(*escape_, 2);
}

void FaultyRemote::update_silence() {
  if (fault_ != RemoteFault::kSilent && fault_ != RemoteFault::kSilentAWhile) return;
  const bool reached = line_.sent_frames() - frames_before_ > first_frame_;
  if (reached && of_run_ == 0) {
    of_run_ = 1;
    silent_since_ = line_.milliseconds;
    line_.silent = true;
  }
  if (line_.silent && silent_ms_ != kNeverAgain && line_.milliseconds - silent_since_ >= silent_ms_)
    line_.silent = false;
}

int FaultyRemote::send(void* context, const void* bytes, uint32_t size) {
  FaultyRemote& remote = remote_of(context);
  remote.count_call();
  remote.update_silence();
  const auto frames = remote.line_.sent_frames() - remote.frames_before_;
  if (remote.fault_ == RemoteFault::kOutOfOrder && frames > remote.first_frame_) {
    ++remote.of_run_;
    return THIMBLE_STORAGE_TIMED_OUT;
  }
  return remote.inner_.send(remote.inner_.context, bytes, size);
}

int32_t FaultyRemote::receive(void* context, void* bytes, uint32_t size) {
  FaultyRemote& remote = remote_of(context);
  remote.count_call();
  remote.update_silence();
  std::array<uint8_t, 256> arrived{};
  const int32_t count = remote.inner_.receive(remote.inner_.context, arrived.data(),
                                              static_cast<uint32_t>(arrived.size()));
  remote.of_run_ += remote.delay_ms_ > 0 && count > 0;
  for (int32_t i = 0; i < count; ++i)
    remote.late_.emplace_back(remote.line_.milliseconds + remote.delay_ms_,
                              arrived[static_cast<size_t>(i)]);
  uint32_t given = 0;
  for (; given < size && !remote.late_.empty(); ++given) {
    if (remote.late_.front().first > remote.line_.milliseconds) break;
    static_cast<uint8_t*>(bytes)[given] = remote.late_.front().second;
    remote.late_.pop_front();
  }
  return static_cast<int32_t>(given);
}

uint32_t FaultyRemote::clock(void* context) { return remote_of(context).line_.milliseconds; }

}  // namespace thimble
