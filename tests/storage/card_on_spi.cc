// SPDX-License-Identifier: Apache-2.0
#include "tests/storage/card_on_spi.h"

#include <algorithm>
#include <array>

namespace thimble::testing {
namespace {

constexpr uint32_t kBlock = 512;
constexpr uint8_t kNothing = 0xff;
constexpr int kOutFor = 25;  // commands that a card is away

// Bit by bit, unlike the driver's.
uint8_t check7(const std::vector<uint8_t>& bytes) {
  uint32_t rest = 0;
  for (size_t i = 0; i < 5 * 8 + 7; ++i) {
    const uint32_t bit = i < 40 ? bytes[i / 8] >> (7 - i % 8) & 1U : 0;
    rest = rest << 1 | bit;
    if ((rest & 0x80) != 0) rest ^= 0x89;
  }
  return static_cast<uint8_t>(rest << 1 | 1);
}

uint16_t check16(const uint8_t* bytes, size_t size) {
  uint32_t rest = 0;
  for (size_t i = 0; i < size * 8 + 16; ++i) {
    const uint32_t bit = i < size * 8 ? bytes[i / 8] >> (7 - i % 8) & 1U : 0;
    rest = rest << 1 | bit;
    if ((rest & 0x10000) != 0) rest ^= 0x11021;
  }
  return static_cast<uint16_t>(rest);
}

}  // namespace

CardOnSpi::CardOnSpi(const Kind& kind)
    : bytes(size_t{kind.blocks} * kBlock, 0x5a),
      kind_(kind),
      bus_{this, transfer, select, [](void*, int) {}} {}

void CardOnSpi::transfer(void* context, const uint8_t* out, uint8_t* in, uint32_t count) {
  auto& card = *static_cast<CardOnSpi*>(context);
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t came = card.exchange(out == nullptr ? kNothing : out[i]);
    if (in != nullptr) in[i] = came;
  }
}

void CardOnSpi::select(void* context, int selected) {
  auto& card = *static_cast<CardOnSpi*>(context);
  card.selected_ = selected != 0;
  card.frame_.clear();
}

bool CardOnSpi::strikes(Fault fault) {
  if (fault_ != fault) return false;
  fault_ = Fault::kNone;
  ++struck;
  return true;
}

void CardOnSpi::power_off() {
  idle_ = true;
  spi_ = checks_ = app_ = in_block_ = busy_for_ever_ = false;
  mode_ = Mode::kCommands;
  power_ups_ = 0;
  answers_.clear();
}

uint8_t CardOnSpi::exchange(uint8_t out) {
  ++bus_bytes;
  if (!selected_) return kNothing;
  if (mode_ == Mode::kReading && answers_.empty() && place_ + kBlock <= bytes.size()) {
    answer_block(bytes.data() + place_, kBlock);
    place_ += kBlock;
  }
  uint8_t in = busy_for_ever_ ? 0 : kNothing;
  if (!answers_.empty()) {
    in = answers_.front();
    answers_.pop_front();
  }
  if (mode_ == Mode::kWriting && (in_block_ || frame_.empty())) {
    const bool token = out == 0xfe || out == 0xfc || out == 0xfd;
    if (in_block_ || token) {
      take_data(out);
      return in;
    }
  }
  if (frame_.empty() && (out & 0xc0) != 0x40) return in;
  frame_.push_back(out);
  if (frame_.size() == 6) {
    execute();
    frame_.clear();
  }
  return in;
}

void CardOnSpi::answer(std::initializer_list<int> some) {
  answers_.push_back(kNothing);
  for (const int byte : some) answers_.push_back(static_cast<uint8_t>(byte));
  // Which bit, the number of the command decides.
  if (strikes(Fault::kFlippedAnswer))
    answers_[answers_.size() - some.size() + commands / 8 % some.size()] ^= 1 << commands % 8;
}

void CardOnSpi::answer_block(const uint8_t* data, uint32_t size) {
  if (strikes(Fault::kReadError)) {
    answer({0x09});
    mode_ = Mode::kCommands;
    return;
  }
  answer({kNothing, 0xfe});
  const uint16_t check = check16(data, size);
  const size_t at = answers_.size();
  answers_.insert(answers_.end(), data, data + size);
  answers_.push_back(static_cast<uint8_t>(check >> 8));
  answers_.push_back(static_cast<uint8_t>(check));
  if (strikes(Fault::kFlippedData)) answers_[at + size / 3] ^= 0x10;
}

void CardOnSpi::take_data(uint8_t byte) {
  if (!in_block_) {
    if (byte == 0xfd) {
      mode_ = Mode::kCommands;
      answers_.assign({kNothing, 0, 0, 0});
    } else {
      in_block_ = true;
      data_.clear();
    }
    return;
  }
  data_.push_back(byte);
  if (data_.size() == kBlock + 2) end_block();
}

