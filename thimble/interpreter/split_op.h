// SPDX-License-Identifier: Apache-2.0
// One operator for a part of its output: which kinds can be had so, with which window and padding,
// and the constants of the part.
#pragma once

#include <optional>

#include "thimble/model/graph.h"
#include "thimble/regions/region.h"

namespace thimble {

/// Whether the operator's kind is known to compute the same numbers for a part of its output along
/// the axis.
[[nodiscard]] bool can_be_split(const Graph& graph, const Op& op, int axis);

/// The least region around this one that the operator makes in one: whole steps of a transposed
/// convolution.
[[nodiscard]] Region made_in_one(const Op& op, const Region& region, int axis);

struct WindowOfPart {
  Window window;
  Padding padding;  ///< to be written in front, by a PAD
};
/// The window of an operator for region `out` of its output, which reads `in` of its first operand;
/// an idle one for operators without windows. Nothing: it cannot be said in SAME and VALID, nor
/// written.
[[nodiscard]] std::optional<WindowOfPart> window_of_part(const Graph& graph, const Op& op,
                                                         const Region& in, const Region& out);
/// The operator's attributes for region `out` of its output.
void set_part(const Graph& graph, const Op& op, const Window& window, const Region& out,
              Attributes& attributes);

/// A box of a constant, with the scales of that.
[[nodiscard]] Tensor constant_part(const Tensor& constant, const Region& region);

}  // namespace thimble
