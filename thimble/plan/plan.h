// SPDX-License-Identifier: Apache-2.0
// What a planner decides, and all that it decides: instances, the order in which they execute,
// fused groups of them as trees of tile loops, what lies over consumed inputs, the kernel of each
// step, the memories that buffers are in. Everything else follows: regions, buffers, elements
// produced again (derive.h), steps (build.h), cost (evaluate.h).
//
//   x -> expand e -> depthwise d -> project y -> relu z          Pex's Figure 1, one channel at a
//   time
//
//   group  loop {paced e, axis c, step 1}, e slice, d slice
//     compute expand    compute depthwise    accumulate project
//   finalise project    compute relu                             y lies over its sums
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/plan/instances.h"
#include "thimble/plan/residence.h"

namespace thimble {

/// What happens to a value at the border between two tiles of a loop that it follows.
enum class Border : uint8_t {
  kSlice,      ///< new positions only, and none is needed in the next tile: a buffer new in each
  kRoll,       ///< new positions only; a ring holds those that later tiles need
  kRecompute,  ///< the tile and its receptive field, what was there before is computed again; as
               ///< kSlice where it is read outside of the loop
  kBlocks,  ///< new positions only, a buffer per tile, freed by itself; of the outermost loop of a
            ///< group, whose tiles are then written down one by one (blocks.h). If it is the loop's
            ///< border, tiles of all values begin at multiples of as many positions
};

/// The packed constants of a call that come from block storage, record by record
/// (target/kernels/packed_records.h).
struct Brought {
  MemoryId from;
  KernelId kernel;       ///< that makes the call
  int64_t channels = 0;  ///< output channels of a record: all, or as a loop around the call tiles
  int64_t records = 1, record_bytes = 0;  ///< as RecordLayout has them
  int depth = 0;       ///< loops of its group around what reads it; 0: it is read before the group
  bool ahead = false;  ///< a tile ahead in the loop whose tiles records are
  /// Reading, of the first one that is read ahead, begins before what is in front in the same loop.
  bool early = false;
  bool operator==(const Brought&) const = default;
};

/// An instance executed with a method: kCompute, kInPlace, kAccumulate (adds the tile's share of
/// the sums) or kFinalise (the sums into the value). What accumulates is finalised by a later call
/// of the same instance, in the same group, in another or in none.
struct InstanceCall {
  InstanceId instance;
  Method method = Method::kCompute;
  std::optional<Brought> constants = {};  ///< nothing: in flash
  bool operator==(const InstanceCall&) const = default;
};

/// Axis of a value that a loop tiles, and how. Values that follow a loop are those made in its
/// group; each follows along the axis that is connected to the paced one.
struct TileLoop {
  ValueId paced;     ///< a result of a call in the group, or an operand that a call accumulates
  int axis = 0;      ///< of `paced`
  int64_t step = 0;  ///< positions of `paced` per tile; 0: one position of the finest value
  Border border = Border::kRoll;                   ///< of the values made in the group
  std::vector<std::pair<ValueId, Border>> others;  ///< but of these
  /// Further values, along axes that nothing in the group connects with the paced one: as many
  /// positions per tile, from the first tile on.
  std::vector<std::pair<ValueId, int>> alongside;
  /// Rings that rows are stored from or fetched to have as many more as a tile has: it is computed
  /// meanwhile.
  bool transfers_beside = false;
  bool operator==(const TileLoop&) const = default;

  [[nodiscard]] Border border_of(ValueId value) const;
};

struct Member;

/// A tile loop around an ordered list of members: all of them once per tile.
struct Group {
  TileLoop loop;
  std::vector<Member> members;
  bool operator==(const Group&) const;
};

struct Member {
  std::variant<InstanceCall, Group> what;
  bool operator==(const Member&) const = default;
};

/// `out` may take bytes of `in` that are no longer needed. How far follows from leads
/// (overlap_lead.h, group_lead.h). What is finalised may lie over its sums without a choice.
struct OverlapChoice {
  ValueId out, in;
  bool operator==(const OverlapChoice&) const = default;
};

/// What makes a step of the schedule.
struct StepKernel {
  KernelId kernel;            ///< invalid: the portable one, of copies theirs
  int64_t scratch_bytes = 0;  ///< at least what the kernel cannot do without
  bool operator==(const StepKernel&) const = default;
};

struct Plan {
  Instances instances;
  std::vector<Member> members;  ///< in order
  std::vector<OverlapChoice> overlaps;
  std::vector<Accumulator> accumulators;  ///< sums of less than 32 bits: lossy
  std::vector<StepKernel> kernels;        ///< per step as written; empty: all portable
  std::vector<ScheduleMemory> memories = common_memories();  ///< that residences name
  std::vector<Residence> residences;  ///< per buffer as built; empty: as values have it
  bool operator==(const Plan&) const = default;
};

/// With portable kernels, in the memories that values have, storage among them.
[[nodiscard]] Plan without_kernels(Plan plan);

/// The calls of members, in order.
[[nodiscard]] std::vector<InstanceCall> calls(const std::vector<Member>& members);

}  // namespace thimble
