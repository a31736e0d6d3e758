// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/build.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/plan/begin_transfers.h"
#include "thimble/plan/bring_constants.h"
#include "thimble/plan/close_states.h"
#include "thimble/plan/overlap_lead.h"
#include "thimble/plan/tile_shares.h"

namespace thimble {
namespace {

class Builder {
 public:
  /// with_room, brought: buffers, as with_transfers() and with_brought() want them, are added.
  Builder(const Dataflow& dataflow, const Plan& plan, std::set<BufferId>& with_room,
          std::map<BufferId, BroughtBuffer>& brought)
      : flow_(dataflow),
        plan_(plan),
        with_room_(with_room),
        brought_(brought),
        of_(2 * dataflow.instances.values.size()) {}

  Schedule run() {
    for (const Member& member : plan_.members) {
      Derived& derived = groups_.emplace_back();
      const auto* group = std::get_if<Group>(&member.what);
      if (group == nullptr) continue;
      std::optional<Derived> found = derive(flow_, *group);
      check(found.has_value(), "a group of a plan has no tiles");
      derived = std::move(*found);
      shift_.push_back(schedule_.loop_count);
      schedule_.loop_count +=
          static_cast<int>(derived.flat ? derived.flat->loops.size() : derived.loops.size());
    }
    note_uses();
    add_buffers();
    size_t group = 0;
    for (size_t m = 0; m < plan_.members.size(); ++m) {
      if (const auto* call = std::get_if<InstanceCall>(&plan_.members[m].what)) {
        DerivedStep whole_step{.call = *call, .region = {}, .chunk = {}};
        whole_step.region = region_expr(whole(flow_.shape(flow_.made_by(*call))));
        whole_step.recomputes = flow_.instances.instance(call->instance).recomputes;
        schedule_.nodes.push_back({with_scratch(step(whole_step, nullptr))});
      } else {
        group_ = &groups_[m];
        loops_before_ = shift_[group++];
        size_t next_loop = 0;
        Position at = 0;
        if (group_->flat) {
          write_flat(*group_->flat, m);
        } else {
          schedule_.nodes.push_back({loop(next_loop, at)});
        }
      }
    }
    for (const OverlapChoice& o : plan_.overlaps) {
      if (overlaps(o.out, o.in)) share(buffer_of(o.out), buffer_of(o.in));
    }
    close_states(flow_.graph, schedule_);
    return std::move(schedule_);
  }

 private:
  /// Ports, then each call's operands, result and scratch, then sums and kept rows.
  void add_buffers() {
    const size_t inputs = flow_.graph.inputs.size(), outputs = flow_.graph.outputs.size();
    for (size_t k = 0; k < flow_.instances.inputs.size(); ++k) {
      const BufferId buffer = buffer_of(flow_.instances.inputs[k]);
      if (k < inputs) schedule_.inputs.push_back(buffer);
      if (k >= inputs) schedule_.states.push_back({buffer, {}});
    }
    std::vector<ValueId> sums;
    for (size_t m = 0; m < plan_.members.size(); ++m) {
      const Derived& derived = groups_[m];
      blocks_.emplace_back();
      if (derived.flat) {
        for (const Storage& storage : derived.flat->storages)
          blocks_.back().push_back(push(storage.buffer, m));
      }
      for (const InstanceCall& call : calls({plan_.members[m]})) {
        for (const ValueId v : flow_.read_by(call)) add(v, derived, sums);
        add(flow_.made_by(call), derived, sums);
        if (!derived.flat) scratch_.push_back(scratch_of(call));
      }
    }
    for (size_t k = 0; k < flow_.instances.outputs.size(); ++k) {
      const BufferId buffer = buffer_of(flow_.instances.outputs[k]);
      if (k < outputs) schedule_.outputs.push_back(buffer);
      if (k >= outputs) schedule_.states[k - outputs].out = buffer;
    }
    for (const ValueId v : sums) {
      buffer_of(v);
      const ValueId value{v.value - static_cast<int32_t>(flow_.instances.values.size())};
      if (of_[value.index()].valid() && overlaps(value, v)) share(of_[value.index()], buffer_of(v));
    }
    for (size_t m = 0; m < plan_.members.size(); ++m) {
      kept_.emplace_back();
      for (const KeptRows& kept : groups_[m].kept) kept_.back().push_back(push(kept.buffer, m));
    }
  }

