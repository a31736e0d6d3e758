// SPDX-License-Identifier: Apache-2.0
// A serial line in memory between the driver and a host, which drops, repeats, flips, shortens and
// delays frames, and whose host may be silent, lie, or be started anew.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "runtime/storage/serial_remote.h"
#include "thimble/toolchain/remote_store.h"

namespace thimble::testing {

class SerialLine {
 public:
  explicit SerialLine(uint32_t seed, uint32_t capacity = 1 << 16)
      : random(seed), host(capacity, seed), capacity_(capacity) {}
  SerialLine(const SerialLine&) = delete;
  SerialLine& operator=(const SerialLine&) = delete;

  std::mt19937 random;
  RemoteStore host;
  double fault_rate = 0;              ///< of frames, in both directions
  double lie_rate = 0;                ///< of the host's frames: another one with a right check
  bool silent = false;                ///< the host says nothing
  uint32_t frames_until_restart = 0;  ///< of the device's; 0: never
  /// What it does to each of the host's frames.
  std::function<void(runtime::FrameHeader&, std::vector<uint8_t>&)> rewrite;
  int64_t faults = 0, lies = 0, restarts = 0;
  uint32_t milliseconds = 0;

  thimble_serial_link link() { return {this, send, receive, clock}; }
  void restart_host() {
    host = RemoteStore(capacity_, random());
    ++restarts;
  }
  /// What the device sent so far, delivered or not.
  [[nodiscard]] int64_t sent_frames() const { return sent_frames_; }

 private:
  using Bytes = std::vector<uint8_t>;

  static int send(void* context, const void* bytes, uint32_t size) {
    auto& line = *static_cast<SerialLine*>(context);
    const auto* at = static_cast<const uint8_t*>(bytes);
    for (const Bytes& frame : split({at, size}, line.partial_out_)) {
      ++line.sent_frames_;
      if (line.frames_until_restart > 0 && --line.frames_until_restart == 0) line.restart_host();
      for (const Bytes& arriving : line.disturb(frame, line.held_out_)) line.deliver(arriving);
    }
    return 0;
  }

  static int32_t receive(void* context, void* bytes, uint32_t size) {
    auto& line = *static_cast<SerialLine*>(context);
    uint32_t count = 0;
    for (; count < size && !line.arrived_.empty(); ++count) {
      static_cast<uint8_t*>(bytes)[count] = line.arrived_.front();
      line.arrived_.pop_front();
    }
    if (count == 0) ++line.milliseconds;
    return static_cast<int32_t>(count);
  }

  static uint32_t clock(void* context) { return static_cast<SerialLine*>(context)->milliseconds; }

  void deliver(const Bytes& bytes) {
    const Bytes answers = host.take(bytes);
    if (silent) return;
    for (const Bytes& frame : split(answers, partial_in_)) {
      for (const Bytes& arriving : disturb(lie(frame), held_in_))
        arrived_.insert(arrived_.end(), arriving.begin(), arriving.end());
    }
  }

  /// Whole frames, each with the zeros around it.
  static std::vector<Bytes> split(std::span<const uint8_t> bytes, Bytes& partial) {
    std::vector<Bytes> frames;
    for (const uint8_t byte : bytes) {
      partial.push_back(byte);
      if (byte != 0 || partial.size() == 1) continue;
      frames.push_back(std::move(partial));
      partial.clear();
    }
    return frames;
  }

  bool chance(double rate) { return std::uniform_real_distribution<>(0, 1)(random) < rate; }

  /// A frame that comes late.
  struct Held {
    Bytes frame;
    uint32_t frames = 0;  ///< that pass it
  };

  /// The frames that arrive in place of one.
  std::vector<Bytes> disturb(const Bytes& frame, Held& held) {
    std::vector<Bytes> arriving = {frame};
    if (chance(fault_rate)) {
      ++faults;
      switch (random() % 6) {
        case 0:
          arriving.clear();
          break;
        case 1:
          arriving.push_back(frame);
          break;
        case 2:
          arriving[0][random() % frame.size()] ^= static_cast<uint8_t>(1u << (random() % 8));
          break;
        case 3:
          arriving[0].resize(random() % frame.size());
          break;
        default:  // twice: late, or late once more
          if (!held.frame.empty()) break;
          held = {frame, 1 + static_cast<uint32_t>(random() % 30)};
          if (random() % 2 == 0) arriving.clear();
          return arriving;
      }
    }
    if (held.frames > 0 && --held.frames == 0) arriving.push_back(std::exchange(held.frame, {}));
    return arriving;
  }

  /// Another frame, rightly checked.
  Bytes lie(const Bytes& bytes) {
    const bool lies_now = chance(lie_rate);
    if (!lies_now && !rewrite) return bytes;
    thimble_serial_receiver receiver = {};
    runtime::Frame frame;
    for (const uint8_t byte : bytes) {
      const uint32_t length = runtime::receive_byte(receiver, byte);
      if (length > 0) runtime::parse_frame(receiver.bytes, length, frame);
    }
    Bytes payload(frame.payload, frame.payload + frame.payload_bytes);
    if (rewrite) rewrite(frame.header, payload);
    if (lies_now) change(frame.header, payload);
    Bytes changed;
    runtime::write_frame(
        frame.header, payload.data(), static_cast<uint32_t>(payload.size()),
        [&](const uint8_t* at, uint32_t count) { changed.insert(changed.end(), at, at + count); });
    return changed;
  }

  void change(runtime::FrameHeader& header, Bytes& payload) {
    ++lies;
    constexpr uint8_t kKinds[] = {16, 17, 18, 19, 20, 1, 255};
    switch (random() % 6) {
      case 0:
        header.kind = static_cast<runtime::FrameKind>(kKinds[random() % std::size(kKinds)]);
        break;
      case 1:
        header.sequence += random() % 5 - 2;
        break;
      case 2:
        header.session ^= 1u << (random() % 32);
        break;
      case 3:
        header.length = static_cast<uint16_t>(random() % 4);
        break;
      case 4:
        payload.resize(random() % (runtime::kMostPayloadBytes + 1));
        break;
      default:
        if (!payload.empty()) payload[random() % payload.size()] ^= 0x40;
    }
  }

  uint32_t capacity_;
  int64_t sent_frames_ = 0;
  Bytes partial_out_, partial_in_;
  Held held_out_, held_in_;
  std::deque<uint8_t> arrived_;
};

}  // namespace thimble::testing
