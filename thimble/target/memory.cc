// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/memory.h"

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {

int64_t largest_run_bytes(std::vector<Bank> banks) {
  std::sort(banks.begin(), banks.end(),
            [](const Bank& a, const Bank& b) { return a.base < b.base; });
  int64_t largest = 0, run = 0, end = -1;
  for (const Bank& bank : banks) {
    run = bank.base == end ? run + bank.size_bytes : bank.size_bytes;
    end = bank.base + bank.size_bytes;
    largest = std::max(largest, run);
  }
  return largest;
}

const char* name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kTightlyCoupled:
      return "tightly_coupled";
    case MemoryKind::kSram:
      return "sram";
    case MemoryKind::kExternalRam:
      return "external_ram";
    case MemoryKind::kMappedFlash:
      return "mapped_flash";
    case MemoryKind::kBlockStorage:
      return "block_storage";
    case MemoryKind::kCaller:
      return "caller";
    case MemoryKind::kStream:
      return "stream";
  }
  throw InternalError("unknown MemoryKind");
}

double wait_cycles(const Memory& memory, int64_t clock_hz) {
  if (memory.bytes_per_second > 0 && clock_hz > 0)
    return static_cast<double>(clock_hz) / static_cast<double>(memory.bytes_per_second);
  return on_chip(memory.kind) ? 0 : kAssumedWaitCycles;
}

int64_t Memory::size_bytes() const {
  int64_t sum = 0;
  for (const Bank& bank : banks) sum += bank.size_bytes;
  return sum;
}

int64_t Memory::largest_run_bytes() const { return thimble::largest_run_bytes(banks); }

}  // namespace thimble