  void add(ValueId v, const Derived& derived, std::vector<ValueId>& sums) {
    if (flow_.is_constant(v) || of_[v.index()].valid()) return;
    const int storage = derived.storage_of(v);
    if (storage >= 0 && derived.flat) {
      in_blocks_.push_back(v);
    } else if (storage >= 0) {
      const Storage& of = derived.storages[static_cast<size_t>(storage)];
      of_[v.index()] = push(of.buffer, static_cast<size_t>(&derived - groups_.data()));
      if (of.has_room_beside) with_room_.insert(of_[v.index()]);
      if (flow_.is_sums(v)) sums.push_back(v);
    } else if (flow_.is_sums(v)) {
      if (std::ranges::find(sums, v) == sums.end()) sums.push_back(v);
    } else {
      buffer_of(v);
    }
  }

  /// A buffer whose origins follow the loops of a member.
  BufferId push(Buffer buffer, size_t member) {
    const auto groups_before =
        std::count_if(plan_.members.begin(), plan_.members.begin() + static_cast<ptrdiff_t>(member),
                      [](const Member& m) { return std::holds_alternative<Group>(m.what); });
    for (IndexExpr& origin : buffer.origin)
      renumber(origin, shift_[static_cast<size_t>(groups_before)]);
    schedule_.buffers.push_back(std::move(buffer));
    return {static_cast<int32_t>(schedule_.buffers.size()) - 1};
  }

  static void renumber(IndexExpr& expr, int shift) {
    for (Term& term : expr.terms) term.loop.value += shift;
  }

  /// The buffer of a value outside of groups; full.
  BufferId buffer_of(ValueId v) {
    BufferId& id = of_[v.index()];
    if (id.valid()) return id;
    id = {static_cast<int32_t>(schedule_.buffers.size())};
    schedule_.buffers.push_back(flow_.whole_buffer(v));
    return id;
  }

  /// Invalid if it needs none.
  BufferId scratch_of(const InstanceCall& call) {
    const OpId op = flow_.instances.instance(call.instance).op;
    if (!op.valid() || flow_.scratch_bytes(call) == 0) return {};
    const Scratch needed = scratch(flow_.axes.kernel_uses().uses_of(op, call.method));
    return needed.size_bytes > 0 ? add_scratch(schedule_, needed) : BufferId{};
  }

  /// Per value, then per value's sums: the members that make it and that read it last; -1: none.
  void note_uses() {
    made_in_.assign(of_.size(), -1);
    last_read_in_ = made_in_;
    for (size_t m = 0; m < plan_.members.size(); ++m) {
      for (const InstanceCall& call : calls({plan_.members[m]})) {
        made_in_[flow_.made_by(call).index()] = static_cast<int>(m);
        for (const ValueId v : flow_.read_by(call)) last_read_in_[v.index()] = static_cast<int>(m);
      }
    }
  }

  /// Whether there is a closed form of how far `out` may lie over `in` (overlap_lead.h). Of what a
  /// group makes, the walk over the schedule finds it so far.
  [[nodiscard]] bool overlaps(ValueId out, ValueId in) const {
    for (const ValueId v : {out, in}) {
      if (std::ranges::find(in_blocks_, v) != in_blocks_.end()) return false;
    }
    const int made_in = made_in_[out.index()];
    if (made_in < 0) return false;
    const Member& member = plan_.members[static_cast<size_t>(made_in)];
    const auto* call = std::get_if<InstanceCall>(&member.what);
    if (call == nullptr) return true;
    return last_read_in_[in.index()] == made_in && call_lead(flow_, *call, in).has_value();
  }

