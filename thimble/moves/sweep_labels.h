// SPDX-License-Identifier: Apache-2.0
// Labels of the dynamic program over a sweep (sweep_pass.h): a label executes its instances from
// some position on, and says what each value between them becomes and what that comes to. Labels
// that another one is as good as are left out, whatever comes before them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thimble/moves/sweep_value.h"

namespace thimble {

constexpr int64_t kAnyMacs = INT64_MAX;  ///< they are not limited, and do not count

struct SweepLabel {
  int64_t carried_bytes = 0;  ///< rings, kept rows and windows, which live as long as the loops
  /// The most that is new in each tile while an instance executes that no value to come outlives.
  int64_t past_bytes = 0;
  int64_t inner_bytes = 0;  ///< all of it
  int64_t macs = 0;
  std::array<ScratchTime, kScratchBudgets.size()> with = {};

  [[nodiscard]] double instructions() const { return with.back().instructions; }
  int before = -1;  ///< number of the choice that it goes on from, with one instance less
  SweepChoice::Kind kind = SweepChoice::Kind::kKept;  ///< of what the first instance makes
};

/// What a label asks of a value that it reads and that is made before, in a list of numbers.
struct SweepDemand {
  static constexpr int64_t kNoBytes = -(int64_t{1} << 60);  ///< there is no such instance

  std::span<int64_t> numbers;
  size_t period = 1;
  /// Per tile of a period: the first row that is needed.
  [[nodiscard]] std::span<int64_t> rows() const { return numbers.first(period); }
  /// Per tile of a period of columns: the first column that is needed.
  [[nodiscard]] std::span<int64_t> columns() const {
    return numbers.subspan(period, numbers.size() - period - 1);
  }
  /// The most that is new in each tile while one of the instances executes that this value
  /// outlives, if it is new, too, but none of the values behind it in the list does.
  [[nodiscard]] int64_t& new_bytes() const { return numbers.back(); }
};

/// Non-dominated labels from one position on: all have the same open values.
class SweepLabels {
 public:
  /// period, columns_period: tiles of rows and of columns after which all repeats.
  SweepLabels(size_t open, int64_t period, int64_t columns_period)
      : open_(open),
        period_(static_cast<size_t>(period)),
        each_(static_cast<size_t>(period + columns_period) + 1),
        demands_(open_ * each_) {}

  [[nodiscard]] size_t size() const { return labels_.size(); }
  [[nodiscard]] const SweepLabel& operator[](size_t label) const { return labels_[label]; }
  /// What label `label` demands of open value `open`.
  [[nodiscard]] SweepDemand demand(size_t label, size_t open) {
    return {{demands_.data() + (label * open_ + open) * each_, each_}, period_};
  }
  /// Adds a label, with the demands of number size(), which there is room for from now on.
  void add(const SweepLabel& label) {
    labels_.push_back(label);
    demands_.resize((labels_.size() + 1) * open_ * each_);
  }

  /// Leaves the labels that no other is as good as, fewest bytes first. If these are more than
  /// `most`, those that are not much better than another are left out, too. most_recomputed_macs:
  /// kAnyMacs, or a limit that MACs count against.
  void keep_best(size_t most, int64_t most_recomputed_macs);

 private:
  struct Slack {
    double share = 0;  ///< of a label's bytes and instructions, and of the MACs:
    int64_t most_recomputed_macs = kAnyMacs;
  };
  [[nodiscard]] bool as_good_as(size_t a, size_t b, const Slack& slack) const;
  [[nodiscard]] std::vector<uint32_t> best_of(const std::vector<uint32_t>& sorted,
                                              const Slack& slack) const;

  size_t open_, period_, each_;
  std::vector<SweepLabel> labels_;
  std::vector<int64_t> demands_;  ///< per label and open value
};

}  // namespace thimble
