// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "thimble/import/file_limits.h"
#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/onnx/spans.h"

namespace thimble::onnx {
namespace {

/// The layers of a volume, as images: [N * depth, rows, columns, channels].
class Layers {
 public:
  /// padding: the bits of what stands in front of and behind the depth.
  Layers(Reading& r, const std::vector<int64_t>& kernel, int32_t padding) : r_(r), x_(r.input(0)) {
    constexpr int64_t kMostLayers = 64;
    if (kernel.size() + 2 != kVolumeAxes || std::ranges::min(kernel) < 1)
      r.node.damaged("a kernel_shape of other axes");
    if (kernel[0] > kMostLayers)
      r.node.refuse(fmt::format("is not supported with windows {} deep; up to {} it is", kernel[0],
                                kMostLayers));
    spans_ = spans_of(r.node, x_.shape, kernel);
    if (x_.type != DType::kFloat32)
      r.node.refuse(fmt::format("is not supported for 5 axes of {}; of float32 it is",
                                thimble::name(x_.type)));
    if (std::ranges::any_of(spans_, [](const Span& s) { return s.before < 0 || s.behind < 0; }))
      r.node.refuse("is not supported for 5 axes with negative pads; without it is");
    const Shape& x = x_.shape;
    const Value rows = in_shape(x_, {x[0], x[1], x[2] * x[3] * x[4]});
    TensorId tensor = r.network.tensor(r.node, rows, channels_last(3));
    shape_ = {x[0], x[2], x[3], x[4] * x[1]};
    tensor = r.network.make(r.node, Reshape{}, {tensor}, x_.type, shape_);
    const Span& depth = spans_[0];
    const Pad pad{
        .before = {0, depth.before, 0, 0}, .after = {0, depth.behind, 0, 0}, .value = padding};
    shape_[1] += depth.before + depth.behind;
    if (elements(shape_) > kMaxTensorBytes)
      r.node.refuse(fmt::format("makes {}, which is more than is supported", to_string(shape_)));
    padded_ = r.network.make(r.node, pad, {tensor}, x_.type, shape_);
  }

  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  [[nodiscard]] Window window() const { return window_of({spans_[1], spans_[2]}); }
  /// Layers that the outputs' windows reach by their tap k in depth.
  [[nodiscard]] TensorId tap(int64_t k) const {
    const Span& depth = spans_[0];
    const Slice slice{
        .begin = {0, k * depth.dilation, 0, 0}, .stride = {1, depth.stride, 1, 1}, .dropped = {}};
    const Shape part = {shape_[0], depth.extent, shape_[2], shape_[3]};
    const TensorId taken = r_.network.make(r_.node, slice, {padded_}, x_.type, part);
    const Shape& x = x_.shape;
    return r_.network.make(r_.node, Reshape{}, {taken}, x_.type,
                           {x[0] * depth.extent, x[3], x[4], x[1]});
  }
  [[nodiscard]] Shape outputs(int64_t channels) const {
    return {x_.shape[0] * spans_[0].extent, spans_[1].extent, spans_[2].extent, channels};
  }

  /// What an operator makes of images, taken together over the taps.
  [[nodiscard]] TensorId over_taps(const std::function<TensorId(int64_t, TensorId)>& of_tap,
                                   const Attributes& join, int64_t channels) const {
    TensorId all = of_tap(0, tap(0));
    for (int64_t k = 1; k < spans_[0].kernel; ++k)
      all = r_.network.make(r_.node, join, {all, of_tap(k, tap(k))}, x_.type, outputs(channels));
    return all;
  }

  /// Images as the file has the output.
  void make(TensorId images, int64_t channels) const {
    const int64_t depth = spans_[0].extent, rows = spans_[1].extent, columns = spans_[2].extent;
    const int64_t n = x_.shape[0];
    const Value lines = r_.value(Reshape{}, {images}, x_.type,
                                 {n, channels, depth * rows * columns}, channels_last(3));
    r_.make(0, in_shape(lines, {n, channels, depth, rows, columns}));
  }

 private:
  Reading& r_;
  const Value& x_;
  std::vector<Span> spans_;
  Shape shape_;  ///< padded: [N, depth, rows, columns * channels]
  TensorId padded_;
};

/// Weights [O, I, depth, rows, columns] of one tap in depth, as [O, rows, columns, I], or of a
/// depthwise convolution as [I, rows, columns, O].
Constant weights_of_tap(const Constant& w, int64_t tap, bool depthwise) {
  const std::vector<float> all = reals(w);
  const int64_t outputs = w.shape[0], inputs = w.shape[1], window = w.shape[3] * w.shape[4];
  const Shape shape = depthwise ? Shape{inputs, w.shape[3], w.shape[4], outputs}
                                : Shape{outputs, w.shape[3], w.shape[4], inputs};
  std::vector<float> numbers(static_cast<size_t>(elements(shape)));
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t i = 0; i < inputs; ++i)
      for (int64_t k = 0; k < window; ++k) {
        const int64_t to =
            depthwise ? (i * window + k) * outputs + o : (o * window + k) * inputs + i;
        numbers[static_cast<size_t>(to)] =
            all[static_cast<size_t>(((o * inputs + i) * w.shape[2] + tap) * window + k)];
      }
  return constant_of(shape, numbers);
}

}  // namespace

