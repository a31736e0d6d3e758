// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/banks.h"

#include <algorithm>
#include <functional>

namespace thimble {

std::vector<int64_t> on_chip_runs(const Target& target) {
  std::vector<Bank> banks;
  for (const Memory& memory : target.memories) {
    if (on_chip(memory.kind)) banks.insert(banks.end(), memory.banks.begin(), memory.banks.end());
  }
  std::ranges::sort(banks, {}, &Bank::base);
  std::vector<int64_t> runs;
  int64_t end = -1;
  for (const Bank& bank : banks) {
    if (bank.base == end) {
      runs.back() += bank.size_bytes;
    } else {
      runs.push_back(bank.size_bytes);
    }
    end = bank.base + bank.size_bytes;
  }
  std::ranges::sort(runs, std::greater());
  return runs;
}

bool lie_in_banks(const Target& target, std::vector<int64_t> pieces) {
  std::vector<int64_t> runs = on_chip_runs(target);
  std::ranges::sort(pieces, std::greater());
  return std::ranges::all_of(pieces, [&](int64_t bytes) {
    const auto run = std::ranges::find_if(runs, [&](int64_t left) { return left >= bytes; });
    if (run == runs.end()) return false;
    *run -= bytes;
    return true;
  });
}

bool lies_in_another_bank(const Target& target, int64_t bytes) {
  const std::vector<int64_t> runs = on_chip_runs(target);
  return runs.size() > 1 && runs[1] >= bytes;
}

}  // namespace thimble
