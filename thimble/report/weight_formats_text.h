// SPDX-License-Identifier: Apache-2.0
// The formats of weights side by side.
//
//   formats  fast 452.5 KiB of flash, 6.734 M instructions (taken); compact 240.6 KiB, 7.651 M
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "thimble/target/core.h"

namespace thimble {

struct WeightFormat {
  std::optional<Weights> weights;  ///< nothing: each operator's in the format that suits the flash
  int64_t flash_bytes = 0;         ///< weights, and code by estimate if it is known
  double instructions = 0;         ///< estimated; 0: not known
  bool operator==(const WeightFormat&) const = default;
};
[[nodiscard]] const char* name(Weights weights);  ///< as --weights takes it

/// The first is the one that is taken. Empty where there is no choice.
[[nodiscard]] std::string weight_formats_text(const std::vector<WeightFormat>& formats);
[[nodiscard]] nlohmann::ordered_json weight_formats_json(const std::vector<WeightFormat>& formats);

}  // namespace thimble
