// SPDX-License-Identifier: Apache-2.0
// Arithmetic on half-open boxes.
#include "thimble/regions/region.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {

Region whole(const Shape& shape) {
  Region region;
  region.reserve(shape.size());
  for (int64_t extent : shape) region.push_back({0, extent});
  return region;
}

int64_t elements(const Region& region) {
  int64_t count = 1;
  for (const Interval& axis : region) count *= axis.size();
  return count;
}

bool empty(const Region& region) {
  return std::any_of(region.begin(), region.end(), [](const Interval& i) { return i.empty(); });
}

bool contains(const Region& outer, const Region& inner) {
  check(outer.size() == inner.size(), "contains: regions of different rank");
  if (empty(inner)) return true;
  for (size_t i = 0; i < outer.size(); ++i) {
    if (inner[i].begin < outer[i].begin || inner[i].end > outer[i].end) return false;
  }
  return true;
}

Region intersect(const Region& a, const Region& b) {
  check(a.size() == b.size(), "intersect: regions of different rank");
  Region result;
  result.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t begin = std::max(a[i].begin, b[i].begin);
    result.push_back({begin, std::max(begin, std::min(a[i].end, b[i].end))});
  }
  return result;
}

Region clip(const Region& region, const Shape& shape) {
  check(region.size() == shape.size(), "clip: region and shape of different rank");
  Region result;
  result.reserve(region.size());
  for (size_t i = 0; i < region.size(); ++i) {
    const int64_t begin = std::clamp<int64_t>(region[i].begin, 0, shape[i]);
    result.push_back({begin, std::clamp(region[i].end, begin, shape[i])});
  }
  return result;
}

Region hull(const Region& a, const Region& b) {
  check(a.size() == b.size(), "hull: regions of different rank");
  if (empty(a)) return b;
  if (empty(b)) return a;
  Region result;
  result.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    result.push_back({std::min(a[i].begin, b[i].begin), std::max(a[i].end, b[i].end)});
  }
  return result;
}

std::string to_string(const Region& region) {
  std::string text;
  for (const Interval& axis : region) {
    text += fmt::format("{}[{},{})", text.empty() ? "" : " ", axis.begin, axis.end);
  }
  return text.empty() ? "scalar" : text;
}

}  // namespace thimble
