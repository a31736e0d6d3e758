// SPDX-License-Identifier: Apache-2.0
#include "thimble/interpreter/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "thimble/interpreter/split_op.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

class Splitter {
 public:
  Splitter(const Graph& graph, const Reach& reach, const Split& split, bool constants)
      : graph_(graph), reach_(reach), split_(split), constants_(constants) {}

  std::optional<SplitRun> run() {
    if (!is_closed()) return std::nullopt;
    const Op& last = op(split_.end - 1);
    const Shape& shape = graph_.tensor(last.outputs[0]).shape;
    if (static_cast<size_t>(split_.axis) >= shape.size()) return std::nullopt;
    const int64_t extent = shape[static_cast<size_t>(split_.axis)];
    if (extent < split_.parts) return std::nullopt;
    Op concat{.attributes = Concat{.axis = split_.axis},
              .inputs = {},
              .outputs = {last.outputs[0]},
              .file_index = last.file_index};
    for (part_ = 0; part_ < split_.parts; ++part_) {
      Region region = whole(shape);
      region[static_cast<size_t>(split_.axis)] = {part_ * extent / split_.parts,
                                                  (part_ + 1) * extent / split_.parts};
      const std::optional<TensorId> made = make_part(region);
      if (!made) return std::nullopt;
      concat.inputs.push_back(*made);
    }
    result_.ops.push_back(std::move(concat));
    return std::move(result_);
  }

 private:
  const Op& op(int position) const { return graph_.ops[static_cast<size_t>(position)]; }

  /// What is made on the way is read there alone.
  bool is_closed() const {
    for (int k = split_.begin; k < split_.end; ++k) {
      if (op(k).outputs.size() != 1 || !can_be_split(graph_, op(k), split_.axis)) return false;
      if (k + 1 < split_.end && reach_.last[op(k).outputs[0].index()] >= split_.end) return false;
      if (k + 1 < split_.end && reach_.last[op(k).outputs[0].index()] < 0) return false;
    }
    return true;
  }

  bool is_inner(TensorId t) const {
    return !graph_.tensor(t).is_constant() && reach_.made[t.index()] >= split_.begin;
  }

  /// Backwards: what is needed of each inner tensor. False: nothing of some.
  bool demand(const Region& region, std::map<int32_t, Region>& needed) const {
    needed[op(split_.end - 1).outputs[0].value] = region;
    for (int k = split_.end - 1; k >= split_.begin; --k) {
      const Op& reader = op(k);
      const auto found = needed.find(reader.outputs[0].value);
      if (found == needed.end()) return false;
      if (k + 1 < split_.end) found->second = made_in_one(reader, found->second, split_.axis);
      const AccessMap map = access_map(graph_, reader);
      for (size_t i = 0; i < reader.inputs.size(); ++i) {
        const TensorId t = reader.inputs[i];
        if (!is_inner(t)) continue;
        const Region wanted = input_region(map[i], graph_.tensor(t).shape,
                                           graph_.tensor(reader.outputs[0]).shape, found->second);
        if (empty(wanted)) return false;
        const auto [at, fresh] = needed.emplace(t.value, wanted);
        if (!fresh) at->second = hull(at->second, wanted);
      }
    }
    return true;
  }

  std::optional<TensorId> make_part(const Region& region) {
    std::map<int32_t, Region> needed;
    if (!demand(region, needed)) return std::nullopt;
    pieces_.clear();
    std::optional<TensorId> made;
    for (int k = split_.begin; k < split_.end; ++k) {
      const Region& out = needed.at(op(k).outputs[0].value);
      made = make(op(k), out);
      if (!made) return std::nullopt;
      pieces_[op(k).outputs[0].value] = {{out, *made}};
    }
    return made;
  }

  /// The operator, for a region of its output.
  std::optional<TensorId> make(const Op& whole_op, const Region& out) {
    const Shape& y = graph_.tensor(whole_op.outputs[0]).shape;
    const AccessMap map = access_map(graph_, whole_op);
    Op part{.attributes = whole_op.attributes,
            .inputs = {},
            .outputs = {},
            .file_index = whole_op.file_index};
    Region first;
    for (size_t i = 0; i < whole_op.inputs.size(); ++i) {
      const TensorId t = whole_op.inputs[i];
      const Tensor& x = graph_.tensor(t);
      const Region wanted = input_region(map[i], x.shape, y, out);
      if (empty(wanted)) return std::nullopt;
      if (i == 0) first = wanted;
      part.inputs.push_back(x.is_constant() ? constant(t, wanted) : piece(t, wanted));
    }
    const std::optional<WindowOfPart> window = window_of_part(graph_, whole_op, first, out);
    if (!window) return std::nullopt;
    if (window->padding != Padding{}) part.inputs[0] = padded(part.inputs[0], window->padding);
    set_part(graph_, whole_op, window->window, out, part.attributes);
    part.outputs.push_back(add(whole_op.outputs[0], out, fmt::format("part_{}", part_)));
    result_.macs += macs(graph_, whole_op, out);
    result_.ops.push_back(part);
    return part.outputs[0];
  }

