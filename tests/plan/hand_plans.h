// SPDX-License-Identifier: Apache-2.0
// Plans written by hand, in few words.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "thimble/plan/build.h"
#include "thimble/plan/evaluate.h"

namespace thimble::testing {

/// A value along an axis, so many positions per tile.
inline TileLoop tiles(ValueId paced, int axis, int64_t step, Border border = Border::kRoll,
                      std::vector<std::pair<ValueId, Border>> others = {}) {
  return {.paced = paced,
          .axis = axis,
          .step = step,
          .border = border,
          .others = std::move(others),
          .alongside = {}};
}

inline Member call(int instance, Method method = Method::kCompute) {
  return {InstanceCall{{instance}, method}};
}

/// Instances [begin, end), each computed.
inline std::vector<Member> computed(int begin, int end) {
  std::vector<Member> result;
  for (int i = begin; i < end; ++i) result.push_back(call(i));
  return result;
}

inline Member group(TileLoop loop, std::vector<Member> members) {
  return {Group{std::move(loop), std::move(members)}};
}

/// Every value of the graph that is a tensor of its own.
inline ValueId value_of(TensorId tensor) { return {tensor.value}; }

struct HandPlan {
  std::string name;
  Graph graph;
  Plan plan;
};

/// Pex's Figure 1; a sweep that computes a wide tensor again; channels within rows; sums that
/// outlive their group and are finalised by the next one; blocks with windows. Small, to execute
/// anywhere.
std::vector<HandPlan> hand_plans();

/// What `place` and a walk over the execution of build(plan) find: what evaluate() must come to.
Cost cost_of(const Graph& graph, const Schedule& schedule);

/// Malformed, or not to be laid out, verified, or executed as the reference says: what is wrong.
/// Else empty.
std::string fault_of(const Graph& graph, const Schedule& schedule);

}  // namespace thimble::testing

namespace thimble {

inline void PrintTo(const Cost& cost, std::ostream* out) {
  *out << cost.peak_bytes << " B, " << cost.work.macs << " MACs, " << cost.work.elements
       << " elements, " << cost.work.calls << " calls, " << cost.work.traffic_bytes
       << " B of traffic";
}

}  // namespace thimble
