// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/front_cut.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace thimble {
namespace {

/// A way to execute all from some position on.
struct Label {
  int64_t peak_bytes = 0, macs = 0;
  double time = 0;
  int tensor = -1;    ///< that what comes later lies over, if that takes room below it
  int made = -1;      ///< position of what makes it
  int64_t below = 0;  ///< bytes
  int next = 0;       ///< number of a label at the piece's end
  int piece = -1;
};

/// Times and MACs of some labels: which of them another one is as good as.
class Known {
 public:
  [[nodiscard]] bool as_good_as(const Label& label) const {
    const auto after = macs_.upper_bound(label.time);
    return after != macs_.begin() && std::prev(after)->second <= label.macs;
  }
  void add(const Label& label) {
    const auto at = macs_.insert_or_assign(label.time, label.macs).first;
    for (auto worse = std::next(at); worse != macs_.end() && worse->second >= label.macs;)
      worse = macs_.erase(worse);
  }

 private:
  std::map<double, int64_t> macs_;  ///< by time: the fewest; they fall
};

/// Without those that another is as good as, fewest bytes first; then at most so many.
std::vector<Label> best_labels(const std::vector<Label>& labels, int most) {
  struct Key {
    int64_t peak_bytes;
    double time;
    uint32_t number;
  };
  std::vector<Key> sorted;
  sorted.reserve(labels.size());
  for (const Label& label : labels)
    sorted.push_back({label.peak_bytes, label.time, static_cast<uint32_t>(sorted.size())});
  std::ranges::sort(sorted, [&](const Key& a, const Key& b) {
    if (a.peak_bytes != b.peak_bytes) return a.peak_bytes < b.peak_bytes;
    if (a.time != b.time) return a.time < b.time;
    const Label &l = labels[a.number], &r = labels[b.number];
    return std::tuple(l.macs, l.below, a.number) < std::tuple(r.macs, r.below, b.number);
  });
  Known free;                                      // of those with nothing below
  std::map<std::pair<int, int64_t>, Known> known;  // of the others, by tensor and bytes
  std::vector<Label> best;
  for (const Key& key : sorted) {
    const Label& label = labels[key.number];
    if (free.as_good_as(label)) continue;
    if (label.below == 0) {
      free.add(label);
    } else {
      bool worse = false;
      for (auto at = known.lower_bound({label.tensor, 0});
           at != known.end() && at->first.first == label.tensor && at->first.second <= label.below;
           ++at)
        worse = worse || at->second.as_good_as(label);
      if (worse) continue;
      known[{label.tensor, label.below}].add(label);
    }
    best.push_back(label);
  }
  const auto count = static_cast<size_t>(most);
  if (best.size() <= count) return best;
  std::vector<Label> some;
  for (size_t k = 0; k < count; ++k) some.push_back(best[k * (best.size() - 1) / (count - 1)]);
  return some;
}

/// What operators before each position take at the least.
struct Least {
  std::vector<int64_t> macs;
  std::vector<double> time;
};
Least least_before(size_t positions, const std::vector<FrontPiece>& pieces,
                   const std::vector<std::vector<int>>& ending_at) {
  Least least{std::vector<int64_t>(positions), std::vector<double>(positions)};
  for (size_t at = 1; at < positions; ++at) {
    bool first = true;
    for (const int p : ending_at[at]) {
      const FrontPiece& piece = pieces[static_cast<size_t>(p)];
      const auto begin = static_cast<size_t>(piece.begin);
      const int64_t macs = piece.macs + least.macs[begin];
      const double time = piece.time + least.time[begin];
      least.macs[at] = first ? macs : std::min(least.macs[at], macs);
      least.time[at] = first ? time : std::min(least.time[at], time);
      first = false;
    }
  }
  return least;
}

/// The fastest of the labels, fewest bytes first, with no more bytes and nothing below.
const Label* fastest_below(int64_t bytes, const std::vector<Label>& labels) {
  const Label* fastest = nullptr;
  for (const Label& label : labels) {
    if (label.peak_bytes > bytes) break;
    if (label.below == 0 && (fastest == nullptr || label.time < fastest->time)) fastest = &label;
  }
  return fastest;
}
/// Whether behind the piece, whose peak hides theirs, `fastest` is as good.
bool is_worse_below(const FrontPiece& piece, const Label& label, const Label& fastest) {
  return label.peak_bytes <= piece.peak_bytes && label.time >= fastest.time &&
         label.macs >= fastest.macs;
}

/// The piece, then the label.
Label joined(const FrontPiece& piece, const Label& label) {
  Label result{.peak_bytes = std::max(label.peak_bytes, piece.peak_bytes),
               .macs = label.macs + piece.macs,
               .time = label.time + piece.time,
               .tensor = -1};
  const FrontOverlap& over = piece.overlap;
  const bool goes_on = over.in >= 0 && over.out == label.tensor;
  if (!goes_on && label.made < piece.begin) {  // it is there before the piece
    result.tensor = label.tensor;
    result.made = label.made;
    result.below = label.below;
  }
  if (over.in < 0) return result;
  const int64_t below = (goes_on ? label.below : 0) + std::max<int64_t>(over.lead_bytes, 0);
  result.peak_bytes = std::max(result.peak_bytes, below + over.in_bytes);
  if (below <= result.below) return result;
  result.tensor = over.in;
  result.made = over.in_made;
  result.below = below;
  return result;
}

}  // namespace

