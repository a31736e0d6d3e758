// SPDX-License-Identifier: Apache-2.0
// A model that keeps its input in flash: its output is the statuses of what it does with the
// storage, and what is read then.
#include "harness.h"
#include "nrf51_nvmc.h"

namespace {

constexpr uint32_t kBytes = 2'502;  // three pages, the last word in part
constexpr uint32_t kStatuses = 16;
constexpr uint32_t kBegin = 0x30000, kPage = 1024, kSize = 8 * kPage;

struct Statuses {
  uint8_t* at;
  void add(int status) { *at++ = static_cast<uint8_t>(status); }
};

// What was begun, and the wait for it.
int ended(const thimble_storage& storage, int begun) {
  return begun != 0 ? begun : storage.wait(storage.context, 0);
}

void run(void* arena, void* const*) {
  auto* bytes = static_cast<uint8_t*>(arena);
  static thimble_nrf51_nvmc flash;
  const thimble_storage storage = thimble_nrf51_nvmc_open(&flash, kBegin, kSize);
  const auto write = [&](uint32_t offset, const uint8_t* from, uint32_t size) {
    return ended(storage, storage.write_async(storage.context, 0, offset, from, size));
  };
  const auto read = [&](uint32_t offset, uint8_t* to, uint32_t size) {
    return ended(storage, storage.read_async(storage.context, 0, offset, to, size));
  };
  const auto erase = [&](uint32_t offset, uint32_t size) {
    return ended(storage, storage.erase_async(storage.context, 0, offset, size));
  };
  Statuses statuses{bytes + kBytes};
  statuses.add(erase(0, 3 * kPage));
  statuses.add(write(kPage / 2, bytes, kBytes));
  statuses.add(write(kPage / 2, bytes, kBytes));  // not erased between
  statuses.add(erase(kPage, kPage));
  statuses.add(write(kPage, bytes + kPage / 2, kPage));  // one page anew: its bytes as before
  statuses.add(write(kPage + 4, bytes, 4));              // not erased: a word in its midst
  statuses.add(erase(kPage / 2, kPage));                 // no whole pages
  statuses.add(write(2, bytes, 4));                      // no whole word
  statuses.add(write(kSize - 4, bytes, 8));              // beyond
  statuses.add(read(kSize, bytes, 1));
  statuses.add(erase(8 * kPage, kPage));
  for (uint32_t i = 0; i < kBytes; ++i) bytes[i] = 0xEE;
  statuses.add(read(kPage / 2, bytes, kBytes));
  uint8_t behind[2] = {0, 0};
  statuses.add(read(kPage / 2 + kBytes, behind, 2));
  statuses.add(behind[0]);
  statuses.add(behind[1]);
  statuses.add(erase(0, 3 * kPage));
}

constexpr size_t kInputBytes[] = {kBytes}, kOutputBytes[] = {kBytes + kStatuses}, kAt[] = {0};

}  // namespace

extern "C" const thimble_model thimble_models[] = {
    {"nvmc trip", kBytes + kStatuses, 16, 1, kInputBytes, kAt, 1, kOutputBytes, kAt, run, nullptr}};
extern "C" const size_t thimble_model_count = 1;
