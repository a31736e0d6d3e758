// SPDX-License-Identifier: Apache-2.0
// A model that keeps rows of its input in flash, compressed: its output is these rows, fetched
// again, and the status.
#include "harness.h"
#include "nrf51_nvmc.h"
#include "thimble_runtime/compressed_transfers.h"

namespace {

namespace runtime = thimble::runtime;

constexpr int32_t kRows = 4;
constexpr uint32_t kRowBytes = 300, kGranule = 4, kChunk = 64, kFirst = 44, kPage = 1024;
constexpr uint32_t kBytes = kRows * kRowBytes;
constexpr uint32_t kBegin = 0x30000, kSize = 2 * kPage;
constexpr runtime::Records kRecords{0, kRowBytes, kRowBytes};
// What an estimate of stack counts (thimble/emit/code_estimate.cc).
static_assert(sizeof(void*) != 4 ||
                  (sizeof(runtime::InFlight) == 44 && sizeof(runtime::Transfers) == 16),
              "the sizes that are counted");
static_assert(kRowBytes % kGranule == 0 && kChunk % kGranule == 0 && kFirst % kGranule == 0,
              "whole granules");

void run(void* arena, void* const*) {
  auto* const bytes = static_cast<uint8_t*>(arena);
  static thimble_nrf51_nvmc flash;
  static uint32_t tags[kRows], passing[runtime::passage_bytes(kChunk) / 4];
  const thimble_storage storage = thimble_nrf51_nvmc_open(&flash, kBegin, kSize);
  const runtime::Passage passage{passing, kChunk, kFirst};
  runtime::InFlight flights[2] = {};
  runtime::Transfers transfers{&storage, flights, 0, 0};
  runtime::begin_erase(transfers, 0, 0, kSize);
  runtime::wait(transfers, 0);
  runtime::begin_compressed_write(transfers, 0, kRecords, {bytes, 0, 0}, tags, passage, 0, kRows);
  runtime::wait_compressed(transfers, 0, passage);
  for (uint32_t i = 0; i < kBytes; ++i) bytes[i] = 0xEE;
  runtime::begin_compressed_read(transfers, 1, kRecords, {bytes, 0, 0}, tags, passage, 0, kRows);
  runtime::wait_compressed(transfers, 1, passage);
  bytes[kBytes] = static_cast<uint8_t>(transfers.status);
  for (int32_t r = 0; r < kRows; ++r)
    bytes[kBytes + 1 + static_cast<uint32_t>(r)] = static_cast<uint8_t>(tags[r] & 1U);
}

constexpr size_t kInputBytes[] = {kBytes}, kOutputBytes[] = {kBytes + 1 + kRows}, kAt[] = {0};

}  // namespace

extern "C" const thimble_model thimble_models[] = {{"compressed trip", kBytes + 1 + kRows, 16, 1,
                                                    kInputBytes, kAt, 1, kOutputBytes, kAt, run,
                                                    nullptr}};
extern "C" const size_t thimble_model_count = 1;
