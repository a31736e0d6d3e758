// SPDX-License-Identifier: Apache-2.0
// Estimated instructions of plans, groups and single calls, without a schedule or a program: what
// program/estimate.h says of the same plan once it is lowered, but for where the ends of rings fall
// and what the layout makes of copies.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "thimble/plan/derive.h"
#include "thimble/plan/kernel_times.h"
#include "thimble/plan/looped_call.h"
#include "thimble/target/latency.h"

namespace thimble {

/// The core's; of one without, that of the Cortex-M4.
[[nodiscard]] LatencyModel latency_model_for(const Core& core);

/// How an operand or an output lies, as far as instructions depend on it.
enum class Lies : uint8_t {
  kWhole,   ///< all of it
  kTile,    ///< what one tile needs: a slice, or computed again
  kRing,    ///< rows in a ring; pixels, if columns are tiled, too
  kWindow,  ///< rows and columns of a tile, columns outermost and in a ring: a sweep
};

/// How finely scratch is divided that kernels can do with more or less of.
enum class ScratchBudgets : uint8_t {
  kFew,   ///< for searches
  kMany,  ///< for plans
};

/// A step of a plan.
struct PlannedCall {
  const KernelTimes* times = nullptr;
  const InstanceCall* over_input = nullptr;  ///< outside of groups, if the plan lets it lie so
  bool transfers = false;                    ///< to or from storage: several steps, or one
};
/// Each with so much scratch at the most.
[[nodiscard]] double instructions_within(const std::vector<PlannedCall>& calls,
                                         int64_t scratch_bytes);

/// Estimates many plans of the same instances: calls that execute alike are counted once. Times are
/// those of the core's kernels that take the call as it is cut and as its buffers lie; copies have
/// one. Portable kernels without coefficients count nothing; others without, a little less than
/// the portable one. References last as long as this. For several threads at a time.
class LatencyEstimate {
 public:
  /// All must outlive it.
  LatencyEstimate(const Dataflow& dataflow, const Core& core, const LatencyModel& model);
  /// For other instances of the same operators: what one of the two counts, the other knows.
  LatencyEstimate(const Dataflow& dataflow, const LatencyEstimate& like,
                  ScratchBudgets budgets = ScratchBudgets::kFew);

  /// Times of a call outside of groups. over_input: the output may lie where its one operand does;
  /// then a reshape copies nothing.
  [[nodiscard]] const KernelTimes& whole_times(const InstanceCall& call, bool over_input = false);
  /// Per step as written, in all tiles. Rows received or delivered count nothing. derived: with
  /// regions or without.
  [[nodiscard]] std::vector<const KernelTimes*> call_times(const Derived& derived);
  [[nodiscard]] bool transfers(const InstanceCall& call) const {
    const Instance& instance = flow_.instances.instance(call.instance);
    return flow_.instances.stores(instance) || flow_.instances.fetches(instance);
  }
  /// Per step as written of all members; nothing if a group has no derivation.
  [[nodiscard]] std::optional<std::vector<PlannedCall>> calls(
      const std::vector<Member>& members, const std::vector<OverlapChoice>& overlaps = {});
  /// What a call outside of groups with that kernel takes more over its input than apart.
  [[nodiscard]] double over_input(const InstanceCall& call, const StepKernel& kernel);
  /// Times of a call in loops that nobody has derived, its operands and its output lying so.
  [[nodiscard]] const KernelTimes& tiled(const InstanceCall& call,
                                         const std::vector<LoopAround>& loops, Lies operands,
                                         Lies out);
  /// By bytes that lie in the group alone.
  [[nodiscard]] PieceTimes times(const Derived& derived);

  /// Instructions of an inference beside its calls.
  [[nodiscard]] double program() const { return model_.program; }
  /// With the fastest kernels: of an inference, nothing if a group has no derivation; of a group;
  /// of one call.
  [[nodiscard]] std::optional<double> plan(const Plan& plan);
  [[nodiscard]] double group(const Derived& derived);
  [[nodiscard]] double whole(const InstanceCall& call, bool over_input) {
    return whole_times(call, over_input).back().instructions;
  }
  /// Copies, in all tiles, of so many rows of what the call makes that are kept beside its window
  /// (Lies::kWindow; derive.h). Two loops, of what counts as rows and, within, as columns.
  [[nodiscard]] double kept(const InstanceCall& call, std::vector<LoopAround> loops, int64_t rows);

 private:
  struct Hash {
    size_t operator()(const std::vector<int64_t>& key) const;
  };
  /// What has been counted, whoever asked.
  struct Known {
    explicit Known(size_t count) : alike(kMethods * count) {}
    static constexpr size_t kMethods = 4;
    LoopedFeatures features;
    std::mutex mutex;
    std::map<std::pair<OpId, Method>, std::vector<KernelId>> kernels;  ///< beside the portable one
    std::map<std::vector<int64_t>, std::vector<OpId>> ops;             ///< some, by shapes
    std::vector<std::atomic<int32_t>> alike;  ///< per operator and method; 0: not known yet
    std::unordered_map<std::vector<int64_t>, KernelTimes, Hash> times;
  };
  using Counted = std::vector<std::pair<const KernelUse*, CountedCall>>;
  /// What a call is in a key: operators whose calls take the same are one.
  [[nodiscard]] int64_t what_of(const InstanceCall& call);
  [[nodiscard]] std::vector<int64_t> key_of(const InstanceCall& call, const LoopedCall& looped);
  [[nodiscard]] const KernelTimes& looped_times(const InstanceCall& call, const LoopedCall& looped);
  [[nodiscard]] KernelTimes counted(const InstanceCall& call, const LoopedCall& looped);
  [[nodiscard]] const std::vector<KernelId>& kernels_for(OpId op, Method method);
  void add_times(KernelId kernel, Counted& calls, KernelTimes& times) const;
  [[nodiscard]] bool knows(KernelId kernel, Counted& calls, int64_t scratch_bytes) const;
  [[nodiscard]] double priced(KernelId kernel, Counted& calls,
                              std::optional<int64_t> scratch_bytes) const;
  [[nodiscard]] double copied(const LoopedCall& looped, Method method);
  [[nodiscard]] const KernelTimes& step(const Derived& derived, size_t step);
  [[nodiscard]] const KernelTimes& copy_step(const Derived& derived, const DerivedStep& step,
                                             LoopedCall looped);
  [[nodiscard]] const KernelTimes& join(const UnrolledTiles& flat, const UnrolledTiles::Step& step);
  [[nodiscard]] const KernelTimes& flat_step(const Derived& derived,
                                             const UnrolledTiles::Step& step);
  [[nodiscard]] double priced(const Features& features, KernelId kernel) const;
  [[nodiscard]] LoopedCall without_loops(const InstanceCall& call);
  /// Over its input.
  [[nodiscard]] bool is_nothing(const InstanceCall& call, const LoopedCall& looped) const;
  [[nodiscard]] Counted counts(const InstanceCall& call, const LoopedCall& looped);
  [[nodiscard]] const Buffer& whole_buffer(ValueId value) const { return whole_[value.index()]; }
  /// Under this key, what `count` makes of it the first time.
  template <class Count>
  const KernelTimes& remembered(std::vector<int64_t> key, const Count& count);

  const Dataflow& flow_;
  const Core& core_;
  const LatencyModel& model_;
  const KernelCoefficients coefficients_;
  ScratchBudgets budgets_ = ScratchBudgets::kFew;
  std::vector<Buffer> whole_;  ///< per value, then per value's sums
  std::shared_ptr<Known> known_;
};

}  // namespace thimble
