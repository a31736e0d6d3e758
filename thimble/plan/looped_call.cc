// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/looped_call.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "runtime/portable/window.h"
#include "thimble/plan/nested_tiles.h"

namespace thimble {
namespace looped_call {

constexpr int32_t kCutPixels = 4096;  // enough for an average
constexpr int64_t kInside = -1;       // position of tiles away from the borders

/// Where a loop's tiles lie: positions of an axis of the output times `inner`, plus `shift`.
struct KernelAxis {
  int axis = -1;  ///< of the kernel's four; -1: it walks none such
  int64_t inner = 1, shift = 0;
  Interval limits;
};

inline int32_t to_32_bits(int64_t value) { return static_cast<int32_t>(value); }

template <class Params>
constexpr bool kHasWindow = requires(const Params& p) {
  p.window.kernel_h;
};

/// Coordinates of a kernel's axis between which a tile's work depends on its size alone.
struct Inside {
  Interval between;
  int64_t period = 1;  ///< and on its place in groups of so many
};
inline Inside inside(const KernelParams& params, int axis, const Interval& all) {
  Inside result{all, 1};
  std::visit(
      [&]<class Params>(const Params& p) {
        if constexpr (kHasWindow<Params>) {
          runtime::Region region{};
          for (const int k : {1, 2}) region.begin[k] = 0, region.end[k] = to_32_bits(all.end);
          if (axis == 1 || axis == 2) {
            const runtime::Outputs full = axis == 1 ? runtime::full_rows(p.window, region)
                                                    : runtime::full_columns(p.window, region);
            result.between = {full.begin, full.end};
          }
        }
        if constexpr (std::is_same_v<Params, runtime::Conv2DParams>) {
          if (axis == 3 && p.out_per_group < all.end) result.period = p.out_per_group;
        } else if constexpr (std::is_same_v<Params, runtime::DepthwiseConv2DParams>) {
          if (axis == 3) result.period = p.multiplier;
        } else if constexpr (std::is_same_v<Params, runtime::PadParams>) {
          result.between = {p.before[axis], p.before[axis] + p.in_extent[axis]};
        }
      },
      params);
  return result;
}

}  // namespace looped_call

using namespace looped_call;

class CountedCall::Counting {
 public:
  Counting(const LoopedCall& call, const KernelUse& use)
      : call_(call), use_(use), lead_(use.out.axes.size() - kKernelAxes) {
    shape_.params = use.params;
    shape_.over_input = call.over_input;
  }

  /// Whether there is anything to do in any tile.
  bool prepare() {
    if (!set_region()) return false;
    set_views();
    for (const LoopAround& loop : call_.loops) {
      classes_.push_back(classes(loop));
      axes_.push_back(loop.tile.reduces ? -1 : kernel_axis(loop.tile.axis).axis);
      shape_.looped = shape_.looped || !(loop.tile.reduces || loop.flat);
      const Beat& beat = loop.tile.beat;
      if (axes_.back() == kColumnAxis && !loop.flat)
        shape_.advance = to_32_bits(beat.rows % beat.tiles == 0 ? beat.rows / beat.tiles : 1);
    }
    shape_.most = most();
    return true;
  }
  [[nodiscard]] CallShape& shape() { return shape_; }

  Features run(std::optional<int64_t> scratch_bytes) {
    shape_.scratch_bytes = scratch_bytes;
    sum_ = {};
    combine(0, times_);
    return sum_;
  }

 private:
  /// Tiles of one loop in which the call does the same.
  struct TileClass {
    Interval at;  ///< of one of them, along the kernel's axis or its chunk
    int64_t position = kInside;
    int64_t times = 0;
  };

  /// The region of a call that no loop cuts; false if there is nothing to do in any tile.
  bool set_region() {
    for (size_t k = 0; k < use_.out.axes.size(); ++k) {
      const Interval part = use_.out.axes[k].empty() ? Interval{0, 1} : use_.limits[k];
      if (part.empty()) return false;
      if (k < lead_) {
        times_ *= part.size();
      } else {
        shape_.region.begin[k - lead_] = to_32_bits(part.begin);
        shape_.region.end[k - lead_] = to_32_bits(part.end);
      }
    }
    return true;
  }

  runtime::View view(const Buffer& buffer, const OperandAxes& walk) const {
    runtime::View result{};
    const std::vector<int64_t> stride = strides(buffer);
    for (size_t k = 0; k < kKernelAxes; ++k) {
      const std::vector<int>& merged = walk.axes[lead_ + k];
      if (!merged.empty())
        result.stride[k] =
            to_32_bits(walk.step[lead_ + k] * stride[static_cast<size_t>(merged.back())]);
    }
    if (buffer.wrap) result.modulus = to_32_bits(buffer.size_bytes() / size_bytes(buffer.type));
    return result;
  }

  void set_views() {
    for (size_t k = 0; k < use_.inputs.size(); ++k)
      shape_.in.push_back(view(*call_.operand[static_cast<size_t>(use_.inputs[k])], use_.in[k]));
    shape_.out = view(*call_.out, use_.out);
  }

