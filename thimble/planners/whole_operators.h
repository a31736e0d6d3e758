// SPDX-License-Identifier: Apache-2.0
// Between graphs and orders of whole operators.
#pragma once

#include "thimble/analysis/leads.h"
#include "thimble/schedule/schedule.h"
#include "thimble/search/order.h"

namespace thimble {

/// The graph as an operator-reordering problem; tensors are numbered by TensorId, constants have
/// size 0. in_place: an operator may take the bytes of an input where its kernel's progress allows
/// the output at the input's address (elementwise, reshape), or has a kernel for it (depthwise,
/// with scratch). Ports outside of the arena have size 0, and nothing takes their bytes or has them
/// take its own.
[[nodiscard]] OrderProblem order_problem(const Graph& graph, bool in_place,
                                         const PortPlaces& ports = {});

/// Each operator once, from and into whole tensors, in that order. Depthwise convolutions run in
/// place only where the peak asks for it.
[[nodiscard]] Schedule whole_operator_schedule(const Graph& graph, const OrderProblem& problem,
                                               const Order& order, bool in_place);

}  // namespace thimble
