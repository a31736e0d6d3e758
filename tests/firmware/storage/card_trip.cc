// SPDX-License-Identifier: Apache-2.0
// A model that keeps its input on an SD card: its output is what is read then, and the statuses of
// what it does with the card.
#include "harness.h"
#include "sd_card.h"
#include "stellaris_card.h"

namespace {

constexpr uint32_t kBytes = 2'502;  // five blocks, the last one in part
constexpr uint32_t kStatuses = 12;
constexpr uint32_t kBlock = THIMBLE_SD_BLOCK, kSize = 64 * kBlock;

struct Statuses {
  uint8_t* at;
  void add(int status) { *at++ = static_cast<uint8_t>(status); }
};

void run(void* arena, void* const*) {
  auto* bytes = static_cast<uint8_t*>(arena);
  static thimble_sd_card card;
  const thimble_storage storage = thimble_firmware::open_card(card, kSize);
  const auto write = [&](uint32_t offset, const uint8_t* from, uint32_t size) {
    return storage.write_async(storage.context, 0, offset, from, size);
  };
  const auto read = [&](uint32_t offset, uint8_t* to, uint32_t size) {
    return storage.read_async(storage.context, 0, offset, to, size);
  };
  Statuses statuses{bytes + kBytes};
  statuses.add(write(3 * kBlock, bytes, kBytes));
  statuses.add(write(kBlock, bytes, 100));                 // one block, in part
  statuses.add(write(2, bytes, 4));                        // no whole block
  statuses.add(write(kSize - kBlock, bytes, kBlock + 1));  // beyond
  statuses.add(read(kSize, bytes, 1));
  for (uint32_t i = 0; i < kBytes; ++i) bytes[i] = 0xEE;
  statuses.add(read(3 * kBlock, bytes, 700));  // in two pieces, neither of whole blocks
  statuses.add(read(3 * kBlock + 700, bytes + 700, kBytes - 700));
  uint8_t behind[2] = {1, 1};
  statuses.add(read(3 * kBlock + kBytes, behind, 2));
  statuses.add(behind[0]);
  statuses.add(behind[1]);
  statuses.add(read(kBlock + 99, behind, 2));  // the last byte there, and a zero
  statuses.add(behind[0] == bytes[99] && behind[1] == 0 ? 0 : 1);
}

constexpr size_t kInputBytes[] = {kBytes}, kOutputBytes[] = {kBytes + kStatuses}, kAt[] = {0};

}  // namespace

extern "C" const thimble_model thimble_models[] = {
    {"card trip", kBytes + kStatuses, 16, 1, kInputBytes, kAt, 1, kOutputBytes, kAt, run, nullptr}};
extern "C" const size_t thimble_model_count = 1;
