// SPDX-License-Identifier: Apache-2.0
// What follows from a group: the buffers of the values made in it, and what each call computes in
// terms of the loops' counters. Nobody else has a model of bytes.
//
// A buffer's axes, along the loops that enclose both the maker of a value and all of its readers:
//   slice, again    as long as the longest tile; its origin follows the counter: new in each tile
//   blocks          the same, full along the loops inside
//   roll            a ring of the positions still needed; full along the loops inside, except
//     rows and columns both rolled, one row a tile: k - 1 rows and k pixels, one ring of pixels
//     the same, several rows a tile (a sweep): the rows that successive sweeps share, over the
//     whole width, and a window of all rows of a tile, a ring of a few columns; copies between the
//     two
// and along all others, full.
#pragma once

#include <optional>
#include <vector>

#include "thimble/plan/clock.h"

namespace thimble {

/// Memory of a value, or of its sums, that is made and read in the group alone.
struct Storage {
  ValueId value;
  Buffer buffer;  ///< origins follow the group's loops, numbered from 0
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

/// Whether regions are wanted, which only steps need, not bytes.
enum class Regions : uint8_t { kNone, kAll };

/// Nothing where a loop has no clock, two loops tile one axis, kernels cannot be cut so, or a value
/// has no buffer of the forms above.
[[nodiscard]] std::optional<Derived> derive(const Dataflow& dataflow, const Group& group,
                                            Regions regions = Regions::kAll);

}  // namespace thimble
