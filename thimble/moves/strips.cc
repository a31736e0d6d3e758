// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/strips.h"

#include <algorithm>

#include "thimble/model/division.h"

namespace thimble {

std::optional<Group> in_strips(const Dataflow& dataflow, const Group& group, int64_t strips) {
  const auto within = std::ranges::find_if(group.members, [](const Member& member) {
    return std::holds_alternative<Group>(member.what);
  });
  if (within == group.members.end() || group.loop.axis != kRowAxis) return std::nullopt;
  const TileLoop& columns = std::get<Group>(within->what).loop;
  if (columns.axis != kColumnAxis || columns.paced != group.loop.paced) return std::nullopt;
  const int64_t width = dataflow.shape(columns.paced)[kColumnAxis];
  const int64_t unit = std::max<int64_t>(columns.step, 1);  // strips are whole tiles of the loop
  const int64_t step = ceil_div(ceil_div(width, strips), unit) * unit;
  if (step >= width) return std::nullopt;
  Group result;
  result.loop = {.paced = columns.paced,
                 .axis = kColumnAxis,
                 .step = step,
                 .border = Border::kRecompute,
                 .others = {},
                 .alongside = {}};
  result.members.push_back({group});
  return result;
}

}  // namespace thimble
