// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/moves/by_columns.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/moves/spill.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"
#include "thimble/plan/order_plan.h"
#include "thimble/schedule/records.h"

namespace thimble::testing {
namespace {

using Items = std::vector<InstanceCall>;

PortPlaces random_places(const Graph& graph, zoo::Random& random) {
  const auto place = [&](const std::vector<Port>& ports) {
    const Tensor& t = graph.tensor(ports[0].tensor);
    const bool alone = graph.inputs[0].tensor != graph.outputs[0].tensor;
    if (ports.size() > 1 || t.is_constant() || !alone || !random.chance(0.2))
      return Place::kResident;
    if (random.chance(0.3)) return Place::kUser;
    return has_rows(t.shape) ? Place::kStreamed : Place::kResident;
  };
  return {place(graph.inputs), place(graph.outputs)};
}

/// The operators of the network, some of them twice, each result with readers of its own.
Instances random_instances(const AxisGraph& axes, zoo::Random& random) {
  const Graph& graph = axes.graph();
  Instances result = instances_of(graph, random_places(graph, random));
  if (const auto relaid = relayout_inputs(graph, result); relaid && random.chance(0.7))
    result = *relaid;
  if (const auto columns = by_columns(axes, result); columns && random.chance(0.4))
    result = *columns;
  for (int64_t twice = random.chance(0.4) ? random.between(1, 2) : 0; twice > 0; --twice) {
    const auto k =
        static_cast<size_t>(random.between(0, static_cast<int64_t>(result.list.size()) - 1));
    const ValueId made = result.list[k].makes;
    std::vector<InstanceId> readers = thimble::readers(result)[made.index()];
    const bool is_output = std::ranges::find(result.outputs, made) != result.outputs.end();
    std::erase_if(readers, [&](InstanceId r) { return !result.instance(r).op.valid(); });
    if (!result.list[k].op.valid() || readers.size() + (is_output ? 1 : 0) < 2) continue;
    result.list[k].recomputes = true;
    Instance copy = result.list[k];
    copy.makes = add_value(result, {.tensor = result.value(made).tensor, .axis_order = {}});
    const auto first = static_cast<size_t>(
        random.between(is_output ? 0 : 1, static_cast<int64_t>(readers.size()) - 1));
    for (size_t r = first; r < readers.size(); ++r)
      std::ranges::replace(result.list[readers[r].index()].reads, made, copy.makes);
    result.list.insert(result.list.begin() + static_cast<std::ptrdiff_t>(k) + 1, copy);
  }
  return result;
}

ScheduleMemory random_storage(zoo::Random& random) {
  const int64_t granule = int64_t{1} << random.between(0, 5);
  return {.name = "spare",
          .kind = MemoryKind::kBlockStorage,
          .alignment = 32,
          .storage = BlockStorage{.write_bytes = granule,
                                  .erase_bytes = random.chance(0.5) ? 0 : 16 * granule}};
}

/// One to three values that are stored, some of them compressed, and fetched for some or all of
/// their readers.
Instances random_spills(const Graph& graph, Instances instances, const BlockStorage& storage,
                        zoo::Random& random) {
  for (int64_t more = random.between(1, 3); more > 0; --more) {
    const auto v =
        static_cast<size_t>(random.between(0, static_cast<int64_t>(instances.values.size()) - 1));
    const ValueId value{static_cast<int32_t>(v)};
    std::vector<InstanceId> its = readers(instances)[v];
    const bool is_port = instances.value(value).memory != kArena;
    std::erase_if(its, [&](InstanceId r) { return !instances.instance(r).op.valid(); });
    const InstanceId maker = makers(instances)[v];
    const bool again = maker.valid() && instances.instance(maker).recomputes;
    if (its.empty() || is_port || again ||
        graph.tensor(instances.value(value).tensor).is_constant())
      continue;
    Spill spill{.value = value, .fetched_for = {}, .axis_order = instances.value(value).axis_order};
    const auto first = static_cast<size_t>(random.between(0, static_cast<int64_t>(its.size()) - 1));
    for (size_t r = first; r < its.size(); ++r) {
      if (r == first || random.chance(0.4)) spill.fetched_for.emplace_back();
      spill.fetched_for.back().push_back(its[r]);
    }
    if (random.chance(0.5)) {
      const RecordForm form =
          record_form(whole_buffer(graph, instances.value(value)), storage.write_bytes);
      spill.chunk_bytes = chunk_bytes(form, storage.write_bytes, random.between(1, 300));
    }
    instances = thimble::spill(instances, {spill}, kFirstFurtherMemory);
  }
  return instances;
}

class RandomPlanner {
 public:
  RandomPlanner(const AxisGraph& axes, zoo::Random& random, bool spills)
      : random_(random),
        graph_(axes.graph()),
        axes_(axes),
        storage_(spills ? random_storage(random) : ScheduleMemory{}),
        instances_(spills ? random_spills(graph_, random_instances(axes, random), *storage_.storage,
                                          random)
                          : random_instances(axes, random)),
        flow_(axes, instances_) {
    if (spills) result_.plan.memories.push_back(storage_);
  }

