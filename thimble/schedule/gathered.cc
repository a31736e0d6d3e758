// SPDX-License-Identifier: Apache-2.0
// Copies of what no single buffer of an operand holds.
#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/schedule/gather.h"
#include "thimble/schedule/reads.h"

namespace thimble {

/// Adds copies, step by step.
class Gatherer {
 public:
  Gatherer(const Graph& graph, Schedule& schedule)
      : graph_(graph), schedule_(schedule), gathers_(graph, schedule) {}

  std::vector<Node> nodes(const std::vector<Node>& before) {
    std::vector<Node> result;
    for (const Node& node : before) {
      visit_node(
          node,
          [&](Step step) {
            for (size_t operand = 0; operand < step.in.size(); ++operand) {
              if (step.in[operand].from.size() > 1) gather(step, operand, result);
            }
            result.push_back({std::move(step)});
          },
          [&](const Loop& loop) {
            result.push_back({Loop{loop.id, loop.count, nodes(loop.body)}});
          });
    }
    return result;
  }

 private:
  void gather(Step& step, size_t operand, std::vector<Node>& before) {
    const auto found = gathers_.blocks(step, operand);
    const auto* blocks = std::get_if<Gathers::Blocks>(&found);
    if (blocks == nullptr) return;  // malformed says why
    const Gathers::Along along = gathers_.along(gathers_.whole_piece(step), blocks->out_axis);
    const Gathers::Split split = gathers_.split(*blocks, along);
    if (split.gaps.empty() || blocks->out_axis == Gathers::kChunk) return;
    Operand& from = step.in[operand];
    std::vector<std::pair<IndexExpr, int64_t>> seams;
    for (const Gathers::Gap& gap : split.gaps) {
      const Interval needed = blocks->out_axis == Gathers::kAll
                                  ? Interval{}
                                  : needed_for(step, operand, *blocks, gap, along);
      if (needed.empty()) {
        from = gather_all(from, blocks->axis, before);
        return;
      }
      seams.emplace_back(index(needed.begin), needed.size());
    }
    std::vector<BufferId> all = from.from;
    for (const auto& [origin, extent] : seams) {
      all.push_back(copy(from, blocks->axis, origin, extent, before));
    }
    std::ranges::stable_sort(all, [&](BufferId a, BufferId b) {
      return origin_base(a, blocks->axis) < origin_base(b, blocks->axis);
    });
    from = Operand(std::move(all));
  }

  int64_t origin_base(BufferId id, size_t axis) const {
    return schedule_.buffer(id).origin[axis].base;
  }

  /// What the gap needs of the operand's axis; empty where counters move the blocks.
  Interval needed_for(const Step& step, size_t operand, const Gathers::Blocks& blocks,
                      const Gathers::Gap& gap, const Gathers::Along& along) const {
    for (BufferId id : step.in[operand].from) {
      if (!schedule_.buffer(id).origin[blocks.axis].constant()) return {};
    }
    const TensorId out = written_tensor(graph_, schedule_, step);
    const TensorId in = operand_tensor(graph_, schedule_, step, operand);
    const Shape& out_shape = graph_.tensor(out).shape;
    Region region = whole(out_shape);
    Interval& cut = region[static_cast<size_t>(blocks.out_axis)];
    const int64_t least = values(along.expr.begin, gathers_.counts_).begin;
    const int64_t most = values(along.expr.end, gathers_.counts_).end - 1;
    cut.begin = std::max({cut.begin, least, values(gap.begin, gathers_.counts_).begin});
    cut.end = std::min({cut.end, most, values(gap.end, gathers_.counts_).end - 1});
    if (cut.empty()) return {};
    if (!step.op.valid() || step.method == Method::kFinalise) return cut;
    return input_region(gathers_.maps_[step.op.index()][operand], graph_.tensor(in).shape,
                        out_shape, region)[blocks.axis];
  }

  BufferId gather_all(const Operand& from, size_t axis, std::vector<Node>& before) {
    const Buffer& first = schedule_.buffer(from.from.front());
    const Buffer& last = schedule_.buffer(from.from.back());
    const IndexExpr origin = first.origin[axis];
    check(advance_alike(origin, last.origin[axis]), "blocks that counters move apart");
    return copy(from, axis, origin, last.origin[axis].base - origin.base + last.extents[axis],
                before);
  }

  /// A copy of [origin, origin + extent) along the axis from those buffers that have some of it.
  BufferId copy(const Operand& from, size_t axis, const IndexExpr& origin, int64_t extent,
                std::vector<Node>& before) {
    Step step{.op = {}, .method = Method::kCompute, .region = {}, .chunk = {}};
    Buffer target = schedule_.buffer(from.from[0]);
    target.origin[axis] = origin;
    target.extents[axis] = extent;
    target.order.clear();
    if (!is_laid_out(target.memory)) target.memory = kArena;  // a block may be a port
    for (size_t k = 0; k < target.extents.size(); ++k) {
      step.region.push_back({target.origin[k], target.origin[k] + target.extents[k]});
    }
    std::vector<BufferId> used;
    for (BufferId id : from.from) {
      const Buffer& b = schedule_.buffer(id);
      const bool apart = gathers_.never_above(b.origin[axis] + b.extents[axis], origin) ||
                         gathers_.never_above(origin + extent, b.origin[axis]);
      if (!apart) used.push_back(id);
    }
    step.in.emplace_back(std::move(used));
    step.out = {static_cast<int32_t>(schedule_.buffers.size())};
    schedule_.buffers.push_back(std::move(target));
    before.push_back({step});
    return step.out;
  }

  const Graph& graph_;
  Schedule& schedule_;
  Gathers gathers_;
};

Schedule gathered(const Graph& graph, Schedule schedule) {
  schedule.nodes = Gatherer(graph, schedule).nodes(schedule.nodes);
  return schedule;
}

}  // namespace thimble
