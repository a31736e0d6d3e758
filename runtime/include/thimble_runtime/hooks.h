// SPDX-License-Identifier: Apache-2.0
// What emitted code calls before and after each of its stages where THIMBLE_HOOKS is defined, and
// the cycles of stages, measured by it.
#pragma once

#include <stdint.h>

#include "cycles.h"
#include "log_line.h"

namespace thimble::runtime {

/// The stage that the hook is told of around an inference.
constexpr int32_t kWholeInference = -1;

#ifdef THIMBLE_HOOKS

struct StageHook {
  void (*call)(void* context, int32_t stage, bool begins);
  void* context;

  void begins(int32_t stage) const noexcept {
    if (call != nullptr) call(context, stage, true);
  }
  void ended(int32_t stage) const noexcept {
    if (call != nullptr) call(context, stage, false);
  }
};

template <uint32_t kStages>
class Profile {
 public:
  /// The hook that measures with `count`, which counts up and may wrap, though not within a stage;
  /// null: the core's counter, and if it has none a hook that does nothing.
  StageHook start(uint32_t (*count)()) noexcept {
    if (count == nullptr && !kHasCycles) return {};
    if (count == nullptr) start_cycles();
    count_ = count == nullptr ? cycles : count;
    for (uint64_t& sum : sums_) sum = 0;
    whole_ = 0;
    inferences_ = 0;
    return {on_stage, this};
  }

  /// Hashes of model and plan, 16 digits each.
  void print(const char* model, const char* plan, void (*take)(const char* line)) const noexcept {
    LogLine(plan, "profile").word(model).word(plan).number(kStages).number(inferences_).print(take);
    for (uint32_t stage = 0; stage != kStages; ++stage)
      LogLine(plan, "cycles").number(stage).hexadecimal(sums_[stage], 16).print(take);
    LogLine(plan, "whole").hexadecimal(whole_, 16).print(take);
    LogLine(plan, "end").print(take);
  }

 private:
  static void on_stage(void* context, int32_t stage, bool begins) noexcept {
    auto& profile = *static_cast<Profile*>(context);
    const uint32_t now = profile.count_();
    const uint32_t since = now - profile.last_;
    if (stage == kWholeInference && begins) {
      ++profile.inferences_;
    } else {
      profile.whole_ += since;
    }
    if (stage != kWholeInference && !begins) profile.sums_[static_cast<uint32_t>(stage)] += since;
    profile.last_ = profile.count_();
  }

  uint32_t (*count_)();
  uint32_t last_, inferences_;
  uint64_t whole_, sums_[kStages + 1];  // an array has at least one
};

#else

/// Nobody listens.
struct StageHook {
  void begins(int32_t) const noexcept {}
  void ended(int32_t) const noexcept {}
};

#endif

}  // namespace thimble::runtime
