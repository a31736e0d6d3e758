// SPDX-License-Identifier: Apache-2.0
// RESHAPE: the same elements in row-major order.
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool same_count(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return elements(v.x()) == elements(v.out().shape);
}

}  // namespace

AccessMap access_map_of(const Reshape&, const OpView&) { return {{.axes = {}, .linear = true}}; }

int64_t macs_of(const Reshape&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Reshape&, const OpView& v) { return v.out().shape; }

Traits traits_of(const Reshape&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Reshape&) {
  return {kOneInput,
          kRankAtMost6,
          kAllOneCopiedType,
          kAllSameQuantization,
          {"input and output have as many elements", same_count}};
}

}  // namespace thimble
