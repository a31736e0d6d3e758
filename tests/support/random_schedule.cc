// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_schedule.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/program/lower.h"
#include "thimble/schedule/gather.h"
#include "thimble/schedule/reads.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble::testing {
namespace {

constexpr size_t kMostLoops = 4;  // around a step

/// A step, and where it stands.
struct Place {
  std::vector<Node>* list;
  size_t at;
  std::vector<LoopId> around;             // outermost first
  std::vector<std::vector<Node>*> lists;  // of these loops: the one outside of each
  [[nodiscard]] Step& step() const { return std::get<Step>((*list)[at].what); }
};

void find(std::vector<Node>& nodes, Place& at, std::vector<Place>& places) {
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (auto* loop = std::get_if<Loop>(&nodes[k].what)) {
      at.around.push_back(loop->id);
      at.lists.push_back(&nodes);
      find(loop->body, at, places);
      at.around.pop_back();
      at.lists.pop_back();
      continue;
    }
    places.push_back({&nodes, k, at.around, at.lists});
  }
}

bool constant(const IntervalExpr& i) { return i.begin.constant() && i.end.constant(); }

class Changer {
 public:
  Changer(const Graph& graph, const Schedule& start, zoo::Random& random)
      : graph_(graph), schedule_(start), maps_(access_maps(graph)), random_(random) {}

  Schedule schedule_copy() const { return schedule_; }

  bool change(const std::string& kind) {
    std::vector<Place> places = this->places();
    for (; !places.empty(); places.pop_back()) {
      std::swap(places[pick(places.size())], places.back());
      const Place& place = places.back();
      const bool changed = kind == "split"        ? split(place)
                           : kind == "accumulate" ? accumulate(place)
                           : kind == "sink"       ? sink(place)
                                                  : block(place);
      if (changed) return true;
    }
    return false;
  }

  // Steps say what they compute again, exactly: the verifier wants it so.
  void set_recomputation() {
    std::map<std::pair<int32_t, bool>, std::vector<uint8_t>> times;
    const auto visit = [&](const auto& each) {
      execute_steps(schedule_, [&](const Step& step, Position position, const Counters& counters) {
        if (!step.op.valid()) return;
        const TensorId made = graph_.op(step.op).outputs[0];
        const Shape& shape = graph_.tensor(made).shape;
        if (step.chunk && evaluate(*step.chunk, counters).begin > 0) return;
        std::vector<uint8_t>& all = times[{made.value, step.chunk.has_value()}];
        all.resize(static_cast<size_t>(elements(shape)));
        for_elements(evaluate(step.region, counters, shape), shape,
                     [&](size_t element) { each(all[element], position); });
      });
    };
    std::vector<bool> recomputes;
    visit([&](uint8_t& count, Position) { count = static_cast<uint8_t>(std::min(count + 1, 2)); });
    visit([&](uint8_t& count, Position position) {
      const auto p = static_cast<size_t>(position);
      if (recomputes.size() <= p) recomputes.resize(p + 1);
      if (count > 1) recomputes[p] = true;
    });
    std::vector<Place> all = places();
    recomputes.resize(all.size());
    for (size_t k = 0; k < all.size(); ++k) all[k].step().recomputes = recomputes[k];
  }

 private:
  template <class Visit>
  static void for_elements(const Region& region, const Shape& shape, const Visit& visit,
                           size_t axis = 0, size_t element = 0) {
    if (axis == region.size()) {
      visit(element);
      return;
    }
    for (int64_t i = region[axis].begin; i < region[axis].end; ++i) {
      for_elements(region, shape, visit, axis + 1,
                   element * static_cast<size_t>(shape[axis]) + static_cast<size_t>(i));
    }
  }

