// SPDX-License-Identifier: Apache-2.0
// What stops a plan from being smaller: the step at which most bytes are live, what lives there,
// and which of that is a port that could lie elsewhere.
//
//   peak at step 0 (QUANTIZE #0), where these live:
//     @         0       75.0 KiB (76,800 B)  float32 1x80x80x3 'image'
//     @         0       18.8 KiB (19,200 B)  int8 1x80x80x3 'quantized'
//   hint     the input 'image' is 75.0 KiB (76,800 B) of the peak: ...
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "thimble/plan/placed_plan.h"

namespace thimble {

/// The arena's peak.
struct Peak {
  Position step = 0;
  std::string label;              ///< "CONV_2D #4"
  std::vector<BufferId> buffers;  ///< in the arena, live at the step
};
/// live_bytes: per step, as live_bytes() gives them. The first of several peaks; nothing if there
/// are no steps.
[[nodiscard]] std::optional<Peak> peak_of(const Graph& graph, const PlacedPlan& plan,
                                          const std::vector<int64_t>& live_bytes);

/// A resident port whose tensor lives in the arena at the peak.
struct PortAtPeak {
  Port port;
  bool input = true;
  /// In bytes, if `--io-type int8` would change it.
  std::optional<int64_t> int8_bytes;
};
[[nodiscard]] std::vector<PortAtPeak> ports_at(const Graph& graph, const PlacedPlan& plan,
                                               const Peak& peak);

/// " at step 0 (QUANTIZE #0), where these live:" and a line per buffer.
[[nodiscard]] std::string peak_text(const Graph& graph, const PlacedPlan& plan, const Peak& peak);
/// Which options make a port smaller, or put it elsewhere.
[[nodiscard]] std::string elsewhere_text(const PortAtPeak& at);
/// Whether a port is more than half of so many bytes, and no trifle (small fully connected networks
/// are little else than their ports): reports warn of it.
[[nodiscard]] bool dominates(int64_t port_bytes, int64_t all_bytes);
/// A sentence with these options; empty if the port is less than a tenth of the peak.
[[nodiscard]] std::string hint(const Graph& graph, const PlacedPlan& plan, const PortAtPeak& at);
/// The hints of all ports at the peak.
[[nodiscard]] std::vector<std::string> hints(const Graph& graph, const PlacedPlan& plan,
                                             const Peak& peak);
/// An object; null without a peak.
[[nodiscard]] nlohmann::ordered_json peak_json(const Graph& graph, const PlacedPlan& plan,
                                               const std::optional<Peak>& peak);

}  // namespace thimble
