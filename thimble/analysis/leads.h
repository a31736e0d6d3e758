// SPDX-License-Identifier: Apache-2.0
// How far an operator that executes whole writes ahead of what it still has to read, in closed
// form.
//
// A kernel goes unit by unit (progress.h), in row-major order. Unit u is written up to
// W(u) = w + sum of p_j u_j, and by the access map it first reads at R(u) = r + sum of r_j(u_j). So
//
//   lead = max of W(u) - R(v) over units u <= v            u < v if it reads before it writes
//
// For u < v, let k be the first axis on which they differ. Axes before it have u_j = v_j; those
// after it are free. So the maximum is one of sums of maxima over one axis each:
//
//   axes j < k: p_j i - r_j(i)      axis k: p_k (i - 1) - r_k(i)      axes j > k: p_j last - r_j(i)
//
// r_j rises evenly, but for its period (a resize) and its bends (the padding of a window), so that
// few indices of an axis decide.
//
//   3 x 3 over 6 x 6 x 4, padding 1   rows    r_j(i) = 24 max(i - 1, 0), p_j = 24: 24, 0, 120
//                                     columns r_j(i) = 4 max(i - 1, 0),  p_j = 4:  4, 0, 20
//   w = 4; u = v: 4 + 24 + 4 = 32; rows differ: 4 + 0 + 20; columns differ: 4 + 24 + 0
#pragma once

#include <vector>

#include "thimble/analysis/progress.h"

namespace thimble {

/// The lead over one operand, both tensors whole and row-major; negative: writes stay behind. The
/// size of `out` if no byte can be shared, or the operand is linear and not read by elements.
[[nodiscard]] int64_t whole_lead(Progress progress, const InputMap& map, const Tensor& in,
                                 const Tensor& out);

/// The lead of an operator over an input of its own.
struct InputLead {
  TensorId input;
  int64_t bytes = 0;
  bool operator==(const InputLead&) const = default;
};

/// The leads of a graph's operators. What `overlaps` finds of each executed by itself.
class InputLeads {
 public:
  /// The graph must outlive this. lies_row_major: per tensor, whether its elements lie so.
  InputLeads(const Graph& graph, std::vector<bool> lies_row_major);

  /// One entry per input whose bytes the output could take at all.
  [[nodiscard]] std::vector<InputLead> leads_of(OpId id) const;
  /// No port has the tensor in another order.
  [[nodiscard]] bool lies_row_major(TensorId t) const { return lies_row_major_[t.index()]; }

 private:
  const Graph& graph_;
  KernelUses uses_;
  std::vector<bool> lies_row_major_;  ///< per tensor
};

}  // namespace thimble