  size_t pick(size_t count) {
    return static_cast<size_t>(random_.between(0, static_cast<int64_t>(count) - 1));
  }
  std::vector<Place> places() {
    std::vector<Place> result;
    Place at{nullptr, 0, {}, {}};
    find(schedule_.nodes, at, result);
    return result;
  }
  const Shape& shape_of(const Step& step) const {
    return graph_.tensor(written_tensor(graph_, schedule_, step)).shape;
  }
  BufferId add(Buffer buffer) {
    schedule_.buffers.push_back(std::move(buffer));
    return {static_cast<int32_t>(schedule_.buffers.size()) - 1};
  }
  bool is_port(BufferId id) const {
    return std::ranges::find(schedule_.inputs, id) != schedule_.inputs.end() ||
           std::ranges::find(schedule_.outputs, id) != schedule_.outputs.end();
  }
  // Softmax: an axis that is computed at once.
  bool at_once(const Step& step, size_t axis) const {
    if (!step.op.valid()) return false;
    return std::ranges::any_of(maps_[step.op.index()], [&](const InputMap& map) {
      return axis < map.axes.size() && std::holds_alternative<Whole>(map.axes[axis]);
    });
  }

  /// [begin + k i, begin + k i + k) for i < count, cut at the end of the tensor; count is 0 if that
  /// is not possible.
  struct Cut {
    int64_t step, count;
  };
  Cut cut(int64_t begin, int64_t end, int64_t extent) {
    const int64_t size = end - begin;
    if (size < 2) return {0, 0};
    const int64_t step = random_.between(1, std::max<int64_t>(1, size - 1));
    if (end < extent && size % step != 0) return {0, 0};
    return {step, (size + step - 1) / step};
  }

  bool split(const Place& place) {
    Step& step = place.step();
    if (step.method == Method::kInPlace || place.around.size() >= kMostLoops) return false;
    if (step.region.empty()) return false;
    const size_t axis = pick(step.region.size());
    IntervalExpr& interval = step.region[axis];
    const int64_t extent = shape_of(step)[axis];
    if (!constant(interval) || at_once(step, axis)) return false;
    const int64_t begin = std::max<int64_t>(interval.begin.base, 0);
    const Cut parts = cut(begin, std::min(interval.end.base, extent), extent);
    if (parts.count == 0) return false;
    const LoopId id{schedule_.loop_count++};
    interval = {index(id, parts.step, begin), index(id, parts.step, begin + parts.step)};
    (*place.list)[place.at] = {Loop{id, parts.count, {{step}}}};
    return true;
  }

  bool accumulate(const Place& place) {
    Step step = place.step();
    if (!step.op.valid() || step.method != Method::kCompute || place.around.size() >= kMostLoops ||
        !step.in[0].valid() || !has_kernel(graph_, graph_.op(step.op), Method::kAccumulate)) {
      return false;
    }
    const Op& op = graph_.op(step.op);
    const int64_t extent = graph_.tensor(op.inputs[0]).shape[chunk_axis(graph_, op)];
    const Cut parts = cut(0, extent, extent);
    if (parts.count == 0) return false;
    Buffer sums = box(whole_buffer(graph_, schedule_.buffer(step.out).tensor), step.region);
    sums.type = DType::kInt32;
    sums.sums = true;
    Step finalise = step;
    finalise.method = Method::kFinalise;
    step.method = Method::kAccumulate;
    const LoopId id{schedule_.loop_count++};
    step.chunk = {index(id, parts.step), index(id, parts.step, parts.step)};
    const BufferId out = step.out;
    step.out = add(sums);
    finalise.in = {step.out};
    if (random_.chance(0.5)) schedule_.shares.push_back({out, step.out});
    const auto at = place.list->begin() + static_cast<std::ptrdiff_t>(place.at);
    *at = {Loop{id, parts.count, {{step}}}};
    place.list->insert(at + 1, {finalise});
    return true;
  }

  // The box of such a region, whole along axes that follow no loop.
  static Buffer box(Buffer buffer, const RegionExpr& region) {
    for (size_t axis = 0; axis < region.size(); ++axis) {
      if (constant(region[axis])) continue;
      buffer.origin[axis] = region[axis].begin;
      buffer.extents[axis] = region[axis].end.base - region[axis].begin.base;
    }
    return buffer;
  }

