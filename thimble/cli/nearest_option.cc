// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/nearest_option.h"

#include <algorithm>
#include <numeric>

namespace thimble {
namespace {

constexpr size_t kLeastPart = 3;  // letters that make a part of a name

/// Letters to add, drop or exchange.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& typed, const std::vector<std::string>& names) {
  std::string nearest;
  size_t least = std::max<size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : names) {
    const bool part = typed.size() >= kLeastPart && name.find(typed) != std::string::npos;
    const size_t off = part ? 1 : distance(typed, name);
    if (off >= least) continue;
    least = off;
    nearest = name;
  }
  return nearest;
}

}  // namespace thimble