  void share(BufferId out, BufferId in) {
    const Share share{out, in};
    if (std::ranges::find(schedule_.shares, share) == schedule_.shares.end())
      schedule_.shares.push_back(share);
  }

  /// The scratch memory of the next call.
  Step with_scratch(Step step) {
    step.scratch = scratch_[next_call_++];
    return step;
  }

  Step step(const DerivedStep& derived, const std::vector<BufferId>* kept) {
    const Instance& instance = flow_.instances.instance(derived.call.instance);
    const BufferId made = of_[flow_.made_by(derived.call).index()];
    Step result{.region = derived.region, .chunk = derived.chunk};
    for (IntervalExpr& interval : result.region)
      each_bound(interval, [&](IndexExpr& bound) { renumber(bound, loops_before_); });
    if (derived.kind != DerivedStep::Kind::kCall) {
      const BufferId rows = (*kept)[static_cast<size_t>(derived.kept)];
      const bool fills = derived.kind == DerivedStep::Kind::kFill;
      result.in = {fills ? rows : made};
      result.out = fills ? made : rows;
      return result;
    }
    if (result.chunk) {
      renumber(result.chunk->begin, loops_before_);
      renumber(result.chunk->end, loops_before_);
    }
    result.op = instance.op;
    result.method = derived.call.method;
    for (const ValueId v : flow_.read_by(derived.call)) result.in.push_back(of_[v.index()]);
    result.out = made;
    result.recomputes = derived.recomputes && !flow_.instances.fetches(instance);
    if (derived.call.constants) bring(*derived.call.constants, derived, result);
    return result;
  }

  /// Where the step's packed constants are held.
  void bring(const Brought& brought, const DerivedStep& derived, Step& step) {
    const Op& op = flow_.graph.op(step.op);
    const PackedRecords records{step.op, brought.kernel, brought.channels};
    // One record where a loop around what reads it goes over them, and another one if that is read
    // meanwhile; else all.
    const IndexExpr channel = step.region.empty() ? index(0) : step.region.back().begin;
    const bool follows = std::ranges::any_of(channel.terms, [&](const Term& term) {
      const auto loop = static_cast<size_t>(term.loop.value - loops_before_);
      return group_->loops[loop].depth < brought.depth;
    });
    const int64_t rows = !follows ? brought.records : brought.ahead ? 2 : 1;
    Buffer held{.type = DType::kInt32,
                .extents = {std::min(rows, brought.records),
                            brought.record_bytes / size_bytes(DType::kInt32)},
                .origin = {index(0), index(0)},
                .packed = records};
    if (rows < brought.records) held.wrap = Wrap{0, rows};
    step.constants = {static_cast<int32_t>(schedule_.buffers.size())};
    step.kernel = brought.kernel;
    schedule_.buffers.push_back(std::move(held));
    if (brought.records > 1) {
      check(packed_channels(flow_.graph, op) > brought.channels && channel.divisor == 1 &&
                channel.base % brought.channels == 0,
            "a plan brings constants in records that are no tiles");
      step.record = channel;
      step.record.base /= brought.channels;
      for (Term& term : step.record.terms) {
        check(term.coefficient % brought.channels == 0,
              "a plan brings constants in records that are no tiles");
        term.coefficient /= brought.channels;
      }
    }
    brought_.emplace(step.constants,
                     BroughtBuffer{stored_of(records, brought), brought.depth, brought.ahead,
                                   brought.early, follows, when_computing(brought, derived)});
  }

