// SPDX-License-Identifier: Apache-2.0
// What firmware has written to a log for Thimble, among other things (thimble_runtime/log_line.h):
// traces of inferences, and cycles of stages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// The hashes that firmware writes: their first 16 digits.
struct LogOrigin {
  std::string model, plan;
  int64_t stages = 0;
  size_t line = 0;  ///< of the log, from 1 on
  bool operator==(const LogOrigin&) const = default;
};

/// One inference of code that is traced. Checksums are by stage and by number within it.
struct TracedInference {
  LogOrigin origin;
  std::map<uint32_t, Bytes> inputs, states;  ///< by number; as memory holds them
  std::map<uint32_t, uint32_t> constants;    ///< by number
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> read, wrote;
  bool ended = false;
  /// The line of the same plan's inference that ended before, if the log has all that was written
  /// in between; else 0.
  size_t goes_on_from = 0;
};

struct MeasuredCycles {
  LogOrigin origin;
  uint32_t inferences = 0;
  std::map<uint32_t, uint64_t> cycles;  ///< per stage, of all of these
  std::optional<uint64_t> whole;        ///< likewise, of the inferences with what is between stages
  bool ended = false;
};

struct BoardLog {
  std::vector<TracedInference> traces;
  std::vector<MeasuredCycles> profiles;
  std::vector<size_t> damaged;  ///< lines whose sum is another
};

/// Lines that are none of Thimble's are passed over, and what stands in front of one or behind.
/// What follows a lost line is taken as far as it says something by itself. Throws CompileError if
/// a line says what no firmware would.
[[nodiscard]] BoardLog read_board_log(std::string_view text, const std::string& where);

}  // namespace thimble
