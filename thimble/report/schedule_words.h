// SPDX-License-Identifier: Apache-2.0
// The parts of a schedule in words: kinds of buffers, regions by the names of their axes, loops.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thimble/plan/placement.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// How a buffer holds its tensor (docs/ir.md).
enum class BufferKind : uint8_t {
  kWhole,
  kBlock,
  kSlice,
  kRing,
  kAccumulators,
  kScratch,
  kConstants,  ///< packed ones, brought from storage, or their image there
  kUser,       ///< whole, in memory of the caller's
  kStreamed,   ///< rows that come from the caller or go there
};
inline constexpr BufferKind kBufferKinds[] = {
    BufferKind::kWhole,     BufferKind::kBlock,        BufferKind::kSlice,
    BufferKind::kRing,      BufferKind::kAccumulators, BufferKind::kScratch,
    BufferKind::kConstants, BufferKind::kUser,         BufferKind::kStreamed};
[[nodiscard]] const char* name(BufferKind kind);  ///< "whole", ...
[[nodiscard]] BufferKind buffer_kind(const Graph& graph, const Buffer& buffer);

/// The tensor's name on one line, or "scratch", or "constants of CONV_2D #3".
[[nodiscard]] std::string buffer_name(const Graph& graph, const Buffer& buffer);
/// "1,024 B of 32 KiB, layout proven optimal": what the layout takes, and of how much where it is
/// not the arena.
[[nodiscard]] std::string memory_text(const Schedule& schedule, const Placement& placement,
                                      MemoryId id);
/// "b3".
[[nodiscard]] std::string buffer_label(BufferId id);
/// "all" of the tensor, "channel i0", "rows [2 * i0, 2 * i0 + 4)", "ring of 3 rows".
[[nodiscard]] std::string held_text(const Graph& graph, const Buffer& buffer);

/// Axes that are not computed whole, or "all": "row i0 + 1, channels [0, 8)".
[[nodiscard]] std::string region_text(const RegionExpr& region, const Shape& shape);
/// What the step does: that, or which records it brings.
[[nodiscard]] std::string computes_text(const Graph& graph, const Schedule& schedule,
                                        const Step& step);
/// One interval of an axis; `rank` decides on the names (images: rows, columns, channels).
[[nodiscard]] std::string interval_text(const IntervalExpr& interval, size_t axis, size_t rank);

/// "compute", "in place", "accumulate", "finalise".
[[nodiscard]] const char* name(Method method);
/// "CONV_2D #2", or "COPY", "RECEIVE", "DELIVER".
[[nodiscard]] std::string step_label(const Graph& graph, const Schedule& schedule,
                                     const Step& step);

/// A loop as written: the positions of its steps, and how many loops are around it.
struct LoopExtent {
  LoopId id;
  int64_t count = 1;
  LiveRange steps;
  int depth = 0;
  bool operator==(const LoopExtent&) const = default;
};
/// In the order they begin, outer ones first.
[[nodiscard]] std::vector<LoopExtent> loop_extents(const Schedule& schedule);
/// "i0 < 144".
[[nodiscard]] std::string loop_text(const LoopExtent& loop);

/// Steps of a schedule.
struct StepCounts {
  int64_t written = 0, executed = 0;
};
[[nodiscard]] StepCounts step_counts(const Schedule& schedule);

}  // namespace thimble
