// SPDX-License-Identifier: Apache-2.0
// The answer of `thimble simulate`: a plan in time, as text, JSON and a picture (docs/simulate.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/plan/placed_plan.h"
#include "thimble/simulate/simulate.h"
#include "thimble/target/target.h"

namespace thimble {

/// What steps read and write of a memory that is addressed, by their access maps.
struct MemoryTraffic {
  std::string name;
  MemoryKind kind = MemoryKind::kSram;
  int64_t bytes = 0;
};

/// Wait states of the flash that constants lie in, which no time has.
struct FlashWaits {
  std::optional<int64_t> wait_states, line_bytes;
  int64_t clock_hz = 0;
  /// If no constant that calls read is ever in a cache, and they lie as they are read; nothing: a
  /// figure is not known.
  [[nodiscard]] std::optional<double> most_seconds(double constant_bytes_read) const;
};

/// References live as long as the caller's compilation.
struct SimulationReport {
  const Graph& graph;
  const PlacedPlan& plan;
  std::string model;      ///< as the user named it
  std::string device;     ///< empty: none was named
  std::string core;       ///< whose instructions are estimated; empty: MACs were counted
  bool measured = false;  ///< by what a board measured
  int64_t clock_hz = 0;   ///< 0: not known
  std::optional<double> seconds_per_mac;
  SimulatedDriver driver;
  Simulation simulation;
  std::vector<MemoryTraffic> memories;
  FlashWaits flash;
  std::optional<double> inferences_per_day;  ///< nothing: one behind the other
  std::vector<std::string> notes;            ///< of the plan

  [[nodiscard]] double per_day() const;
};

[[nodiscard]] std::string simulation_text(const SimulationReport& report);
[[nodiscard]] std::string simulation_json(const SimulationReport& report);
/// simulation.spans: kept.
[[nodiscard]] std::string simulation_svg(const SimulationReport& report);

}  // namespace thimble
