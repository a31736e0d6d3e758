// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/piece_members.h"

#include "thimble/model/error.h"

namespace thimble {
namespace {

InstanceId same_as(const Instances& instances, const Instance& wanted, const Instances& base) {
  for (size_t k = 0; k < instances.list.size(); ++k) {
    const Instance& each = instances.list[k];
    if (wanted.op.valid()
            ? each.op == wanted.op
            : !each.op.valid() &&
                  instances.value(each.makes).tensor == base.value(wanted.makes).tensor &&
                  instances.receives(each) == base.receives(wanted) &&
                  instances.delivers(each) == base.delivers(wanted) && !instances.stores(each) &&
                  !instances.fetches(each))
      return {static_cast<int32_t>(k)};
  }
  throw InternalError("an instance of an order is in no part of it");
}

InstanceId copy_of(const Instances& instances, TensorId tensor, bool fetches) {
  for (size_t k = 0; k < instances.list.size(); ++k) {
    const Instance& each = instances.list[k];
    if (fetches ? instances.fetches(each) : instances.stores(each)) {
      if (instances.value(each.makes).tensor == tensor) return {static_cast<int32_t>(k)};
    }
  }
  throw InternalError("a value that is stored has no copy");
}

InstanceCall call_of(const CutOrder& order, const Instances& instances, const StreamedPiece& piece,
                     int position, int loops) {
  InstanceCall call{.instance = same_as(instances, order.at(position), order.base)};
  const StreamedConstants& constants = piece.constants[static_cast<size_t>(position - piece.begin)];
  using enum StreamedConstants::How;
  if (constants.how == kInFlash) return call;
  call.constants = Brought{.from = kFirstFurtherMemory,
                           .kernel = constants.kernel,
                           .channels = constants.channels,
                           .records = constants.records,
                           .record_bytes = constants.record_bytes,
                           .depth = constants.how == kHeld    ? 0
                                    : constants.how == kAgain ? loops
                                                              : loops + 1,
                           .ahead = constants.how == kTiled,
                           .early = constants.early};
  return call;
}

Member member_of(const CutOrder& order, const Dataflow& flow, const StreamedPiece& piece,
                 int position, int loops) {
  const InstanceCall call = call_of(order, flow.instances, piece, position, loops);
  const StreamedConstants& constants = piece.constants[static_cast<size_t>(position - piece.begin)];
  if (constants.how != StreamedConstants::How::kTiled) return {call};
  const ValueId made = flow.instances.instance(call.instance).makes;
  const int channel = static_cast<int>(flow.shape(made).size()) - 1;
  return {Group{.loop = {.paced = made,
                         .axis = channel,
                         .step = constants.channels,
                         .border = Border::kSlice,
                         .others = {},
                         .alongside = {}},
                .members = {{call}}}};
}

}  // namespace

std::vector<Member> members_of(const CutOrder& order, const Dataflow& flow,
                               const StreamedPiece& piece) {
  const Instances& instances = flow.instances;
  std::vector<Member> members;
  const auto copy = [&](int cut, bool fetches) {
    const TensorId tensor = order.base.value(order.value_at(cut)).tensor;
    members.push_back({InstanceCall{.instance = copy_of(instances, tensor, fetches)}});
  };
  const int loops = piece.rows > 0 ? 1 : 0;
  if (piece.fetches) copy(piece.begin, true);
  if (piece.channels > 0) {
    members.push_back({channel_group(order, instances, piece)});
    if (piece.stores) copy(piece.end, false);
    return members;
  }
  for (int p = piece.begin; p < piece.end; ++p)
    members.push_back(member_of(order, flow, piece, p, loops));
  if (piece.stores) copy(piece.end, false);
  if (piece.rows == 0) return members;
  const InstanceId last = same_as(instances, order.at(piece.end - 1), order.base);
  Group group{.loop = {.paced = instances.instance(last).makes,
                       .axis = kBandRows,
                       .step = piece.rows,
                       .border = Border::kRoll,
                       .others = {},
                       .alongside = {},
                       .transfers_beside = piece.beside},
              .members = std::move(members)};
  if (!piece.again.empty()) {
    const auto& fetch = std::get<InstanceCall>(group.members.front().what);
    group.loop.others.emplace_back(instances.instance(fetch.instance).makes, Border::kRecompute);
  }
  for (int p = piece.begin; p < piece.end; ++p) {
    if (piece.again.empty() || !piece.again[static_cast<size_t>(p - piece.begin)]) continue;
    const InstanceId made = same_as(instances, order.at(p), order.base);
    group.loop.others.emplace_back(instances.instance(made).makes, Border::kSlice);
  }
  return {{std::move(group)}};
}

Group channel_group(const CutOrder& order, const Instances& instances, const StreamedPiece& piece) {
  const InstanceId last = same_as(instances, order.at(piece.end - 1), order.base);
  const ValueId made = instances.instance(last).makes;
  const Shape& shape = order.graph.tensor(instances.value(made).tensor).shape;
  Group group{.loop = {.paced = made,
                       .axis = static_cast<int>(shape.size()) - 1,
                       .step = piece.channels,
                       .border = Border::kSlice,
                       .others = {},
                       .alongside = {}},
              .members = {}};
  for (int p = piece.begin; p < piece.end; ++p)
    group.members.push_back({call_of(order, instances, piece, p, 0)});
  return group;
}

}  // namespace thimble