  RandomPlan run() {
    result_.plan.instances = instances_;
    Items items = random_order();
    while (!items.empty()) {
      if (!(random_.chance(0.75) && add_group(items))) add_call(items);
    }
    add_overlaps();
    return std::move(result_);
  }

 private:
  struct Drawn {
    Group group;
    Items sums;  ///< to be finalised behind it
  };

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(random_.between(0, static_cast<int64_t>(from.size()) - 1))];
  }

  [[nodiscard]] bool is_stream(ValueId v) const { return instances_.value(v).memory == kStream; }
  [[nodiscard]] bool receives(const InstanceCall& call) const {
    const Instance& instance = instances_.instance(call.instance);
    return !instance.op.valid() && is_stream(instance.reads[0]);
  }

  /// What receives a stream is first.
  Items random_order() {
    std::vector<bool> made(instances_.values.size(), false);
    for (size_t v = 0; v < made.size(); ++v) made[v] = !flow_.maker[v].valid();
    std::vector<bool> done(instances_.list.size(), false);
    Items result;
    const bool depth_first = random_.chance(0.5);
    while (result.size() < done.size()) {
      std::vector<InstanceId> ready;
      for (size_t k = 0; k < done.size(); ++k) {
        const auto there = [&](ValueId v) { return made[v.index()]; };
        if (!done[k] && std::ranges::all_of(instances_.list[k].reads, there))
          ready.push_back({static_cast<int32_t>(k)});
      }
      InstanceId next = depth_first && random_.chance(0.7) ? ready.back() : pick(ready);
      for (const InstanceId id : ready) {
        if (receives({.instance = id})) next = id;
      }
      done[next.index()] = true;
      made[instances_.instance(next).makes.index()] = true;
      result.push_back({.instance = next});
    }
    return result;
  }

  /// In front of the first that reads what it finalises, or somewhere before.
  void insert_finalise(Items& items, const InstanceCall& call) {
    const ValueId made = flow_.made_by(call);
    size_t last = 0;
    while (last < items.size()) {
      const std::span<const ValueId> read = flow_.read_by(items[last]);
      if (std::ranges::find(read, made) != read.end()) break;
      ++last;
    }
    const auto at = random_.chance(0.6) ? 0 : random_.between(0, static_cast<int64_t>(last));
    items.insert(items.begin() + at, call);
  }

  bool add_group(Items& items) {
    const auto most = std::min<int64_t>(8, static_cast<int64_t>(items.size()));
    int64_t length = random_.between(1, most);
    for (int tries = 0; tries < 40; ++tries) {
      if (tries % 10 == 9) length = std::max<int64_t>(1, length / 2);
      const Items run(items.begin(), items.begin() + length);
      Drawn drawn = random_.chance(0.15) ? draw_sweep(run) : draw_group(run, 1);
      if (!in_order(drawn, run)) continue;
      ++result_.drawn;
      std::optional<Derived> derived = derive(flow_, drawn.group);
      if (!derived) continue;
      for (int changes = random_.chance(0.6) ? 6 : 0; changes > 0; --changes) {
        Group changed = drawn.group;
        change(changed, 1);
        ++result_.drawn;
        if (std::optional<Derived> next = derive(flow_, changed)) {
          drawn.group = std::move(changed);
          derived = std::move(next);
        }
      }
      note(*derived);
      items.erase(items.begin(), items.begin() + length);
      for (const InstanceCall& call : drawn.sums) insert_finalise(items, call);
      result_.plan.members.push_back({std::move(drawn.group)});
      return true;
    }
    return false;
  }