void volume_conv(Reading& r) {
  const Value& x = r.input(0);
  const Constant& w = r.constant(1, "weights");
  if (w.shape.size() != kVolumeAxes)
    r.node.damaged(fmt::format("weights of {}", to_string(w.shape)));
  const int64_t groups = r.node.whole("group", 1), channels = w.shape[0];
  if (groups < 1 || channels % groups != 0 || w.shape[1] * groups != x.shape[1])
    r.node.damaged(fmt::format("weights of {} for {} channels in {} groups", to_string(w.shape),
                               x.shape[1], groups));
  const Layers layers(r, {w.shape.begin() + 2, w.shape.end()}, 0);
  const bool depthwise = groups == x.shape[1] && groups > 1;
  const auto of_tap = [&](int64_t k, TensorId images) {
    std::vector<TensorId> inputs = {images,
                                    r.network.constant(weights_of_tap(w, k, depthwise),
                                                       fmt::format("{}/{}", r.input(1).name, k))};
    if (k == 0 && r.has(2)) inputs.push_back(r.tensor(2, {0}));
    const Window window = layers.window();
    const Attributes kind =
        depthwise ? Attributes(DepthwiseConv2D{.window = window, .multiplier = channels / groups})
                  : Attributes(Conv2D{.window = window});
    return r.network.make(r.node, kind, std::move(inputs), x.type, layers.outputs(channels));
  };
  layers.make(layers.over_taps(of_tap, Add{}, channels), channels);
}

void volume_max_pool(Reading& r) {
  const Value& x = r.input(0);
  const Layers layers(r, r.node.wholes("kernel_shape"), bits_of_lowest());
  const auto of_tap = [&](int64_t, TensorId images) {
    return r.network.make(r.node, MaxPool2D{.window = layers.window()}, {images}, x.type,
                          layers.outputs(x.shape[1]));
  };
  layers.make(layers.over_taps(of_tap, Maximum{}, x.shape[1]), x.shape[1]);
}

/// How many layers of an output's window count: those of the input, or of its pads, too, but not
/// what ceil_mode adds.
int64_t layers_counted(const Reading& r, const Span& depth, int64_t layers, int64_t output,
                       bool with_pads) {
  constexpr size_t kBehind = 3;
  const int64_t behind =
      depth.cut ? r.node.wholes("pads", {0, 0, 0, 0, 0, 0})[kBehind] : depth.behind;
  int64_t count = 0;
  for (int64_t tap = 0; tap < depth.kernel; ++tap) {
    const int64_t layer = output * depth.stride - depth.before + tap * depth.dilation;
    count += (with_pads || layer >= 0) && layer < layers + (with_pads ? behind : 0) ? 1 : 0;
  }
  if (count == 0) r.node.refuse("is not supported where a window lies in its pads alone");
  return count;
}

// Layers of padding are 0; each output is divided by those that count.
void volume_average_pool(Reading& r) {
  const Value& x = r.input(0);
  const Layers layers(r, r.node.wholes("kernel_shape"), 0);
  const Window window = layers.window();
  const Padding& pads = window.padding;
  const bool counted = r.node.whole("count_include_pad", 0) != 0;
  if (counted && pads.top + pads.bottom + pads.left + pads.right > 0)
    r.node.refuse("is not supported for 5 axes with count_include_pad; without it is");
  const auto of_tap = [&](int64_t, TensorId images) {
    return r.network.make(r.node, AveragePool2D{.window = window}, {images}, x.type,
                          layers.outputs(x.shape[1]));
  };
  const TensorId sums = layers.over_taps(of_tap, Add{}, x.shape[1]);
  const Span& depth = layers.spans()[0];
  std::vector<float> shares;
  for (int64_t k = 0; k < x.shape[0] * depth.extent; ++k) {
    const int64_t count = layers_counted(r, depth, x.shape[2], k % depth.extent, counted);
    shares.push_back(1 / static_cast<float>(count));
  }
  const TensorId share =
      r.network.constant(constant_of({std::ssize(shares), 1, 1, 1}, shares), "shares of layers");
  layers.make(r.network.make(r.node, Mul{}, {sums, share}, x.type, layers.outputs(x.shape[1])),
              x.shape[1]);
}

}  // namespace thimble::onnx
