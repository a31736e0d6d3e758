// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/remote_store.h"

#include <algorithm>
#include <utility>

namespace thimble {

using runtime::CloseReason;
using runtime::Frame;
using runtime::FrameHeader;
using runtime::FrameKind;

namespace {

// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
uint64_t next_random(uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

RemoteStore::RemoteStore(uint32_t capacity_bytes, uint64_t seed)
    : capacity_(capacity_bytes), seed_(seed) {}

std::vector<uint8_t> RemoteStore::take(std::span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) {
    const uint32_t length = runtime::receive_byte(receiver_, byte);
    if (length == 0) continue;
    Frame frame;
    if (runtime::parse_frame(receiver_.bytes, length, frame)) {
      take_frame(frame);
    } else {
      ++counts_.damaged;
    }
  }
  if (acknowledgement_due_) acknowledge(false);
  return std::exchange(answers_, {});
}

void RemoteStore::answer(const FrameHeader& header, std::span<const uint8_t> payload) {
  runtime::write_frame(header, payload.data(), static_cast<uint32_t>(payload.size()),
                       [this](const uint8_t* bytes, uint32_t count) {
                         answers_.insert(answers_.end(), bytes, bytes + count);
                       });
}

void RemoteStore::acknowledge(bool resend) {
  acknowledgement_due_ = false;
  answer({.kind = FrameKind::kAck,
          .length = static_cast<uint16_t>(resend ? 1 : 0),
          .session = session_,
          .sequence = expected_});
}

void RemoteStore::close(uint32_t session, CloseReason reason) {
  ++counts_.refused;
  answer({.kind = FrameKind::kClosed, .length = static_cast<uint16_t>(reason), .session = session});
}

// A greeting that is repeated gets the same session, as long as nothing was done in it; one that
// comes late ends the session that there is, which the device then finds out.
void RemoteStore::greet(const FrameHeader& header) {
  if (header.length != runtime::kSerialVersion) return close(header.session, CloseReason::kVersion);
  const bool repeated =
      session_ != 0 && header.session == nonce_ && header.sequence == start_ && expected_ == start_;
  if (!repeated) {
    do {
      session_ = static_cast<uint32_t>(next_random(seed_));
    } while (session_ == 0);
    nonce_ = header.session;
    start_ = expected_ = header.sequence;
    gap_told_ = acknowledgement_due_ = false;
    ++counts_.sessions;
  }
  answer(
      {.kind = FrameKind::kWelcome, .session = session_, .sequence = nonce_, .offset = capacity_});
}

void RemoteStore::take_frame(const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (header.kind == FrameKind::kHello) return greet(header);
  if (session_ == 0 || header.session != session_)
    return close(header.session, CloseReason::kUnknownSession);
  if (header.kind == FrameKind::kPoll) {
    gap_told_ = false;
    return acknowledge(true);
  }
  const auto ahead = static_cast<int32_t>(header.sequence - expected_);
  if (ahead < 0) {
    ++counts_.repeated;
    acknowledgement_due_ = true;
  } else if (ahead > 0) {
    ++counts_.gaps;
    if (!std::exchange(gap_told_, true)) acknowledge(true);
  } else if (execute(frame)) {
    ++expected_;
    gap_told_ = false;
  } else {
    close(std::exchange(session_, 0), CloseReason::kOutOfRange);
    acknowledgement_due_ = false;
  }
}

// False: it asks for what there is not.
bool RemoteStore::execute(const Frame& frame) {
  const FrameHeader& header = frame.header;
  const auto in_range = [&](uint64_t size) { return header.offset + size <= capacity_; };
  switch (header.kind) {
    case FrameKind::kWrite:
      if (!in_range(frame.payload_bytes)) return false;
      write(header.offset, {frame.payload, frame.payload_bytes});
      break;
    case FrameKind::kRead:
      if (header.length > runtime::kMostPayloadBytes || !in_range(header.length)) return false;
      read(header);
      return true;
    case FrameKind::kErase: {
      if (frame.payload_bytes != 4) return false;
      const uint32_t size = runtime::load_u32(frame.payload);
      if (!in_range(size)) return false;
      erase(header.offset, size);
      break;
    }
    case FrameKind::kSkip:
      break;
    default:
      return false;
  }
  acknowledgement_due_ = true;
  return true;
}

void RemoteStore::write(uint32_t offset, std::span<const uint8_t> bytes) {
  ++counts_.writes;
  counts_.written_bytes += static_cast<int64_t>(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint32_t at = offset + static_cast<uint32_t>(i);
    std::unique_ptr<Page>& page = pages_[at / kPageBytes];
    if (!page) page = std::make_unique<Page>();
    page->bytes[at % kPageBytes] = bytes[i];
    page->written.set(at % kPageBytes);
  }
}

bool RemoteStore::holds(uint64_t offset, uint64_t size) const {
  for (uint64_t at = offset; at < offset + size; ++at) {
    const auto page = pages_.find(static_cast<uint32_t>(at / kPageBytes));
    if (page == pages_.end() || !page->second->written.test(at % kPageBytes)) return false;
  }
  return true;
}

void RemoteStore::read(const FrameHeader& header) {
  ++counts_.reads;
  acknowledgement_due_ = false;  // the answer is one
  if (!holds(header.offset, header.length)) {
    ++counts_.gone;
    return answer({.kind = FrameKind::kGone, .session = session_, .sequence = header.sequence});
  }
  std::vector<uint8_t> bytes;
  for (uint32_t at = header.offset; at != header.offset + header.length; ++at)
    bytes.push_back(pages_.at(at / kPageBytes)->bytes[at % kPageBytes]);
  counts_.read_bytes += header.length;
  answer({.kind = FrameKind::kData, .session = session_, .sequence = header.sequence}, bytes);
}

// Page by page: an erase of all takes no longer than there are pages.
void RemoteStore::erase(uint32_t offset, uint32_t size) {
  counts_.erased_bytes += size;
  const uint64_t end = uint64_t{offset} + size;
  for (auto page = pages_.lower_bound(offset / kPageBytes); page != pages_.end();) {
    const uint64_t begin = uint64_t{page->first} * kPageBytes;
    if (begin >= end) break;
    const uint64_t first = std::max<uint64_t>(begin, offset) - begin;
    const uint64_t last = std::min(begin + kPageBytes, end) - begin;
    for (uint64_t at = first; at < last; ++at) page->second->written.reset(at);
    page = page->second->written.none() ? pages_.erase(page) : std::next(page);
  }
}

}  // namespace thimble
