// SPDX-License-Identifier: Apache-2.0
// What a planner's answer comes to after layout, and which models there are to ask about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/source.h"
#include "thimble/planners/planner.h"

namespace thimble {

/// A line of a table: as the driver lays it out, and of a front chooses, with portable kernels. Not
/// verified: tests do that.
struct PlannedSize {
  int64_t arena_bytes = 0, peak_bytes = 0;
  int64_t macs = 0, recomputed_macs = 0;  ///< executed; of these, beyond the network's
  double instructions = 0;                ///< estimated, on a Cortex-M4
  double plan_seconds = 0;                ///< of this process: planning and layout
};

/// Limits::core is not looked at. Nothing if the planner answers that it cannot. Throws
/// CompileError.
[[nodiscard]] std::optional<PlannedSize> planned_size(const Graph& graph,
                                                      const std::string& planner,
                                                      const Limits& limits);

/// As words of one line, and back.
[[nodiscard]] std::string text(const PlannedSize& size);
[[nodiscard]] PlannedSize parse_planned_size(const std::string& text);

/// The zoo with its default parameters, and the shared models (in the folder `shared`) that have
/// golden values. Large networks last.
[[nodiscard]] std::vector<std::string> zoo_and_golden_models(const std::string& shared);
/// "zoo:demo", "person_detect" for ../shared/models/person_detect.tflite.
[[nodiscard]] std::string short_name(const std::string& model);
/// For CSV: in quotes if it needs them.
[[nodiscard]] std::string csv_field(const std::string& text);

/// To a file, or to standard output if it has no name.
void write_table(const std::string& path, const std::string& text);

}  // namespace thimble
