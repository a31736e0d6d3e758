// SPDX-License-Identifier: Apache-2.0
// Whether a kernel can take a piece of a step: its region under the kernel's axes, and what the
// kernel wants of the buffers. Asked where a schedule's form is checked, and again where it is
// lowered.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "thimble/schedule/gather.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

/// The interval of a kernel axis that a call computes, cut to `limits`.
struct CallAxis {
  IntervalExpr interval;
  Interval limits;
  bool operator==(const CallAxis&) const = default;
};

/// The piece's region in the axes of the kernel, one per entry of use.out.axes; or why the kernel
/// cannot compute it: axes that it merges or walks whole are cut, or axes before its four follow a
/// loop. kernel: one that does() the use. shape: of the output.
[[nodiscard]] std::variant<std::vector<CallAxis>, std::string> kernel_axes(const Piece& piece,
                                                                           const KernelUse& use,
                                                                           KernelId kernel,
                                                                           const Shape& shape);

/// Empty, or why the kernel cannot take the buffer for an operand (or its output) that it walks so:
/// a ring, or merged axes that do not lie one after the other. shape: of the buffer's tensor.
[[nodiscard]] std::string buffer_fault(const Buffer& buffer, const OperandAxes& walk,
                                       const Shape& shape, KernelId kernel);

/// Asks the kernels of one schedule's steps.
class KernelFits {
 public:
  /// All must outlive it. The schedule's ids and ranks must be right.
  KernelFits(const Graph& graph, const Schedule& schedule, const KernelUses& uses);

  /// Empty, or why the kernel that the step names (or the portable one) cannot take it.
  [[nodiscard]] std::string fault(const Step& step);
  /// What the operator does that way.
  [[nodiscard]] const std::vector<KernelUse>& uses_of(OpId op, Method method) const {
    return uses_.uses_of(op, method);
  }

 private:
  [[nodiscard]] std::string fault(const Piece& piece);
  [[nodiscard]] std::string fault(const Step& step, const KernelUse& use, KernelId kernel) const;

  const Graph& graph_;
  const Schedule& schedule_;
  Gathers gathers_;
  const KernelUses& uses_;
};

/// Empty, or the first step that no kernel can take: "step 3: ...". The schedule's ids and ranks
/// must be right.
[[nodiscard]] std::string kernels_fault(const Graph& graph, const Schedule& schedule);

}  // namespace thimble
