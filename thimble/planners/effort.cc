// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/effort.h"

#include <algorithm>

namespace thimble {

Effort::Effort(size_t instances, int64_t effort) {
  constexpr size_t kSmall = 16, kLittle = 60, kMany = 150, kLarge = 300;  // at effort 1
  constexpr size_t kMostOrders = 10'000;  // at any effort: they are listed at once
  const auto times = static_cast<size_t>(effort);
  const auto factor = static_cast<int>(effort);
  more_orders = more_tiles = instances <= kSmall * times;
  fewer_tiles = last_order = instances > kMany * times;
  rolled_and_strips = instances <= kLarge * times;
  others = instances <= kLittle * times;
  most_bytes_of_others = 8'000'000 * effort;
  orders = std::min(24 * times, kMostOrders);
  sweep_labels = more_tiles ? 40 : 16;
  cuts = 400 * factor;
  cuts_of_peaks = 100 * factor;
  sweeps_in_strips = 150 * times;
  windows_in_parts = 24 * factor;
  layouts = 16 * times;
}

}  // namespace thimble
