// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/schedule/expr_text.h"
#include "thimble/schedule/reads.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

void count_loops(const std::vector<Node>& nodes, std::vector<int64_t>& counts) {
  for (const Node& node : nodes) {
    visit_node(
        node, [](const Step&) {},
        [&](const Loop& loop) {
          counts[loop.id.index()] = loop.count;
          count_loops(loop.body, counts);
        });
  }
}

/// The only axis in which boxes differ; nothing if there are more, or none.
std::optional<size_t> axis_between(const Buffer& a, const Buffer& b) {
  std::optional<size_t> result;
  for (size_t axis = 0; axis < a.extents.size(); ++axis) {
    if (a.extents[axis] == b.extents[axis] && a.origin[axis] == b.origin[axis]) continue;
    if (result) return std::nullopt;
    result = axis;
  }
  return result;
}

/// Outputs that need nothing but [begin, end) of the operand's axis.
struct OutputsOf {
  IndexExpr begin, end;
  int64_t extent;
  using Bounds = std::pair<std::optional<IndexExpr>, std::optional<IndexExpr>>;

  bool from_start() const { return begin.constant() && begin.base <= 0; }
  bool to_end() const { return end.constant() && end.base >= extent; }

  // begin * den <= o * num + lo  and  o * num + hi < end * den
  std::optional<Bounds> operator()(const Affine& map) const {
    const int64_t num = map.num < 0 ? -map.num : map.num;
    Bounds bounds;
    std::optional<IndexExpr>& by_begin = map.num > 0 ? bounds.first : bounds.second;
    std::optional<IndexExpr>& by_end = map.num > 0 ? bounds.second : bounds.first;
    if (!from_start()) {
      by_begin = map.num > 0 ? compose(begin, map.den, num - 1 - map.lo, num)
                             : compose(begin, -map.den, map.lo, num);
      if (!by_begin) return std::nullopt;
      if (map.num < 0) *by_begin = *by_begin + 1;
    }
    if (!to_end()) {
      by_end = map.num > 0 ? compose(end, map.den, -1 - map.hi, num)
                           : compose(end, -map.den, map.hi, num);
      if (!by_end) return std::nullopt;
      *by_end = *by_end + 1;
    }
    return bounds;
  }
  std::optional<Bounds> operator()(const Grouped& map) const {
    if (!begin.constant() || !end.constant()) return std::nullopt;
    Bounds bounds;
    const int64_t in = map.in_per_group, out = map.out_per_group;
    if (!from_start()) bounds.first = index((begin.base + in - 1) / in * out);
    if (!to_end()) bounds.second = index(end.base / in * out);
    return bounds;
  }
  std::optional<Bounds> operator()(const Point& map) const {
    const bool there =
        begin.constant() && end.constant() && begin.base <= map.index && map.index < end.base;
    return there ? std::optional(Bounds{}) : std::nullopt;
  }
  std::optional<Bounds> all() const {
    return from_start() && to_end() ? std::optional(Bounds{}) : std::nullopt;
  }
  std::optional<Bounds> operator()(const Broadcast&) const { return all(); }
  std::optional<Bounds> operator()(const Reduced&) const { return all(); }
  std::optional<Bounds> operator()(const Scan&) const { return all(); }
  std::optional<Bounds> operator()(const Whole&) const { return all(); }
};

struct OutAxis {
  int none;
  int operator()(const Affine& map) const { return map.out_axis; }
  int operator()(const Grouped& map) const { return map.out_axis; }
  template <class Other>
  int operator()(const Other&) const {
    return none;
  }
};

std::string interval_text(const IndexExpr& begin, const IndexExpr& end) {
  return fmt::format("[{}, {})", to_string(begin), to_string(end));
}

}  // namespace

Region piece_region(const Piece& piece, const Counters& counters, const Shape& out) {
  return intersect(evaluate(piece.step.region, counters, out), piece.within);
}

Gathers::Gathers(const Graph& graph, const Schedule& schedule)
    : graph_(graph),
      schedule_(schedule),
      maps_(access_maps(graph)),
      counts_(static_cast<size_t>(schedule.loop_count), 1) {
  count_loops(schedule.nodes, counts_);
}

