// SPDX-License-Identifier: Apache-2.0
// Orders that `stream` and `auto` cut into pieces.
#pragma once

#include <deque>
#include <mutex>

#include "thimble/plan/dataflow.h"
#include "thimble/search/order.h"

namespace thimble {

/// Orders worth cutting: the instances' own, that of the least peak, with rows received before
/// everything else and delivered behind it, and one that suits groups (resident_first.h).
[[nodiscard]] std::vector<std::vector<int>> stream_orders(const Dataflow& dataflow,
                                                          const OrderProblem& problem,
                                                          const TimeLimit* time);
/// Orders that are searched once for the same instances: in large networks that is most of the
/// work. For several threads at a time.
class KnownOrders {
 public:
  [[nodiscard]] const std::vector<std::vector<int>>& orders_of(const Dataflow& dataflow,
                                                               const OrderProblem& problem,
                                                               const TimeLimit* time);

 private:
  struct Known {
    Instances instances;
    OrderProblem problem;
    std::vector<std::vector<int>> orders;
  };
  std::mutex mutex_;
  std::deque<Known> known_;
};
/// All orders if there are few, some if not, with ports as above: no more than `most`.
[[nodiscard]] std::vector<std::vector<int>> more_orders(const Dataflow& dataflow,
                                                        const OrderProblem& problem, size_t most);

}  // namespace thimble
