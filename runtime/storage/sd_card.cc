// SPDX-License-Identifier: Apache-2.0
#include "sd_card.h"

namespace {

constexpr uint32_t kBlock = THIMBLE_SD_BLOCK;
constexpr uint8_t kNothing = 0xff;

enum Command : uint8_t {
  kGoIdle = 0,
  kSendInterface = 8,
  kSendCsd = 9,
  kStop = 12,
  kSendStatus = 13,
  kSetBlock = 16,
  kRead = 17,
  kReadMany = 18,
  kWrite = 24,
  kWriteMany = 25,
  kAppStart = 41,  // behind kApp
  kApp = 55,
  kReadOcr = 58,
  kCheckCrc = 59
};

// First answers.
constexpr uint8_t kIdle = 0x01, kIllegal = 0x04, kRefused = 0x8c;  // silent, damaged, illegal
// Tokens around data.
constexpr uint8_t kBegin = 0xfe, kBeginOfMany = 0xfc, kEndOfMany = 0xfd;
constexpr uint8_t kAnswerMask = 0x1f, kTaken = 0x05;

constexpr uint32_t kInterface = 0x1aa;        // 2.7 to 3.6 V, and a pattern that comes back
constexpr uint32_t kHighCapacity = 1U << 30;  // the host takes such cards; the card is one
constexpr uint32_t kFirstClocks = 10, kAnswerWithin = 10;
constexpr uint32_t kPowerUps = 5000;  // some 2 s at 400 kHz; a card may take one

thimble_sd_card& card_of(void* context) { return *static_cast<thimble_sd_card*>(context); }

uint8_t crc7(const uint8_t* bytes, uint32_t count) {
  uint8_t crc = 0;
  for (uint32_t i = 0; i < count; ++i) {
    for (int bit = 7; bit >= 0; --bit) {
      const bool out = ((crc >> 6 ^ bytes[i] >> bit) & 1) != 0;
      crc = static_cast<uint8_t>(crc << 1 ^ (out ? 0x09 : 0)) & 0x7f;
    }
  }
  return static_cast<uint8_t>(crc << 1 | 1);
}

// CRC-16 with 0x1021, from 0.
uint16_t crc16(uint16_t crc, uint8_t byte) {
  crc = static_cast<uint16_t>(crc >> 8 | crc << 8) ^ byte;
  crc ^= static_cast<uint16_t>((crc & 0xff) >> 4);
  crc ^= static_cast<uint16_t>(crc << 12);
  return crc ^ static_cast<uint16_t>((crc & 0xff) << 5);
}

// A card that is selected until this ends.
class Selected {
 public:
  explicit Selected(const thimble_sd_card& card) : spi_(*card.spi), patience_(card.patience) {
    spi_.select(spi_.context, 1);
  }
  ~Selected() {
    spi_.select(spi_.context, 0);
    skip(1);  // it lets go of the line
  }
  Selected(const Selected&) = delete;
  Selected& operator=(const Selected&) = delete;

  uint8_t receive() const {
    uint8_t byte = kNothing;
    spi_.transfer(spi_.context, nullptr, &byte, 1);
    return byte;
  }
  void receive(uint8_t* bytes, uint32_t count) const {
    if (count > 0) spi_.transfer(spi_.context, nullptr, bytes, count);
  }
  void skip(uint32_t count) const {
    if (count > 0) spi_.transfer(spi_.context, nullptr, nullptr, count);
  }
  void send(const uint8_t* bytes, uint32_t count) const {
    if (count > 0) spi_.transfer(spi_.context, bytes, nullptr, count);
  }
  void send(uint8_t byte) const { send(&byte, 1); }

