// SPDX-License-Identifier: Apache-2.0
// Plans at random: orders cut into whole calls and fused groups of every form that plans have, also
// of such that make no sense. Groups that derive() refuses are drawn anew.
#pragma once

#include <string>

#include "thimble/plan/derive.h"
#include "zoo/random.h"

namespace thimble::testing {

struct RandomPlan {
  Plan plan;
  int drawn = 0;        ///< groups that derive() was asked about
  int accepted = 0;     ///< of them
  int nested = 0;       ///< accepted ones of several loops
  int deepest = 0;      ///< nesting of loops
  int sums = 0;         ///< calls that accumulate, in accepted groups
  int kept = 0;         ///< values with rows that are kept beside a window, in accepted groups
  int tiled_twice = 0;  ///< loops within one along the same axis, in accepted groups
  int flat = 0;         ///< accepted groups written down tile by tile
  int windows = 0;      ///< in them, joined of several blocks
  int moved = 0;        ///< calls that store or fetch, in accepted groups
  int longest = 0;      ///< calls in the longest accepted group
};

/// A plan of the network's operators in a random order, some of them twice, now and then with ports
/// that are the caller's or streams. Groups have one to eight instances, loops up to three deep
/// along any axis, steps 0 to 5, borders per value, sums that are finalised behind the loop, around
/// it or in a later group; outputs may lie over consumed inputs. spills: some values lie in block
/// storage for a while, too.
[[nodiscard]] RandomPlan random_plan(const AxisGraph& axes, zoo::Random& random,
                                     bool spills = false);

/// Drops the overlaps of what groups make where their lead has no closed form; how many are left.
/// -1 if a value is finalised in a group, which implies an overlap.
[[nodiscard]] int keep_closed_leads(const Dataflow& flow, Plan& plan);

/// A line per call and loop.
[[nodiscard]] std::string text(const Graph& graph, const Plan& plan);

}  // namespace thimble::testing
