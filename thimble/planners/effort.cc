// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/effort.h"

#include <algorithm>

namespace thimble {

Effort::Effort(size_t instances, int64_t effort) {
  constexpr size_t kSmall = 16, kLittle = 60, kMany = 150, kLarge = 300;  // at effort 1
  constexpr size_t kMostOrders = 10'000;  // at any effort: they are listed at once
  const int64_t usual_or_more = std::max<int64_t>(effort, 1);
  const auto times = static_cast<size_t>(usual_or_more);
  const auto factor = static_cast<int>(usual_or_more);
  more_orders = more_tiles = instances <= kSmall * times;
  fewer_tiles = last_order = instances > kMany * times;
  rolled_and_strips = instances <= kLarge * times;
  others = instances <= kLittle * times;
  most_bytes_of_others = 8'000'000 * usual_or_more;
  orders = std::min(24 * times, kMostOrders);
  sweep_labels = more_tiles ? 40 : 16;
  cuts = 400 * factor;
  cuts_of_peaks = 100 * factor;
  sweeps_in_strips = 150 * times;
  windows_in_parts = 24 * factor;
  layouts = 16 * times;
  if (effort == 0) be_quick();
}

void Effort::be_quick() {
  more_orders = more_tiles = others = motes = false;
  fewer_tiles = true;
  cold_values = 0;
  sweep_labels = 3;
  cuts = 100;
  cuts_of_peaks = 25;
  sweeps_in_strips = 20;
  rounds_of_strips = rounds_beside = 1;
  layouts = 4;
  improved = 0;
  draft_work /= 20;
  least_draft_work /= 20;
}

}  // namespace thimble