  /// Its first answer; kNothing: none comes.
  uint8_t command(uint8_t number, uint32_t argument) const {
    uint8_t frame[6] = {static_cast<uint8_t>(0x40 | number),  static_cast<uint8_t>(argument >> 24),
                        static_cast<uint8_t>(argument >> 16), static_cast<uint8_t>(argument >> 8),
                        static_cast<uint8_t>(argument),       0};
    frame[5] = crc7(frame, 5);
    skip(1);  // behind an answer
    send(frame, sizeof frame);
    if (number == kStop) skip(1);  // of the data that it stops
    uint8_t answer = kNothing;
    for (uint32_t i = 0; i < kAnswerWithin && (answer & 0x80) != 0; ++i) answer = receive();
    return answer;
  }
  uint32_t word() const {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | receive();
    return value;
  }
  /// Waits until a byte comes that is none of those that say nothing; false: patience has ended.
  bool wait_for_byte(uint8_t& byte) const {
    for (uint32_t i = 0; i < patience_; ++i) {
      byte = receive();
      if (byte != kNothing) return true;
    }
    return false;
  }
  bool wait_while_busy() const {
    for (uint32_t i = 0; i < patience_; ++i) {
      if (receive() == kNothing) return true;
    }
    return false;
  }

 private:
  const thimble_spi& spi_;
  uint32_t patience_;
};

// Takes the next block's token, bytes [from, end) of the block, and its check.
int receive_block(const Selected& bus, uint8_t* bytes, uint32_t from, uint32_t end, uint32_t size) {
  uint8_t token = kNothing;
  if (!bus.wait_for_byte(token)) return THIMBLE_STORAGE_TIMED_OUT;
  if (token != kBegin) return THIMBLE_STORAGE_READ_FAILED;
  uint16_t crc = 0;
  for (uint32_t i = 0; i < from; ++i) crc = crc16(crc, bus.receive());
  bus.receive(bytes, end - from);
  for (uint32_t i = 0; i < end - from; ++i) crc = crc16(crc, bytes[i]);
  for (uint32_t i = end; i < size; ++i) crc = crc16(crc, bus.receive());
  const auto high = static_cast<uint16_t>(bus.receive() << 8);
  return (high | bus.receive()) == crc ? THIMBLE_STORAGE_OK : THIMBLE_STORAGE_CORRUPT;
}

// Sends `count` bytes as a block, zeros behind them.
int send_block(const Selected& bus, uint8_t token, const uint8_t* bytes, uint32_t count) {
  bus.send(token);
  bus.send(bytes, count);
  uint16_t crc = 0;
  for (uint32_t i = 0; i < count; ++i) crc = crc16(crc, bytes[i]);
  for (uint32_t i = count; i < kBlock; ++i) {
    bus.send(uint8_t{0});
    crc = crc16(crc, 0);
  }
  const uint8_t check[2] = {static_cast<uint8_t>(crc >> 8), static_cast<uint8_t>(crc)};
  bus.send(check, sizeof check);
  uint8_t answer = kNothing;
  if (!bus.wait_for_byte(answer)) return THIMBLE_STORAGE_TIMED_OUT;
  if ((answer & kAnswerMask) != kTaken) return THIMBLE_STORAGE_WRITE_FAILED;
  return bus.wait_while_busy() ? THIMBLE_STORAGE_OK : THIMBLE_STORAGE_TIMED_OUT;
}

// Its register of sizes, which unlike answers has a check: blocks, and whether addresses are in
// them. 0: it cannot be read.
uint32_t capacity(const Selected& bus, bool& by_blocks) {
  uint8_t csd[16];
  if (bus.command(kSendCsd, 0) != 0 ||
      receive_block(bus, csd, 0, sizeof csd, sizeof csd) != THIMBLE_STORAGE_OK)
    return 0;
  const int structure = csd[0] >> 6;
  if (structure > 1) return 0;
  by_blocks = structure == 1;
  if (by_blocks) {
    const uint32_t size = uint32_t{csd[7] & 0x3fU} << 16 | uint32_t{csd[8]} << 8 | uint32_t{csd[9]};
    return (size + 1) << 10;
  }
  const uint32_t size = uint32_t{csd[6] & 3U} << 10 | uint32_t{csd[7]} << 2 | uint32_t{csd[8]} >> 6;
  const uint32_t shift = ((csd[9] & 3U) << 1 | csd[10] >> 7) + 2 + (csd[5] & 15U);
  return shift < 9 ? 0 : (size + 1) << (shift - 9);
}

bool is_powered_up(const Selected& bus, uint32_t argument) {
  for (uint32_t i = 0; i < kPowerUps; ++i) {
    if (bus.command(kApp, 0) > kIdle) return false;
    const uint8_t answer = bus.command(kAppStart, argument);
    if (answer == 0) return true;
    if (answer != kIdle) return false;
  }
  return false;
}

int start(thimble_sd_card& card) {
  card.cached = 0;  // another card may be there
  const thimble_spi& spi = *card.spi;
  spi.set_fast(spi.context, 0);
  spi.select(spi.context, 0);
  spi.transfer(spi.context, nullptr, nullptr, kFirstClocks);
  const Selected bus(card);
  // What it was in the midst of may take a while.
  uint8_t answer = bus.command(kGoIdle, 0);
  for (uint32_t i = 0; i < kBlock && answer != kIdle; ++i) {
    bus.skip(kAnswerWithin);
    answer = bus.command(kGoIdle, 0);
  }
  if (answer != kIdle) return THIMBLE_SD_NO_CARD;
  uint32_t argument = 0;
  answer = bus.command(kSendInterface, kInterface);
  if (answer == kNothing) return THIMBLE_SD_NO_CARD;
  if ((answer & kIllegal) == 0) {
    if ((bus.word() & 0xfff) != kInterface) return THIMBLE_SD_NO_CARD;
    argument = kHighCapacity;
  }
  if ((bus.command(kCheckCrc, 1) & ~kIdle) != 0) return THIMBLE_SD_NO_CARD;
  if (!is_powered_up(bus, argument)) return THIMBLE_SD_NO_CARD;
  if ((bus.command(kReadOcr, 0) & ~kIdle) != 0) return THIMBLE_SD_NO_CARD;
  const bool says_by_blocks = (bus.word() & kHighCapacity) != 0;
  bool by_blocks = false;
  card.capacity_blocks = capacity(bus, by_blocks);
  if (card.capacity_blocks == 0 || by_blocks != says_by_blocks) return THIMBLE_SD_NO_CARD;
  if (!by_blocks && bus.command(kSetBlock, kBlock) != 0) return THIMBLE_SD_NO_CARD;
  card.by_blocks = by_blocks ? 1 : 0;
  spi.set_fast(spi.context, 1);
  card.started = 1;
  return THIMBLE_STORAGE_OK;
}

// The card's argument for byte `offset` of the storage.
uint32_t place_of(const thimble_sd_card& card, uint32_t offset) {
  const uint32_t block = card.first_block + offset / kBlock;
  return card.by_blocks != 0 ? block : block * kBlock;
}

// Ready for bytes that are there, or why not.
int prepare(thimble_sd_card& card, uint32_t offset, uint32_t size) {
  if (size == 0 || offset > card.blocks * uint64_t{kBlock} ||
      size > card.blocks * uint64_t{kBlock} - offset)
    return THIMBLE_STORAGE_FULL;
  if (card.started == 0) {
    const int status = start(card);
    if (status != THIMBLE_STORAGE_OK) return status;
  }
  const uint64_t end = card.first_block + uint64_t{card.blocks};
  if (end <= card.capacity_blocks) return THIMBLE_STORAGE_OK;
  card.started = 0;  // a larger one may come in its place
  return THIMBLE_STORAGE_FULL;
}

// The next block's bytes [from, end), by way of the cache where that is not all of it.
int receive_part(const Selected& bus, thimble_sd_card& card, uint32_t block, uint8_t* bytes,
                 uint32_t from, uint32_t end) {
  if (card.cache == nullptr || end - from == kBlock)
    return receive_block(bus, bytes, from, end, kBlock);
  card.cached = 0;
  const int status = receive_block(bus, card.cache, 0, kBlock, kBlock);
  if (status != THIMBLE_STORAGE_OK) return status;
  card.cached = block + 1;
  for (uint32_t i = from; i < end; ++i) *bytes++ = card.cache[i];
  return THIMBLE_STORAGE_OK;
}

int read_blocks(const Selected& bus, thimble_sd_card& card, uint32_t offset, uint8_t* bytes,
                uint32_t size) {
  uint32_t from = offset % kBlock, rest = size, block = offset / kBlock;
  const bool many = from + size > kBlock;
  if (bus.command(many ? kReadMany : kRead, place_of(card, offset)) != 0)
    return THIMBLE_STORAGE_READ_FAILED;
  int status = THIMBLE_STORAGE_OK;
  while (rest > 0 && status == THIMBLE_STORAGE_OK) {
    const uint32_t end = from + rest < kBlock ? from + rest : kBlock;
    status = receive_part(bus, card, block++, bytes, from, end);
    bytes += end - from;
    rest -= end - from;
    from = 0;
  }
  if (!many) return status;
  const bool stopped = (bus.command(kStop, 0) & kRefused) == 0 && bus.wait_while_busy() &&
                       bus.command(kSendStatus, 0) == 0;
  bus.skip(1);  // the status' second byte, which may say that the card's end was reached
  return status == THIMBLE_STORAGE_OK && !stopped ? int{THIMBLE_STORAGE_TIMED_OUT} : status;
}

int write_blocks(const Selected& bus, const thimble_sd_card& card, uint32_t offset,
                 const uint8_t* bytes, uint32_t size) {
  const bool many = size > kBlock;
  if (bus.command(many ? kWriteMany : kWrite, place_of(card, offset)) != 0)
    return THIMBLE_STORAGE_WRITE_FAILED;
  bus.skip(1);
  int status = THIMBLE_STORAGE_OK;
  while (size > 0 && status == THIMBLE_STORAGE_OK) {
    const uint32_t count = size < kBlock ? size : kBlock;
    status = send_block(bus, many ? kBeginOfMany : kBegin, bytes, count);
    bytes += count;
    size -= count;
  }
  if (status != THIMBLE_STORAGE_OK) {
    if (many && bus.command(kStop, 0) != kNothing) (void)bus.wait_while_busy();
    return status;
  }
  if (many) {
    bus.send(kEndOfMany);
    bus.skip(1);
    if (!bus.wait_while_busy()) return THIMBLE_STORAGE_TIMED_OUT;
  }
  const uint8_t first = bus.command(kSendStatus, 0);
  return first == 0 && bus.receive() == 0 ? int{THIMBLE_STORAGE_OK}
                                          : int{THIMBLE_STORAGE_WRITE_FAILED};
}

// What has failed begins anew: nobody knows what the card is in the midst of.
int ended(thimble_sd_card& card, int status) {
  if (status == THIMBLE_STORAGE_OK) return status;
  card.started = 0;
  card.cached = 0;
  return status;
}

// What the cache has of the first block: how many bytes that is.
uint32_t take_cached(const thimble_sd_card& card, uint32_t offset, uint8_t* bytes, uint32_t size) {
  if (card.cached != offset / kBlock + 1) return 0;
  const uint32_t from = offset % kBlock;
  const uint32_t count = size < kBlock - from ? size : kBlock - from;
  for (uint32_t i = 0; i < count; ++i) bytes[i] = card.cache[from + i];
  return count;
}

int read_card(void* context, uint32_t, uint32_t offset, void* bytes, uint32_t size) {
  thimble_sd_card& card = card_of(context);
  const int status = prepare(card, offset, size);
  if (status != THIMBLE_STORAGE_OK) return ended(card, status);
  auto* const to = static_cast<uint8_t*>(bytes);
  const uint32_t known = take_cached(card, offset, to, size);
  if (known == size) return THIMBLE_STORAGE_OK;
  const Selected bus(card);
  return ended(card, read_blocks(bus, card, offset + known, to + known, size - known));
}

int write_card(void* context, uint32_t, uint32_t offset, const void* bytes, uint32_t size) {
  thimble_sd_card& card = card_of(context);
  if (offset % kBlock != 0) return THIMBLE_STORAGE_WRITE_FAILED;
  const int status = prepare(card, offset, size);
  if (status != THIMBLE_STORAGE_OK) return status;
  card.cached = 0;
  const Selected bus(card);
  return ended(card, write_blocks(bus, card, offset, static_cast<const uint8_t*>(bytes), size));
}

int wait_for_card(void*, uint32_t) { return THIMBLE_STORAGE_OK; }

}  // namespace

int thimble_sd_card_start(thimble_sd_card* card) { return ended(*card, start(*card)); }

thimble_storage thimble_sd_card_open(thimble_sd_card* card) {
  return {card, read_card, write_card, nullptr, wait_for_card, nullptr};
}
