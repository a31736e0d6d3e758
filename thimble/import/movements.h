// SPDX-License-Identifier: Apache-2.0
// Ways of moving values about for which formats have operators and the Graph has several: gathers,
// copies, blocks.
#pragma once

#include <vector>

#include "thimble/import/expansion.h"

namespace thimble {

/// More parts than this are not taken: kernels are called once for each.
inline constexpr size_t kMostParts = 1024;

/// A tensor on the way from the input to the output.
struct Moved {
  TensorId tensor;
  Shape shape;
};

[[nodiscard]] Moved input_of(const FileOp& op);

/// `count` indices of the axis from `begin` on.
[[nodiscard]] Moved sliced(Expansion& steps, const Moved& from, size_t axis, int64_t begin,
                           int64_t stride, int64_t count);
[[nodiscard]] Moved joined(Expansion& steps, const std::vector<Moved>& parts, size_t axis);
/// Reshaped, its axes in another order, and reshaped to `last`, which is the output's if it is all.
[[nodiscard]] Moved rearranged(Expansion& steps, const Moved& from, const Shape& apart,
                               const std::vector<int>& order, const Shape& last);
/// Slices of runs of positions, joined along the axis.
[[nodiscard]] Moved gathered(const FileOp& op, Expansion& steps, const Moved& x, size_t axis,
                             const std::vector<int64_t>& positions);
/// Gathers in batches: the positions of each count from its first index, all batches are one axis.
[[nodiscard]] Moved gathered_of_batches(const FileOp& op, Expansion& steps, size_t axis,
                                        size_t batch_axes, std::vector<int64_t> positions);

/// The last step, for what may be nothing at all.
void finish_with(Expansion& steps, const Moved& moved);
/// So many copies along each axis are the output.
void finish_repeated(const FileOp& op, Expansion& steps, Moved x,
                     const std::vector<int64_t>& times);

}  // namespace thimble
