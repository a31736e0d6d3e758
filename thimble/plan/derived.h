// SPDX-License-Identifier: Apache-2.0
// What follows from a group, as derive() finds it (derive.h): its loops, the steps in these, and
// the buffers of the values made in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/plan/clock.h"

namespace thimble {

/// Memory of a value, or of its sums, that is made and read in the group alone.
struct Storage {
  ValueId value;
  Buffer buffer;                 ///< origins follow the group's loops, numbered from 0
  bool has_room_beside = false;  ///< a ring, by TileLoop::transfers_beside
  bool operator==(const Storage&) const = default;
};

/// Rows of a value that are kept from sweep to sweep, beside the window that it is made in.
struct KeptRows {
  int storage = 0;  ///< the window, in Derived::storages
  Buffer buffer;    ///< a ring of rows
  bool operator==(const KeptRows&) const = default;
};

struct DerivedStep {
  enum class Kind : uint8_t {
    kCall,
    kFill,  ///< copies kept rows into the window
    kKeep,  ///< copies the window's new rows to the kept ones
  };
  Kind kind = Kind::kCall;
  InstanceCall call;                  ///< kFill, kKeep: the one that makes the value
  int kept = -1;                      ///< kFill, kKeep: in Derived::kept
  RegionExpr region;                  ///< of what it makes, cut to the extents
  std::optional<IntervalExpr> chunk;  ///< kAccumulate: of operand 0
  bool recomputes = false;            ///< elements may be computed in several tiles
};

struct DerivedLoop {
  LiveRange steps;  ///< in Derived::steps
  int depth = 0;    ///< of nesting, from 0
  Clock clock;
  bool transfers_beside = false;  ///< as TileLoop has it
};

/// A group whose outer loop is written down tile by tile (blocks.h). The loops left are those
/// inside of it, once per tile.
struct UnrolledTiles {
  struct Step {
    size_t of = 0;       ///< in Derived::steps; of a copy: its reader
    bool joins = false;  ///< copies a part of a block into a window
    RegionExpr region;
    std::optional<IntervalExpr> chunk;
    std::vector<int> in;  ///< per operand, in UnrolledTiles::storages; -1: outside, or a constant
    int out = -1;
  };
  struct Loop {
    LiveRange steps;  ///< in UnrolledTiles::steps
    int depth = 0;    ///< of nesting, from 0
    int64_t tiles = 1;
  };
  std::vector<Step> steps;
  std::vector<Loop> loops;        ///< outer ones first; LoopIds are indices
  std::vector<Storage> storages;  ///< blocks and windows
};

struct Derived {
  std::vector<DerivedLoop> loops;  ///< outer ones first; LoopIds are indices
  std::vector<DerivedStep> steps;
  std::vector<Storage> storages;  ///< in the order of the calls
  std::vector<KeptRows> kept;
  std::optional<UnrolledTiles> flat = {};  ///< what is executed in place of the loops

  /// Steps as written.
  [[nodiscard]] Position positions() const {
    return static_cast<Position>(flat ? flat->steps.size() : steps.size());
  }
  /// That of a value (or its sums); -1 if it lies outside of the group.
  [[nodiscard]] int storage_of(ValueId value) const;
  /// What a loop has the call of that number do; null if it stands outside. Where nothing is kept.
  [[nodiscard]] const TiledCall* tiled(int loop, size_t call) const;
};

}  // namespace thimble
