// SPDX-License-Identifier: Apache-2.0
// Random networks so small that all of their plans can be looked at (all_plans.h).
#pragma once

#include "tests/planners/all_plans.h"

namespace thimble::testing {

/// Inverted residuals, convolutions with strides, branches that join: an image in, one tensor out,
/// mostly up to AllPlans::kMostInstances operators and never more.
[[nodiscard]] Graph small_network(uint64_t seed);

/// A small network with what all questions to its plans need. Every other one's input and output
/// are the caller's, and count nothing: then what lies between them decides alone.
struct SmallCase {
  explicit SmallCase(uint64_t seed);

  Graph graph;
  PortPlaces ports;
  AxisGraph axes;
  Instances instances;
  Dataflow flow;
  AllPlans plans;
};

}  // namespace thimble::testing