  void note(const Derived& derived) {
    ++result_.accepted;
    int deepest = 0, sums = 0;
    for (const DerivedLoop& loop : derived.loops) deepest = std::max(deepest, loop.depth + 1);
    for (const DerivedStep& step : derived.steps)
      sums += step.call.method == Method::kAccumulate ? 1 : 0;
    result_.nested += derived.loops.size() > 1 ? 1 : 0;
    result_.deepest = std::max(result_.deepest, deepest);
    result_.sums += sums;
    result_.flat += derived.flat ? 1 : 0;
    if (derived.flat) {
      for (const UnrolledTiles::Step& step : derived.flat->steps)
        result_.windows += step.joins ? 1 : 0;
    }
    result_.kept += static_cast<int>(derived.kept.size());
    for (const DerivedStep& step : derived.steps) {
      const Instance& instance = instances_.instance(step.call.instance);
      result_.moved += instances_.stores(instance) || instances_.fetches(instance) ? 1 : 0;
    }
    for (const DerivedLoop& loop : derived.loops)
      result_.tiled_twice += loop.clock.calls[0].outer ? 1 : 0;
    result_.longest = std::max(result_.longest, static_cast<int>(derived.steps.size()));
  }

  /// Nothing is read whose sums wait for their end.
  bool in_order(const Drawn& drawn, const Items& run) {
    std::vector<bool> missing(instances_.values.size(), false);
    for (const InstanceCall& call : run) missing[flow_.made_by(call).index()] = true;
    for (const InstanceCall& call : calls({{drawn.group}})) {
      for (const ValueId v : flow_.read_by(call)) {
        if (v.index() < missing.size() && missing[v.index()]) return false;
      }
      const ValueId made = flow_.made_by(call);
      if (made.index() < missing.size()) missing[made.index()] = false;
    }
    return true;
  }

  static int depth_of(const std::vector<Member>& members) {
    int deepest = 0;
    for (const Member& member : members) {
      if (const auto* group = std::get_if<Group>(&member.what))
        deepest = std::max(deepest, 1 + depth_of(group->members));
    }
    return deepest;
  }

  /// One more loop, around some of its members or those of a group in it, or another border.
  void change(Group& group, int depth) {
    std::vector<Group*> inside;
    for (Member& member : group.members) {
      if (auto* inner = std::get_if<Group>(&member.what)) inside.push_back(inner);
    }
    if (!inside.empty() && random_.chance(0.4)) return change(*pick(inside), depth + 1);
    if (random_.chance(0.25)) {
      const ValueId made = flow_.made_by(pick(calls(group.members)));
      group.loop.others.emplace_back(made, draw_border());
      return;
    }
    const auto count = static_cast<int64_t>(group.members.size());
    const int64_t length = random_.chance(0.4) ? count : random_.between(1, count);
    const auto begin = group.members.begin() + random_.between(0, count - length);
    Group inner;
    inner.members.assign(begin, begin + length);
    if (depth + depth_of(inner.members) >= 3) return;
    inner.loop = draw_loop(calls(inner.members));
    *begin = {std::move(inner)};
    group.members.erase(begin + 1, begin + length);
  }

  Drawn draw_group(Items items, int depth) {
    Drawn result;
    const double nests = depth == 1 ? 0.3 : 0.15;
    while (!items.empty()) {
      if (depth < 3 && random_.chance(nests)) {
        const auto count = static_cast<int64_t>(items.size());
        const int64_t length = random_.chance(0.5) ? count : random_.between(1, count);
        Drawn inner = draw_group(Items(items.begin(), items.begin() + length), depth + 1);
        items.erase(items.begin(), items.begin() + length);
        result.group.members.push_back({std::move(inner.group)});
        for (const InstanceCall& call : inner.sums) {
          if (random_.chance(0.7)) {
            insert_finalise(items, call);
          } else {
            result.sums.push_back(call);
          }
        }
        continue;
      }
      InstanceCall call = items.front();
      items.erase(items.begin());
      const OpId op = instances_.instance(call.instance).op;
      if (call.method == Method::kCompute && op.valid() && axes_.summed_axis(op) &&
          random_.chance(0.3)) {
        call.method = Method::kAccumulate;
        result.sums.push_back({call.instance, Method::kFinalise});
      }
      result.group.members.push_back({call});
    }
    result.group.loop = draw_loop(calls(result.group.members));
    return result;
  }

  /// Rows around columns, or columns around rows, most of them rolled; some in strips of columns.
  Drawn draw_sweep(const Items& items) {
    Group columns, rows;
    for (const InstanceCall& call : items) columns.members.push_back({call});
    columns.loop = draw_loop(items);
    columns.loop.paced = flow_.made_by(items.back());
    const bool turned = random_.chance(0.25);
    columns.loop.axis = turned ? 1 : 2;
    rows.loop = draw_loop(items);
    rows.loop.paced = columns.loop.paced;
    rows.loop.axis = turned ? 2 : 1;
    if (random_.chance(0.7)) columns.loop.border = rows.loop.border = Border::kRoll;
    rows.members.push_back({std::move(columns)});
    if (!random_.chance(0.4)) return {std::move(rows), {}};
    Group strips;
    strips.loop.paced = rows.loop.paced;
    strips.loop.axis = 2;
    strips.loop.step = random_.between(2, 6);
    strips.loop.border = random_.chance(0.7) ? Border::kRecompute : draw_border();
    strips.members.push_back({std::move(rows)});
    return {std::move(strips), {}};
  }

