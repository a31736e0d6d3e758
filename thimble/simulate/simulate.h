// SPDX-License-Identifier: Apache-2.0
// A program in time: how long an inference takes on a device, and what its core waits for
// (docs/simulate.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/simulate/device_events.h"

namespace thimble {

/// How the firmware's drivers do what the program asks for.
struct SimulatedDriver {
  bool polled = false;  ///< the core moves bytes and waits for erases; or a DMA and the storage do
  /// There is a second area, which is erased for the next inference, begun where the program
  /// erases.
  bool erases_ahead = false;
  /// Erases hold up no reads and writes: another bank or core does them.
  bool erases_beside = false;
  double stored_share = 1;  ///< as device_events() has it: of records that are compressed
  bool operator==(const SimulatedDriver&) const = default;
};

struct SimulatedDevice {
  CoreSpeed core;
  std::map<std::string, StorageFigures> storages = {};  ///< by their names in the program
  SimulatedDriver driver = {};
};

/// What one storage does in an inference.
struct SimulatedStorage {
  std::string name;
  StorageFigures figures;
  StorageWork work;
  ChannelSeconds seconds;
  double cycles = 0;  ///< erases of the block (or writes of the byte) that wears most
  /// Energy of what it reads, writes and erases; nothing if a figure is not known.
  [[nodiscard]] std::optional<double> joules() const;
  /// Until that block is worn out; nothing if the endurance is not known or nothing wears.
  [[nodiscard]] std::optional<double> years(double inferences_per_day) const;
};

struct Simulation {
  int inferences = 1;  ///< back to back; figures are the last one's
  double seconds = 0, first_seconds = 0;
  double computed_seconds = 0;
  std::array<double, kWaitCauses> waited_seconds = {};  ///< by WaitCause
  std::vector<SimulatedStorage> storages;
  double constant_bytes_read = 0;     ///< as DeviceEvents has it
  std::vector<std::string> left_out;  ///< what takes time that nobody knows
  std::vector<TimeSpan> spans;        ///< of all inferences; lanes are numbers of `storages`

  [[nodiscard]] double waited() const;
  /// The part of what storages do that goes on while the core computes; nothing: they do nothing.
  [[nodiscard]] std::optional<double> hidden_share() const;
};

struct SimulationOptions {
  int inferences = 1;
  bool keeps_spans = false;
  bool operator==(const SimulationOptions&) const = default;
};

/// Back to back: an inference ends with nothing in flight, so that the second is as the first
/// unless erases are made ahead. The first one finds its storage erased then.
[[nodiscard]] Simulation simulate(const Graph& graph, const Program& program,
                                  const SimulatedDevice& device,
                                  const SimulationOptions& options = {});

}  // namespace thimble
