// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/roll.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"
#include "thimble/plan/order_problem.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

size_t position(int at) { return static_cast<size_t>(at); }

/// What the group over channels accumulates is summed here, too.
void accumulate(const Dataflow& dataflow, const ChannelGroup& channels, Group& group) {
  const auto sums = [&](ValueId v) {
    return std::ranges::find(channels.accumulated, v) != channels.accumulated.end();
  };
  if (sums(group.loop.paced)) group.loop.paced = dataflow.sums_of(group.loop.paced);
  for (Member& member : group.members) {
    if (auto* inner = std::get_if<Group>(&member.what)) {
      accumulate(dataflow, channels, *inner);
    } else if (auto& call = std::get<InstanceCall>(member.what);
               sums(dataflow.instances.instance(call.instance).makes)) {
      call.method = Method::kAccumulate;
    }
  }
}

}  // namespace

RolledGroups::RolledGroups(const Dataflow& dataflow, const OrderProblem& problem,
                           const std::vector<int>& order, const RollOptions& options)
    : flow_(dataflow),
      problem_(problem),
      order_(order),
      options_(options),
      bytes_(problem, order),
      leads_(input_leads(dataflow.graph, dataflow.instances)),
      least_rings_(least_rings(dataflow, problem.size_bytes)),
      single_bytes_(working_sets(problem, order)) {
  for (int k = 0; k < static_cast<int>(order.size()); ++k) {
    int64_t& bytes = single_bytes_[position(k)];
    const ValueId made = at(k).makes;
    if (passes_rows(at(k)) && (flow_.instances.delivers(at(k)) || !options.collects))
      bytes = kImpossible;
    if (!moves_whole(at(k))) bytes = kImpossible;
    if (bytes == kImpossible || !options_.in_place || !at(k).op.valid()) continue;
    const int64_t out = bytes_.size(made);
    const int64_t live =
        out + problem.ops[position(order[position(k)])].scratch_bytes + bytes_.held(k);
    for (const InputLead& lead : leads_.leads_of(at(k).op)) {
      for (const OverlapChoice& over : over_inputs(k)) {
        if (flow_.tensor(over.in) != lead.input || out == 0) continue;
        bytes = std::min(bytes, live - overlap_bytes(out, bytes_.size(over.in), lead.bytes));
      }
    }
  }
}

const Instance& RolledGroups::at(int k) const {
  return flow_.instances.instance({order_[position(k)]});
}

std::vector<OverlapChoice> RolledGroups::over_inputs(int k) const {
  std::vector<OverlapChoice> result;
  const Instance& instance = at(k);
  if (!instance.op.valid()) return result;
  for (const InputLead& lead : leads_.leads_of(instance.op)) {
    const std::vector<TensorId>& inputs = flow_.graph.op(instance.op).inputs;
    const ValueId in =
        instance.reads[static_cast<size_t>(std::ranges::find(inputs, lead.input) - inputs.begin())];
    if (bytes_.lives().last_read[in.index()] == k && bytes_.size(in) > 0)
      result.push_back({instance.makes, in});
  }
  return result;
}

std::optional<std::pair<OverlapChoice, int64_t>> RolledGroups::single_overlap(int k) const {
  const Instance& instance = at(k);
  const int64_t out = bytes_.size(instance.makes);
  if (!options_.in_place || out == 0 || !instance.op.valid()) return std::nullopt;
  const int64_t apart =
      out + problem_.ops[position(order_[position(k)])].scratch_bytes + bytes_.held(k);
  for (const InputLead& lead : leads_.leads_of(instance.op)) {
    for (const OverlapChoice& over : over_inputs(k)) {
      if (flow_.tensor(over.in) != lead.input) continue;
      if (apart - overlap_bytes(out, bytes_.size(over.in), lead.bytes) ==
          single_bytes_[position(k)])
        return std::pair(over, lead.bytes);
    }
  }
  return std::nullopt;
}

bool RolledGroups::passes_rows(const Instance& instance) const {
  return flow_.instances.receives(instance) || flow_.instances.delivers(instance);
}

bool RolledGroups::rows_pass(int begin, int end) const {
  for (int k = begin; k < end; ++k) {
    const Instance& instance = at(k);
    if (!passes_rows(instance)) continue;
    const bool delivers = flow_.instances.delivers(instance);
    if (delivers && bytes_.lives().made[instance.reads[0].index()] < begin) return false;
    if (!delivers && !options_.collects && bytes_.lives().last_read[instance.makes.index()] >= end)
      return false;
  }
  return true;
}

bool RolledGroups::moves_whole(const Instance& instance) const {
  const bool stores = flow_.instances.stores(instance);
  if (!stores && !flow_.instances.fetches(instance)) return true;
  const Buffer made = flow_.whole_buffer(instance.makes);
  const Buffer read = flow_.whole_buffer(instance.reads[0]);
  return held_fault(stores ? read : made, stores ? made : read).empty();
}

