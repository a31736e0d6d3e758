// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/slice_channels.h"

#include <algorithm>
#include <iterator>

#include "thimble/operators/operators.h"

namespace thimble {
namespace {

template <typename T>
bool lists(const std::vector<T>& list, T item) {
  return std::ranges::find(list, item) != list.end();
}

void add_once(std::vector<ValueId>& list, ValueId value) {
  if (!lists(list, value)) list.push_back(value);
}

}  // namespace

std::vector<Member> ChannelGroup::members(int64_t step) const {
  std::vector<Member> result;
  Group wider = group;
  wider.loop.step = step;
  result.push_back({std::move(wider)});
  for (const Member& member : group.members) {
    const auto& call = std::get<InstanceCall>(member.what);
    if (call.method == Method::kAccumulate)
      result.push_back({InstanceCall{.instance = call.instance, .method = Method::kFinalise}});
  }
  return result;
}

ChannelSlicing::ChannelSlicing(const Dataflow& dataflow) : flow_(dataflow) {
  for (const Instance& instance : flow_.instances.list) {
    std::vector<ValueId>& read = read_.emplace_back();
    std::ranges::copy_if(instance.reads, std::back_inserter(read),
                         [&](ValueId v) { return !flow_.is_constant(v); });
    relations_.push_back(relation(instance));
    const auto summed = instance.op.valid() ? flow_.axes.summed_axis(instance.op) : std::nullopt;
    accumulates_.push_back(relations_.back() == Relation::kReduced &&
                           summed == last_axis(instance.reads[0]));
  }
}

int64_t ChannelSlicing::channels(ValueId value) const {
  const Shape& shape = flow_.shape(value);
  return shape.empty() ? 0 : shape.back();
}

int ChannelSlicing::last_axis(ValueId value) const {
  return static_cast<int>(flow_.shape(value).size()) - 1;
}

bool ChannelSlicing::same_channels(const Instance& instance, size_t operand) const {
  const int last = last_axis(instance.makes);
  const Connection* read = flow_.axes.connection(instance.op, operand, last);
  return read != nullptr && read->axis == last_axis(instance.reads[operand]) &&
         read->pace == Affine{.out_axis = last};
}

bool ChannelSlicing::reduces_channels(const Instance& instance) const {
  const InputMap from = access_map(flow_.graph, flow_.graph.op(instance.op))[0];
  const bool reduced =
      !from.linear && !from.axes.empty() && std::holds_alternative<Reduced>(from.axes.back());
  const int last = last_axis(instance.makes);
  return reduced && last >= 0 && flow_.axes.connection(instance.op, 0, last) == nullptr;
}

ChannelSlicing::Relation ChannelSlicing::relation(const Instance& instance) const {
  if (!instance.op.valid()) return Relation::kOther;
  if (!flow_.is_constant(instance.reads[0]) && reduces_channels(instance))
    return Relation::kReduced;
  bool reads = false;
  for (size_t k = 0; k < instance.reads.size(); ++k) {
    if (flow_.is_constant(instance.reads[k])) continue;
    if (!same_channels(instance, k)) return Relation::kOther;
    reads = true;
  }
  return reads ? Relation::kSame : Relation::kOther;
}

std::optional<ChannelGroup> ChannelSlicing::group_of(
    const std::vector<InstanceId>& instances) const {
  ChannelGroup result{.instances = instances, .group = {}};
  std::vector<ValueId> partial;
  // Each partial value, made here or read from a full one, has the group's channels.
  const auto takes_part = [&](ValueId v) {
    const int64_t count = channels(v);
    if (result.channels == 0) result.channels = count;
    return count == result.channels && count > 1;
  };
  const auto here = [&](InstanceId reader) { return lists(instances, reader); };
  for (const InstanceId id : instances) {
    const ValueId out = flow_.instances.instance(id).makes;
    const std::vector<ValueId>& read = read_[id.index()];
    const std::vector<InstanceId>& readers = flow_.readers[out.index()];
    const Relation relation = relations_[id.index()];
    const bool read_here = std::ranges::any_of(readers, here);
    const bool reads_partial =
        std::ranges::any_of(read, [&](ValueId v) { return lists(partial, v); });
    // Sums are not finished before the loop is.
    if (std::ranges::any_of(read, [&](ValueId v) { return lists(result.accumulated, v); }))
      return std::nullopt;
    InstanceCall call{.instance = id};
    if (relation == Relation::kReduced && (reads_partial || !read_here)) {
      call.method = Method::kAccumulate;
      if (!accumulates_[id.index()] || !takes_part(read[0])) return std::nullopt;
      result.accumulated.push_back(out);
    } else {
      const bool sliceable = relation != Relation::kOther &&
                             flow_.graph.tensor(flow_.tensor(out)).type == DType::kInt8;
      if (!sliceable || !takes_part(out)) return std::nullopt;
      partial.push_back(out);
      const bool read_here_alone =
          read_here && !flow_.is_output[out.index()] && std::ranges::all_of(readers, here);
      (read_here_alone ? result.slices : result.made).push_back(out);
    }
    for (const ValueId v : read) {
      if (lists(partial, v)) continue;
      if (relation == Relation::kSame && !takes_part(v)) return std::nullopt;
      add_once(result.context, v);
    }
    result.group.members.push_back({call});
  }
  // Without a slice nothing is smaller than it was.
  if (result.slices.empty()) return std::nullopt;
  const auto method = [](const Member& member) {
    return std::get<InstanceCall>(member.what).method;
  };
  result.is_pair = relations_[instances.front().index()] == Relation::kReduced &&
                   method(result.group.members.front()) == Method::kCompute &&
                   method(result.group.members.back()) == Method::kAccumulate;
  result.group.loop = loop_of(result);
  return result;
}

/// Paced by a slice; what nothing connects with it goes alongside.
TileLoop ChannelSlicing::loop_of(const ChannelGroup& group) const {
  const ValueId paced = group.slices[0];
  TileLoop loop{.paced = paced, .axis = last_axis(paced), .step = 1, .border = Border::kSlice};
  std::vector<ValueId> known = {paced};
  const auto follow = [&] {
    for (bool changed = true; changed;) {
      changed = false;
      for (const InstanceId id : group.instances) {
        if (relations_[id.index()] != Relation::kSame) continue;
        std::vector<ValueId> connected = read_[id.index()];
        connected.push_back(flow_.instances.instance(id).makes);
        const auto is_known = [&](ValueId v) { return lists(known, v); };
        const auto count = std::ranges::count_if(connected, is_known);
        if (count == 0 || count == std::ssize(connected)) continue;
        for (const ValueId v : connected) add_once(known, v);
        changed = true;
      }
    }
  };
  follow();
  for (const Member& member : group.group.members) {
    const auto& call = std::get<InstanceCall>(member.what);
    const ValueId tiled =
        call.method == Method::kAccumulate ? read_[call.instance.index()][0] : flow_.made_by(call);
    if (lists(known, tiled)) continue;
    loop.alongside.emplace_back(tiled, last_axis(tiled));
    known.push_back(tiled);
    follow();
  }
  return loop;
}

int64_t ChannelSlicing::most_slices(ValueId value) const {
  const InstanceId maker = flow_.maker[value.index()];
  const std::vector<InstanceId>& readers = flow_.readers[value.index()];
  const auto allows = [&](InstanceId id) { return relations_[id.index()] != Relation::kOther; };
  const bool possible = maker.valid() && allows(maker) && !flow_.is_output[value.index()] &&
                        !readers.empty() && std::ranges::all_of(readers, allows) &&
                        flow_.graph.tensor(flow_.tensor(value)).type == DType::kInt8;
  return possible ? std::max<int64_t>(channels(value), 1) : 1;
}

}  // namespace thimble
