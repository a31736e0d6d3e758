// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools: a window over the axes behind the channels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "thimble/import/onnx/small_integers.h"
#include "thimble/import/onnx/spans.h"
#include "thimble/import/onnx/volumes.h"

namespace thimble::onnx {
namespace {

/// [N,C,spatial...] for spatial extents that nodes see as rows and columns.
Shape with_extents(const Shape& x, int64_t channels, const std::vector<Span>& spans) {
  Shape shape = {x[0], channels};
  for (const Span& span : spans) shape.push_back(span.extent);
  return shape;
}

void check_axes(const Reading& r, const Shape& x) {
  if (x.size() == 3 || x.size() == 4) return;
  r.node.refuse(
      fmt::format("is not supported for {} axes ({}); for 3 and 4, one and two dimensions, it is",
                  x.size(), to_string(x)));
}

/// The input as N H W C; of one dimension H is 1. Negative pads cut it.
TensorId image_of(const Reading& r, const Value& x, std::vector<Span>& spans) {
  TensorId tensor = r.network.tensor(r.node, x, channels_last(x.rank()));
  Shape shape = in_order(x.shape, channels_last(x.rank()));
  const bool cut = std::ranges::any_of(
      spans, [](const Span& span) { return span.before < 0 || span.behind < 0; });
  if (cut) {
    Slice slice{.begin = std::vector<int64_t>(shape.size(), 0),
                .stride = std::vector<int64_t>(shape.size(), 1),
                .dropped = {}};
    for (size_t k = 0; k < spans.size(); ++k) {
      slice.begin[k + 1] = std::max<int64_t>(-spans[k].before, 0);
      shape[k + 1] -= slice.begin[k + 1] + std::max<int64_t>(-spans[k].behind, 0);
      spans[k].before = std::max<int64_t>(spans[k].before, 0);
      spans[k].behind = std::max<int64_t>(spans[k].behind, 0);
    }
    tensor = r.network.make(r.node, slice, {tensor}, x.type, shape);
  }
  if (shape.size() == 4) return tensor;
  return r.network.make(r.node, Reshape{}, {tensor}, x.type, {shape[0], 1, shape[1], shape[2]});
}

/// What an operator makes of images as the file has it.
void make_image(Reading& r, Attributes attributes, std::vector<TensorId> inputs, const Value& x,
                const Shape& shape) {
  const Order order = channels_last(shape.size());
  if (shape.size() == 4)
    return r.make(0, r.value(std::move(attributes), std::move(inputs), x.type, shape, order));
  const TensorId image = r.network.make(r.node, std::move(attributes), std::move(inputs), x.type,
                                        {shape[0], 1, shape[2], shape[1]});
  r.make(0, r.value(Reshape{}, {image}, x.type, shape, order));
}

/// Constant weights as the Graph has them: rows and columns behind the first of `order`'s axes. Of
/// one dimension there is one row.
TensorId weights_of(const Reading& r, Constant content, const Order& order) {
  Value w = r.input(1);
  if (content.shape.size() == 3) content.shape.insert(content.shape.begin() + 2, 1);
  w.shape = content.shape;
  w.constant = std::make_shared<const Constant>(std::move(content));
  return r.network.tensor(r.node, w, order);
}

TensorId weights_of(const Reading& r, const Order& order) {
  return weights_of(r, r.constant(1, "weights"), order);
}

std::vector<int64_t> kernel_of(const Reading& r, const Value& x) {
  const Shape& w = r.constant(1, "weights").shape;
  if (w.size() != x.rank()) r.node.damaged(fmt::format("weights of {}", to_string(w)));
  std::vector<int64_t> kernel(w.begin() + 2, w.end());
  if (const auto given = r.node.wholes("kernel_shape"); !given.empty() && given != kernel)
    r.node.damaged("its kernel_shape is not that of its weights");
  return kernel;
}

void add_bias(Reading& r, int64_t channels, std::vector<TensorId>& inputs) {
  if (!r.has(2)) return;
  const Constant& bias = r.constant(2, "a bias");
  if (bias.shape != Shape{channels})
    r.node.damaged(fmt::format("a bias of {}", to_string(bias.shape)));
  inputs.push_back(r.tensor(2, {0}));
}

void conv(Reading& r) {
  const Value& x = r.input(0);
  if (x.rank() == kVolumeAxes) return volume_conv(r);
  check_axes(r, x.shape);
  std::vector<Span> spans = spans_of(r.node, x.shape, kernel_of(r, x));
  const Shape& w = r.constant(1, "weights").shape;
  const int64_t groups = r.node.whole("group", 1), channels = w[0];
  if (groups < 1 || channels % groups != 0 || w[1] * groups != x.shape[1])
    r.node.damaged(fmt::format("weights of {} for {} channels in {} groups", to_string(w),
                               x.shape[1], groups));
  const Shape shape = with_extents(x.shape, channels, spans);
  const bool depthwise = groups == x.shape[1] && groups > 1;
  std::vector<TensorId> inputs = {image_of(r, x, spans),
                                  weights_of(r, depthwise ? Order{1, 2, 3, 0} : Order{0, 2, 3, 1})};
  add_bias(r, channels, inputs);
  if (depthwise)
    make_image(r, DepthwiseConv2D{.window = window_of(spans), .multiplier = channels / groups},
               std::move(inputs), x, shape);
  else
    make_image(r, Conv2D{.window = window_of(spans)}, std::move(inputs), x, shape);
}

// Each group by itself, of its channels and weights.
std::vector<TensorId> transposed_groups(const Reading& r, const TransposeConv& kind, const Value& x,
                                        const Constant& w, int64_t groups,
                                        std::vector<Span>& spans) {
  constexpr int64_t kMostGroups = 64;
  if (groups > kMostGroups)
    r.node.refuse(fmt::format("is not supported in {} groups; up to {} are", groups, kMostGroups));
  const TensorId image = image_of(r, x, spans), weights = weights_of(r, w, {0, 2, 3, 1});
  const Tensor all = r.network[weights];  // [C, h, w, O of a group]
  const std::vector<float> numbers =
      reals({.type = all.type, .shape = all.shape, .data = all.data});
  const int64_t in = x.shape[1] / groups, out = all.shape[3];
  const int64_t window = all.shape[1] * all.shape[2];
  std::vector<float> biases(static_cast<size_t>(out * groups), 0);
  if (r.has(2)) biases = reals(r.constant(2, "a bias"));
  if (std::ssize(biases) != out * groups) r.node.damaged("a bias of other channels");
  const Shape part = {r.network[image].shape[0], r.network[image].shape[1],
                      r.network[image].shape[2], in};
  std::vector<TensorId> made;
  for (int64_t g = 0; g < groups; ++g) {
    const Slice channels{.begin = {0, 0, 0, g * in}, .stride = {1, 1, 1, 1}, .dropped = {}};
    std::vector<float> own(static_cast<size_t>(out * window * in));
    for (int64_t o = 0; o < out; ++o)
      for (int64_t k = 0; k < window; ++k)
        for (int64_t c = 0; c < in; ++c)
          own[static_cast<size_t>((o * window + k) * in + c)] =
              numbers[static_cast<size_t>(((g * in + c) * window + k) * out + o)];
    const std::vector<float> bias(biases.begin() + g * out, biases.begin() + (g + 1) * out);
    const TensorId x_part = r.network.make(r.node, channels, {image}, x.type, part);
    made.push_back(r.network.make(
        r.node, kind,
        {x_part,
         r.network.constant(constant_of({out, all.shape[1], all.shape[2], in}, own), all.name),
         r.network.constant(constant_of({out}, bias), all.name + "/bias")},
        x.type, {part[0], spans.size() == 2 ? spans[0].extent : 1, spans.back().extent, out}));
  }
  return made;
}

/// Weights [.., .., spatial..] with zeros between their taps.
Constant spread(const Reading& r, const Constant& w, const std::vector<int64_t>& dilations) {
  Constant result = w;
  for (size_t k = 0; k < dilations.size(); ++k) {
    if (dilations[k] == 1) continue;
    const size_t axis = k + 2;
    const std::vector<float> from = reals(result);
    int64_t inner = 1;
    for (size_t a = axis + 1; a < result.shape.size(); ++a) inner *= result.shape[a];
    const int64_t taps = result.shape[axis], wide = (taps - 1) * dilations[k] + 1;
    Shape shape = result.shape;
    shape[axis] = wide;
    constexpr int64_t kMostElements = 1 << 26;
    if (elements(shape) > kMostElements)
      r.node.refuse(fmt::format("is not supported with weights of {}", to_string(shape)));
    std::vector<float> to(static_cast<size_t>(elements(shape)), 0);
    for (int64_t at = 0; at < std::ssize(from); ++at) {
      const int64_t tap = at / inner % taps, outer = at / inner / taps;
      to[static_cast<size_t>((outer * wide + tap * dilations[k]) * inner + at % inner)] =
          from[static_cast<size_t>(at)];
    }
    result = constant_of(shape, to);
  }
  return result;
}

void conv_transpose(Reading& r) {
  const Value& x = r.input(0);
  check_axes(r, x.shape);
  std::vector<int64_t> kernel = kernel_of(r, x);
  const size_t count = kernel.size();
  const Shape& w = r.constant(1, "weights").shape;
  const int64_t groups = r.node.whole("group", 1);
  if (w[0] != x.shape[1] || groups < 1 || w[0] % groups != 0 || elements(w) == 0)
    r.node.damaged(fmt::format("weights of {}", to_string(w)));
  const std::vector<int64_t> strides = per_axis(r.node, "strides", count, 1),
                             dilations = per_axis(r.node, "dilations", count, 1);
  constexpr int64_t kMostDilation = 64;
  if (std::ranges::max(dilations) > kMostDilation)
    r.node.refuse(fmt::format("is not supported with dilations above {}", kMostDilation));
  const Constant weights = spread(r, r.constant(1, "weights"), dilations);
  for (size_t k = 0; k < count; ++k) kernel[k] = weights.shape[k + 2];
  const std::vector<int64_t> more = r.node.wholes("output_padding", std::vector<int64_t>(count, 0)),
                             wanted = r.node.wholes("output_shape"),
                             pads = r.node.wholes("pads", std::vector<int64_t>(2 * count, 0));
  if (more.size() != count || pads.size() != 2 * count) r.node.damaged("pads of other axes");
  const std::string automatic = r.node.text("auto_pad", "NOTSET");
  std::vector<Span> spans;
  for (size_t k = 0; k < count; ++k) {
    Span span{.kernel = kernel[k], .stride = strides[k]};
    const int64_t whole = span.stride * (x.shape[k + 2] - 1) + more[k] + kernel[k];
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (!wanted.empty() || same) {
      if (!wanted.empty() && wanted.size() != count) r.node.damaged("output_shape of other axes");
      span.extent = wanted.empty() ? x.shape[k + 2] * span.stride : wanted[k];
      const int64_t all = std::max<int64_t>(whole - span.extent, 0);
      span.before = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
    } else {
      span.before = automatic == "VALID" ? 0 : pads[k];
      span.extent = whole - span.before - (automatic == "VALID" ? 0 : pads[k + count]);
    }
    if (span.extent < 1 || span.before < 0)
      r.node.refuse(fmt::format("is not supported with pads that leave {} indices", span.extent));
    spans.push_back(span);
  }
  const Shape shape = with_extents(x.shape, w[1] * groups, spans);
  const TransposeConv kind{.window = window_of(spans)};
  if (groups == 1) {
    std::vector<TensorId> inputs = {image_of(r, x, spans), weights_of(r, weights, {1, 2, 3, 0})};
    add_bias(r, w[1], inputs);
    return make_image(r, kind, std::move(inputs), x, shape);
  }
  make_image(r, Concat{.axis = 3}, transposed_groups(r, kind, x, weights, groups, spans), x, shape);
}

/// `extent` indices along an axis, from `begin` on, `stride` apart.
TensorId part_of(const Reading& r, TensorId tensor, size_t axis, int64_t begin, int64_t extent,
                 int64_t stride = 1) {
  Shape shape = r.network[tensor].shape;
  Slice slice{.begin = std::vector<int64_t>(shape.size(), 0),
              .stride = std::vector<int64_t>(shape.size(), 1),
              .dropped = {}};
  slice.begin[axis] = begin;
  slice.stride[axis] = stride;
  shape[axis] = extent;
  return r.network.make(r.node, slice, {tensor}, r.network[tensor].type, shape);
}

/// The largest of windows along an axis, of twice as many taps in each step.
TensorId largest_along(const Reading& r, TensorId tensor, size_t axis, const Span& span) {
  for (int64_t taps = 1; taps < span.kernel;) {
    const int64_t step = std::min(taps, span.kernel - taps);
    const int64_t extent = r.network[tensor].shape[axis] - step * span.dilation;
    const TensorId here = part_of(r, tensor, axis, 0, extent);
    const TensorId there = part_of(r, tensor, axis, step * span.dilation, extent);
    tensor = r.network.make(r.node, Maximum{}, {here, there}, r.network[here].type,
                            r.network[here].shape);
    taps += step;
  }
  return part_of(r, tensor, axis, 0, span.extent, span.stride);
}

/// The largest of pixels that lie apart, or of windows that padding alone may fill.
TensorId largest_apart(const Reading& r, TensorId image, const std::vector<Span>& spans) {
  Pad pad{.before = {0, 0, 0, 0}, .after = {0, 0, 0, 0}, .value = bits_of_lowest()};
  Shape shape = r.network[image].shape;
  const size_t first = 3 - spans.size();  // one axis: columns
  for (size_t k = 0; k < spans.size(); ++k) {
    pad.before[first + k] = spans[k].before;
    pad.after[first + k] = spans[k].behind;
    shape[first + k] += spans[k].before + spans[k].behind;
  }
  TensorId largest = r.network.make(r.node, pad, {image}, r.network[image].type, shape);
  for (size_t k = 0; k < spans.size(); ++k)
    largest = largest_along(r, largest, first + k, spans[k]);
  return largest;
}

void max_pool(Reading& r) {
  const Value& given = r.input(0);
  const bool raw = given.type == DType::kUInt8 && given.tensor.valid() &&
                   r.network[given.tensor].type == DType::kUInt8;
  const Value x = raw ? numbers_of(r, given) : given;
  if (r.wants(1)) r.node.refuse("is not supported with indices as an output; without it is");
  if (x.rank() == kVolumeAxes) return volume_max_pool(r);
  check_axes(r, x.shape);
  std::vector<Span> spans = spans_of(r.node, x.shape, r.node.wholes("kernel_shape"));
  if (spans.size() + 2 != x.rank()) r.node.damaged("a kernel_shape of other axes");
  const Shape shape = with_extents(x.shape, x.shape[1], spans);
  const TensorId image = image_of(r, x, spans);
  const Window window = window_of(spans);
  const Padding& pads = window.padding;
  const bool apart = window.dilation_h * window.dilation_w != 1 ||
                     std::max(pads.top, pads.bottom) >= window.kernel_h ||
                     std::max(pads.left, pads.right) >= window.kernel_w;
  if (!apart || x.type != DType::kFloat32)
    make_image(r, MaxPool2D{.window = window}, {image}, x, shape);
  else
    make_image(r, Reshape{}, {largest_apart(r, image, spans)}, x, shape);
  if (raw) r.make(0, integers_of(r, *r.made()[0], DType::kUInt8));
}

void average_pool(Reading& r) {
  const Value& x = r.input(0);
  if (x.rank() == kVolumeAxes) return volume_average_pool(r);
  check_axes(r, x.shape);
  std::vector<Span> spans = spans_of(r.node, x.shape, r.node.wholes("kernel_shape"));
  if (spans.size() + 2 != x.rank()) r.node.damaged("a kernel_shape of other axes");
  const Shape shape = with_extents(x.shape, x.shape[1], spans);
  TensorId image = image_of(r, x, spans);
  const bool counted = r.node.whole("count_include_pad", 0) != 0;
  const bool padded = std::ranges::any_of(
      spans, [](const Span& span) { return span.before > 0 || (span.behind > 0 && !span.cut); });
  if (counted && padded) {
    // The padding becomes pixels; what ceil_mode adds behind it counts as little as ever.
    const std::vector<int64_t> pads = r.node.wholes("pads", std::vector<int64_t>(2 * spans.size()));
    Pad pad{.before = {0, 0, 0, 0}, .after = {0, 0, 0, 0}};
    Shape larger = r.network[image].shape;
    for (size_t k = 0; k < spans.size(); ++k) {
      Span& span = spans[k];
      const size_t axis = spans.size() == 1 ? 2 : k + 1;
      const int64_t behind = span.cut ? std::max<int64_t>(pads[k + spans.size()], 0) : span.behind;
      pad.before[axis] = span.before;
      pad.after[axis] = behind;
      larger[axis] += span.before + behind;
      span.behind -= behind;
      span.before = 0;
    }
    image = r.network.make(r.node, pad, {image}, x.type, larger);
  }
  make_image(r, AveragePool2D{.window = window_of(spans)}, {image}, x, shape);
}

// A window of all there is.
void global_pool(Reading& r, Attributes (*pool)(const Window&)) {
  const Value& x = r.input(0);
  check_axes(r, x.shape);
  std::vector<Span> spans;
  for (size_t k = 2; k < x.rank(); ++k) spans.push_back({.kernel = x.shape[k], .extent = 1});
  const Shape shape = with_extents(x.shape, x.shape[1], spans);
  const TensorId image = image_of(r, x, spans);
  make_image(r, pool(window_of(spans)), {image}, x, shape);
}

void global_average_pool(Reading& r) {
  global_pool(r,
              [](const Window& window) -> Attributes { return AveragePool2D{.window = window}; });
}

void global_max_pool(Reading& r) {
  global_pool(r, [](const Window& window) -> Attributes { return MaxPool2D{.window = window}; });
}

}  // namespace

const ReadNodes& window_operators() {
  static const ReadNodes all = {{"Conv", conv},
                                {"ConvTranspose", conv_transpose},
                                {"MaxPool", max_pool},
                                {"AveragePool", average_pool},
                                {"GlobalAveragePool", global_average_pool},
                                {"GlobalMaxPool", global_max_pool}};
  return all;
}

}  // namespace thimble::onnx
