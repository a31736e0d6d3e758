// SPDX-License-Identifier: Apache-2.0
#include "bench/latency_plans.h"

#include <algorithm>
#include <array>

#include "tests/support/random_plan.h"

namespace thimble {
namespace {

constexpr int kMostDraws = 30;
constexpr std::array kTilingNames = {"rows",    "pixels", "sweeps", "strips",
                                     "patches", "slices", "random"};
static_assert(kTilingNames.size() == static_cast<size_t>(Tiling::kCount));

class GroupDraw {
 public:
  GroupDraw(const Dataflow& flow, Tiling tiling, zoo::Random& random)
      : flow_(flow), tiling_(tiling), random_(random) {}

  std::optional<Plan> run() {
    const auto count = static_cast<int>(flow_.instances.list.size());
    for (int draws = 0; draws < kMostDraws; ++draws) {
      const auto begin = static_cast<int>(random_.between(0, std::min(2, count - 1)));
      const auto end = static_cast<int>(random_.between(begin + 1, count));
      const Group group = drawn(begin, end);
      if (!derive(flow_, group)) continue;
      Plan plan{.instances = flow_.instances, .members = {}, .overlaps = {}, .accumulators = {}};
      for (int k = 0; k < begin; ++k) plan.members.push_back({InstanceCall{.instance = {k}}});
      plan.members.push_back({group});
      if (tiling_ == Tiling::kSlices && calls(group.members).back().method == Method::kAccumulate)
        plan.members.push_back({InstanceCall{{end - 1}, Method::kFinalise}});
      for (int k = end; k < count; ++k) plan.members.push_back({InstanceCall{.instance = {k}}});
      return plan;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] ValueId made(int instance) const {
    return flow_.instances.instance({instance}).makes;
  }

  TileLoop loop(ValueId paced, int axis, int64_t step, Border border) {
    return {.paced = paced,
            .axis = axis,
            .step = step,
            .border = border,
            .others = {},
            .alongside = {}};
  }

  /// Now and then, a value is computed again instead of rolled.
  TileLoop rolled(int begin, int end, int axis, int64_t step) {
    TileLoop result = loop(made(end - 1), axis, step, Border::kRoll);
    if (random_.chance(0.25))
      result.others.emplace_back(made(static_cast<int>(random_.between(begin, end - 1))),
                                 Border::kRecompute);
    return result;
  }

  static Group around(TileLoop outer, TileLoop inner, std::vector<Member> members) {
    Group within{std::move(inner), std::move(members)};
    return {std::move(outer), {{std::move(within)}}};
  }

  Group drawn(int begin, int end) {
    std::vector<Member> all;
    for (int k = begin; k < end; ++k) all.push_back({InstanceCall{.instance = {k}}});
    const ValueId last = made(end - 1);
    switch (tiling_) {
      case Tiling::kPixels:
        return around(rolled(begin, end, kRowAxis, 1),
                      rolled(begin, end, kColumnAxis, random_.between(0, 4)), std::move(all));
      case Tiling::kSweeps:
        return around(rolled(begin, end, kRowAxis, random_.between(2, 8)),
                      rolled(begin, end, kColumnAxis, random_.between(0, 6)), std::move(all));
      case Tiling::kStrips:
        return around(loop(last, kColumnAxis, random_.between(2, 12), Border::kRecompute),
                      rolled(begin, end, kRowAxis, random_.between(0, 4)), std::move(all));
      case Tiling::kPatches:
        return around(loop(last, kRowAxis, random_.between(2, 8), Border::kRecompute),
                      loop(last, kColumnAxis, random_.between(2, 8), Border::kRecompute),
                      std::move(all));
      case Tiling::kSlices:
        return slices(begin, end, std::move(all));
      default:
        return {rolled(begin, end, kRowAxis, random_.between(1, 8)), std::move(all)};
    }
  }

  Group slices(int begin, int end, std::vector<Member> all) {
    const OpId last = flow_.instances.instance({end - 1}).op;
    if (end - begin > 1 && flow_.axes.summed_axis(last)) {
      std::get<InstanceCall>(all.back().what).method = Method::kAccumulate;
      return {loop(made(end - 2), 3, random_.between(1, 12), Border::kSlice), std::move(all)};
    }
    return {loop(made(end - 1), 3, random_.between(1, 12), Border::kSlice), std::move(all)};
  }

  const Dataflow& flow_;
  const Tiling tiling_;
  zoo::Random& random_;
};

}  // namespace

const char* name(Tiling tiling) { return kTilingNames[static_cast<size_t>(tiling)]; }

std::optional<Plan> latency_plan(const AxisGraph& axes, Tiling tiling, zoo::Random& random) {
  if (tiling == Tiling::kRandom) {
    Plan plan = testing::random_plan(axes, random).plan;
    const auto elsewhere = [](const Value& value) { return value.memory != kArena; };
    if (std::ranges::any_of(plan.instances.values, elsewhere)) return std::nullopt;
    return plan;
  }
  const Instances instances = instances_of(axes.graph(), {});
  const Dataflow flow(axes, instances);
  return GroupDraw(flow, tiling, random).run();
}

}  // namespace thimble
