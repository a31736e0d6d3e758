// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/front_cut.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace thimble {
namespace {

struct Label {
  int64_t peak_bytes = 0, macs = 0;
  double time = 0;
  int before = 0;  ///< number of a label at the piece's begin
  int piece = -1;
};

/// Without those that another is as good as, fewest bytes first; then at most so many.
std::vector<Label> best_labels(std::vector<Label> labels, int most) {
  std::ranges::stable_sort(labels, {},
                           [](const Label& l) { return std::tuple(l.peak_bytes, l.time, l.macs); });
  std::map<double, int64_t> seen;  // time -> fewest MACs in so much; both fall
  std::vector<Label> best;
  for (const Label& label : labels) {
    auto after = seen.upper_bound(label.time);
    if (after != seen.begin() && std::prev(after)->second <= label.macs) continue;
    const auto at = seen.insert_or_assign(label.time, label.macs).first;
    for (auto worse = std::next(at); worse != seen.end() && worse->second >= label.macs;)
      worse = seen.erase(worse);
    best.push_back(label);
  }
  const auto count = static_cast<size_t>(most);
  if (best.size() <= count) return best;
  std::vector<Label> some;
  for (size_t k = 0; k < count; ++k) some.push_back(best[k * (best.size() - 1) / (count - 1)]);
  return some;
}

}  // namespace

std::vector<FrontCut> front_cuts(int count, const std::vector<FrontPiece>& pieces,
                                 const FrontCutOptions& options) {
  const auto positions = static_cast<size_t>(count) + 1;
  std::vector<std::vector<int>> ending_at(positions);
  // What is not yet executed takes at least this.
  std::vector<int64_t> least_macs(positions);
  std::vector<double> least_time(positions);
  std::vector<std::vector<int>> beginning_at(positions);
  for (size_t p = 0; p < pieces.size(); ++p) {
    ending_at[static_cast<size_t>(pieces[p].end)].push_back(static_cast<int>(p));
    beginning_at[static_cast<size_t>(pieces[p].begin)].push_back(static_cast<int>(p));
  }
  for (size_t at = positions - 1; at-- > 0;) {
    bool first = true;
    for (const int p : beginning_at[at]) {
      const FrontPiece& piece = pieces[static_cast<size_t>(p)];
      const auto end = static_cast<size_t>(piece.end);
      const int64_t all_macs = piece.macs + least_macs[end];
      const double all_time = piece.time + least_time[end];
      least_macs[at] = first ? all_macs : std::min(least_macs[at], all_macs);
      least_time[at] = first ? all_time : std::min(least_time[at], all_time);
      first = false;
    }
  }
  std::vector<std::vector<Label>> labels(positions);
  labels[0] = {Label{}};
  for (size_t at = 1; at < positions; ++at) {
    std::vector<Label> all;
    for (const int p : ending_at[at]) {
      const FrontPiece& piece = pieces[static_cast<size_t>(p)];
      const std::vector<Label>& before = labels[static_cast<size_t>(piece.begin)];
      for (size_t b = 0; b < before.size(); ++b) {
        Label next{std::max(before[b].peak_bytes, piece.peak_bytes), before[b].macs + piece.macs,
                   before[b].time + piece.time, static_cast<int>(b), p};
        if (next.macs + least_macs[at] > options.most_macs ||
            next.time + least_time[at] > options.most_time)
          continue;
        all.push_back(next);
      }
    }
    labels[at] = best_labels(std::move(all), options.most_ways);
  }
  std::vector<FrontCut> result;
  for (const Label& last : labels.back()) {
    FrontCut cut{.pieces = {}, .peak_bytes = last.peak_bytes, .time = last.time, .macs = last.macs};
    for (const Label* label = &last; label->piece >= 0;) {
      cut.pieces.push_back(label->piece);
      const FrontPiece& piece = pieces[static_cast<size_t>(label->piece)];
      label = &labels[static_cast<size_t>(piece.begin)][static_cast<size_t>(label->before)];
    }
    std::ranges::reverse(cut.pieces);
    result.push_back(std::move(cut));
  }
  return result;
}

}  // namespace thimble
