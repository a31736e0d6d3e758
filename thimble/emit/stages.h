// SPDX-License-Identifier: Apache-2.0
// The functions of the emitted code: one per step, or one per loop with everything in it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "thimble/emit/view_constants.h"
#include "thimble/program/program.h"
#include "thimble/target/code_model.h"

namespace thimble {

struct Stage {
  std::string name;  ///< of the function
  std::string text;  ///< its definition with a comment
  std::string
      call;      ///< "conv_2d_0(arena)"; one of ticks: "conv_2d_0_to_add_3_by_rows(arena, tick)"
  int row = -1;  ///< of the table of steps, of which the first has the text; -1: a function
  int64_t ticks = 0;  ///< that many calls, while rows of the input come; 0: one, and no rows
  /// Where ticks: the rows [begin, end) that tick `tick` receives before anything else, and where
  /// in `row_arena` row `row` belongs. Expressions.
  std::string rows_begin, rows_end, row_place;
  std::string row_arena;       ///< name of the pointer
  CodeCounts code = {};        ///< what is written in it, or in all of the table
  std::set<KernelId> kernels;  ///< that it calls
  std::set<Position> steps;    ///< of the schedule, that it executes
  std::string trace;           ///< where traced: what takes checksums before it; lines of code
  size_t traced_writes = 0;    ///< likewise: of how many tensors it says what it wrote
};

/// In order of execution; before one with ticks are transfers alone. `data` is the namespace of the
/// constants; the numbers of views and regions that the text names are added to `constants`.
/// What the caller brings is handed over as `const Caller& caller`. traced: they tell `trace`
/// (thimble_runtime/trace.h) what they write.
[[nodiscard]] std::vector<Stage> stages(const Graph& graph, const Program& program,
                                        const std::string& data, ViewConstants& constants,
                                        bool traced = false);

}  // namespace thimble
