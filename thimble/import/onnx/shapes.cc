// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace thimble::onnx {
namespace {

using Inputs = std::vector<const Constant*>;

Shape reshaped(const Node& node, const Shape& from, const Inputs& inputs) {
  const std::optional<std::vector<int64_t>> given = parameter(node, "shape", inputs, 1);
  if (!given) node.damaged("it names no shape");
  Shape shape = *given;
  const bool zero_is_zero = node.whole("allowzero", 0) != 0;
  int64_t known = 1, open = -1;
  for (size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 0 && !zero_is_zero) {
      if (k >= from.size()) node.damaged("it copies an extent that its input has not");
      shape[k] = from[k];
    }
    if (shape[k] == -1) {
      if (open >= 0) node.damaged("two extents are open");
      open = static_cast<int64_t>(k);
    } else if (shape[k] < 0 || (shape[k] > 0 && known > INT32_MAX / shape[k])) {
      node.damaged(fmt::format("a shape of {}", to_string(*given)));
    } else {
      known *= shape[k];
    }
  }
  const int64_t count = elements(from);
  if (open >= 0) {
    if (known == 0 || count % known != 0)
      node.damaged(fmt::format("{} elements are no {}", count, to_string(*given)));
    shape[static_cast<size_t>(open)] = count / known;
  } else if (known != count) {
    node.damaged(fmt::format("{} becomes {}", to_string(from), to_string(shape)));
  }
  return shape;
}

Shape flattened(const Node& node, const Shape& from) {
  const int64_t axis = node.whole("axis", 1);
  const auto rank = static_cast<int64_t>(from.size());
  if (axis < -rank || axis > rank) node.damaged(fmt::format("axis {}", axis));
  const auto at = from.begin() + (axis < 0 ? axis + rank : axis);
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t{1}, std::multiplies());
  };
  return {product(from.begin(), at), product(at, from.end())};
}

Shape squeezed(const Node& node, const Shape& from, const Inputs& inputs) {
  const std::optional<std::vector<int64_t>> given = parameter(node, "axes", inputs, 1);
  Shape shape;
  std::vector<int> axes;
  if (given) axes = node.axes(*given, from.size());
  for (size_t k = 0; k < from.size(); ++k) {
    const bool named = std::ranges::find(axes, static_cast<int>(k)) != axes.end();
    if (named && from[k] != 1) node.damaged(fmt::format("axis {} has {} indices", k, from[k]));
    if (given ? !named : from[k] != 1) shape.push_back(from[k]);
  }
  return shape;
}

Shape unsqueezed(const Node& node, const Shape& from, const Inputs& inputs) {
  const std::optional<std::vector<int64_t>> given = parameter(node, "axes", inputs, 1);
  if (!given) node.damaged("it names no axes");
  const std::vector<int> axes = node.axes(*given, from.size() + given->size());
  Shape shape = from;
  for (const int axis : axes) shape.insert(shape.begin() + axis, 1);
  return shape;
}

}  // namespace

std::optional<std::vector<int64_t>> parameter(const Node& node, const char* name,
                                              const Inputs& inputs, size_t input) {
  if (node.has(name)) return node.wholes(name);
  if (!node.has_input(input)) return std::nullopt;
  if (input >= inputs.size() || inputs[input] == nullptr)
    node.refuse(
        fmt::format("is not supported with {} that are computed from the network's inputs; "
                    "they have to be constant",
                    name));
  return wholes(*inputs[input]);
}

Shape new_shape(const Node& node, const Shape& shape, const Inputs& inputs) {
  if (node.op() == "Flatten") return flattened(node, shape);
  if (node.op() == "Squeeze") return squeezed(node, shape, inputs);
  if (node.op() == "Unsqueeze") return unsqueezed(node, shape, inputs);
  return reshaped(node, shape, inputs);
}