std::vector<FrontCut> front_cuts(int count, const std::vector<FrontPiece>& pieces,
                                 const FrontCutOptions& options) {
  const auto positions = static_cast<size_t>(count) + 1;
  std::vector<std::vector<int>> ending_at(positions), beginning_at(positions);
  for (size_t p = 0; p < pieces.size(); ++p) {
    ending_at[static_cast<size_t>(pieces[p].end)].push_back(static_cast<int>(p));
    beginning_at[static_cast<size_t>(pieces[p].begin)].push_back(static_cast<int>(p));
  }
  const Least least = least_before(positions, pieces, ending_at);
  std::vector<std::vector<Label>> labels(positions);
  labels.back() = {Label{}};
  std::vector<Label> all;
  for (size_t at = positions - 1; at-- > 0;) {
    all.clear();
    for (const int p : beginning_at[at]) {
      const FrontPiece& piece = pieces[static_cast<size_t>(p)];
      const std::vector<Label>& after = labels[static_cast<size_t>(piece.end)];
      const Label* fastest = fastest_below(piece.peak_bytes, after);
      for (size_t b = 0; b < after.size(); ++b) {
        if (fastest != nullptr && fastest != &after[b] && is_worse_below(piece, after[b], *fastest))
          continue;
        Label label = joined(piece, after[b]);
        if (!options.counts_macs()) label.macs = 0;
        label.next = static_cast<int>(b);
        label.piece = p;
        if (label.macs + least.macs[at] > options.most_macs ||
            label.time + least.time[at] > options.most_time)
          continue;
        all.push_back(label);
      }
    }
    labels[at] = best_labels(all, options.most_labels);
  }
  std::vector<FrontCut> result;
  for (const Label& first : labels.front()) {
    FrontCut cut{.pieces = {}, .peak_bytes = first.peak_bytes, .time = first.time, .macs = 0};
    for (const Label* label = &first; label->piece >= 0;) {
      cut.pieces.push_back(label->piece);
      cut.macs += pieces[static_cast<size_t>(label->piece)].macs;
      const FrontPiece& piece = pieces[static_cast<size_t>(label->piece)];
      label = &labels[static_cast<size_t>(piece.end)][static_cast<size_t>(label->next)];
    }
    result.push_back(std::move(cut));
  }
  return result;
}

}  // namespace thimble
