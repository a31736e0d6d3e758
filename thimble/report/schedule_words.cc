// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/schedule_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/report/tensor_text.h"
#include "thimble/schedule/expr_text.h"
#include "thimble/schedule/records.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

struct AxisName {
  const char *one, *several;
};

// Only images have axes with names.
constexpr size_t kImageRank = 4;
constexpr AxisName kImageAxes[kImageRank] = {
    {"image", "images"}, {"row", "rows"}, {"column", "columns"}, {"channel", "channels"}};

bool one_index(const IntervalExpr& interval) {
  const IndexExpr &begin = interval.begin, &end = interval.end;
  return begin.terms == end.terms && begin.divisor == end.divisor &&
         end.base - begin.base == begin.divisor;
}

bool covers(const IntervalExpr& interval, int64_t extent) {
  return interval.begin.constant() && interval.end.constant() && interval.begin.base <= 0 &&
         interval.end.base >= extent;
}

std::string joined(std::string text, const std::string& more) {
  if (text.empty() || more.empty()) return text + more;
  return text + ", " + more;
}

// Axes of which only a part is meant.
std::string parts(const RegionExpr& region, const Shape& shape) {
  std::string text;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (covers(region[axis], shape[axis])) continue;
    text = joined(text, interval_text(region[axis], axis, shape.size()));
  }
  return text;
}

std::string ring_text(const Buffer& buffer, const Shape& shape) {
  const auto [axis, modulus] = *buffer.wrap;
  const char* plural = modulus == 1 ? "" : "s";
  bool rows = true;  // no other axis is taken modulo
  for (size_t k = 0; k < shape.size(); ++k)
    rows = rows && (!buffer.wraps(k) || static_cast<int>(k) == axis || shape[k] == 1);
  if (rows) return fmt::format("ring of {} row{}", modulus, plural);
  if (shape.size() == kImageRank && axis == 2)
    return fmt::format("ring of {} pixel{}", modulus, plural);
  return fmt::format("ring of {} along axes 0 to {}", modulus, axis);
}

void add_loops(const std::vector<Node>& nodes, int depth, Position& position,
               std::vector<LoopExtent>& loops) {
  for (const Node& node : nodes) {
    visit_node(
        node, [&](const Step&) { ++position; },
        [&](const Loop& loop) {
          const size_t number = loops.size();
          loops.push_back({loop.id, loop.count, {position, position}, depth});
          add_loops(loop.body, depth + 1, position, loops);
          loops[number].steps.end = position;
        });
  }
}

void count_steps(const std::vector<Node>& nodes, int64_t times, StepCounts& counts) {
  for (const Node& node : nodes) {
    visit_node(
        node,
        [&](const Step&) {
          ++counts.written;
          counts.executed += times;
        },
        [&](const Loop& loop) { count_steps(loop.body, times * loop.count, counts); });
  }
}

}  // namespace

const char* name(BufferKind kind) {
  switch (kind) {
    case BufferKind::kWhole:
      return "whole";
    case BufferKind::kBlock:
      return "block";
    case BufferKind::kSlice:
      return "slice";
    case BufferKind::kRing:
      return "ring";
    case BufferKind::kAccumulators:
      return "accumulators";
    case BufferKind::kScratch:
      return "scratch";
    case BufferKind::kConstants:
      return "constants";
    case BufferKind::kUser:
      return "user";
    case BufferKind::kStreamed:
      return "stream";
  }
  throw InternalError("unknown BufferKind");
}

BufferKind buffer_kind(const Graph& graph, const Buffer& buffer) {
  if (buffer.packed.valid()) return BufferKind::kConstants;
  if (!buffer.tensor.valid()) return BufferKind::kScratch;
  if (buffer.memory == kCaller) return BufferKind::kUser;
  if (buffer.memory == kStream) return BufferKind::kStreamed;
  if (buffer.sums) return BufferKind::kAccumulators;
  if (buffer.wrap) return BufferKind::kRing;
  if (buffer.extents == graph.tensor(buffer.tensor).shape) return BufferKind::kWhole;
  return std::ranges::all_of(buffer.origin, &IndexExpr::constant) ? BufferKind::kBlock
                                                                  : BufferKind::kSlice;
}

std::string buffer_name(const Graph& graph, const Buffer& buffer) {
  if (buffer.packed.valid()) return "constants of " + label(graph.op(buffer.packed.op));
  return buffer.tensor.valid() ? display_name(graph.tensor(buffer.tensor).name) : "scratch";
}

