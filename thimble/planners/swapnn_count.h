// SPDX-License-Identifier: Apache-2.0
// What SwapNN's paper prints of a network: tasks, times and wear. A count, not a plan: `thimble
// compare --paper swapnn` asks for it.
#pragma once

#include <cstdint>
#include <string>

#include "thimble/planners/swapnn_queues.h"

namespace thimble::swapnn {

struct CountedRun {
  int64_t sram_bytes = int64_t{512} << 10, buffer_bytes = int64_t{128} << 10;
  int frames = 10;      ///< together, for the throughput
  int elementwise = 2;  ///< layers behind each one with weights
  /// A card that lasts so long (section V-D), and what is written to it; 0: what is counted.
  int64_t endurance_bytes = 0, bytes_per_day = 0;
  Rates rates = {};
  bool operator==(const CountedRun&) const = default;
};

/// "sram=512K,buffer=16K,frames=10,elementwise=2,endurance=4G,day=2GB". Throws CompileError.
[[nodiscard]] CountedRun counted_run(const std::string& text);

struct Count {
  int64_t io_tasks = 0;   ///< of a frame
  double io_seconds = 0;  ///< likewise
  double seconds = 0;     ///< of a frame alone
  double compute_seconds = 0;
  double frames_seconds = 0;  ///< of all frames together
  int frames = 1;
  int64_t output_bytes = 0;  ///< of all layers, each written once
  int64_t endurance_bytes = 0, bytes_per_day = 0;

  /// Beyond memory without end, where a frame takes what it computes.
  [[nodiscard]] double delay_percent() const;
  [[nodiscard]] double throughput_loss_percent() const;
  /// The outputs of one frame after the other.
  [[nodiscard]] double written_bytes_per_day() const;
  /// Until endurance_bytes are written.
  [[nodiscard]] double card_years() const;
};

/// Throws CompileError, as buffers_of() and queued().
[[nodiscard]] Count count(const Graph& graph, const CountedRun& run);

}  // namespace thimble::swapnn
