// SPDX-License-Identifier: Apache-2.0
// Groups over channels with what they take, each derived once for all orders in which it stands.
#pragma once

#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "thimble/moves/slice_channels.h"
#include "thimble/plan/evaluate.h"

namespace thimble {

struct MeasuredGroup {
  ChannelGroup group;
  std::vector<GroupBytes> bytes;  ///< one channel at a time; per type of ChannelGroups::sums()

  /// Bytes of such a group that takes `bytes` with one channel at a time. Slices are as many times
  /// as wide, all else is full.
  [[nodiscard]] GroupBytes wider(size_t sums, int64_t step) const {
    return {bytes[sums].made, step * bytes[sums].inner};
  }
};

/// For several threads at a time.
class ChannelGroups {
 public:
  /// narrowest_sums: kInt16 and kInt8 are lossy. The dataflow must outlive it.
  ChannelGroups(const Dataflow& dataflow, DType narrowest_sums);

  /// That which executes these instances, in this order; null if there is none, or may be if what
  /// it makes full has at least `most_made` bytes (then nothing is derived). Valid as long as this
  /// is.
  [[nodiscard]] const MeasuredGroup* group_of(
      const std::vector<int>& instances, int64_t most_made = std::numeric_limits<int64_t>::max());

  [[nodiscard]] const Dataflow& dataflow() const { return flows_[0]; }
  [[nodiscard]] const ChannelSlicing& rules() const { return rules_; }
  /// Types that sums may have, the widest first.
  [[nodiscard]] const std::vector<DType>& sums() const { return sums_; }

 private:
  [[nodiscard]] int64_t made_bytes(const ChannelGroup& group) const;

  ChannelSlicing rules_;
  std::vector<DType> sums_;
  std::vector<Dataflow> flows_;  ///< per type of sums
  std::mutex mutex_;
  std::map<std::vector<int>, std::optional<MeasuredGroup>> known_;
};

}  // namespace thimble