  /// All records in the tiles in which the step makes something, none in others. Nothing: in all.
  std::optional<CutExpr> when_computing(const Brought& brought, const DerivedStep& step) const {
    if (brought.depth == 0) return std::nullopt;  // perhaps in no group at all
    check(group_ != nullptr && !group_->flat, "constants are read in loops of a group");
    const auto [loop, tiles] =
        computing_tiles(*group_, step.region, flow_.shape(flow_.made_by(step.call)), brought.depth);
    if (loop < 0) return std::nullopt;
    const int64_t all = brought.records;
    const LoopId tile{loop + loops_before_};
    return CutExpr{index(tile, all, -all * (tiles.end - 1)),
                   index(tile, all, -all * (tiles.begin - 1))};
  }

  /// The image of these records in storage: one, however many steps read it.
  BufferId stored_of(const PackedRecords& records, const Brought& brought) {
    const auto [it, added] = stored_.try_emplace(
        {records.op, records.kernel, records.channels, brought.from}, BufferId{});
    if (!added) return it->second;
    it->second = {static_cast<int32_t>(schedule_.buffers.size())};
    schedule_.buffers.push_back(
        {.type = DType::kInt32,
         .extents = {brought.records, brought.record_bytes / size_bytes(DType::kInt32)},
         .origin = {index(0), index(0)},
         .memory = brought.from,
         .packed = records});
    return it->second;
  }

  /// The steps of a group written down tile by tile, and the loops inside of its tiles.
  void write_flat(const UnrolledTiles& flat, size_t member) {
    size_t next = 0;
    Position at = 0;
    while (at < static_cast<Position>(flat.steps.size()))
      schedule_.nodes.push_back(flat_node(flat, member, next, at));
  }

  Node flat_node(const UnrolledTiles& flat, size_t member, size_t& next, Position& at) {
    if (next >= flat.loops.size() || flat.loops[next].steps.begin != at)
      return {flat_step(flat.steps[static_cast<size_t>(at++)], member)};
    const UnrolledTiles::Loop& shape = flat.loops[next];
    Loop result{.id = {loops_before_ + static_cast<int>(next)}, .count = shape.tiles, .body = {}};
    ++next;
    while (at < shape.steps.end) result.body.push_back(flat_node(flat, member, next, at));
    return {std::move(result)};
  }

  Step flat_step(const UnrolledTiles::Step& flat, size_t member) {
    const DerivedStep& of = group_->steps[flat.of];
    const auto buffer = [&](int storage) { return blocks_[member][static_cast<size_t>(storage)]; };
    if (flat.joins) {
      Step copy{.region = flat.region, .chunk = {}};
      copy.in = {buffer(flat.in[0])};
      copy.out = buffer(flat.out);
      return copy;
    }
    DerivedStep tile = of;
    tile.region = flat.region;
    tile.chunk = flat.chunk;
    Step result = step(tile, nullptr);
    result.scratch = scratch_of(of.call);
    for (size_t k = 0; k < flat.in.size(); ++k) {
      if (flat.in[k] >= 0) result.in[k] = buffer(flat.in[k]);
    }
    if (flat.out >= 0) result.out = buffer(flat.out);
    if (result.method == Method::kFinalise && flat.out >= 0 && flat.in[0] >= 0)
      share(result.out, buffer(flat.in[0]));
    return result;
  }

  /// Loop number `next` of the group and the loops in it, from step `at` on.
  Loop loop(size_t& next, Position& at) {
    const size_t number = next++;
    const DerivedLoop& shape = group_->loops[number];
    Loop result{
        .id = {loops_before_ + static_cast<int>(number)}, .count = shape.clock.tiles, .body = {}};
    const auto member = static_cast<size_t>(group_ - groups_.data());
    while (at < shape.steps.end) {
      if (next < group_->loops.size() && group_->loops[next].steps.begin == at &&
          group_->loops[next].steps.end <= shape.steps.end) {
        result.body.push_back({loop(next, at)});
      } else {
        const DerivedStep& next_step = group_->steps[static_cast<size_t>(at++)];
        Step written = step(next_step, &kept_[member]);
        const bool calls = next_step.kind == DerivedStep::Kind::kCall;
        result.body.push_back({calls ? with_scratch(std::move(written)) : std::move(written)});
      }
    }
    return result;
  }

