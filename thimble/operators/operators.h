// SPDX-License-Identifier: Apache-2.0
// What each operator is, apart from how it is computed: output shape, access map, cost and what is
// supported. One file per operator implements its overloads; a missing overload does not compile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/operators/constraint.h"
#include "thimble/operators/traits.h"
#include "thimble/regions/access_map.h"

namespace thimble {

/// Which region of each input (constants included) a region of the output needs.
[[nodiscard]] AccessMap access_map(const Graph& graph, const Op& op);
/// Multiply-accumulates needed for `region` of the output (the field's count: convolutions and
/// matrix products only; window taps in the padding count, as published figures do).
[[nodiscard]] int64_t macs(const Graph& graph, const Op& op, const Region& region);
[[nodiscard]] int64_t macs(const Graph& graph, const Op& op);
[[nodiscard]] int64_t macs(const Graph& graph);
/// The shape that the operator's output must have, from its attributes and inputs. For Reshape,
/// Mean and Slice (where the attributes leave it open) the recorded shape of the output, checked
/// for consistency.
[[nodiscard]] Shape output_shape(const Graph& graph, const Op& op);
[[nodiscard]] Traits traits(const Attributes& attributes);

/// Everything that must hold before Thimble takes the operator, in the order to check it; each may
/// rely on those before it. The first are about the number of operands and about ranks, so that a
/// hostile file cannot make a later one read out of bounds.
[[nodiscard]] std::vector<Constraint> constraints(const Attributes& attributes);
/// The bias with zeros for channels whose multiplier is 0, so that their outputs are one number
/// whatever their sums, where those leave 32 bits; null where that is not what the operator is
/// refused for. The original adds up such sums all the same (dead channels of real networks).
[[nodiscard]] std::shared_ptr<const Bytes> silenced_bias(const Graph& graph, const Op& op);
/// The first violated constraint's text, or empty.
[[nodiscard]] std::string unsupported_reason(const Graph& graph, const Op& op);
/// "int8 1x4 with scale 0.5 and zero point 0 -> int8 1x4 without a scale; beta 2": what stands
/// beside a reason. With operands that are tensors of the network.
[[nodiscard]] std::string found(const Graph& graph, const Op& op);
/// What found() says, and the shape that follows where the reason is that.
[[nodiscard]] std::string found_instead(const Graph& graph, const Op& op);
/// docs/supported_ops.md, from the predicates themselves.
[[nodiscard]] std::string supported_ops_markdown();

}  // namespace thimble
