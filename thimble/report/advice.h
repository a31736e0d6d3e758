// SPDX-License-Identifier: Apache-2.0
// What to do about too little memory, with what was tried and what it reaches.
//
//   - --io-type int8: SRAM 61.0 KiB (62,464 B), flash 240.1 KiB (245,862 B), 71.3 M instructions:
//   fits
//   - --input streamed: SRAM 66.9 KiB (68,512 B), flash 240.1 KiB (245,862 B), 70.1 M instructions
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
  double instructions = 0;        ///< estimated, of an inference
  int64_t sram_bytes = 0;         ///< in all
  int64_t flash_bytes = 0;        ///< in all
  std::optional<bool> fits = {};  ///< all limits; nothing: there are none
  bool operator==(const Alternative&) const = default;
};

/// A line each, with a verdict where there is a limit.
[[nodiscard]] std::string alternatives_text(const std::vector<Alternative>& alternatives);
/// A list.
[[nodiscard]] nlohmann::ordered_json alternatives_json(
    const std::vector<Alternative>& alternatives);

/// A plan that does not fit, or could be smaller.
struct Shortage {
  bool fits_sram = true, fits_flash = true;
};
/// What a user can do: the alternatives, then what no option does.
[[nodiscard]] std::string advice(const Shortage& shortage,
                                 const std::vector<Alternative>& alternatives);

}  // namespace thimble
