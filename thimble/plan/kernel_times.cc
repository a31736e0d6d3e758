// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/kernel_times.h"

#include <algorithm>

namespace thimble {
namespace {

/// base: bytes that are live beside each.
template <class Times, class Base>
PieceTimes in_sequence(const std::vector<const Times*>& all, const Base& base) {
  PieceTimes times = {{}};
  for (size_t k = 0; k < all.size(); ++k)
    times[0].live_bytes = std::max(times[0].live_bytes, base(k) + all[k]->front().bytes());
  const int64_t least = times[0].live_bytes;
  PieceTimes gains;  // what more bytes save
  for (size_t k = 0; k < all.size(); ++k) {
    times[0].instructions += fastest_within(*all[k], least - base(k)).instructions;
    double last = all[k]->front().instructions;
    for (const auto& each : *all[k]) {
      if (base(k) + each.bytes() > least)
        gains.push_back({base(k) + each.bytes(), last - each.instructions});
      last = each.instructions;
    }
  }
  std::ranges::stable_sort(gains, {}, &PieceTime::live_bytes);
  for (const PieceTime& gain : gains) {
    if (times.back().live_bytes < gain.live_bytes)
      times.push_back({gain.live_bytes, times.back().instructions});
    times.back().instructions -= gain.instructions;
  }
  return times;
}

}  // namespace

PieceTimes piece_times(const std::vector<const KernelTimes*>& calls,
                       const std::vector<int64_t>& live_bytes) {
  return in_sequence(calls, [&](size_t k) { return live_bytes[k]; });
}

PieceTimes piece_times(const std::vector<const PieceTimes*>& pieces) {
  return in_sequence(pieces, [](size_t) { return int64_t{0}; });
}

double instructions_within(const std::vector<const KernelTimes*>& calls, int64_t scratch_bytes) {
  double sum = 0;
  for (const KernelTimes* times : calls) sum += fastest_within(*times, scratch_bytes).instructions;
  return sum;
}

}  // namespace thimble
