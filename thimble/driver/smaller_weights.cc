// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/smaller_weights.h"

#include <algorithm>

#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

bool has_nibbles(const Graph& graph, const Op& op) {
  if (!has_kernel(graph, op, Method::kCompute)) return false;
  return std::ranges::any_of(kernel_uses(graph, op, Method::kCompute), &KernelUse::nibbles);
}

}  // namespace

bool has_smaller_weights(const Graph& graph, const Core& core) {
  return core.has(InstructionSet::kDsp) ||
         std::ranges::any_of(graph.ops, [&](const Op& op) { return has_nibbles(graph, op); });
}

}  // namespace thimble
