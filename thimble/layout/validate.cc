// SPDX-License-Identifier: Apache-2.0
// Checks a layout pair by pair (by neighbours where nothing may overlap), straight from the
// definitions in layout.h; shares nothing with the solvers.
#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <optional>

#include "thimble/layout/layout.h"

namespace thimble::layout {
namespace {

std::optional<int64_t> first_common_step(const Buffer& a, const Buffer& b) {
  std::optional<int64_t> first;
  for (const Life& x : a.lives) {
    for (const Life& y : b.lives) {
      const int64_t begin = std::max(x.begin, y.begin);
      if (begin < std::min(x.end, y.end) && (!first || begin < *first)) first = begin;
    }
  }
  return first;
}

bool permitted(const Overlap& overlap, int64_t address_out, int64_t address_in) {
  if (overlap.same_address && address_out == address_in) return true;
  return overlap.lead_bytes && address_out + *overlap.lead_bytes <= address_in;
}

std::string fault_of_one(const Buffer& buffer, size_t index, int64_t address) {
  if (address < 0) return fmt::format("buffer {} is at the negative address {}", index, address);
  if (address % buffer.alignment != 0) {
    return fmt::format("buffer {} at {} is not aligned to {}", index, address, buffer.alignment);
  }
  if (buffer.address && *buffer.address != address) {
    return fmt::format("buffer {} is at {}, not at its fixed address {}", index, address,
                       *buffer.address);
  }
  return {};
}

/// The first fault among buffers that live together is a pair of neighbours: without overlaps it is
/// enough to look at those just below and above a buffer when it begins to live.
std::string fault_without_overlaps(const Problem& problem, const std::vector<int64_t>& addresses) {
  struct Edge {
    int64_t time;
    bool begins;  // ends come first
    size_t buffer;
    auto operator<=>(const Edge&) const = default;
  };
  std::vector<Edge> events;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (problem.buffers[i].size_bytes == 0) continue;
    for (const Life& life : problem.buffers[i].lives) {
      events.push_back({life.begin, true, i});
      events.push_back({life.end, false, i});
    }
  }
  std::sort(events.begin(), events.end());
  std::map<int64_t, size_t> live;  // by address
  for (const Edge& edge : events) {
    const size_t i = edge.buffer;
    if (!edge.begins) {
      live.erase(addresses[i]);
      continue;
    }
    const int64_t end = addresses[i] + problem.buffers[i].size_bytes;
    const auto above = live.lower_bound(addresses[i]);
    const auto clashes = [&](size_t other) {
      return addresses[other] < end &&
             addresses[i] < addresses[other] + problem.buffers[other].size_bytes;
    };
    std::optional<size_t> other;
    if (above != live.end() && clashes(above->second)) other = above->second;
    if (above != live.begin() && clashes(std::prev(above)->second))
      other = std::prev(above)->second;
    if (other) {
      return fmt::format("buffers {} and {} overlap at step {}", std::min(i, *other),
                         std::max(i, *other), edge.time);
    }
    live.emplace(addresses[i], i);
  }
  return {};
}

}  // namespace

std::string validate(const Problem& problem, const std::vector<int64_t>& addresses) {
  const size_t count = problem.buffers.size();
  if (addresses.size() != count) {
    return fmt::format("{} addresses for {} buffers", addresses.size(), count);
  }
  std::vector<std::vector<const Overlap*>> overlaps(count);
  for (const Overlap& overlap : problem.overlaps) {
    overlaps[static_cast<size_t>(std::min(overlap.in, overlap.out))].push_back(&overlap);
  }
  for (size_t i = 0; i < count; ++i) {
    std::string fault = fault_of_one(problem.buffers[i], i, addresses[i]);
    if (!fault.empty()) return fault;
  }
  if (problem.overlaps.empty()) return fault_without_overlaps(problem, addresses);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < count; ++j) {
      const int64_t end_i = addresses[i] + problem.buffers[i].size_bytes;
      const int64_t end_j = addresses[j] + problem.buffers[j].size_bytes;
      if (std::max(addresses[i], addresses[j]) >= std::min(end_i, end_j)) continue;
      const std::optional<int64_t> step = first_common_step(problem.buffers[i], problem.buffers[j]);
      if (!step) continue;
      const bool allowed =
          std::any_of(overlaps[i].begin(), overlaps[i].end(), [&](const Overlap* overlap) {
            const auto in = static_cast<size_t>(overlap->in);
            const auto out = static_cast<size_t>(overlap->out);
            return std::max(in, out) == j && permitted(*overlap, addresses[out], addresses[in]);
          });
      if (!allowed) return fmt::format("buffers {} and {} overlap at step {}", i, j, *step);
    }
  }
  return {};
}

}  // namespace thimble::layout
