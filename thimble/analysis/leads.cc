// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/leads.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "thimble/model/division.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

/// The greatest value so far; nothing where there is none.
using Greatest = std::optional<int64_t>;

void include(Greatest& maximum, int64_t value) {
  maximum = std::max(maximum.value_or(value), value);
}

/// Axes of the output of which a unit has one index; it holds the others whole.
std::vector<size_t> unit_axes(Progress progress, size_t rank) {
  switch (progress) {
    case Progress::kWhole:
    case Progress::kNone:
      return {};
    case Progress::kPlane:
      return {0, rank - 1};  // of an image
    case Progress::kPixel:
      rank = std::max<size_t>(rank, 1) - 1;
      break;
    case Progress::kElement:
      break;
  }
  std::vector<size_t> result(rank);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// Bytes between neighbours, per axis.
std::vector<int64_t> pitches(const Tensor& tensor) {
  std::vector<int64_t> result(tensor.shape.size());
  int64_t pitch = size_bytes(tensor.type);
  for (size_t axis = result.size(); axis-- > 0; pitch *= tensor.shape[axis]) result[axis] = pitch;
  return result;
}

/// The axis of the output that an axis of the input follows.
std::optional<size_t> followed_axis(const AxisMap& map) {
  return std::visit(
      [](const auto& m) -> std::optional<size_t> {
        if constexpr (requires { m.out_axis; }) return static_cast<size_t>(m.out_axis);
        return std::nullopt;
      },
      map);
}

/// An axis of the input that follows the axis of the output at hand.
struct Follower {
  const AxisMap& map;
  int64_t extent, pitch;
};

/// Where first reads along an axis of the output cease to advance evenly, but for the period.
struct AxisBends {
  int64_t period = 1;
  std::vector<int64_t> at;

  void add(const Follower& in) {
    if (const auto* grouped = std::get_if<Grouped>(&in.map))
      period = std::lcm(period, grouped->out_per_group);
    const auto* affine = std::get_if<Affine>(&in.map);
    if (affine == nullptr) return;
    period = std::lcm(period, affine->den);
    const auto where = [&](int64_t value) {  // num * i passes it
      at.push_back(affine->num > 0 ? floor_div(value, affine->num)
                                   : floor_div(-value, -affine->num));
    };
    where(-affine->lo);                           // the first that is read is 0
    where(in.extent * affine->den - affine->lo);  // nothing is read any more
    where(-affine->hi);                           // anything is read at all
  }
};

/// The maxima of one axis, over indices at which anything is read; r: bytes before the first read.
struct AxisMaxima {
  Greatest same;   ///< of p i - r(i): the unit written is at the index that is read
  Greatest next;   ///< of p (i - 1) - r(i): at the one before
  Greatest apart;  ///< of p last - r(i): at the last
};

AxisMaxima axis_maxima(size_t axis, int64_t pitch, const std::vector<Follower>& followers,
                       Region unit) {
  const Interval all = unit[axis];
  AxisBends bends{.at = {all.begin, all.end - 1}};
  for (const Follower& in : followers) bends.add(in);
  AxisMaxima result;
  const auto visit = [&](int64_t i) {
    unit[axis] = {i, i + 1};
    int64_t first = 0;
    for (const Follower& in : followers) {
      const Interval read = input_interval(in.map, in.extent, unit);
      if (read.empty()) return;
      first += read.begin * in.pitch;
    }
    include(result.same, pitch * i - first);
    if (i > all.begin) include(result.next, pitch * (i - 1) - first);
    include(result.apart, pitch * (all.end - 1) - first);
  };
  for (const int64_t bend : bends.at) {
    const int64_t end = std::min(bend + bends.period + 1, all.end);
    for (int64_t i = std::max(bend - bends.period, all.begin); i < end; ++i) visit(i);
  }
  return result;
}

/// The greatest of the sums with a term per axis (leads.h). Nothing if nothing is read.
Greatest greatest_sum(const std::vector<AxisMaxima>& axes, bool reads_first) {
  Greatest most;
  int64_t before = 0, after = 0;
  for (const AxisMaxima& axis : axes) {
    if (!axis.apart) return std::nullopt;
    after += *axis.apart;
  }
  for (const AxisMaxima& axis : axes) {
    after -= *axis.apart;
    if (axis.next) include(most, before + *axis.next + after);
    before += *axis.same;
  }
  if (!reads_first) include(most, before);
  return most;
}

}  // namespace

int64_t whole_lead(Progress progress, const InputMap& map, const Tensor& in, const Tensor& out) {
  if (elements(out.shape) == 0) return 0;
  if (map.linear) {
    if (progress != Progress::kElement) return out.size_bytes();
    const auto flat = [](const Tensor& t) {
      return Tensor{.shape = {elements(t.shape)}, .type = t.type};
    };
    return whole_lead(progress, {.axes = {Affine{}}}, flat(in), flat(out));
  }
  const std::vector<size_t> axes = unit_axes(progress, out.shape.size());
  const std::vector<int64_t> in_pitch = pitches(in), out_pitch = pitches(out);
  const Region all = whole(out.shape);
  std::vector<std::vector<Follower>> followers(axes.size());
  int64_t ahead = out.size_bytes();  // of the first unit, if it read from byte 0 on
  for (const size_t axis : axes) ahead -= out_pitch[axis] * (out.shape[axis] - 1);
  for (size_t axis = 0; axis < in.shape.size(); ++axis) {
    const AxisMap& read = map.axes[axis];
    const auto unit = std::ranges::find(axes, followed_axis(read));
    if (unit != axes.end()) {
      followers[static_cast<size_t>(unit - axes.begin())].push_back(
          {read, in.shape[axis], in_pitch[axis]});
      continue;
    }
    const Interval interval = input_interval(read, in.shape[axis], all);
    if (interval.empty()) return -in.size_bytes();
    ahead -= interval.begin * in_pitch[axis];
  }
  std::vector<AxisMaxima> maxima;
  for (size_t k = 0; k < axes.size(); ++k)
    maxima.push_back(axis_maxima(axes[k], out_pitch[axes[k]], followers[k], all));
  const Greatest most = greatest_sum(maxima, progress == Progress::kElement);
  return most ? std::max(ahead + *most, -in.size_bytes()) : -in.size_bytes();
}

InputLeads::InputLeads(const Graph& graph, std::vector<bool> lies_row_major)
    : graph_(graph), uses_(graph), lies_row_major_(std::move(lies_row_major)) {}

std::vector<InputLead> InputLeads::leads_of(OpId id) const {
  const Op& op = graph_.op(id);
  if (!lies_row_major(op.outputs[0])) return {};
  const AccessMap map = access_map(graph_, op);
  const Progress progress = kernel_progress(graph_, id, map, uses_);
  const Tensor& out = graph_.tensor(op.outputs[0]);
  std::vector<InputLead> result;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorId t = op.inputs[k];
    if (graph_.tensor(t).is_constant() || !lies_row_major(t)) continue;
    const int64_t lead = whole_lead(progress, map[k], graph_.tensor(t), out);
    const auto known = std::ranges::find(result, t, &InputLead::input);
    if (known == result.end()) {
      result.push_back({t, lead});
    } else {
      known->bytes = std::max(known->bytes, lead);
    }
  }
  std::erase_if(result, [&](const InputLead& lead) { return lead.bytes >= out.size_bytes(); });
  return result;
}

}  // namespace thimble