  /// Region `wanted` of an activation, cut out of what there is unless it is just that.
  TensorId piece(TensorId t, const Region& wanted) {
    std::vector<std::pair<Region, TensorId>>& known = pieces_[t.value];
    if (known.empty()) known.emplace_back(whole(graph_.tensor(t).shape), t);
    for (const auto& [region, id] : known) {
      if (region == wanted) return id;
    }
    const auto& [from, source] = known.front();
    Slice slice{.begin = {}, .stride = std::vector<int64_t>(wanted.size(), 1), .dropped = {}};
    for (size_t axis = 0; axis < wanted.size(); ++axis)
      slice.begin.push_back(wanted[axis].begin - from[axis].begin);
    const TensorId id = add(t, wanted, fmt::format("slice_{}_{}", part_, known.size()));
    result_.ops.push_back({.attributes = std::move(slice), .inputs = {source}, .outputs = {id}});
    known.emplace_back(wanted, id);
    return id;
  }

  TensorId padded(TensorId t, const Padding& padding) {
    const Tensor& x = tensor(t);
    const std::vector<int32_t>& zero = x.quantization.zero_points;
    Pad pad{.before = {0, padding.top, padding.left, 0},
            .after = {0, padding.bottom, padding.right, 0},
            .value = zero.empty() ? 0 : zero[0]};
    Tensor made = x;
    made.name += fmt::format("/pad_{}", result_.ops.size());
    made.shape[1] += padding.top + padding.bottom;
    made.shape[2] += padding.left + padding.right;
    made.data = nullptr;
    const TensorId id = add(std::move(made));
    result_.ops.push_back({.attributes = std::move(pad), .inputs = {t}, .outputs = {id}});
    return id;
  }

  TensorId constant(TensorId t, const Region& wanted) {
    const Tensor& from = graph_.tensor(t);
    if (wanted == whole(from.shape)) return t;
    Tensor made = constants_ ? constant_part(from, wanted) : from;
    made.name += fmt::format("/part_{}", part_);
    return add(std::move(made));
  }

  const Tensor& tensor(TensorId t) const {
    const size_t own = graph_.tensors.size();
    return t.index() < own ? graph_.tensor(t) : result_.tensors[t.index() - own];
  }
  TensorId add(TensorId of, const Region& region, const std::string& name) {
    Tensor made = graph_.tensor(of);
    for (size_t axis = 0; axis < region.size(); ++axis) made.shape[axis] = region[axis].size();
    made.name += '/' + name;
    return add(std::move(made));
  }
  TensorId add(Tensor made) {
    result_.tensors.push_back(std::move(made));
    return {static_cast<int32_t>(graph_.tensors.size() + result_.tensors.size() - 1)};
  }

  const Graph& graph_;
  const Reach& reach_;
  const Split& split_;
  bool constants_;
  int part_ = 0;
  /// What the part has: regions of tensors that there are; the first is what others are cut out of.
  std::map<int32_t, std::vector<std::pair<Region, TensorId>>> pieces_;
  SplitRun result_;
};

}  // namespace

Reach::Reach(const Graph& graph) : made(graph.tensors.size(), -1), last(graph.tensors.size(), -1) {
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    for (const TensorId t : graph.ops[k].inputs) last[t.index()] = static_cast<int>(k);
    for (const TensorId t : graph.ops[k].outputs) made[t.index()] = static_cast<int>(k);
  }
  for (const Port& port : graph.outputs)
    last[port.tensor.index()] = static_cast<int>(graph.ops.size());
}

std::optional<SplitRun> split_run(const Graph& graph, const Reach& reach, const Split& split,
                                  bool constants) {
  return Splitter(graph, reach, split, constants).run();
}

Graph with_splits(const Graph& graph, const std::vector<Split>& splits) {
  const Reach reach(graph);
  Graph result = graph;
  result.ops.clear();
  int done = 0;
  const auto keep_until = [&](int end) {
    result.ops.insert(result.ops.end(), graph.ops.begin() + done, graph.ops.begin() + end);
    done = end;
  };
  for (const Split& split : splits) {
    keep_until(split.begin);
    std::optional<SplitRun> run = split_run(graph, reach, split);
    check(run.has_value(), "a run of operators that cannot be split");
    // Numbered behind the graph's, now behind those of earlier runs as well.
    const auto shift = static_cast<int32_t>(result.tensors.size() - graph.tensors.size());
    for (Op& op : run->ops) {
      for (auto* operands : {&op.inputs, &op.outputs}) {
        for (TensorId& t : *operands) {
          if (t.index() >= graph.tensors.size()) t.value += shift;
        }
      }
      result.ops.push_back(std::move(op));
    }
    for (Tensor& tensor : run->tensors) result.tensors.push_back(std::move(tensor));
    done = split.end;
  }
  keep_until(static_cast<int>(graph.ops.size()));
  check_graph(result);
  return result;
}

}  // namespace thimble
