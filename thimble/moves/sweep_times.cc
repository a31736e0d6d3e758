// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_times.h"

#include <algorithm>

namespace thimble {
namespace {

constexpr int64_t kMostAxes = 8;  ///< of a tensor

/// A loop around a call that makes `extent` positions, from the first tile on in which there is
/// something to do.
LoopAround busy(const TiledCall& call, int64_t reach_back, int64_t extent) {
  LoopAround result{call, 0};
  Beat& beat = result.tile.beat;
  beat.reach_back = reach_back;
  beat.phase -= floor_div(beat.phase - beat.tiles, beat.rows) * beat.rows;
  result.tiles =
      ceil_div(beat.tiles * extent - beat.phase + std::max<int64_t>(reach_back, 0), beat.rows) + 1;
  return result;
}

}  // namespace

size_t SweepTimes::Hash::operator()(const Key& key) const {
  uint64_t hash = 0;
  for (const int64_t value : key) {
    hash = (hash ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

const SweepTimes::Work& SweepTimes::work_of(const SweptCall& swept, const SweptValue& made,
                                            const SweepChoice& choice) {
  using Kind = SweepChoice::Kind;
  loops_.resize(swept.inner == nullptr ? 1 : 2);
  loops_[0] = busy(*swept.outer, choice.recomputed_rows(), made.height);
  if (swept.inner != nullptr)
    loops_[1] = busy(*swept.inner, choice.recomputed_columns(), made.width);
  const bool window = swept.inner != nullptr && made.rows() > 1;
  const Lies inside = choice.kind == Kind::kRecomputeAll ? Lies::kTile
                      : window                           ? Lies::kWindow
                                                         : Lies::kRing;
  const Lies operands = swept.reads_whole ? Lies::kWhole : inside;
  const Lies out = made.full ? Lies::kWhole : inside;
  const bool copies = choice.kind == Kind::kKept && choice.back > 0 && made.rows() > 1 &&
                      !made.by_rows && !made.full;
  const int64_t at_axis = swept.position * kMostAxes + swept.outer->axis;
  const int64_t lies = static_cast<int64_t>(operands) * 4 + static_cast<int64_t>(out);
  Key key{at_axis * 16 + lies, copies ? choice.back : 0};
  size_t at = 2;
  for (const LoopAround& loop : loops_) {
    const Beat& beat = loop.tile.beat;
    for (const int64_t part : {beat.rows, beat.tiles, beat.phase, beat.reach_back})
      key[at++] = part;
  }
  const auto [known, added] = known_.try_emplace(key);
  Work& work = known->second;
  if (!added) return work;
  work.macs = made.macs(choice, swept.macs);
  if (!swept.executes) return work;
  const KernelTimes& times = latency_.tiled(swept.call, loops_, operands, out);
  const double kept = copies ? latency_.kept(swept.call, loops_, choice.back) : 0;
  for (size_t r = 0; r < kScratchBudgets.size(); ++r) {
    const KernelTime& time = fastest_within(times, kScratchBudgets[r]);
    work.with[r] = {time.scratch_bytes, time.instructions + kept};
  }
  return work;
}

}  // namespace thimble
