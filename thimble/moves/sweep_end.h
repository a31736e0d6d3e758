// SPDX-License-Identifier: Apache-2.0
// Sweeps of an order that have their end in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/moves/sweep.h"
#include "thimble/moves/sweep_labels.h"
#include "thimble/plan/evaluate.h"

namespace thimble {

/// What all sweeps of an order need.
struct SweepOrder {
  const Dataflow& flow;
  const OrderBytes& bytes;
  const std::vector<int>& order;
  SweepOptions options;
  std::vector<int> position;  ///< per instance

  [[nodiscard]] const Instance& at(int p) const {
    return flow.instances.instance({order[static_cast<size_t>(p)]});
  }
  [[nodiscard]] InstanceCall call(int p) const {
    return {.instance = {order[static_cast<size_t>(p)]}};
  }
};

/// A sweep that was found, before anyone asks what it computes again.
struct SweepFound {
  int64_t bytes = 0, macs = 0;
  double instructions = 0;
  int choice = 0;
  std::optional<OverlapChoice> overlap;
  int64_t lead_bytes = 0;
  SweepTile tile;
};

/// What passes with the same end share.
class SweepEnd {
 public:
  struct Choice {
    int before = -1;
    SweepChoice::Kind kind = SweepChoice::Kind::kKept;
  };

  SweepEnd(const SweepOrder& order, int end, const std::vector<int64_t>& incumbent_bytes);

  [[nodiscard]] int first() const { return first_; }
  /// The most that an instance from the position to the end needs outside of sweeps.
  [[nodiscard]] int64_t most(int p) const { return at(most_, p); }
  /// Groups from the position or one before it to the end are of no use unless what they make for
  /// others and have inside is less.
  [[nodiscard]] int64_t budget_bytes(int p) const { return at(budget_bytes_, p); }
  /// What a group from there to the end consumes, row-major images only, ascending.
  [[nodiscard]] const std::vector<ValueId>& consumed(int p) const { return at(consumed_, p); }

  [[nodiscard]] int choose(const Choice& choice) {
    choices_.push_back(choice);
    return static_cast<int>(choices_.size()) - 1;
  }
  void find(int begin, const SweepFound& found);
  /// By position, then bytes.
  [[nodiscard]] std::vector<Sweep> sweeps() const;

 private:
  template <class T>
  [[nodiscard]] const T& at(const std::vector<T>& list, int p) const {
    return list[static_cast<size_t>(p - first_)];
  }

  const SweepOrder& order_;
  const int end_, first_;
  std::vector<int64_t> most_, budget_bytes_;  ///< per position from the first on, as all of these
  std::vector<std::vector<ValueId>> consumed_;
  std::vector<std::vector<SweepFound>> found_;  ///< none as good as another
  std::vector<Choice> choices_;
};

/// Whether the axis lies outermost in an image.
[[nodiscard]] bool is_image_by(int axis, const Dataflow& flow, ValueId value);

}  // namespace thimble