  Border draw_border() {
    if (random_.chance(0.5)) return Border::kRoll;
    return pick(std::vector{Border::kSlice, Border::kRecompute, Border::kBlocks});
  }

  TileLoop draw_loop(const Items& inside) {
    TileLoop loop;
    std::vector<InstanceCall> sums;
    std::ranges::copy_if(inside, std::back_inserter(sums),
                         [](const InstanceCall& c) { return c.method == Method::kAccumulate; });
    if (!sums.empty() && random_.chance(0.6)) {
      const Instance& instance = instances_.instance(pick(sums).instance);
      loop.paced = instance.reads[0];
      loop.axis = *axes_.summed_axis(instance.op);
    } else {
      loop.paced = flow_.made_by(random_.chance(0.6) ? inside.back() : pick(inside));
      if (random_.chance(0.05)) {
        const std::span<const ValueId> read = flow_.read_by(pick(inside));
        loop.paced = pick(std::vector<ValueId>(read.begin(), read.end()));
      }
      loop.axis = draw_axis(loop.paced);
    }
    loop.step = random_.between(0, 5);
    loop.border = draw_border();
    for (const InstanceCall& call : inside) {
      if (random_.chance(0.15)) loop.others.emplace_back(flow_.made_by(call), draw_border());
    }
    if (random_.chance(0.04)) {
      const ValueId value = flow_.made_by(pick(inside));
      loop.alongside.emplace_back(value, draw_axis(value));
    }
    if (result_.plan.memories.back().storage) loop.transfers_beside = random_.chance(0.5);
    return loop;
  }

  int draw_axis(ValueId v) {
    const Shape& shape = flow_.shape(v);
    std::vector<int> long_ones;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] > 1) long_ones.push_back(static_cast<int>(axis));
    }
    if (shape.empty()) return 0;
    if (long_ones.empty() || random_.chance(0.03))
      return static_cast<int>(random_.between(0, static_cast<int64_t>(shape.size()) - 1));
    return random_.chance(0.4) ? long_ones.front() : pick(long_ones);
  }

  void add_call(Items& items) {
    InstanceCall call = items.front();
    items.erase(items.begin());
    if (receives(call)) {
      result_.plan.members.push_back({gathering(flow_, call.instance)});
      return;
    }
    const Instance& instance = instances_.instance(call.instance);
    if (random_.chance(0.4) && may_be_in_place(call, items)) {
      call.method = Method::kInPlace;
      result_.plan.overlaps.push_back({instance.makes, instance.reads[0]});
    }
    result_.plan.members.push_back({call});
  }

  [[nodiscard]] bool may_be_in_place(const InstanceCall& call, const Items& later) const {
    const Instance& instance = instances_.instance(call.instance);
    const ValueId in = instance.reads[0];
    if (call.method != Method::kCompute) return false;
    if (instance.op.valid()
            ? !has_kernel(graph_, graph_.op(instance.op), Method::kInPlace) ||
                  !instances_.value(in).axis_order.empty() ||
                  !instances_.value(instance.makes).axis_order.empty()
            : !relayouts_in_place(graph_, instances_.value(in), instances_.value(instance.makes)))
      return false;
    const bool made_here =
        (flow_.maker[in.index()].valid() || !instance.op.valid()) && !flow_.is_output[in.index()];
    const auto arena = [&](ValueId v) { return instances_.value(v).memory == kArena; };
    return made_here && arena(in) && arena(instance.makes) &&
           std::ranges::none_of(later, [&](const InstanceCall& other) {
             const std::span<const ValueId> read = flow_.read_by(other);
             return std::ranges::find(read, in) != read.end();
           });
  }

  /// Overlaps of a call or a group over what it reads, wherever it lies.
  void add_overlaps() {
    for (const Member& member : result_.plan.members) {
      const Items inside = calls({member});
      if (!random_.chance(0.5)) continue;
      for (const InstanceCall& call : inside) {
        const ValueId out = flow_.made_by(call);
        if (flow_.is_sums(out) || call.method == Method::kInPlace || !random_.chance(0.7)) continue;
        for (const InstanceCall& reader : inside) {
          for (const ValueId in : flow_.read_by(reader)) {
            if (in == out || flow_.is_sums(in) || !random_.chance(0.5)) continue;
            if (graph_.tensor(flow_.tensor(in)).is_constant()) continue;
            const OverlapChoice choice{out, in};
            if (std::ranges::find(result_.plan.overlaps, choice) == result_.plan.overlaps.end())
              result_.plan.overlaps.push_back(choice);
          }
        }
      }
    }
  }

  zoo::Random& random_;
  const Graph& graph_;
  const AxisGraph& axes_;
  ScheduleMemory storage_;
  Instances instances_;
  Dataflow flow_;
  RandomPlan result_;
};

