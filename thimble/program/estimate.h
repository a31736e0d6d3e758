// SPDX-License-Identifier: Apache-2.0
// What a program is estimated to take on a core, before it is compiled for one.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "thimble/program/program.h"
#include "thimble/target/latency.h"

namespace thimble {

struct Estimate {
  double instructions = 0;         ///< of an inference
  double wait_cycles = 0;          ///< for slow memories: docs/memories.md
  std::vector<double> steps;       ///< by position of the schedule, all of its executions; what an
                                   ///< inference takes beside its calls is left out
  std::set<std::string> left_out;  ///< kernels without coefficients: they count nothing

  /// Instructions of a position, rounded; 0 where nothing is called.
  [[nodiscard]] int64_t of_step(Position position) const;
};

/// Rows that the caller brings or takes are his affair, and count nothing.
[[nodiscard]] Estimate estimate(const Program& program, const LatencyModel& model);

/// On a core, at a board's clock.
struct CoreEstimate {
  std::string core;
  int64_t clock_hz = 0;  ///< 0: not known
  Estimate estimate;
  bool cycles = false;  ///< by what a board measured: its instructions are cycles

  /// At the clock, if each instruction takes a cycle, and with the waits; nothing without a clock.
  [[nodiscard]] std::optional<double> milliseconds() const;
  /// The time of so many instructions of the core.
  [[nodiscard]] std::optional<double> milliseconds_of(double instructions) const;
};
/// Nothing if the core has no latency model.
[[nodiscard]] std::optional<CoreEstimate> estimate_on(const Program& program, const Core& core,
                                                      int64_t clock_hz);

/// Calls visit_call for every call that the device makes, and visit_transfer for the transfers
/// between them.
void for_each_call_and_transfer(
    const Program& program,
    const std::function<void(const Call&, const CallShape&, const Counters&)>& visit_call,
    const std::function<void(const TransferCall&, const Counters&)>& visit_transfer);
/// Without the transfers.
void for_each_call(const Program& program,
                   const std::function<void(const Call&, const CallShape&)>& visit);
/// Every call as executed: the kernel that it is fitted as and its features, summed. What a model
/// is fitted to.
[[nodiscard]] std::map<std::string, Features> summed_features(const Program& program);

}  // namespace thimble