  [[nodiscard]] KernelAxis kernel_axis(int axis) const {
    for (size_t k = 0; k < use_.out.axes.size(); ++k) {
      const std::vector<int>& merged = use_.out.axes[k];
      if (merged.empty() || merged[0] != axis) continue;
      int64_t inner = 1;
      for (size_t m = 1; m < merged.size(); ++m) inner *= extent(merged[m]);
      return {static_cast<int>(k - lead_), inner, use_.out.shift[k], use_.limits[k]};
    }
    return {.limits = {0, 1}};
  }
  [[nodiscard]] int64_t extent(int axis) const { return (*call_.shape)[static_cast<size_t>(axis)]; }

  /// The largest extents of the output in any tile.
  [[nodiscard]] CallExtents most() const {
    std::array<int64_t, kKernelAxes> extents{};
    for (size_t k = 0; k < kKernelAxes; ++k)
      extents[k] = shape_.region.end[k] - shape_.region.begin[k];
    for (size_t n = 0; n < classes_.size(); ++n) {
      const TiledCall& tile = call_.loops[n].tile;
      const int axis = tile.reduces ? -1 : kernel_axis(tile.axis).axis;
      if (axis < 0) continue;
      // Steps do not know where tiles are cut at the borders.
      const Beat& beat = tile.beat;
      int64_t widest = tile.outer ? 1 : ceil_div(beat.rows, beat.tiles) + beat.reach_back;
      for (const TileClass& each : classes_[n]) widest = std::max(widest, each.at.size());
      extents[static_cast<size_t>(axis)] = std::min(extents[static_cast<size_t>(axis)], widest);
    }
    return {.rows = extents[1], .columns = extents[2], .channels = extents[3]};
  }

  [[nodiscard]] std::vector<TileClass> classes(const LoopAround& loop) const {
    const bool reduces = loop.tile.reduces;
    const int64_t whole = reduces ? call_.chunk_extent : extent(loop.tile.axis);
    const KernelAxis k = reduces ? KernelAxis{.limits = {0, whole}} : kernel_axis(loop.tile.axis);
    const Inside away =
        reduces || k.axis < 0 ? Inside{{1, whole}, 1} : inside(use_.params, k.axis, k.limits);
    std::vector<TileClass> result;
    size_t last = 0;                                        // class of the tile before
    std::map<std::pair<int64_t, int64_t>, size_t> numbers;  // by size and position
    const auto add = [&](const Interval& part) {
      Interval at{std::max(part.begin * k.inner + k.shift, k.limits.begin),
                  std::min(part.end * k.inner + k.shift, k.limits.end)};
      if (at.begin >= at.end) at = {0, 0};
      const bool border = at.begin < away.between.begin || at.end > away.between.end;
      const int64_t position = at.empty()        ? kInside
                               : border          ? at.begin
                               : away.period > 1 ? -2 - at.begin % away.period
                                                 : kInside;
      const bool same = last < result.size() && result[last].at.size() == at.size() &&
                        result[last].position == position;
      if (!same) {
        const auto [known, added] = numbers.try_emplace({at.size(), position}, result.size());
        if (added) result.push_back({at, position});
        last = known->second;
      }
      ++result[last].times;
    };
    if (loop.tile.outer) {
      for (int64_t j = 0; j < loop.tile.outer->count; ++j) {
        for (int64_t i = 0; i < loop.tiles; ++i) add(positions(loop.tile, j, i, whole));
      }
      return result;
    }
    int64_t begin = std::clamp<int64_t>(loop.tile.beat.begin(0), 0, whole);
    for (int64_t i = 0; i < loop.tiles; ++i) {
      if (loop.tile.beat.reach_back != 0 || i == 0)
        begin = std::clamp<int64_t>(loop.tile.beat.begin(i), 0, whole);
      const int64_t end = std::clamp<int64_t>(loop.tile.beat.end(i), begin, whole);
      add({begin, end});
      begin = end;
    }
    return result;
  }

  /// Every combination of classes of the loops from number `next` on.
  void combine(size_t next, int64_t times) {
    if (next == classes_.size()) {
      const Features once = thimble::features(shape_);
      for (size_t f = 0; f < once.size(); ++f) sum_[f] += static_cast<double>(times) * once[f];
      return;
    }
    const TiledCall& tile = call_.loops[next].tile;
    const runtime::Region before = shape_.region;
    const int axis = std::max(0, axes_[next]);
    for (const TileClass& each : classes_[next]) {
      if (tile.reduces) {
        shape_.chunk_begin = to_32_bits(each.at.begin);
        shape_.chunk_end = to_32_bits(each.at.end);
      } else if (each.at.empty() || axes_[next] >= 0) {
        shape_.region.begin[axis] = to_32_bits(each.at.begin);
        shape_.region.end[axis] = to_32_bits(each.at.end);
      }
      combine(next + 1, times * each.times);
      shape_.region = before;
    }
  }