std::string name_of(Border border) {
  switch (border) {
    case Border::kSlice:
      return "slice";
    case Border::kRoll:
      return "roll";
    case Border::kRecompute:
      return "recompute";
    case Border::kBlocks:
      return "blocks";
  }
  return "";
}

std::string name_of(Method method) {
  return method == Method::kCompute      ? "compute"
         : method == Method::kInPlace    ? "in place"
         : method == Method::kAccumulate ? "accumulate"
                                         : "finalise";
}

void write(const Graph& graph, const Instances& instances, const std::vector<Member>& members,
           const std::string& indent, std::string& out) {
  const auto describe = [&](ValueId v) {
    const Tensor& t = graph.tensor(instances.value(v).tensor);
    return fmt::format("v{}{}[{}]", v.value, t.is_constant() ? "c" : "", fmt::join(t.shape, ","));
  };
  for (const Member& member : members) {
    if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
      const Instance& instance = instances.instance(call->instance);
      out += fmt::format("{}{} {} {} <-", indent, name_of(call->method),
                         instance.op.valid() ? name(graph.op(instance.op).attributes) : "copy",
                         describe(instance.makes));
      for (const ValueId v : instance.reads) out += " " + describe(v);
      out += "\n";
      continue;
    }
    const Group& group = std::get<Group>(member.what);
    out += fmt::format("{}loop v{} axis {} step {} {}", indent, group.loop.paced.value,
                       group.loop.axis, group.loop.step, name_of(group.loop.border));
    for (const auto& [v, border] : group.loop.others)
      out += fmt::format(" v{}:{}", v.value, name_of(border));
    for (const auto& [v, axis] : group.loop.alongside)
      out += fmt::format(" alongside v{} axis {}", v.value, axis);
    out += "\n";
    write(graph, instances, group.members, indent + "  ", out);
  }
}

}  // namespace

RandomPlan random_plan(const AxisGraph& axes, zoo::Random& random, bool spills) {
  return RandomPlanner(axes, random, spills).run();
}

int keep_closed_leads(const Dataflow& flow, Plan& plan) {
  int kept = 0;
  for (const Member& member : plan.members) {
    const auto* group = std::get_if<Group>(&member.what);
    if (group == nullptr) continue;
    const Derived derived = derive(flow, *group).value();
    for (const InstanceCall& call : calls({member})) {
      if (call.method == Method::kFinalise) return -1;
      const ValueId makes = plan.instances.instance(call.instance).makes;
      const auto closed = [&](const OverlapChoice& o) {  // and as exact as the walk
        const std::span<const ValueId> read = flow.read_by(call);
        const OpId op = plan.instances.instance(call.instance).op;
        const bool finer =
            std::ranges::find(read, o.in) != read.end() &&
            !(op.valid() && flow.axes.by_elements(op) && flow.shape(o.in) == flow.shape(o.out));
        return !finer && group_lead(flow, derived, o.out, o.in).has_value();
      };
      std::erase_if(plan.overlaps,
                    [&](const OverlapChoice& o) { return o.out == makes && !closed(o); });
      kept += static_cast<int>(std::ranges::count(plan.overlaps, makes, &OverlapChoice::out));
    }
  }
  return kept;
}

std::string text(const Graph& graph, const Plan& plan) {
  std::string result = fmt::format("inputs");
  for (const ValueId v : plan.instances.inputs) result += fmt::format(" v{}", v.value);
  result += "; outputs";
  for (const ValueId v : plan.instances.outputs) result += fmt::format(" v{}", v.value);
  result += "\n";
  write(graph, plan.instances, plan.members, "", result);
  for (const OverlapChoice& o : plan.overlaps)
    result += fmt::format("v{} over v{}\n", o.out.value, o.in.value);
  return result;
}

}  // namespace thimble::testing
