// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/request.h"

#include <algorithm>

#include "thimble/driver/banks.h"
#include "thimble/model/error.h"

namespace thimble {

const char* name(Phase phase) {
  switch (phase) {
    case Phase::kReading:
      return "reading the model";
    case Phase::kPlanning:
      return "planning";
    case Phase::kCalibrating:
      return "calibrating";
    case Phase::kPlacing:
      return "placing buffers";
    case Phase::kVerifying:
      return "verifying";
    case Phase::kEmitting:
      return "writing code";
  }
  throw InternalError("unknown Phase");
}

std::optional<int64_t> Request::sram_limit_bytes() const {
  if (sram_bytes || target.memories.empty()) return sram_bytes;
  return target.largest_sram_run_bytes();
}

std::optional<int64_t> Request::flash_limit_bytes() const {
  if (flash_bytes || target.flash_bytes == 0) return flash_bytes;
  return target.flash_bytes;
}

std::optional<int64_t> Request::arena_limit_bytes() const {
  const std::optional<int64_t> limit = sram_limit_bytes();
  if (!limit || (!sram_bytes && lies_in_another_bank(target, beside_arena_bytes))) return limit;
  return std::max<int64_t>(0, *limit - beside_arena_bytes);
}

}  // namespace thimble
