// SPDX-License-Identifier: Apache-2.0
// A device that a paper measured on, as its own figures imply it: what is simulated in its place.
//
//   {"says": "from Table 5: ..", "nanoseconds_per_mac": 15.7, "storage": {..as in
//   devices/*.json..},
//    "driver": {"polled": true, "erases_ahead": false, "erases_beside": false, "stored_share": 1}}
#pragma once

#include <optional>
#include <string>

#include "thimble/simulate/simulate.h"

namespace thimble {

struct PaperDevice {
  std::string says;  ///< where its figures are from
  double nanoseconds_per_mac = 0;
  /// Those of depthwise and 1x1 convolutions, and of fully connected layers; for SwapNN's counts.
  double pointwise_nanoseconds_per_mac = 0, fully_connected_nanoseconds_per_mac = 0;
  std::optional<StorageFigures> storage;  ///< its granule and block are known
  SimulatedDriver driver;
  bool operator==(const PaperDevice&) const = default;
};

/// `where` names the text in messages. Throws CompileError.
[[nodiscard]] PaperDevice parse_paper_device(const std::string& json, const std::string& where);

}  // namespace thimble
