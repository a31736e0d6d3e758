// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/derived.h"

#include <algorithm>

namespace thimble {

int Derived::storage_of(ValueId value) const {
  const auto it = std::ranges::find(storages, value, &Storage::value);
  return it == storages.end() ? -1 : static_cast<int>(it - storages.begin());
}

const TiledCall* Derived::tiled(int loop, size_t call) const {
  const DerivedLoop& tiles = loops[static_cast<size_t>(loop)];
  const auto at = static_cast<Position>(call);
  if (at < tiles.steps.begin || at >= tiles.steps.end) return nullptr;
  return &tiles.clock.calls[static_cast<size_t>(at - tiles.steps.begin)];
}

}  // namespace thimble
