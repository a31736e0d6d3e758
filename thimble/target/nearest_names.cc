// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/nearest_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace thimble {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Levenshtein's distance, row by row.
size_t edits(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t k = 0; k < to.size(); ++k) {
      const size_t replaced = diagonal + (from[i] == to[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (is_letter_or_digit(c)) plain += c;
  }
  return plain;
}

std::vector<std::string> nearest_names(std::string_view typed, std::span<const std::string> names,
                                       size_t most) {
  // A command line's argument can be as long as a file.
  const std::string wanted = plain_name(typed.substr(0, 100));
  std::vector<std::pair<size_t, size_t>> order;  // edits, position
  for (size_t k = 0; k < names.size(); ++k) {
    const std::string name = plain_name(names[k]);
    const bool inside = !wanted.empty() && name.find(wanted) != std::string::npos;
    order.emplace_back(inside ? 0 : edits(wanted, name), k);
  }
  std::ranges::sort(order);
  std::vector<std::string> nearest;
  for (size_t k = 0; k < std::min(most, order.size()); ++k)
    nearest.push_back(names[order[k].second]);
  return nearest;
}

}  // namespace thimble