std::string memory_text(const Schedule& schedule, const Placement& placement, MemoryId id) {
  const ScheduleMemory& memory = schedule.memory(id);
  const MemoryPlacement& placed = placement.memory(id);
  const bool further = id >= kFirstFurtherMemory && memory.capacity_bytes;
  return fmt::format("{}{}{}", human_size(placed.size_bytes),
                     further ? fmt::format(" of {}", human_size(*memory.capacity_bytes)) : "",
                     placed.proven_optimal ? ", layout proven optimal"
                                           : fmt::format(", no layout is below {}",
                                                         human_size(placed.lower_bound_bytes)));
}

std::string buffer_label(BufferId id) { return fmt::format("b{}", id.value); }

std::string held_text(const Graph& graph, const Buffer& buffer) {
  if (buffer.packed.valid()) {
    const char* records = buffer.extents[0] == 1 ? "record" : "records";
    return buffer.wrap ? fmt::format("ring of {} {}", buffer.wrap->modulus, records)
                       : fmt::format("{} {}", buffer.extents[0], records);
  }
  if (!buffer.tensor.valid()) return "";
  const Shape& shape = graph.tensor(buffer.tensor).shape;
  RegionExpr box;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t held = buffer.wraps(axis) ? shape[axis] : buffer.extents[axis];
    box.push_back({buffer.origin[axis], buffer.origin[axis] + held});
  }
  std::string text = buffer.wrap ? ring_text(buffer, shape) : "";
  text = joined(text, parts(box, shape));
  if (text.empty()) text = "all";
  if (!buffer.order.empty()) text += fmt::format(", axes as {}", fmt::join(buffer.order, " "));
  return text;
}

std::string region_text(const RegionExpr& region, const Shape& shape) {
  const std::string text = parts(region, shape);
  return text.empty() ? "all" : text;
}

std::string computes_text(const Graph& graph, const Schedule& schedule, const Step& step) {
  const Buffer& out = schedule.buffer(step.out);
  if (!out.packed.valid()) return region_text(step.region, graph.tensor(out.tensor).shape);
  if (step.transfer == TransferPart::kWait) return "";
  if (!out.wrap) return "all records";
  return fmt::format("record {}", to_string(step.region[0].begin));
}

std::string interval_text(const IntervalExpr& interval, size_t axis, size_t rank) {
  const std::string begin = to_string(interval.begin), end = to_string(interval.end);
  const bool named = rank == kImageRank;
  const std::string axis_number = fmt::format("axis {}", axis);
  std::string text =
      named && one_index(interval)
          ? fmt::format("{} {}", kImageAxes[axis].one, begin)
          : fmt::format("{} [{}, {})", named ? kImageAxes[axis].several : axis_number, begin, end);
  if (!interval.within) return text;
  return fmt::format("{} in [{}, {})", text, to_string(interval.within->begin),
                     to_string(interval.within->end));
}

const char* name(Method method) {
  switch (method) {
    case Method::kCompute:
      return "compute";
    case Method::kInPlace:
      return "in place";
    case Method::kAccumulate:
      return "accumulate";
    case Method::kFinalise:
      return "finalise";
  }
  throw InternalError("unknown Method");
}

namespace {

// "STORE", "FETCH", "ERASE", and what waits for them.
std::string transfer_label(const Schedule& schedule, const Step& step) {
  const bool from = is_stored(schedule, step.in[0].from[0]), to = is_stored(schedule, step.out);
  const bool packed = schedule.buffer(step.out).packed.valid();
  const std::string what = from && to ? "ERASE" : packed ? "WEIGHTS" : from ? "FETCH" : "STORE";
  if (packed && step.transfer == TransferPart::kBegin) return "BRING " + what;
  return step.transfer == TransferPart::kWait ? "WAIT FOR " + what : what;
}

}  // namespace

std::string step_label(const Graph& graph, const Schedule& schedule, const Step& step) {
  if (step.op.valid()) return label(graph.op(step.op));
  if (step.transfer != TransferPart::kNone) return transfer_label(schedule, step);
  return receives(schedule, step) ? "RECEIVE" : delivers(schedule, step) ? "DELIVER" : "COPY";
}

std::vector<LoopExtent> loop_extents(const Schedule& schedule) {
  std::vector<LoopExtent> loops;
  Position position = 0;
  add_loops(schedule.nodes, 0, position, loops);
  return loops;
}

std::string loop_text(const LoopExtent& loop) {
  return fmt::format("i{} < {}", loop.id.value, loop.count);
}

StepCounts step_counts(const Schedule& schedule) {
  StepCounts counts;
  count_steps(schedule.nodes, 1, counts);
  return counts;
}

}  // namespace thimble
