// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/tile_sizes.h"

#include <algorithm>

namespace thimble {

const std::vector<int64_t>& rolled_tiles() {
  static const std::vector<int64_t> all = {1, 2, 4, 8};
  return all;
}

std::vector<int64_t> part_sizes(int64_t positions, int64_t most_parts) {
  std::vector<int64_t> result;
  const auto add = [&](int64_t parts) {
    const int64_t step = ceil_div(positions, parts);
    if (result.empty() || step < result.back()) result.push_back(step);
  };
  const int64_t most = std::min(positions, most_parts);
  for (int64_t parts = 2; parts < most; parts += std::max<int64_t>(1, parts / 3)) add(parts);
  if (most >= 2) add(most);
  return result;
}

std::vector<SweepTile> sweep_tiles(SweepTiles which) {
  const bool all = which == SweepTiles::kAll;
  const bool few = which == SweepTiles::kFew;
  std::vector<SweepTile> tiles;
  const auto add = [&](int64_t rows, int64_t columns, int64_t period_tiles) {
    tiles.push_back({.rows = rows, .columns = columns, .period_tiles = period_tiles});
  };
  for (const int64_t rows : {1, 2, 3, 4, 6, 8}) {
    for (const int64_t columns :
         {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, SweepTile::kAll}) {
      const bool usual = (rows == 1 || rows == 2 || rows == 4) && columns != 1 && columns != 4;
      const bool likely =
          rows == 1 || columns == SweepTile::kAll || (rows <= 4 && columns != 8) || columns == 0;
      if (all || (few ? usual : likely)) add(rows, columns, 1);
    }
  }
  for (const int64_t period_tiles : {2, 4, 8}) {
    for (const int64_t columns :
         {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, SweepTile::kAll}) {
      const bool usual = columns == 0 || columns == 2;
      if (all || (usual && !few && period_tiles == 2)) add(1, columns, period_tiles);
    }
  }
  return tiles;
}

std::vector<SweepTile> turned_tiles() {
  std::vector<SweepTile> tiles;
  for (const int64_t columns : {1, 2, 4}) {
    for (const int64_t rows : {int64_t{0}, int64_t{2}, int64_t{8}, SweepTile::kAll})
      tiles.push_back({.rows = columns, .columns = rows, .turned = true});
  }
  return tiles;
}

}  // namespace thimble
