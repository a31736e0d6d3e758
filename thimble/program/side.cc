// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/side.h"

#include <algorithm>
#include <numeric>

#include "thimble/analysis/progress.h"

namespace thimble {

std::optional<int64_t> address_of(const Side& side, const Run& run) {
  const runtime::View& view = side.numbers;
  int64_t index = run.pixel - view.bias;
  if (view.modulus != 0) {
    if (index < 0) return std::nullopt;
    index = index % view.modulus - view.channel;
  }
  return side.address + (index + run.channel) * side.element_bytes();
}

Interval hull_of(const Side& side, const Region& box) {
  if (empty(box)) return {};
  const runtime::View& view = side.numbers;
  const int64_t size = side.element_bytes();
  if (view.modulus != 0) {
    int64_t pitch = std::gcd(view.bias, view.modulus);
    for (size_t axis = 0; axis < 3; ++axis) pitch = std::gcd(pitch, int64_t{view.stride[axis]});
    const auto [first, last] =
        std::minmax({box[3].begin * view.stride[3], (box[3].end - 1) * view.stride[3]});
    const int64_t begin = std::min<int64_t>(0, first - view.channel);
    const int64_t end = view.modulus + std::max<int64_t>(0, last - view.channel + 1 - pitch);
    return {side.address + begin * size, side.address + end * size};
  }
  Interval hull{side.address - view.bias * size, side.address + (1 - int64_t{view.bias}) * size};
  for (size_t axis = 0; axis < box.size(); ++axis) {
    const auto [low, high] =
        std::minmax({box[axis].begin * view.stride[axis], (box[axis].end - 1) * view.stride[axis]});
    hull.begin += low * size;
    hull.end += high * size;
  }
  return hull;
}

bool never_ahead(const Side& out, const Side& in) {
  const std::vector<int64_t>& stride = out.view->stride;
  return in.view->stride == stride && in.numbers.bias == out.numbers.bias &&
         in.numbers.modulus == 0 && out.numbers.modulus == 0 &&
         out.element_bytes() <= in.element_bytes() && out.address <= in.address &&
         std::is_sorted(stride.rbegin(), stride.rend());
}

Region needed_box(const Graph& graph, const std::vector<AccessMap>& maps, const Call& call,
                  const Walk& walk, size_t k, const Region& region, const Interval& chunk) {
  if (!call.op.valid() || call.method == Method::kFinalise) return region;
  const Op& op = graph.op(call.op);
  const auto input = static_cast<size_t>(call.operands[k]);
  const InputMap& map = maps[call.op.index()][input];
  const Shape& out_shape = graph.tensor(op.outputs[0]).shape;
  const Shape& in_shape = graph.tensor(op.inputs[input]).shape;
  if (map.linear && same_extents(walk.out, out_shape, walk.in[k], in_shape)) return region;
  const Region out = to_tensor(walk.out, walk.leading, region, out_shape);
  Region needed = input_region(map, in_shape, out_shape, out);
  if (call.chunk && input == 0) {
    Interval& along = needed[chunk_axis(graph, op)];
    along = intersect({along}, {chunk})[0];
  }
  return to_kernel(walk.in[k], needed, in_shape);
}

std::vector<Region> without(const Region& box, const std::vector<Region>& others) {
  std::vector<Region> rest = {box};
  for (const Region& other : others) {
    std::vector<Region> smaller;
    for (Region& part : rest) {
      const Region common = intersect(part, other);
      if (empty(common)) {
        smaller.push_back(std::move(part));
        continue;
      }
      for (size_t axis = 0; axis < part.size(); ++axis) {
        const Interval all = part[axis];
        for (const Interval& beside :
             {Interval{all.begin, common[axis].begin}, Interval{common[axis].end, all.end}}) {
          if (beside.empty()) continue;
          part[axis] = beside;
          smaller.push_back(part);
        }
        part[axis] = common[axis];
      }
    }
    rest = std::move(smaller);
  }
  return rest;
}

std::vector<Region> units_behind(const Region& unit, const Region& region) {
  std::vector<Region> result;
  for (size_t axis = 0; axis < unit.size(); ++axis) {
    if (unit[axis].end >= region[axis].end) continue;
    Region& next = result.emplace_back(unit);
    next[axis] = {unit[axis].end, unit[axis].end + unit[axis].size()};
  }
  return result;
}

void each_unit(Progress progress, const Region& region,
               const std::function<void(const Region&)>& visit) {
  if (progress != Progress::kElement) {
    for_each_unit(progress, region, visit);
    return;
  }
  for_each_unit(progress, region, [&](const Region& run) {
    Region unit = run;
    for (int64_t c = run.back().begin; c < run.back().end; ++c) {
      unit.back() = {c, c + 1};
      visit(unit);
    }
  });
}

}  // namespace thimble