void CardOnSpi::end_block() {
  in_block_ = false;
  if (!many_) mode_ = Mode::kCommands;
  if (strikes(Fault::kFlippedData)) data_[kBlock / 3] ^= 0x04;
  const uint16_t check = static_cast<uint16_t>(data_[kBlock] << 8 | data_[kBlock + 1]);
  if (checks_ && check != check16(data_.data(), kBlock)) {
    answers_.assign({0x0b});
    return;
  }
  if (strikes(Fault::kWriteError) || place_ + kBlock > bytes.size()) {
    answers_.assign({0x0d});
    return;
  }
  std::copy_n(data_.begin(), kBlock, bytes.begin() + static_cast<std::ptrdiff_t>(place_));
  place_ += kBlock;
  answers_.assign({0x05, 0, 0, 0, 0});
  if (strikes(Fault::kBusy)) {
    answers_.assign({0x05});
    busy_for_ever_ = true;
  }
}

void CardOnSpi::execute() {
  if (removed_for_ > 0) {
    --removed_for_;
    return;
  }
  fault_ = faults ? faults(commands) : Fault::kNone;
  ++commands;
  if (strikes(Fault::kRemoved)) {
    removed_for_ = kOutFor;
    power_off();
    return;
  }
  if (strikes(Fault::kSilent)) return;
  if (strikes(Fault::kFlippedCommand)) frame_[3] ^= 0x20;
  const int number = frame_[0] & 0x3f;
  const uint32_t argument = uint32_t{frame_[1]} << 24 | uint32_t{frame_[2]} << 16 |
                            uint32_t{frame_[3]} << 8 | uint32_t{frame_[4]};
  const bool app = app_;
  app_ = false;
  const int r1 = idle_ ? 1 : 0;
  if ((checks_ || number == 0 || number == 8) && frame_[5] != check7(frame_)) {
    if (spi_) answer({r1 | 0x08});
    return;
  }
  if (number == 0) {
    power_off();
    spi_ = true;
    answer({1});
    return;
  }
  if (!spi_ || busy_for_ever_) return;
  if (number == 12) {
    mode_ = Mode::kCommands;
    answers_.assign({0xa5, kNothing, 0, 0, 0});  // a byte of what it was sending, R1, busy
    return;
  }
  place_ = uint64_t{argument} * (kind_.by_blocks ? kBlock : 1);
  const bool inside = place_ % kBlock == 0 && place_ + kBlock <= bytes.size();
  switch (number) {
    case 8:
      if (kind_.version_1) {
        answer({r1 | 0x04});
      } else {
        answer({r1, 0, 0, 1, frame_[4]});
      }
      return;
    case 9: {
      std::array<uint8_t, 16> csd{};
      const uint32_t size = kind_.blocks / (kind_.by_blocks ? 1024 : 512) - 1;
      if (kind_.by_blocks) {
        csd[0] = 0x40;
        csd[8] = static_cast<uint8_t>(size >> 8);
        csd[9] = static_cast<uint8_t>(size);
      } else {  // units of 512 << (7 + 2) B
        csd[5] = 9;
        csd[6] = static_cast<uint8_t>(size >> 10 & 3);
        csd[7] = static_cast<uint8_t>(size >> 2);
        csd[8] = static_cast<uint8_t>(size << 6);
        csd[9] = 3;
        csd[10] = 0x80;
      }
      answer({r1});
      answer_block(csd.data(), csd.size());
      return;
    }
    case 13:
      answer({r1, 0});
      return;
    case 16:
      answer({argument == kBlock ? r1 : r1 | 0x40});
      return;
    case 17:
    case 18:
    case 24:
    case 25:
      if (idle_ || !inside) {
        answer({r1 | 0x40});
        return;
      }
      answer({0});
      many_ = number == 18 || number == 25;
      if (number >= 24) {
        mode_ = Mode::kWriting;
      } else if (many_) {
        mode_ = Mode::kReading;
      } else {
        answer_block(bytes.data() + place_, kBlock);
      }
      return;
    case 41:
      // One that counts in blocks waits for a host that does, too.
      if (app && (!kind_.by_blocks || (argument & 1U << 30) != 0) &&
          ++power_ups_ >= kind_.powers_up_within)
        idle_ = false;
      answer({idle_ ? 1 : 0});
      return;
    case 55:
      app_ = true;
      answer({r1});
      return;
    case 58:
      answer({r1, kind_.by_blocks ? 0xc0 : 0x80, 0xff, 0x80, 0});
      return;
    case 59:
      checks_ = (argument & 1) != 0;
      answer({r1});
      return;
    default:
      answer({r1 | 0x04});
  }
}

}  // namespace thimble::testing