std::optional<int> RolledGroups::copied_axis(const Instance& instance) const {
  if (instance.op.valid()) return std::nullopt;
  if (passes_rows(instance)) return kStreamAxis;
  if (!flow_.instances.stores(instance) && !flow_.instances.fetches(instance)) return std::nullopt;
  const ValueId stored = flow_.instances.stores(instance) ? instance.makes : instance.reads[0];
  const int axis = record_form(flow_.whole_buffer(stored), 1).axis;
  return axis < 0 ? std::nullopt : std::optional(axis);
}

bool RolledGroups::cuts(const Instance& instance, int axis) const {
  return instance.op.valid() ? flow_.axes.cut(instance.op, axis) == Cut::kRoll
                             : copied_axis(instance) == axis;
}

bool RolledGroups::cuts_anywhere(const Instance& instance, Granularity granularity) const {
  if (copied_axis(instance)) return true;
  if (granularity == Granularity::kPixel)
    return cuts(instance, kRowAxis) && cuts(instance, kColumnAxis);
  const auto rank = static_cast<int>(flow_.shape(instance.makes).size());
  for (int axis = 0; axis < rank; ++axis) {
    if (cuts(instance, axis)) return true;
  }
  return false;
}

bool RolledGroups::sums_rows(int begin, const Instance& instance) const {
  if (!instance.op.valid()) return false;
  const std::optional<int> summed = flow_.axes.summed_axis(instance.op);
  const auto rank = static_cast<int>(flow_.shape(instance.reads[0]).size());
  return summed && *summed + 1 < rank && bytes_.lives().made[instance.reads[0].index()] >= begin;
}

bool RolledGroups::reads_sums(int begin, int end, const Instance& instance) const {
  return std::ranges::any_of(instance.reads, [&](ValueId v) {
    const int made = bytes_.lives().made[v.index()];
    return made >= begin && made < end && sums_rows(begin, at(made));
  });
}

std::vector<int> RolledGroups::row_axes(const Instance& last, Granularity granularity) const {
  const Shape& shape = flow_.shape(last.makes);
  std::vector<int> axes;
  if (!last.op.valid()) {
    if (const std::optional<int> axis = copied_axis(last)) axes.push_back(*axis);
    return axes;
  }
  if (granularity == Granularity::kPixel) {
    if (!is_image(shape)) return {};
    // Columns of images that are wider than high are shorter than rows.
    const bool wide = shape[kColumnAxis] > shape[kRowAxis] && shape[kRowAxis] > 1;
    if (cuts(last, kRowAxis)) axes.push_back(kRowAxis);
    if (wide && cuts(last, kColumnAxis)) axes.push_back(kColumnAxis);
    return axes;
  }
  for (int axis = 0; axis + 1 < static_cast<int>(shape.size()); ++axis) {
    const bool image_row = axis == kRowAxis && is_image(shape);
    if (!cuts(last, axis) || (shape[position(axis)] == 1 && !image_row)) continue;
    bool outermost = is_outermost(shape, axis);
    for (size_t k = 0; k < last.reads.size() && !outermost; ++k) {
      const Connection* read = flow_.axes.connection(last.op, k, axis);
      outermost = read != nullptr && is_outermost(flow_.shape(last.reads[k]), read->axis);
    }
    if (outermost) axes.push_back(axis);
  }
  return axes;
}

bool RolledGroups::keeps_axes(int begin, int end) const {
  for (int k = begin; k < end; ++k) {
    const InstanceCall call{.instance = {order_[position(k)]}};
    const std::span<const ValueId> read = flow_.read_by(call);
    for (size_t i = 0; i < read.size(); ++i) {
      for (const int axis : {kRowAxis, kColumnAxis}) {
        const Connection* along =
            flow_.is_constant(read[i]) ? nullptr : flow_.connection(call, i, axis);
        if (!flow_.is_constant(read[i]) && (along == nullptr || along->axis != axis)) return false;
      }
    }
  }
  return true;
}

