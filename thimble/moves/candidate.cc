// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/candidate.h"

#include <algorithm>

#include "thimble/plan/group_lead.h"

namespace thimble {

OrderPiece GroupCandidate::piece() const {
  OrderPiece result{.begin = begin, .end = end, .members = {{group}}};
  for (const InstanceCall& call : finalised) result.members.push_back({call});
  return result;
}

BestOverlap best_overlap(const Dataflow& dataflow, const std::vector<ValueId>& inputs,
                         const std::vector<ValueId>& outputs, const LeadOf& lead) {
  BestOverlap best;
  for (const ValueId in : inputs) {
    for (const ValueId out : outputs) {
      const int64_t out_bytes = dataflow.size_bytes(out), in_bytes = dataflow.size_bytes(in);
      if (std::min(out_bytes, in_bytes) <= best.saved_bytes) continue;  // no lead saves more
      const std::optional<int64_t> ahead = lead(out, in);
      if (!ahead) continue;
      const int64_t saved = overlap_bytes(out_bytes, in_bytes, *ahead);
      if (saved > best.saved_bytes) best = {OverlapChoice{out, in}, *ahead, saved};
    }
  }
  return best;
}

}  // namespace thimble
