// SPDX-License-Identifier: Apache-2.0
// What to do about too little memory, with what was tried and what it reaches.
//
//   - --io-type int8: 60.2 KiB (61,600 B), 71.3 M instructions, fits
//   - --input streamed: 66.0 KiB (67,584 B), 70.1 M instructions, 2.0 KiB (2,048 B) too many
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace thimble {

/// Options with which the model needs less.
struct Alternative {
  std::string options;  ///< "--input streamed"
  int64_t arena_bytes = 0;
  double instructions = 0;  ///< estimated, of an inference
  bool operator==(const Alternative&) const = default;
};

/// A line each, with a verdict where there is a limit.
[[nodiscard]] std::string alternatives_text(const std::vector<Alternative>& alternatives,
                                            std::optional<int64_t> sram_limit_bytes);
/// A list.
[[nodiscard]] nlohmann::ordered_json alternatives_json(const std::vector<Alternative>& alternatives,
                                                       std::optional<int64_t> sram_limit_bytes);

/// A plan that does not fit, or could be smaller.
struct Shortage {
  int64_t arena_bytes = 0, flash_bytes = 0;
  std::optional<int64_t> sram_limit_bytes;
  bool fits_sram = true, fits_flash = true;
};
/// What a user can do: the alternatives, then what no option does.
[[nodiscard]] std::string advice(const Shortage& shortage,
                                 const std::vector<Alternative>& alternatives);

}  // namespace thimble
