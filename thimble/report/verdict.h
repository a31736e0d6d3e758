// SPDX-License-Identifier: Apache-2.0
// Everything that a firmware takes of its chip, against what there is: the word "fits" is said of
// the whole. What no compiler has measured is an estimate, with a margin of what it can be off by
// (docs/cost.md).
//
//   fits: SRAM 61.2 of 64.0 KiB (arena 60.0 KiB, stack 0.8 KiB estimated, up to 0.4 KiB more)
//   fits: flash 260.1 of 512.0 KiB (weights 240.6 KiB, code 18.2 KiB estimated, up to 1.3 KiB more)
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "thimble/emit/code_estimate.h"

namespace thimble {

/// What code takes beside what is known to the byte.
struct CodeBytes {
  EstimatedBytes code, stack;  ///< margins of 0: measured
  std::string core;            ///< whose compiler it is; as estimated or measured
  bool measured = false;
};

struct Verdict {
  int64_t arena_bytes = 0;   ///< on chip, states included
  int64_t caller_bytes = 0;  ///< tensors and rows that the caller brings, in SRAM too
  int64_t static_bytes = 0;  ///< of SRAM, beside the arena
  int64_t weight_bytes = 0;
  std::optional<CodeBytes> code;  ///< nothing: nobody knows for this core
  std::optional<int64_t> sram_limit_bytes, flash_limit_bytes;
  bool arena_fits = true;  ///< in memory with contiguous addresses

  /// SRAM and flash that it takes, with all margins.
  [[nodiscard]] int64_t sram_bytes() const;
  [[nodiscard]] int64_t flash_bytes() const;
  [[nodiscard]] bool fits_sram() const;
  [[nodiscard]] bool fits_flash() const;
  [[nodiscard]] bool fits() const { return fits_sram() && fits_flash(); }
};

/// A line for each memory, with what is left or lacks where there is a limit.
[[nodiscard]] std::string verdict_text(const Verdict& verdict);
[[nodiscard]] nlohmann::ordered_json verdict_json(const Verdict& verdict);

}  // namespace thimble
