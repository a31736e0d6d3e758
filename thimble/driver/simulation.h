// SPDX-License-Identifier: Apache-2.0
// A compilation in time, on the device that it is for.
#pragma once

#include <optional>

#include "thimble/driver/compiled.h"
#include "thimble/driver/request.h"
#include "thimble/report/simulation_report.h"

namespace thimble {

struct SimulationRequest {
  SimulatedDriver driver;
  SimulationOptions options;
  /// The core's speed, instead of its latency model and clock.
  std::optional<double> seconds_per_mac;
  double pointwise_share = 1, fully_connected_share = 1;  ///< as CoreSpeed has them
  std::optional<double> inferences_per_day;  ///< for wear; nothing: one behind the other
  std::optional<StorageFigures> storage;     ///< of the request's storage, instead of its own
  bool operator==(const SimulationRequest&) const = default;
};

/// Throws CompileError for a target without a clock, or whose core has no latency model, unless
/// MACs give the time.
void check_speed(const Target& target, const SimulationRequest& wanted);

/// request: that `compiled` answers. Throws CompileError, as above.
[[nodiscard]] SimulationReport simulation_report(const Request& request, const Compiled& compiled,
                                                 const SimulationRequest& wanted);

}  // namespace thimble
