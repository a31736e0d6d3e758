// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/partition.h"

#include <algorithm>

#include "thimble/moves/tile_sizes.h"

namespace thimble {
namespace {

InstanceId instance_of(const Member& member) {
  const auto* call = std::get_if<InstanceCall>(&member.what);
  return call == nullptr ? InstanceId{} : call->instance;
}

}  // namespace

bool Partitions::derives(const Group& group) const {
  return derive(flow_, group, Regions::kNone).has_value();
}

std::vector<int64_t> Partitions::steps(int64_t positions, int64_t most_parts) const {
  if (steps_ == PartCounts::kSome) return part_sizes(positions, most_parts);
  std::vector<int64_t> result;
  for (int64_t step = positions - 1; step >= ceil_div(positions, most_parts); --step)
    result.push_back(step);
  return result;
}

void Partitions::add_parts(const GroupCandidate& base, int64_t most, Windows windows,
                           std::vector<GroupCandidate>& result) const {
  const TileLoop& loop = base.group.loop;
  const int64_t positions = flow_.shape(loop.paced)[static_cast<size_t>(loop.axis)];
  GroupCandidate parts = base;
  parts.group.loop.border = Border::kSlice;
  parts.group.loop.step = ceil_div(positions, 2);
  const bool crosses = !derives(parts.group);
  if (crosses)
    parts.group.loop.border = windows == Windows::kBlocks ? Border::kBlocks : Border::kRoll;
  std::vector<int64_t> tried = steps(positions, most);
  if (tried.empty()) return;
  // One position of the finest value, which the outputs may follow over consumed inputs.
  if (parts.group.loop.border == Border::kRoll) tried.push_back(0);
  if (crosses && !derives(parts.group)) return;
  for (const int64_t step : tried) {
    parts.group.loop.step = step;
    result.push_back(parts);
  }
}

std::vector<GroupCandidate> Partitions::along_rows(int begin, int end, int64_t most,
                                                   Windows windows) const {
  std::vector<GroupCandidate> result;
  for (const GroupCandidate& rows : rolls_.groups(begin, end, Granularity::kRow)) {
    GroupCandidate parts{
        .begin = begin, .end = end, .group = rows.group, .finalised = rows.finalised, .slices = {}};
    add_parts(parts, most, windows, result);
    const Shape& shape = flow_.shape(rows.group.loop.paced);
    const bool wide = is_image(shape) && shape[kColumnAxis] > shape[kRowAxis];
    if (rows.group.loop.axis != kRowAxis || !wide) continue;
    parts.group.loop.axis = kColumnAxis;
    add_parts(parts, most, windows, result);
  }
  return result;
}

std::vector<GroupCandidate> Partitions::along_columns_of_rows(int begin, int end) const {
  std::vector<GroupCandidate> result;
  for (const GroupCandidate& pixels : rolls_.groups(begin, end, Granularity::kPixel)) {
    GroupCandidate parts{.begin = begin,
                         .end = end,
                         .group = pixels.group,
                         .finalised = pixels.finalised,
                         .slices = {}};
    const int axis = pixels.group.loop.axis == kRowAxis ? kColumnAxis : kRowAxis;
    const int64_t across = flow_.shape(pixels.group.loop.paced)[static_cast<size_t>(axis)];
    if (across == 1 || !derives(parts.group)) continue;
    const auto columns = std::ranges::find_if(parts.group.members, [](const Member& member) {
      return std::holds_alternative<Group>(member.what);
    });
    if (columns == parts.group.members.end()) continue;  // copies alone
    const int64_t along =
        flow_.shape(pixels.group.loop.paced)[static_cast<size_t>(pixels.group.loop.axis)];
    std::vector<int64_t> rows = {0}, tried = rolled_tiles();
    tried.insert(tried.begin(), 0);
    if (steps_ == PartCounts::kAll) {
      tried = steps(across, across);
      rows = steps(along, along);
      rows.push_back(0);
      tried.push_back(0);
    }
    for (const int64_t row : rows) {
      parts.group.loop.step = row;
      for (const int64_t step : tried) {
        if (step >= across) break;
        std::get<Group>(columns->what).loop.step = step;
        result.push_back(parts);
      }
    }
  }
  return result;
}

std::vector<GroupCandidate> Partitions::along_channels(int begin, int end) const {
  std::vector<InstanceId> instances;
  for (int at = begin; at < end; ++at) instances.push_back({order_[static_cast<size_t>(at)]});
  const std::optional<ChannelGroup> group = channels_.group_of(instances);
  if (!group) return {};
  std::vector<GroupCandidate> result;
  for (const int64_t step : steps(group->channels, group->channels)) {
    std::vector<Member> members = group->members(step);
    GroupCandidate parts{.begin = begin,
                         .end = end,
                         .group = std::get<Group>(std::move(members.front().what)),
                         .finalised = {},
                         .by_channels = true,
                         .slices = group->slices};
    for (size_t m = 1; m < members.size(); ++m)
      parts.finalised.push_back(std::get<InstanceCall>(members[m].what));
    result.push_back(std::move(parts));
  }
  return result;
}

std::optional<GroupCandidate> nest(const GroupCandidate& outer, const GroupCandidate& inner) {
  const std::vector<InstanceCall> run = calls({{inner.group}});
  GroupCandidate result = outer;
  std::vector<Member>& members = result.group.members;
  const auto first = std::ranges::find(members, run.front().instance, instance_of);
  if (std::distance(first, members.end()) < std::ssize(run)) return std::nullopt;
  for (size_t k = 0; k < run.size(); ++k) {
    if (instance_of(first[static_cast<std::ptrdiff_t>(k)]) != run[k].instance) return std::nullopt;
  }
  *first = {inner.group};
  const auto behind = members.erase(first + 1, first + std::ssize(run));
  std::vector<Member> finalised;
  for (const InstanceCall& call : inner.finalised) finalised.push_back({call});
  members.insert(behind, finalised.begin(), finalised.end());
  for (const ValueId v : inner.slices) result.group.loop.others.emplace_back(v, Border::kSlice);
  return result;
}

}  // namespace thimble
