// SPDX-License-Identifier: Apache-2.0
// The blocks of padding.h, by one pass over the changes.
#include "thimble/layout/padding.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "thimble/layout/sweep.h"

namespace thimble::layout {
namespace {

struct Change {
  int section;
  int64_t bytes;  ///< more, or less than 0
};

std::vector<Change> changes_of(const std::vector<int64_t>& unused) {
  std::vector<Change> result;
  int64_t before = 0;
  for (size_t s = 0; s <= unused.size(); ++s) {
    const int64_t now = s < unused.size() ? unused[s] : 0;
    if (now != before) result.push_back({static_cast<int>(s), now - before});
    before = now;
  }
  return result;
}

/// How many of the open blocks may end at one change; with many open only few can be tried.
size_t most_ends(size_t open) { return open <= 16 ? 3 : open <= 64 ? 2 : 1; }

class Padder {
 public:
  Padder(const std::vector<int64_t>& unused, int64_t& work)
      : changes_(changes_of(unused)), work_(work) {}

  std::vector<Block> blocks(std::vector<uint32_t>& choices) {
    choices.resize(changes_.size(), 0);
    for (size_t c = 0; c < changes_.size(); ++c) tell(c, choices[c]);
    return std::move(closed_);
  }

 private:
  void tell(size_t change, uint32_t choice) {
    const auto [section, bytes] = changes_[change];
    choose(change, choice);
    int64_t rest = bytes;
    for (const size_t i : chosen_) rest += open_[i].bytes;
    Block begun{section, section, rest, {}};
    if (bytes < 0 && rest > 0 && choice % 2 == 0) split_largest(begun);
    for (const size_t i : chosen_) close(open_[i], section);
    for (size_t n = chosen_.size(); n-- > 0;) {
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(chosen_[n]));
    }
    if (rest > 0) open_.push_back(begun);
  }

  /// What goes on began together with what ends, instead of now.
  void split_largest(Block& goes_on) {
    Block& largest =
        open_[*std::ranges::max_element(chosen_, {}, [&](size_t i) { return open_[i].bytes; })];
    if (largest.bytes <= goes_on.bytes) return;
    largest.bytes -= goes_on.bytes;
    goes_on.begin = largest.begin;
  }

  void close(Block block, int section) {
    block.end = section;
    closed_.push_back(block);
  }

  /// Sets chosen_: which of the open blocks end.
  void choose(size_t change, uint32_t choice) {
    fits_.clear();
    for (const Block& block : open_) fits_.push_back(ends_later(change, block.bytes));
    best_score_ = std::numeric_limits<double>::max();
    random_.seed(choice + 1);
    subset_.clear();
    try_subsets(change, choice != 0, 0, 0);
    if (best_score_ < std::numeric_limits<double>::max()) return;
    chosen_.clear();  // few are not enough: all
    for (size_t i = 0; i < open_.size(); ++i) chosen_.push_back(i);
  }

  [[nodiscard]] bool ends_later(size_t change, int64_t bytes) const {
    work_ -= (std::ssize(changes_) - static_cast<int64_t>(change)) / kChangesPerWork;
    return std::any_of(changes_.begin() + static_cast<std::ptrdiff_t>(change) + 1, changes_.end(),
                       [&](const Change& later) { return later.bytes == -bytes; });
  }

  void try_subsets(size_t change, bool by_chance, size_t from, int64_t sum) {
    score(change, by_chance, sum);
    if (subset_.size() == most_ends(open_.size())) return;
    for (size_t i = from; i < open_.size(); ++i) {
      subset_.push_back(i);
      try_subsets(change, by_chance, i + 1, sum + open_[i].bytes);
      subset_.pop_back();
    }
  }

  /// By how many blocks more end and begin than needed, and how many then have no end.
  void score(size_t change, bool by_chance, int64_t sum) {
    const int64_t bytes = changes_[change].bytes, rest = sum + bytes;
    if (rest < 0) return;
    --work_;
    const bool odd_rest = bytes < 0 && rest > 0;
    double score = static_cast<double>(subset_.size()) + (odd_rest ? 1 : 0);
    for (size_t i = 0; i < open_.size(); ++i) score += fits_[i] ? 0 : 1;
    for (const size_t i : subset_) score -= fits_[i] ? 0 : 1;
    if (rest > 0 && !ends_later(change, rest)) score += 1;
    if (by_chance) score += kChance * static_cast<double>(random_() % kChances) / kChances;
    if (score >= best_score_) return;
    best_score_ = score;
    chosen_ = subset_;
  }

  static constexpr int64_t kChangesPerWork = 8;  ///< looking at one is a comparison
  static constexpr double kChance = 2;           ///< in blocks
  static constexpr uint32_t kChances = 1024;
  const std::vector<Change> changes_;
  int64_t& work_;
  std::vector<Block> open_, closed_;
  std::vector<bool> fits_;  ///< per open block: a later change ends it
  std::vector<size_t> chosen_, subset_;
  double best_score_ = 0;
  std::minstd_rand random_;
};

}  // namespace

std::vector<Block> padding(const std::vector<int64_t>& unused, std::vector<uint32_t>& choices,
                           int64_t& work) {
  return Padder(unused, work).blocks(choices);
}

}  // namespace thimble::layout
