// SPDX-License-Identifier: Apache-2.0
// The partition schemes of an order that `motes` has asked for, each found and measured once.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "thimble/planners/motes_options.h"
#include "thimble/planners/motes_units.h"

namespace thimble {

class MotesSchemes {
 public:
  using Unit = std::shared_ptr<const GroupCandidate>;

  /// All must outlive it. most_steps: of blocks, beyond a step per instance.
  MotesSchemes(const Dataflow& dataflow, const RolledGroups& rolls, const std::vector<int>& order,
               MotesUnits& units, const MotesOptions& options, int64_t most_steps)
      : units_(units),
        partitions_(dataflow, rolls, order),
        options_(options),
        most_steps_(most_steps) {}

  /// All units of positions [begin, end).
  const std::vector<Unit>& units_of(int begin, int end);
  /// With channels of runs within its parts, and fewer bytes than `below`.
  std::vector<Unit> within(const GroupCandidate& outer, int64_t below);
  /// The units found so far.
  [[nodiscard]] std::vector<Unit> all() const;

 private:
  MotesUnits& units_;
  const Partitions partitions_;
  const MotesOptions& options_;
  const int64_t most_steps_;
  std::map<std::pair<int, int>, std::vector<Unit>> known_;
  std::vector<Unit> nested_;
};

}  // namespace thimble
