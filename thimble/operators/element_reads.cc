// SPDX-License-Identifier: Apache-2.0
#include "thimble/operators/element_reads.h"

#include "thimble/operators/operators.h"

namespace thimble {

double element_reads(const Graph& graph, const Op& op) {
  const Shape& out = graph.tensor(op.outputs[0]).shape;
  Region middle;
  for (const int64_t extent : out) middle.push_back({extent / 2, extent / 2 + 1});
  const AccessMap maps = access_map(graph, op);
  double of_element = 0;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Region read = input_region(maps[k], graph.tensor(op.inputs[k]).shape, out, middle);
    double reads = 1;
    for (const Interval& axis : read) reads *= static_cast<double>(axis.size());
    of_element += reads;
  }
  return of_element * static_cast<double>(elements(out));
}

}  // namespace thimble