Group RolledGroups::group(int begin, int end, int axis, Granularity granularity) const {
  const bool by_pixels = granularity == Granularity::kPixel;
  std::vector<Member> in_front, behind;  // of what is computed column by column
  Group result{.loop = {.paced = {}, .axis = axis}, .members = {}};
  std::vector<Member> computed, added;
  ValueId last;
  const auto end_columns = [&] {
    if (by_pixels && !computed.empty()) {
      const int inner = axis == kColumnAxis ? kRowAxis : kColumnAxis;
      computed = {{Group{.loop = {.paced = last, .axis = inner}, .members = std::move(computed)}}};
    }
    std::ranges::move(computed, std::back_inserter(result.members));
    std::ranges::move(behind, std::back_inserter(result.members));
    computed.clear();
    behind.clear();
  };
  for (int k = begin; k < end; ++k) {
    const InstanceId id{order_[position(k)]};
    const Instance& instance = at(k);
    const Member call{InstanceCall{.instance = id}};
    if (sums_rows(begin, instance)) {
      added.push_back({InstanceCall{id, Method::kAccumulate}});
      continue;
    }
    const bool stores = flow_.instances.stores(instance);
    const bool fetches = flow_.instances.fetches(instance);
    if (!(stores || fetches) || !last.valid()) last = instance.makes;
    if (instance.op.valid() || !by_pixels) {
      computed.push_back(call);
    } else if (stores) {
      behind.push_back(call);
    } else if (fetches && bytes_.lives().made[instance.reads[0].index()] >= begin) {
      end_columns();  // what it fetches is stored in this very group
      result.members.push_back(call);
    } else {
      in_front.push_back(call);
    }
  }
  end_columns();
  result.members.insert(result.members.begin(), in_front.begin(), in_front.end());
  std::ranges::move(added, std::back_inserter(result.members));
  result.loop.paced = last;
  return result;
}

std::vector<GroupCandidate> RolledGroups::groups(int begin, int end,
                                                 Granularity granularity) const {
  int last = end - 1;
  while (last >= begin && sums_rows(begin, at(last))) --last;
  std::vector<GroupCandidate> result;
  if (last < begin) return result;
  for (const int axis : row_axes(at(last), granularity)) {
    if (granularity == Granularity::kPixel && axis == kColumnAxis && !keeps_axes(begin, end))
      continue;
    GroupCandidate piece{.begin = begin,
                         .end = end,
                         .group = group(begin, end, axis, granularity),
                         .finalised = {},
                         .overlap = {},
                         .by_pixels = granularity == Granularity::kPixel};
    for (int k = begin; k < end; ++k) {
      if (sums_rows(begin, at(k)))
        piece.finalised.push_back({{order_[position(k)]}, Method::kFinalise});
    }
    result.push_back(piece);
    bool transfers = false;
    for (int k = begin; k < end; ++k) {
      transfers = transfers || flow_.instances.stores(at(k)) || flow_.instances.fetches(at(k));
    }
    if (!transfers) continue;
    piece.group.loop.transfers_beside = true;
    result.push_back(std::move(piece));
  }
  return result;
}

bool RolledGroups::measure(GroupCandidate& piece, int64_t incumbent_bytes) const {
  const std::optional<Derived> derived = derive(flow_, piece.group, Regions::kNone);
  if (!derived) return false;
  piece.bytes = bytes_.group(piece.begin, group_bytes(flow_, *derived));
  if (!options_.in_place) return piece.bytes < incumbent_bytes;
  std::vector<ValueId> whole;
  int64_t largest_out = 0, largest_in = 0;
  for (const DerivedStep& step : derived->steps) {
    const ValueId made = flow_.made_by(step.call);
    if (step.call.method == Method::kAccumulate || derived->storage_of(made) >= 0) continue;
    whole.push_back(made);
    largest_out = std::max(largest_out, bytes_.size(made));
  }
  const std::vector<ValueId> inputs = bytes_.consumed(piece.begin, piece.end);
  for (const ValueId v : inputs) largest_in = std::max(largest_in, bytes_.size(v));
  if (piece.bytes - std::min(largest_out, largest_in) >= incumbent_bytes) return false;
  const BestOverlap best = best_overlap(flow_, inputs, whole, [&](ValueId out, ValueId in) {
    return group_lead(flow_, *derived, out, in);
  });
  piece.overlap = best.choice;
  piece.lead_bytes = best.lead_bytes;
  piece.bytes -= best.saved_bytes;
  return piece.bytes < incumbent_bytes;
}

std::optional<GroupCandidate> RolledGroups::in_tiles(GroupCandidate piece, int64_t rows,
                                                     int64_t incumbent_bytes) const {
  for (int k = piece.begin; k < piece.end; ++k) {
    if (flow_.instances.receives(at(k)) || flow_.instances.delivers(at(k))) return std::nullopt;
  }
  Group* tiled = &piece.group;
  for (Member& member : piece.group.members) {
    if (auto* columns = std::get_if<Group>(&member.what)) tiled = columns;
  }
  tiled->loop.step = rows;
  piece.overlap.reset();
  piece.lead_bytes = 0;
  if (!measure(piece, incumbent_bytes)) return std::nullopt;
  return piece;
}