Cut cut_of(const Node& slice, const Shape& shape, const Inputs& inputs) {
  const std::optional<std::vector<int64_t>> starts = parameter(slice, "starts", inputs, 1),
                                            ends = parameter(slice, "ends", inputs, 2);
  if (!starts || !ends) slice.damaged("it has no starts or no ends");
  std::vector<int64_t> all(starts->size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int64_t> axes = parameter(slice, "axes", inputs, 3).value_or(all);
  const std::vector<int64_t> steps =
      parameter(slice, "steps", inputs, 4).value_or(std::vector<int64_t>(starts->size(), 1));
  if (ends->size() != starts->size() || axes.size() != starts->size() ||
      steps.size() != starts->size())
    slice.damaged("its starts, ends, axes and steps are of different numbers");
  Cut cut{.begin = std::vector<int64_t>(shape.size(), 0),
          .stride = std::vector<int64_t>(shape.size(), 1),
          .shape = shape};
  for (size_t k = 0; k < axes.size(); ++k) {
    const size_t axis = slice.axis(axes[k], shape.size());
    const int64_t extent = shape[axis], step = steps[k];
    if (step == 0) slice.damaged("a step of 0");
    const auto bounded = [&](int64_t index, int64_t low, int64_t high) {
      const int64_t from_front = index < 0 ? index + extent : index;
      return std::clamp(index < -extent ? low : from_front, low, high);
    };
    const int64_t begin =
        step > 0 ? bounded((*starts)[k], 0, extent) : bounded((*starts)[k], -1, extent - 1);
    const int64_t end =
        step > 0 ? bounded((*ends)[k], 0, extent) : bounded((*ends)[k], -1, extent - 1);
    const int64_t size = step == INT64_MIN ? 1 : std::abs(step);
    const int64_t span = step > 0 ? end - begin : begin - end;
    cut.begin[axis] = begin;
    cut.stride[axis] = step;
    cut.shape[axis] = span <= 0 ? 0 : (span - 1) / size + 1;
  }
  return cut;
}

Parts parts_of(const Node& split, const Shape& shape, const Inputs& inputs) {
  Parts parts{.axis = split.axis(split.whole("axis", 0), shape.size()), .extents = {}};
  const int64_t extent = shape[parts.axis];
  if (const auto given = parameter(split, "split", inputs, 1)) {
    parts.extents = *given;
  } else {
    const auto count = split.whole("num_outputs", std::ssize(split.record->outputs));
    if (count < 1 || count > extent) split.damaged(fmt::format("{} parts of {}", count, extent));
    const int64_t each = (extent + count - 1) / count;
    for (int64_t at = 0; at < extent; at += each)
      parts.extents.push_back(std::min(each, extent - at));
  }
  int64_t sum = 0;
  for (const int64_t part : parts.extents) {
    if (part < 0 || part > extent) split.damaged(fmt::format("a part of {}", part));
    sum += part;
  }
  if (sum != extent || parts.extents.size() < split.record->outputs.size())
    split.damaged(fmt::format("its parts have {} of {} indices", sum, extent));
  return parts;
}

std::vector<int> permutation_of(const Node& transpose, size_t rank) {
  std::vector<int64_t> given(rank);
  std::iota(given.rbegin(), given.rend(), 0);
  given = transpose.wholes("perm", given);
  std::vector<int> order;
  for (const int64_t axis : given) order.push_back(static_cast<int>(transpose.axis(axis, rank)));
  if (transpose.axes(given, rank).size() != rank) transpose.damaged("its axes are not all there");
  return order;
}

Reduction reduction_of(const Node& node, const Shape& shape, const Inputs& inputs) {
  const std::optional<std::vector<int64_t>> given = parameter(node, "axes", inputs, 1);
  Reduction result;
  if (given && !given->empty()) {
    result.axes = node.axes(*given, shape.size());
  } else if (node.whole("noop_with_empty_axes", 0) == 0) {
    result.axes.resize(shape.size());
    std::iota(result.axes.begin(), result.axes.end(), 0);
  }
  const bool kept = node.whole("keepdims", 1) != 0;
  for (size_t k = 0; k < shape.size(); ++k) {
    const bool reduced = std::ranges::find(result.axes, static_cast<int>(k)) != result.axes.end();
    if (!reduced)
      result.shape.push_back(shape[k]);
    else if (kept)
      result.shape.push_back(1);
  }
  return result;
}

}  // namespace thimble::onnx