bool Gathers::never_above(const IndexExpr& a, const IndexExpr& b) const {
  if (advance_alike(a, b)) return a.base <= b.base;
  return values(a, counts_).end - 1 <= values(b, counts_).begin;
}
bool Gathers::starts_at(const Along& along, const IndexExpr& at) const {
  return never_above(at, along.expr.begin) || never_above(at, index(along.within.begin));
}
bool Gathers::ends_by(const Along& along, const IndexExpr& at) const {
  return never_above(along.expr.end, at) || never_above(index(along.within.end), at);
}

Piece Gathers::whole_piece(const Step& step) const {
  Piece piece{step, whole(graph_.tensor(written_tensor(graph_, schedule_, step)).shape), {}};
  if (step.chunk) {
    const Op& op = graph_.op(step.op);
    piece.chunk_within = {0, graph_.tensor(op.inputs[0]).shape[chunk_axis(graph_, op)]};
  }
  return piece;
}

Gathers::Along Gathers::along(const Piece& piece, int out_axis) const {
  if (out_axis == kChunk) return {*piece.step.chunk, piece.chunk_within};
  const auto axis = static_cast<size_t>(std::max(out_axis, 0));
  if (axis >= piece.within.size()) return {{index(0), index(1)}, {0, 1}};  // a scalar
  return {piece.step.region[axis], piece.within[axis]};
}

AxisMap Gathers::map_of(const Step& step, size_t operand, size_t axis) const {
  if (!step.op.valid() || step.method == Method::kFinalise) {
    return Affine{.out_axis = static_cast<int>(axis)};
  }
  const InputMap& map = maps_[step.op.index()][operand];
  return map.linear ? AxisMap(Whole{}) : map.axes[axis];
}

std::vector<Gathers::Served> Gathers::served(const AxisMap& map, int64_t extent,
                                             const std::vector<BufferId>& from, size_t axis) const {
  std::vector<Served> result;
  for (BufferId id : from) {
    const Buffer& b = schedule_.buffer(id);
    const IndexExpr& begin = b.origin[axis];
    if (const auto bounds = std::visit(OutputsOf{begin, begin + b.extents[axis], extent}, map)) {
      result.push_back({bounds->first, bounds->second, id});
    }
  }
  const auto* affine = std::get_if<Affine>(&map);
  if (affine != nullptr && affine->num < 0) std::reverse(result.begin(), result.end());
  return result;
}

std::variant<Gathers::Blocks, std::string> Gathers::blocks(const Step& step, size_t operand) const {
  const std::vector<BufferId>& from = step.in[operand].from;
  const Buffer& first = schedule_.buffer(from[0]);
  const std::optional<size_t> axis = axis_between(first, schedule_.buffer(from[1]));
  for (size_t k = 0; k < from.size(); ++k) {
    const Buffer& b = schedule_.buffer(from[k]);
    const bool alike = b.tensor == first.tensor && b.sums == first.sums;
    if (!alike || b.wrap || !b.tensor.valid()) return "its buffers are no blocks of one tensor";
    if (!axis) return "its buffers do not differ along one axis";
    if (k == 0) continue;
    const Buffer& before = schedule_.buffer(from[k - 1]);
    if (axis_between(before, b) != axis) return "its buffers do not differ along one axis";
    if (!never_above(before.origin[*axis], b.origin[*axis]))
      return "its buffers are not in ascending order";
  }
  const AxisMap map = map_of(step, operand, *axis);
  const int64_t extent = graph_.tensor(first.tensor).shape[*axis];
  if (step.chunk && operand == 0 && *axis == chunk_axis(graph_, graph_.op(step.op))) {
    return Blocks{*axis, kChunk, served(Affine{}, extent, from, *axis)};
  }
  return Blocks{*axis, std::visit(OutAxis{kAll}, map), served(map, extent, from, *axis)};
}