  const LoopedCall& call_;
  const KernelUse& use_;
  const size_t lead_;  ///< axes before the kernel's four
  CallShape shape_;
  int64_t times_ = 1;
  std::vector<std::vector<TileClass>> classes_;  ///< per loop
  std::vector<int> axes_;                        ///< per loop: of the kernel's four; -1: none
  Features sum_{};
};

// What features() counts of the ends of rings, where there is one, beside none and beside one at
// every place.
double LoopedFeatures::cut(const CallShape& whole, const KernelUse& use) {
  const runtime::View& x = whole.in[0];
  const bool columns_outermost = x.stride[2] >= x.stride[1];
  if (!columns_outermost && x.modulus % x.stride[1] == 0) return 0;  // it ends between rows
  const std::lock_guard lock(mutex_);
  const auto [known, added] =
      cuts_.try_emplace({&use, whole.kernel, x.modulus, x.stride[1], x.stride[2]}, 0);
  if (!added) return known->second;
  CallShape shape = whole;
  runtime::Region& region = shape.region;
  region.end[0] = region.begin[0] + 1;
  const int32_t rows =
      columns_outermost ? 1 : 1 + kCutPixels / std::max(1, region.end[2] - region.begin[2]);
  if (columns_outermost && x.modulus % x.stride[2] != 0) {  // it ends anywhere in a column
    const int32_t columns = 1 + kCutPixels / std::max(1, region.end[1] - region.begin[1]);
    region.end[2] = std::min(region.end[2], region.begin[2] + columns);
  } else {
    region.end[1] = std::min(region.end[1], region.begin[1] + rows);
  }
  const auto counted = [&](std::optional<double> cut) {
    shape.cut = cut;
    const Features once = thimble::features(shape);
    double sum = 0;
    for (const Feature f : {Feature::kBroken, Feature::kBrokenSingle, Feature::kRingRun})
      sum += once[static_cast<size_t>(f)];
    return sum;
  };
  const double none = counted(0), all = counted(1);
  if (all > none) known->second = (counted(std::nullopt) - none) / (all - none);
  return known->second;
}

CountedCall::CountedCall(LoopedFeatures& features, const LoopedCall& call, const KernelUse& use)
    : features_(&features), use_(&use), counting_(std::make_unique<Counting>(call, use)) {
  if (!counting_->prepare()) counting_.reset();
}
CountedCall::~CountedCall() = default;
CountedCall::CountedCall(CountedCall&&) noexcept = default;

CallExtents CountedCall::most() const {
  return counting_ ? *counting_->shape().most : CallExtents{0, 0, 0};
}

Features CountedCall::features_with(KernelId kernel, std::optional<int64_t> scratch_bytes) {
  if (!counting_) return {};
  CallShape& shape = counting_->shape();
  shape.kernel = kernel;
  const bool window =
      std::visit([]<class Params>(const Params&) { return kHasWindow<Params>; }, use_->params);
  shape.cut.reset();
  if (window && shape.in[0].modulus != 0) shape.cut = features_->cut(shape, *use_);
  return counting_->run(scratch_bytes);
}

bool suits(const LoopedCall& call, const KernelUse& use, KernelId kernel) {
  const KernelInfo& wanted = info(kernel);
  const auto rank = static_cast<int>(call.shape->size());
  const size_t lead = use.out.axes.size() - kKernelAxes;
  int64_t width = rank > 0 ? call.shape->back() : 1;
  for (const LoopAround& loop : call.loops) {
    if (loop.tile.reduces) continue;
    const Beat& beat = loop.tile.beat;
    if (loop.tile.axis == rank - 1)  // in slices
      width = beat.tiles == 1 ? std::min(width, beat.rows + beat.reach_back) : 0;
    for (size_t k = 0; k < kKernelAxes; ++k) {
      const std::vector<int>& merged = use.out.axes[lead + k];
      if (wanted.whole_axes[k] && !merged.empty() && merged[0] == loop.tile.axis) return false;
    }
  }
  const bool slice = rank > 0 && width < call.shape->back();
  if (slice && width < wanted.channel_multiple) return false;
  const auto ring = [&](int input) {
    return call.operand[static_cast<size_t>(input)]->wrap.has_value();
  };
  if (!wanted.rings && (call.out->wrap || std::ranges::any_of(use.inputs, ring))) return false;
  const auto dense = [](const Buffer& buffer, const OperandAxes& walk) {
    const std::vector<int>& channels = walk.axes.back();
    return !channels.empty() &&
           strides(buffer)[static_cast<size_t>(channels.back())] * walk.step.back() == 1;
  };
  const Buffer& first = *call.operand[static_cast<size_t>(use.inputs[0])];
  return (!wanted.dense_channels || dense(first, use.in[0])) &&
         (!wanted.dense_output || dense(*call.out, use.out));
}

}  // namespace thimble
