// SPDX-License-Identifier: Apache-2.0
// Large values that are computed again instead of kept, where an operator needs all of them before
// it can go on (squeeze-and-excitation: the mean of an image, then the image again).
//
//   x > expand > depthwise > t > mean > ... > gate;  t * gate > project
//   x > expand > depthwise > t > mean > ... > gate;  x > expand > depthwise > t2 * gate > project
//
// In the second line t2 has readers of its own; nothing needs t or t2 in full, and any search over
// fused groups will find that out.
#pragma once

#include <functional>
#include <vector>

#include "thimble/analysis/axis_graph.h"
#include "thimble/plan/instances.h"

namespace thimble {

/// A value that several instances read, and what could make it again for the later ones.
struct Rematerialisation {
  std::vector<InstanceId> chain;    ///< in order; the last one makes the value
  std::vector<InstanceId> readers;  ///< of the second one, ascending
  int64_t bytes = 0;                ///< of the value
  int64_t macs = 0;                 ///< of the chain
  bool operator==(const Rematerialisation&) const = default;
};

/// One for each value that a later reader cannot read row by row with the first, since it depends
/// on it by way of an operator that needs all rows. Its chain reaches back to a value of at most
/// half its size, a network input or one that several instances read. Largest values first.
[[nodiscard]] std::vector<Rematerialisation> rematerialisations(const AxisGraph& axes,
                                                                const Instances& instances);

/// Each chain once more, in front of the first reader of the second value. `which`: some of those
/// found in these very instances.
[[nodiscard]] Instances rematerialise(const Instances& instances,
                                      const std::vector<Rematerialisation>& which);

using Rematerialisations = std::vector<Rematerialisation>;
enum class Gain : uint8_t { kSome, kNone, kEnough };
/// One more each time, the largest value first, as long as their MACs are no more than so many:
/// calls `attempt` with all of them and their MACs. Ends at kEnough, or after some without gain.
void rematerialise_more(
    const AxisGraph& axes, const Instances& instances, int64_t most_macs,
    const std::function<Gain(const Rematerialisations& chosen, int64_t macs)>& attempt);

}  // namespace thimble
