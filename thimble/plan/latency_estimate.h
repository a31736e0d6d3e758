// SPDX-License-Identifier: Apache-2.0
// Estimated instructions of plans, groups and single calls, without a schedule or a program: what
// program/estimate.h says of the same plan once it is lowered, but for where the ends of rings fall
// and what the layout makes of copies.
#pragma once

#include <optional>
#include <unordered_map>

#include "thimble/plan/derive.h"
#include "thimble/plan/looped_call.h"
#include "thimble/target/latency.h"

namespace thimble {

/// How an operand or an output lies, as far as instructions depend on it.
enum class Lies : uint8_t {
  kWhole,   ///< all of it
  kTile,    ///< what one tile needs: a slice, or computed again
  kRing,    ///< rows in a ring; pixels, if columns are tiled, too
  kWindow,  ///< rows and columns of a tile, columns outermost and in a ring: a sweep
};

/// Estimates many plans of the same instances: calls that execute alike are counted once. Kernels
/// without coefficients count nothing.
class LatencyEstimate {
 public:
  /// All must outlive it. A call that names no kernel is estimated with the one that the core's
  /// choice (choose_kernels.h) falls on first if there is room for its scratch.
  LatencyEstimate(const Dataflow& dataflow, const Core& core, const LatencyModel& model);

  /// Of an inference; nothing if a group has no derivation.
  [[nodiscard]] std::optional<double> plan(const Plan& plan);
  /// Of all tiles. derived: with regions or without.
  [[nodiscard]] double group(const Derived& derived);
  /// Of one of its steps, copies too, in all tiles. Rows received or delivered count nothing.
  [[nodiscard]] double step(const Derived& derived, size_t step);
  /// Of a call outside of groups. over_input: the output may lie where its one operand does; then a
  /// reshape copies nothing.
  [[nodiscard]] double whole(const InstanceCall& call, bool over_input);
  /// Of a call in loops that nobody has derived, its operands and its output lying so.
  [[nodiscard]] double tiled(const InstanceCall& call, const std::vector<LoopAround>& loops,
                             Lies operands, Lies out);
  /// Of the copies, in all tiles, of so many rows of what the call makes that are kept beside its
  /// window (Lies::kWindow; derive.h). Two loops, of what counts as rows and, within, as columns.
  [[nodiscard]] double kept(const InstanceCall& call, std::vector<LoopAround> loops, int64_t rows);

 private:
  struct Hash {
    size_t operator()(const std::vector<int64_t>& key) const;
  };
  [[nodiscard]] double of(const InstanceCall& call, const LoopedCall& looped);
  [[nodiscard]] double counted(const InstanceCall& call, const LoopedCall& looped);
  [[nodiscard]] double copied(const LoopedCall& looped, Method method);
  [[nodiscard]] double copy_step(const Derived& derived, const DerivedStep& step,
                                 LoopedCall looped);
  [[nodiscard]] double join(const Flat& flat, const Flat::Step& step);
  [[nodiscard]] double flat_step(const Derived& derived, const Flat::Step& step);
  [[nodiscard]] double priced(const Features& features, KernelId kernel) const;
  [[nodiscard]] KernelId kernel_of(const InstanceCall& call, const LoopedCall& looped) const;
  [[nodiscard]] LoopedCall without_loops(const InstanceCall& call);
  [[nodiscard]] const Buffer& whole_buffer(ValueId value);

  const Dataflow& flow_;
  const Core& core_;
  const LatencyModel& model_;
  const KernelCoefficients coefficients_;
  LoopedFeatures features_;
  std::vector<std::optional<Buffer>> whole_;  ///< per value, then per value's sums
  std::unordered_map<std::vector<int64_t>, double, Hash> known_;
};

}  // namespace thimble
