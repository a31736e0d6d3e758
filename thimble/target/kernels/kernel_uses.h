// SPDX-License-Identifier: Apache-2.0
// Which kernels do an operator or a piece of it, with which parameters and constants.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// Whether the runtime has kernels for that. kCompute holds for every operator that
/// unsupported_reason() lets pass. kInPlace is for operators with a kernel of their own for it
/// (depthwise); elementwise kernels need none. With an accumulator of Graph::accumulators an
/// operator can only accumulate and finalise: anything else would compute something else.
[[nodiscard]] bool has_kernel(const Graph& graph, const Op& op, Method method);
/// The axis of operand 0 that kAccumulate takes a chunk of: the channels of a convolution, the rows
/// of a mean. Requires has_kernel(kAccumulate).
[[nodiscard]] size_t chunk_axis(const Graph& graph, const Op& op);
/// The calls that do it, in order, without their constants. Requires has_kernel.
[[nodiscard]] std::vector<KernelUse> kernel_uses(const Graph& graph, const Op& op, Method method);

/// What one step needs that makes the operator's calls one after the other; nothing if it has no
/// kernel that way.
[[nodiscard]] Scratch scratch(const Graph& graph, const Op& op, Method method,
                              KernelId wanted = {});
/// Scratch of these calls.
[[nodiscard]] Scratch scratch(const std::vector<KernelUse>& uses, KernelId wanted = {});

/// The parameters of the call as the kernel takes them. `kernel`: a row that does() the use.
/// scratch: bytes that it has; by default all that it can use.
[[nodiscard]] KernelParams params_of(const Graph& graph, const Op& op, KernelId kernel,
                                     const KernelUse& use,
                                     std::optional<int64_t> scratch = std::nullopt);
/// The constants of a call of the operator, packed for the kernel.
[[nodiscard]] std::vector<PackedConstant> pack(const Graph& graph, const Op& op, KernelId kernel);
/// A copy of (a part of) a tensor from one buffer to another.
[[nodiscard]] KernelUse plain_copy(const Shape& shape, DType type);
/// Whether transpose_in_place_8 takes a tensor of these extents from one set of strides (in
/// elements) to the other: the axes follow each other without gaps, and in one order they begin
/// where the other has its middle. Axes of one index do not count.
[[nodiscard]] bool transposes_in_place(const Shape& extents, const std::vector<int64_t>& from,
                                       const std::vector<int64_t>& to);

/// kernel_uses of a graph's operators, found out once: some of it takes a look at every weight. For
/// several threads at a time.
class KernelUses {
 public:
  /// The graph must outlive this.
  explicit KernelUses(const Graph& graph) : graph_(graph) {}

  /// As kernel_uses; none where there is no kernel. Valid as long as this.
  [[nodiscard]] const std::vector<KernelUse>& uses_of(OpId op, Method method) const {
    const std::lock_guard lock(mutex_);
    const auto [it, added] = known_.try_emplace({op, method});
    if (added && has_kernel(graph_, graph_.op(op), method))
      it->second = kernel_uses(graph_, graph_.op(op), method);
    return it->second;
  }

 private:
  const Graph& graph_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<OpId, Method>, std::vector<KernelUse>> known_;
};

}  // namespace thimble