  /// What a step needs of an operand, as expressions.
  std::optional<RegionExpr> needed(const Step& step, size_t operand) const {
    const Shape& shape = graph_.tensor(operand_tensor(graph_, schedule_, step, operand)).shape;
    RegionExpr result = region_expr(whole(shape));
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      AxisMap map = Affine{.out_axis = static_cast<int>(axis)};
      if (step.op.valid() && step.method != Method::kFinalise) {
        const InputMap& input = maps_[step.op.index()][operand];
        if (input.linear) return std::nullopt;
        map = input.axes[axis];
      }
      if (step.chunk && operand == 0 && axis == chunk_axis(graph_, graph_.op(step.op))) {
        result[axis] = *step.chunk;
        continue;
      }
      const auto* affine = std::get_if<Affine>(&map);
      if (affine == nullptr) continue;
      const IntervalExpr& from = step.region[static_cast<size_t>(affine->out_axis)];
      if (constant(from)) continue;
      if (affine->num < 1 || affine->den != 1) return std::nullopt;
      const auto begin = compose(from.begin, affine->num, affine->lo, 1);
      const auto last = compose(from.end + -1, affine->num, affine->hi, 1);
      if (!begin || !last) return std::nullopt;
      result[axis] = {*begin, *last + 1};
    }
    return result;
  }

  // `place` is the reader; its operand's producer moves to it.
  bool sink(const Place& place) {
    const Step& reader = place.step();
    if (place.around.empty() || reader.method == Method::kInPlace) return false;
    const size_t operand = pick(reader.in.size());
    if (reader.in[operand].from.size() != 1) return false;
    const BufferId buffer = reader.in[operand].buffer();
    if (is_port(buffer) || schedule_.buffer(buffer).sums) return false;
    if (std::ranges::count(read_buffers(reader), buffer) != 1) return false;
    const std::optional<RegionExpr> region = needed(reader, operand);
    if (!region) return false;
    // One writer, of all of it, before the loops; no other reader.
    const Place* writer = nullptr;
    const std::vector<Place> all = places();
    for (const Place& other : all) {
      if (other.step().out == buffer) {
        if (writer != nullptr) return false;
        writer = &other;
      }
      const bool reads = std::ranges::count(read_buffers(other.step()), buffer) > 0;
      if (reads && (other.list != place.list || other.at != place.at)) return false;
    }
    if (writer == nullptr || writer->step().method != Method::kCompute) return false;
    const Step& made = writer->step();
    if (!made.op.valid() || schedule_.buffer(buffer).extents != shape_of(made)) return false;
    if (!std::ranges::all_of(made.region, constant)) return false;
    for (size_t axis = 0; axis < region->size(); ++axis) {
      if (!constant((*region)[axis]) && at_once(made, axis)) return false;
      if (made.region[axis].begin.base > 0 || made.region[axis].end.base < shape_of(made)[axis])
        return false;
    }
    // As far in as its region follows loops.
    size_t depth = 0;
    for (const IntervalExpr& interval : *region) {
      for (const Term& term : interval.begin.terms) {
        const auto loop = std::ranges::find(place.around, term.loop) - place.around.begin();
        depth = std::max(depth, static_cast<size_t>(loop) + 1);
      }
    }
    if (depth == 0 || writer->list != place.lists[0] || !writer->around.empty()) return false;
    Step moved = made;
    moved.region = *region;
    schedule_.buffers[buffer.index()] = box(schedule_.buffer(buffer), *region);
    std::vector<Node>& target = depth < place.lists.size() ? *place.lists[depth] : *place.list;
    size_t before = place.at;
    if (depth < place.lists.size()) {
      const LoopId next = place.around[depth];
      before =
          static_cast<size_t>(std::ranges::find_if(target,
                                                   [&](const Node& node) {
                                                     const auto* loop =
                                                         std::get_if<Loop>(&node.what);
                                                     return loop != nullptr && loop->id == next;
                                                   }) -
                              target.begin());
    }
    target.insert(target.begin() + static_cast<std::ptrdiff_t>(before), {moved});
    writer->list->erase(writer->list->begin() + static_cast<std::ptrdiff_t>(writer->at));
    return true;
  }

  // The buffer that the step at `place` writes becomes several.
  bool block(const Place& place) {
    const BufferId whole = place.step().out;
    const Buffer before = schedule_.buffer(whole);
    if (is_port(whole) || before.sums || before.wrap || before.origin.empty() ||
        !before.order.empty()) {
      return false;
    }
    const size_t axis = pick(before.extents.size());
    if (!std::ranges::all_of(before.origin, &IndexExpr::constant) || before.extents[axis] < 2)
      return false;
    for (const Place& other : places()) {
      const Step& step = other.step();
      const bool reads = std::ranges::count(read_buffers(step), whole) > 0;
      if ((reads || step.out == whole) && step.method == Method::kInPlace) return false;
      if (step.out == whole && (!constant(step.region[axis]) || at_once(step, axis))) return false;
    }
    const int64_t origin = before.origin[axis].base, end = origin + before.extents[axis];
    std::vector<BufferId> blocks;
    std::vector<Interval> parts;
    for (int64_t at = origin; at < end;) {
      const int64_t most = blocks.empty() ? end - origin - 1 : end - at;
      const int64_t size = random_.between(1, most);
      Buffer part = before;
      part.origin[axis] = index(at);
      part.extents[axis] = size;
      if (blocks.empty()) {
        schedule_.buffers[whole.index()] = part;
        blocks.push_back(whole);
      } else {
        blocks.push_back(add(part));
      }
      parts.push_back({at, at + size});
      at += size;
    }
    std::erase_if(schedule_.shares,
                  [&](const Share& share) { return share.out == whole || share.in == whole; });
    schedule_.nodes = in_blocks(schedule_.nodes, whole, axis, blocks, parts);
    return true;
  }

  static std::vector<Node> in_blocks(const std::vector<Node>& nodes, BufferId whole, size_t axis,
                                     const std::vector<BufferId>& blocks,
                                     const std::vector<Interval>& parts) {
    std::vector<Node> result;
    for (const Node& node : nodes) {
      if (const auto* loop = std::get_if<Loop>(&node.what)) {
        result.push_back(
            {Loop{loop->id, loop->count, in_blocks(loop->body, whole, axis, blocks, parts)}});
        continue;
      }
      Step step = std::get<Step>(node.what);
      for (Operand& operand : step.in) {
        const auto at = std::ranges::find(operand.from, whole);
        if (at == operand.from.end()) continue;
        operand.from.insert(operand.from.erase(at), blocks.begin(), blocks.end());
      }
      if (step.out != whole) {
        result.push_back({step});
        continue;
      }
      const IntervalExpr all = step.region[axis];
      for (size_t k = 0; k < blocks.size(); ++k) {
        step.out = blocks[k];
        step.region[axis] = {index(std::max(all.begin.base, parts[k].begin)),
                             index(std::min(all.end.base, parts[k].end))};
        if (step.region[axis].begin.base < step.region[axis].end.base) result.push_back({step});
      }
    }
    return result;
  }

  const Graph& graph_;
  Schedule schedule_;
  std::vector<AccessMap> maps_;
  zoo::Random& random_;
};

}  // namespace

std::string not_lowered(const Graph& graph, const Schedule& schedule) {
  const std::vector<int64_t> addresses(schedule.buffers.size());
  try {
    (void)lower(graph, schedule, placement_at(schedule, addresses));
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

RandomSchedule random_schedule(const Graph& graph, const Schedule& start, int tries,
                               zoo::Random& random) {
  RandomSchedule result{start, {}, {}};
  for (int k = 0; k < tries; ++k) {
    static constexpr const char* kKinds[] = {"split", "accumulate", "sink",
                                             "sink",  "sink",       "block"};
    const std::string kind = kKinds[random.between(0, 5)];
    Changer changer(graph, result.schedule, random);
    if (!changer.change(kind)) continue;
    const Schedule changed = gathered(graph, changer.schedule_copy());
    std::string why = malformed(graph, changed);
    if (why.empty()) why = not_lowered(graph, changed);
    if (!why.empty()) {
      ++result.refused[why.substr(why.find(": ") + 1)];
      continue;
    }
    result.schedule = changer.schedule_copy();
    ++result.changes[kind];
  }
  Changer changer(graph, gathered(graph, result.schedule), random);
  changer.set_recomputation();
  result.schedule = changer.schedule_copy();
  return result;
}

}  // namespace thimble::testing