Gathers::Split Gathers::split(const Blocks& blocks, const Along& along) const {
  Split result;
  std::optional<IndexExpr> reached;  // outputs below it are served, or noted as a gap
  const auto gap = [&](const IndexExpr& end) {
    result.gaps.push_back({reached.value_or(along.expr.begin), end});
  };
  for (const Served& part : blocks.served) {
    if (reached && (ends_by(along, *reached) || (part.end && never_above(*part.end, *reached)))) {
      continue;  // nothing left, or nothing new
    }
    const bool follows = !part.begin || starts_at(along, *part.begin) ||
                         (reached && never_above(*part.begin, *reached));
    if (!follows) {
      gap(*part.begin);
      reached = part.begin;
    }
    const bool before_all = part.end && starts_at(along, *part.end);
    if (!before_all && !(reached && ends_by(along, *reached))) {
      result.parts.push_back({reached, part.end, part.buffer});
    }
    reached = part.end;
    if (!part.end) return result;
  }
  if (!reached || !ends_by(along, *reached)) gap(along.expr.end);
  return result;
}

std::string Gathers::narrow(Piece& piece, int out_axis, const Served& part) const {
  if (out_axis == kAll) return "";
  const bool chunk = out_axis == kChunk;
  const auto axis = static_cast<size_t>(std::max(out_axis, 0));
  IntervalExpr& expr = chunk ? *piece.step.chunk : piece.step.region[axis];
  Interval& within = chunk ? piece.chunk_within : piece.within[axis];
  const Along before{expr, within};
  if (part.begin && !starts_at(before, *part.begin)) {
    if (part.begin->constant()) {
      within.begin = part.begin->base;
    } else if (never_above(expr.begin, *part.begin)) {
      expr.begin = *part.begin;
    } else {
      return fmt::format("its part from {} on has no closed form", to_string(*part.begin));
    }
  }
  if (part.end && !ends_by(before, *part.end)) {
    if (part.end->constant()) {
      within.end = part.end->base;
    } else if (never_above(*part.end, expr.end)) {
      expr.end = *part.end;
    } else {
      return fmt::format("its part up to {} has no closed form", to_string(*part.end));
    }
  }
  if (expr.begin.constant() && expr.end.constant()) {
    expr.begin = index(std::max(expr.begin.base, within.begin));
    expr.end = index(std::min(expr.end.base, within.end));
  }
  return "";
}

std::string Gathers::add_pieces(const Piece& piece, size_t operand,
                                std::vector<Piece>& pieces) const {
  auto found = blocks(piece.step, operand);
  if (auto* why = std::get_if<std::string>(&found)) return std::move(*why);
  const Blocks& blocks = std::get<Blocks>(found);
  const Split parts = split(blocks, along(piece, blocks.out_axis));
  if (!parts.gaps.empty()) {
    if (blocks.out_axis == kAll) {
      return fmt::format("each output needs all of axis {}: copy it into one buffer first",
                         blocks.axis);
    }
    const std::string what = blocks.out_axis == kChunk
                                 ? fmt::format("axis {} of the input", blocks.axis)
                                 : fmt::format("axis {} of the output", blocks.out_axis);
    return fmt::format("no one of its buffers has what {} of {} need: copy that into one first",
                       interval_text(parts.gaps[0].begin, parts.gaps[0].end), what);
  }
  for (const Served& part : parts.parts) {
    Piece next = piece;
    next.step.in[operand] = part.buffer;
    if (std::string why = narrow(next, blocks.out_axis, part); !why.empty()) return why;
    pieces.push_back(std::move(next));
  }
  return "";
}

std::variant<std::vector<Piece>, std::string> Gathers::pieces(const Step& step) const {
  std::vector<Piece> pieces{whole_piece(step)};
  for (size_t operand = 0; operand < step.in.size(); ++operand) {
    if (step.in[operand].from.size() < 2) continue;
    if (step.method == Method::kInPlace) return "it executes in place, but not in one buffer";
    std::vector<Piece> finer;
    for (const Piece& piece : pieces) {
      if (std::string why = add_pieces(piece, operand, finer); !why.empty()) {
        return fmt::format("operand {}: {}", operand, why);
      }
    }
    pieces = std::move(finer);
  }
  return pieces;
}

}  // namespace thimble