void RolledGroups::pass_through(int begin, int k, Through& through) const {
  through.largest_out = std::max(through.largest_out, bytes_.size(at(k).makes));
  const InstanceId id{order_[position(k)]};
  through.follows_rows = through.follows_rows && thimble::follows_rows(flow_, id);
  for (const int v : problem_.ops[id.index()].inputs) {
    const auto t = static_cast<size_t>(v);
    if (bytes_.lives().last_read[t] != k) continue;
    if (bytes_.lives().made[t] >= begin) {
      through.inside.by_rows += least_rings_[t].by_rows;
      through.inside.by_pixels += least_rings_[t].by_pixels;
      continue;
    }
    through.consumed += problem_.size_bytes[t];
    through.largest_in = std::max(through.largest_in, problem_.size_bytes[t]);
  }
}

std::vector<GroupCandidate> RolledGroups::all(const std::vector<int64_t>& incumbent_bytes, int most,
                                              Granularity granularity) const {
  std::vector<GroupCandidate> result;
  const auto count = static_cast<int>(order_.size());
  for (int begin = 0; begin < count; ++begin) {
    int64_t most_bytes = 0;
    Through through;
    for (int end = begin + 1; end <= std::min(count, begin + most); ++end) {
      const Instance& last = at(end - 1);
      if (!(sums_rows(begin, last) || cuts_anywhere(last, granularity)) ||
          reads_sums(begin, end - 1, last))
        break;
      most_bytes = std::max(most_bytes, incumbent_bytes[position(end - 1)]);
      pass_through(begin, end - 1, through);
      // What is live behind the group is live throughout, whichever way it executes.
      if (bytes_.held(end) >= most_bytes) continue;
      // So is what it consumes, but where an output lies over it.
      const int64_t overlapping =
          options_.in_place ? std::min(through.largest_in, through.largest_out) : 0;
      if (bytes_.held(end) + through.consumed - overlapping >= most_bytes) continue;
      // In one piece a single instance needs no more.
      if (end == begin + 1 && !passes_rows(last)) continue;
      if (!rows_pass(begin, end)) continue;
      const int64_t inside =
          granularity == Granularity::kRow ? through.inside.by_rows : through.inside.by_pixels;
      const int64_t least = bytes_.held(end) + through.consumed + inside - overlapping;
      for (GroupCandidate& piece : groups(begin, end, granularity)) {
        const bool by_rows = through.follows_rows && piece.group.loop.axis == kRowAxis;
        if (by_rows && least >= most_bytes) continue;
        if (measure(piece, most_bytes)) result.push_back(std::move(piece));
      }
    }
  }
  return result;
}

std::string RolledGroups::obstacle() const {
  std::vector<int> passing;  // instances that read what is received, or make what is delivered
  const auto received = [&](ValueId v) {
    const InstanceId maker = flow_.maker[v.index()];
    return maker.valid() && flow_.instances.receives(flow_.instances.instance(maker));
  };
  const auto delivered = [&](ValueId v) {
    return std::ranges::any_of(flow_.readers[v.index()], [&](InstanceId reader) {
      return flow_.instances.delivers(flow_.instances.instance(reader));
    });
  };
  for (int k = 0; k < static_cast<int>(order_.size()); ++k) {
    if (!at(k).op.valid()) continue;
    if (delivered(at(k).makes) || std::ranges::any_of(at(k).reads, received)) passing.push_back(k);
  }
  const auto named = [&](int k) { return label(flow_.graph.op(at(k).op)); };
  const auto whole = [&](int k) {
    const Instance& instance = at(k);
    if (!instance.op.valid()) return false;
    for (size_t i = 0; i < instance.reads.size(); ++i) {
      if (flow_.is_constant(instance.reads[i])) continue;
      const Connection* read = flow_.axes.connection(instance.op, i, kRowAxis);
      if (read == nullptr || read->axis != kRowAxis) return true;
    }
    return !cuts(instance, kRowAxis);
  };
  if (passing.empty()) return "no operator reads or makes it";
  for (const int k : passing) {
    if (whole(k)) return named(k) + " cannot execute row by row";
  }
  for (int k = passing.front(); k < passing.back(); ++k) {
    if (whole(k))
      return fmt::format("{} cannot execute row by row, and stands between {} and {}", named(k),
                         named(passing.front()), named(passing.back()));
  }
  return fmt::format("{} and {} cannot execute row by row together", named(passing.front()),
                     named(passing.back()));
}

Group roll_inside(const Dataflow& dataflow, const ChannelGroup& channels,
                  const GroupCandidate& rolled) {
  Group rows = rolled.group;
  accumulate(dataflow, channels, rows);
  Group result{.loop = channels.group.loop, .members = {{std::move(rows)}}};
  for (const InstanceCall& call : rolled.finalised) result.members.push_back({call});
  return result;
}

}  // namespace thimble
