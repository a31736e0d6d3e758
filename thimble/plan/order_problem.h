// SPDX-License-Identifier: Apache-2.0
// Which order of whole instances needs the least memory, as the search for orders asks it.
#pragma once

#include "thimble/analysis/leads.h"
#include "thimble/plan/instances.h"
#include "thimble/search/order.h"

namespace thimble {

/// Leads of operators over what they read, as their operands lie in these instances.
[[nodiscard]] InputLeads input_leads(const Graph& graph, const Instances& instances);

/// Instances are its operators, values its tensors, by their numbers; constants and values outside
/// of the arena have size 0. in_place: an instance may take the bytes of an operand where its
/// kernel's progress allows the output at the operand's address (elementwise, reshape), where it
/// has a kernel for it (depthwise, with scratch), or where it is a relayout in place; nothing that
/// lies outside of the arena takes part.
[[nodiscard]] OrderProblem order_problem(const Graph& graph, const Instances& instances,
                                         bool in_place);

}  // namespace thimble
