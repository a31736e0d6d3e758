// SPDX-License-Identifier: Apache-2.0
// How far the result of a call may lie over a value that it is the last to read, in closed form.
// Where there is none, there is no overlap: build() writes no share, evaluate() counts none. What a
// group makes has its leads in group_lead.h.
#pragma once

#include <optional>

#include "thimble/plan/clock.h"

namespace thimble {

/// address(out) + bytes <= address(in), or disjoint; or the very same address.
struct ValueLead {
  int64_t bytes = 0;
  bool same_address = false;
  bool operator==(const ValueLead&) const = default;
};

/// Whether both lie in the arena where the layout may move them over one another: `out` is no input
/// of the network, `in` no output.
[[nodiscard]] bool may_overlap(const Dataflow& dataflow, ValueId out, ValueId in);

/// The lead of a call outside of groups over `in`, which nothing reads after it: one of its
/// operands, or the sums that it finalises.
[[nodiscard]] std::optional<ValueLead> call_lead(const Dataflow& dataflow, const InstanceCall& call,
                                                 ValueId in);

}  // namespace thimble