  const Dataflow& flow_;
  const Plan& plan_;
  std::set<BufferId>& with_room_;
  std::map<BufferId, BroughtBuffer>& brought_;  ///< by what holds the constants
  std::map<std::tuple<OpId, KernelId, int64_t, MemoryId>, BufferId> stored_;
  Schedule schedule_;
  std::vector<BufferId> of_;                   ///< per value, then per value's sums
  std::vector<Derived> groups_;                ///< per member; empty for a call
  std::vector<int> shift_;                     ///< per group: loops before it
  std::vector<std::vector<BufferId>> kept_;    ///< per member
  std::vector<std::vector<BufferId>> blocks_;  ///< per member: UnrolledTiles::storages
  std::vector<ValueId> in_blocks_;
  std::vector<BufferId> scratch_;            ///< per call that no group writes down tile by tile
  std::vector<int> made_in_, last_read_in_;  ///< per value, then per value's sums
  size_t next_call_ = 0;
  const Derived* group_ = nullptr;  ///< the one at hand
  int loops_before_ = 0;
};

}  // namespace

Schedule build(const Dataflow& dataflow, const Plan& plan) {
  std::set<BufferId> with_room;
  std::map<BufferId, BroughtBuffer> brought;
  const auto schedule = [&] {
    if (plan.accumulators.empty()) return Builder(dataflow, plan, with_room, brought).run();
    Dataflow narrowed = dataflow;
    narrowed.sum_in(plan.accumulators);
    return Builder(narrowed, plan, with_room, brought).run();
  };
  Schedule steps = schedule();
  steps.memories = plan.memories;
  Schedule written;
  for (const Reading earliest : {Reading::kEarly, Reading::kAhead, Reading::kAtOnce}) {
    written = with_transfers(with_brought(steps, brought, earliest), with_room);
    if (brought.empty() || !too_many_in_flight(written)) break;
  }
  return with_residences(with_kernels(dataflow, std::move(written), plan.kernels), plan);
}

Schedule with_residences(Schedule schedule, const Plan& plan) {
  check(transfers(plan.residences).empty(), "nothing moves buffers between memories yet");
  schedule.memories = plan.memories;
  for (size_t b = 0; b < plan.residences.size(); ++b)
    schedule.buffers[b].memory = plan.residences[b].front().memory;
  return schedule;
}

Schedule with_kernels(const Dataflow& dataflow, Schedule schedule,
                      const std::vector<StepKernel>& kernels) {
  const auto name = [&](Step& step, const StepKernel& chosen) {
    if (!chosen.kernel.valid()) return;
    Scratch given =
        scratch(dataflow.axes.kernel_uses().uses_of(step.op, step.method), chosen.kernel);
    given.size_bytes = std::max(given.size_bytes, chosen.scratch_bytes);
    set_kernel(schedule, step, chosen.kernel, given);
  };
  size_t position = 0;
  const auto visit = [&](const auto& self, std::vector<Node>& nodes) -> void {
    for (Node& node : nodes) {
      visit_node(
          node,
          [&](Step& step) {
            if (position < kernels.size()) name(step, kernels[position]);
            ++position;
          },
          [&](Loop& loop) { self(self, loop.body); });
    }
  };
  visit(visit, schedule.nodes);
  return schedule;
}

Schedule build(const Graph& graph, const Plan& plan) {
  const AxisGraph axes(graph);
  return build(Dataflow(axes, plan.instances), plan);
}

bool has_derivations(const Dataflow& dataflow, const Plan& plan) {
  return std::ranges::all_of(plan.members, [&](const Member& member) {
    const auto* group = std::get_if<Group>(&member.what);
    return group == nullptr || derive(dataflow, *group, Regions::kNone).has_value();
  });
}

}  // namespace thimble
