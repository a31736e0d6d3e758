// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace thimble {

/// Without those that another is as good as in bytes and in time: fewest bytes first, the fastest
/// last. Of more bytes are kept those that take less time by the share `least_gain`, or more.
template <class T, class BytesOf, class TimeOf>
[[nodiscard]] std::vector<T> pareto(std::vector<T> all, BytesOf bytes_of, TimeOf time_of,
                                    double least_gain = 0) {
  std::ranges::stable_sort(all, {}, [&](const T& one) {
    return std::pair(std::invoke(bytes_of, one), std::invoke(time_of, one));
  });
  std::vector<T> kept;
  for (T& one : all) {
    if (kept.empty() ||
        std::invoke(time_of, one) < (1 - least_gain) * std::invoke(time_of, kept.back()))
      kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace thimble
