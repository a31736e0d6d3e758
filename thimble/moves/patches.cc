// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/patches.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/model/error.h"
#include "thimble/plan/derive.h"

namespace thimble {
namespace {

std::string name_of(const Dataflow& flow, InstanceId id) {
  const OpId op = flow.instances.instance(id).op;
  return op.valid() ? label(flow.graph.op(op)) : "a copy";
}

/// The calls that the stage's instances from number `first` on need of `derive`: what those before
/// make is an operand like the inputs.
Group last_in_patches(const PatchStage& stage, size_t first, const PatchGrid& grid) {
  const auto begin = stage.instances.begin() + static_cast<ptrdiff_t>(first);
  return in_patches(stage, {begin, stage.instances.end()}, grid);
}

/// Which axis of what the instance makes a loop tiles; -1: none, it is not in the group.
int tiled_axis(const Derived& derived, size_t loop, InstanceId id) {
  for (size_t s = 0; s < derived.steps.size(); ++s) {
    if (derived.steps[s].call.instance == id) return derived.loops[loop].clock.calls[s].axis;
  }
  return -1;
}

}  // namespace

std::variant<PatchStage, std::string> stage_up_to(const Dataflow& flow, InstanceId last) {
  const ValueId split = flow.instances.instance(last).makes;
  const Shape& shape = flow.shape(split);
  if (shape.size() != 4 || shape[kRowAxis] * shape[kColumnAxis] == 1)
    return fmt::format("its output, {}, is no image", to_string(shape));
  PatchStage stage{.split = split, .inside = std::vector<bool>(flow.instances.list.size())};
  stage.inside[last.index()] = true;
  for (size_t k = last.index() + 1; k-- > 0;) {  // what makes a value stands before its readers
    if (!stage.inside[k]) continue;
    for (const ValueId v : flow.instances.list[k].reads) {
      if (flow.maker[v.index()].valid()) stage.inside[flow.maker[v.index()].index()] = true;
    }
  }
  for (size_t k = 0; k <= last.index(); ++k) {
    if (!stage.inside[k]) continue;
    const InstanceId id{static_cast<int32_t>(k)};
    stage.instances.push_back(id);
    const ValueId made = flow.instances.list[k].makes;
    if (made == split) continue;
    for (const InstanceId reader : flow.readers[made.index()]) {
      if (!stage.inside[reader.index()])
        return fmt::format("the output of {} is read behind it, by {}", name_of(flow, id),
                           name_of(flow, reader));
    }
    if (flow.is_output[made.index()])
      return fmt::format("{} before it makes an output", name_of(flow, id));
  }
  return stage;
}

PatchGrid patch_grid(const Shape& split, int64_t patches) {
  PatchGrid grid{ceil_div(split[kRowAxis], patches), ceil_div(split[kColumnAxis], patches)};
  grid.down = ceil_div(split[kRowAxis], grid.rows);
  grid.across = ceil_div(split[kColumnAxis], grid.columns);
  return grid;
}

Group in_patches(const PatchStage& stage, const std::vector<InstanceId>& order,
                 const PatchGrid& grid) {
  Group group;
  for (const InstanceId id : order) group.members.push_back({InstanceCall{.instance = id}});
  const TileLoop tiles{.paced = stage.split,
                       .border = Border::kRecompute,
                       .others = {{stage.split, Border::kSlice}},
                       .alongside = {}};
  if (grid.across > 1) {
    group.loop = tiles;
    group.loop.axis = kColumnAxis;
    group.loop.step = grid.columns;
    if (grid.down == 1) return group;
    Member columns{std::move(group)};
    group = {};
    group.members.push_back(std::move(columns));
  }
  group.loop = tiles;
  group.loop.axis = kRowAxis;
  group.loop.step = grid.rows;
  return group;
}

std::string patches_fault(const Dataflow& flow, const PatchStage& stage, const PatchGrid& grid) {
  // What the last instances cannot do does not change with those before them.
  size_t first = 0, count = stage.instances.size();
  while (count > 0) {
    const size_t half = count / 2;
    if (derive(flow, last_in_patches(stage, first + half, grid))) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  check(first > 0, "patches that can be");
  const InstanceId culprit = stage.instances[first - 1];
  const auto cut = [&](int axis) -> std::string {
    const OpId op = flow.instances.instance(culprit).op;
    if (!op.valid() || flow.axes.cut(op, axis) != Cut::kNo) return "";
    return fmt::format("{}: its kernel takes axis {} only whole", name_of(flow, culprit), axis);
  };
  if (first == stage.instances.size()) {
    for (const int axis : {kRowAxis, kColumnAxis}) {
      if (std::string why = cut(axis); !why.empty()) return why;
    }
    return fmt::format("what {} makes in a patch has no closed form", name_of(flow, culprit));
  }
  const Derived behind = derive(flow, last_in_patches(stage, first, grid)).value();
  const ValueId made = flow.instances.instance(culprit).makes;
  for (size_t l = 0; l < behind.loops.size(); ++l) {
    for (const InstanceId reader : flow.readers[made.index()]) {
      const Instance& reads = flow.instances.instance(reader);
      const int axis = tiled_axis(behind, l, reader);
      for (size_t k = 0; k < reads.reads.size() && axis >= 0; ++k) {
        if (reads.reads[k] != made) continue;
        const auto read = flow.connection({.instance = reader}, k, axis);
        if (!read)
          return fmt::format("{} needs more than a patch of its input", name_of(flow, reader));
        if (std::string why = cut(read->axis); !why.empty()) return why;
      }
    }
  }
  return fmt::format("what is read in a patch of the output of {} has no closed form",
                     name_of(flow, culprit));
}

}  // namespace thimble
