// SPDX-License-Identifier: Apache-2.0
// Random networks of one operator, for property tests.
#include "tests/support/random_op.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "tests/support/sequence_draw.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"

namespace thimble::testing {
namespace {

using zoo::Random;

constexpr int kOperators = static_cast<int>(std::variant_size_v<AnyOperator>);
/// A draw that breaks a constraint (a window larger than the image) is thrown away.
constexpr int kDraws = 1000;

Attributes operator_number(int number) {
  std::vector<Attributes> all;
  [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    (all.emplace_back(std::variant_alternative_t<kIndex, AnyOperator>{}), ...);
  }
  (std::make_index_sequence<kOperators>());
  return all[static_cast<size_t>(number)];
}

/// Draws the attributes, operands and output of one operator.
class Draw : public SequenceDraw {
 public:
  using SequenceDraw::SequenceDraw;

  Graph graph(const Attributes& kind) {
    std::visit([&](const auto& a) { make(a); }, kind);
    graph_.name = snake_name(kind);
    for (size_t t = 0; t + 1 < graph_.tensors.size(); ++t) {
      if (!graph_.tensors[t].is_constant()) {
        graph_.inputs.push_back({TensorId{static_cast<int32_t>(t)}, {}});
      }
    }
    graph_.outputs.push_back({graph_.ops[0].outputs[0], {}});
    return graph_;
  }

 private:
  using SequenceDraw::make;
  void make(const Conv2D&) {
    Shape x = image();
    const int64_t groups = maybe(0.3) ? some(1, 4) : 1;
    const int64_t per_group = some(1, 17 / groups);
    x[3] = groups * per_group;
    const Window w = window(3);
    const DType type = some_activation();
    const Quantization out = quantization_of(type);
    const Shape weights{groups * some(1, 6), w.kernel_h, w.kernel_w, per_group};
    op(Conv2D{w, activation()}, weighted(tensor(x, type, quantization_of(type)), weights, 0, out),
       type, out);
  }

  void make(const DepthwiseConv2D&) {
    const Shape x = image();
    const int64_t multiplier = maybe(0.5) ? 1 : some(2, 5);
    const Window w = window(3);
    const DType type = some_activation();
    const Quantization out = quantization_of(type);
    const Shape weights{1, w.kernel_h, w.kernel_w, x[3] * multiplier};
    op(DepthwiseConv2D{w, multiplier, activation()},
       weighted(tensor(x, type, quantization_of(type)), weights, 3, out), type, out);
  }

  /// Outputs that windows do not reach, and windows that reach beyond them.
  void make(const TransposeConv&) {
    const Shape x = image();
    Window w = window(1);
    w.padding.bottom = w.padding.right = 0;
    const DType type = some_activation();
    const Quantization out = quantization_of(type);
    const Shape weights{some(1, 7), w.kernel_h, w.kernel_w, x[3]};
    const Shape y{x[0], std::max<int64_t>(1, x[1] * w.stride_h + some(-2, 3)),
                  std::max<int64_t>(1, x[2] * w.stride_w + some(-2, 3)), weights[0]};
    op(TransposeConv{w, activation()},
       weighted(tensor(x, type, quantization_of(type)), weights, 0, out), type, out, y);
  }

  void make(const FullyConnected&) {
    Shape x = some_shape(1, 4);
    const auto axes = static_cast<int64_t>(x.size());
    const int64_t batch_axes = maybe(0.3) ? 0 : some(0, axes - 1);
    const Shape batch(x.begin(), x.begin() + batch_axes);
    const int64_t channels = some(1, 12);
    const Shape weights{channels, elements(x) / elements(batch)};
    Shape out_shape = maybe(0.5) ? batch : Shape{elements(batch)};
    out_shape.push_back(channels);
    const DType type = some_activation();
    const Quantization out = quantization_of(type);
    std::vector<TensorId> inputs =
        weighted(tensor(x, type, quantization_of(type)), weights, 0, out);
    Tensor& w = graph_.tensor(inputs[1]);
    if (type == DType::kInt8 && w.quantization.scales.size() == 1 && maybe(0.2)) {
      w.quantization.zero_points[0] = static_cast<int32_t>(some(-20, 20));
      if (maybe(0.5)) w.data = nullptr;
    }
    op(FullyConnected{activation()}, inputs, type, out, out_shape);
  }

  /// Either may lack leading axes, have extents of 1 there, or be constant.
  void make(const BatchMatMul&) {
    const auto batches = static_cast<size_t>(some(0, 3));
    const int64_t rows = some(1, 6), depth = some(1, 12), columns = some(1, 7);
    const bool adjoint_x = maybe(0.4), adjoint_y = maybe(0.4);
    Shape x(batches, 1);
    for (int64_t& extent : x) extent = some(1, 3);
    Shape y(x.begin() + some(0, static_cast<int64_t>(batches)), x.end());
    for (Shape* of : {&x, &y}) {
      for (int64_t& extent : *of) extent = maybe(0.2) ? 1 : extent;
    }
    if (maybe(0.3)) std::swap(x, y);
    const auto add_matrix = [](Shape& shape, bool adjoint, int64_t high, int64_t wide) {
      if (adjoint) std::swap(high, wide);
      shape.insert(shape.end(), {high, wide});
    };
    add_matrix(x, adjoint_x, rows, depth);
    add_matrix(y, adjoint_y, depth, columns);
    const DType type = some_activation();
    const TensorId a = maybe_constant(tensor(x, type, quantization_of(type)), 0.1);
    const TensorId b =
        maybe_constant(tensor(y, type, quantization_of(type)), at(a).is_constant() ? 0 : 0.3);
    Quantization out = quantization_of(type);
    const double spread = type == DType::kInt16 ? 12800 : 50;
    out.scales[0] = at(a).quantization.scales[0] * at(b).quantization.scales[0] *
                    static_cast<float>(spread * std::sqrt(static_cast<double>(depth)));
    op(BatchMatMul{adjoint_x, adjoint_y}, {a, b}, type, out);
  }

  void make(const AveragePool2D&) {
    const TensorId x = some_tensor(image());
    op(AveragePool2D{window(1), activation()}, {x}, at(x).type, at(x).quantization);
  }
  void make(const MaxPool2D&) {
    const TensorId x = some_tensor(image());
    op(MaxPool2D{window(1), activation(), maybe(0.3)}, {x}, at(x).type, at(x).quantization);
  }

  void make(const Mean&) { make_reduction<Mean>(); }
  void make(const Sum&) { make_reduction<Sum>(); }
  template <class A>
  void make_reduction() {
    const TensorId x = some_tensor(some_shape(1, 4));
    const bool keep = maybe(0.5);
    A mean;
    Shape out;
    for (size_t i = 0; i < at(x).shape.size(); ++i) {
      const bool reduced = maybe(0.5);
      if (reduced) mean.axes.push_back(static_cast<int>(i));
      if (keep || !reduced) out.push_back(reduced ? 1 : at(x).shape[i]);
    }
    op(mean, {x}, at(x).type, quantization_of(at(x).type), out);
  }

  /// One of the two may lack leading axes and have extents of 1. alike: all of one quantisation.
  template <class A>
  void make_binary(DType type = DType::kInt8, bool alike = false,
                   std::optional<DType> out_type = {}) {
    const Shape full = some_shape(1, 6);
    Shape partial = full;
    if (maybe(0.5)) {
      partial.erase(partial.begin(), partial.begin() + some(0, static_cast<int64_t>(full.size())));
      for (int64_t& extent : partial) extent = maybe(0.4) ? 1 : extent;
    }
    const Quantization q = quantization_of(type);
    const auto operand = [&](const Shape& shape) {
      return tensor(shape, type, alike ? q : quantization_of(type));
    };
    std::vector<TensorId> inputs;
    if (maybe(0.1)) {
      const TensorId x = operand(full);
      inputs = {x, x};
    } else {
      const TensorId x = maybe_constant(operand(full), 0.1);
      inputs = {x, maybe_constant(operand(partial), at(x).is_constant() ? 0 : 0.3)};
      if (maybe(0.5)) std::swap(inputs[0], inputs[1]);
    }
    A attributes;
    if constexpr (requires { attributes.activation; }) {
      if (type != DType::kInt32) attributes.activation = activation();
    }
    if constexpr (requires { attributes.relation; })
      attributes.relation = static_cast<Relation>(some(0, 5));
    op(attributes, inputs, out_type.value_or(type),
       out_type ? Quantization{}
       : alike  ? q
                : quantization_of(type));
  }
  /// int8, int16 or int32.
  DType some_number() { return maybe(0.2) ? DType::kInt32 : some_activation(); }
  void make(const Add&) { make_binary<Add>(some_number()); }
  void make(const Mul&) { make_binary<Mul>(some_number()); }
  void make(const Sub&) { make_binary<Sub>(some_number()); }
  void make(const Div&) {
    make_binary<Div>(maybe(0.3) ? DType::kFloat32 : maybe(0.7) ? DType::kInt8 : DType::kInt32);
  }
  void make(const FloorDiv&) {
    make_binary<FloorDiv>(DType::kFloat32);
    std::get<FloorDiv>(graph_.ops[0].attributes).remainder = maybe(0.5);
  }
  void make(const Maximum&) {
    make_binary<Maximum>(maybe(0.1) ? DType::kBool : some_number(), true);
  }
  void make(const Minimum&) {
    make_binary<Minimum>(maybe(0.1) ? DType::kBool : some_number(), true);
  }
  void make(const SquaredDifference&) { make_binary<SquaredDifference>(some_activation()); }
  void make(const Comparison&) {
    static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt32, DType::kFloat32,
                                       DType::kBool};
    make_binary<Comparison>(kTypes[some(0, 4)], false, DType::kBool);
  }

  /// Any of the three may lack leading axes and have extents of 1.
  void make(const Select&) {
    static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                                       DType::kFloat32};
    const DType type = kTypes[some(0, 4)];
    const Quantization q = quantization_of(type);
    const Shape full = some_shape(1, 6);
    std::vector<TensorId> inputs;
    for (size_t k = 0; k < 3; ++k) {
      Shape shape = full;
      if (maybe(0.4)) {
        shape.erase(shape.begin(), shape.begin() + some(0, static_cast<int64_t>(full.size())));
        for (int64_t& extent : shape) extent = maybe(0.4) ? 1 : extent;
      }
      const TensorId t = k == 0 ? tensor(shape, DType::kBool, {}) : tensor(shape, type, q);
      inputs.push_back(k == 0 ? t : maybe_constant(t, 0.2));
    }
    op(Select{}, inputs, type, q);
  }

  TensorId some_raw(const Shape& shape) {
    static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                                       DType::kFloat32};
    const DType type = kTypes[some(0, 4)];
    return tensor(shape, type, quantization_of(type));
  }
  /// Some are beyond the ends; some are constants.
  TensorId positions(const Shape& shape, int64_t extent) {
    const TensorId t = tensor(shape, DType::kInt32, {});
    if (maybe(0.2))
      graph_.tensor(t).data =
          std::make_shared<const Bytes>(random_positions(elements(shape), extent, random_));
    return t;
  }

  void make(const Cast&) {
    static constexpr DType kTypes[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kFloat32,
                                       DType::kBool};
    const TensorId x = tensor(some_shape(1, 6), kTypes[some(0, 4)], {});
    const bool is_long = at(x).type == DType::kInt32 && maybe(0.3);
    op(Cast{}, {x}, is_long ? DType::kInt64 : kTypes[some(0, 3)], {});
  }

  /// Some indices are beyond the ends; either operand may be constant.
  void make(const Gather&) {
    const TensorId x = maybe_constant(some_raw(some_shape(1, 4)), 0.3);
    const auto axes = static_cast<int64_t>(at(x).shape.size());
    const int64_t axis = some(0, axes - 1), batch_axes = maybe(0.3) ? some(0, axis) : 0;
    Shape indices(at(x).shape.begin(), at(x).shape.begin() + batch_axes);
    for (int64_t more = some(0, std::min<int64_t>(2, 7 - axes)); more > 0; --more)
      indices.push_back(some(1, 5));
    const TensorId where = positions(indices, at(x).shape[static_cast<size_t>(axis)]);
    op(Gather{static_cast<int>(axis), static_cast<int>(batch_axes)}, {x, where}, at(x).type,
       at(x).quantization);
  }
  void make(const UpdateSlice&) {
    const TensorId x = some_raw(some_shape(1, 4));
    Shape update = at(x).shape;
    for (int64_t& extent : update) extent = some(1, extent);
    const TensorId over = maybe_constant(tensor(update, at(x).type, at(x).quantization), 0.2);
    const TensorId begins = positions({static_cast<int64_t>(update.size())}, at(x).shape.back());
    op(UpdateSlice{}, {x, over, begins}, at(x).type, at(x).quantization);
  }
  void make(const DetectionPostProcess&) {
    const int64_t boxes = some(1, 12);
    DetectionPostProcess a{.max_detections = static_cast<int32_t>(some(1, 6)),
                           .detections_per_class = static_cast<int32_t>(some(1, 5)),
                           .classes = static_cast<int32_t>(some(1, 4)),
                           .regular = maybe(0.5),
                           .score_threshold = maybe(0.5) ? -2.0F : 0.25F,
                           .iou_threshold = maybe(0.5) ? 0.5F : 0.1F,
                           .scales = {10, 10, 5, 5}};
    const TensorId encodings = tensor({1, boxes, some(4, 5)}, DType::kFloat32, {});
    const TensorId scores = tensor({1, boxes, a.classes + some(0, 1)}, DType::kFloat32, {});
    const TensorId anchors = tensor({boxes, 4}, DType::kFloat32, {});
    fill(anchors);
    op(a, {encodings, scores, anchors}, DType::kFloat32, {});
  }

  void make(const ArgMax&) {
    const Shape shape = some_shape(1, 5);
    const TensorId x = maybe(0.7) ? int8(shape) : tensor(shape, DType::kFloat32, {});
    const auto axes = static_cast<int64_t>(at(x).shape.size());
    op(ArgMax{static_cast<int>(some(0, axes - 1)), maybe(0.5)}, {x}, DType::kInt32, {});
  }
  void make(const CumSum&) {
    const TensorId x = int8(some_shape(1, 5));
    const auto axes = static_cast<int64_t>(at(x).shape.size());
    op(CumSum{static_cast<int>(some(0, axes - 1)), maybe(0.5), maybe(0.5)}, {x}, DType::kInt8,
       int8_quantization());
  }
  void make(const L2Normalization&) {
    op(L2Normalization{}, {int8(some_shape(1, 4))}, DType::kInt8, {{0x1p-7F}, {0}, 0});
  }

  void make(const Pad&) {
    static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                                       DType::kFloat32};
    const DType type = kTypes[some(0, 4)];
    const TensorId x = tensor(some_shape(1, 4), type, quantization_of(type));
    Pad pad;
    if (type != DType::kFloat32) {
      pad.value =
          maybe(0.5) ? at(x).quantization.zero_points[0] : static_cast<int32_t>(some(-128, 127));
    }
    for (size_t i = 0; i < at(x).shape.size(); ++i) {
      pad.before.push_back(maybe(0.5) ? 0 : some(1, 3));
      pad.after.push_back(maybe(0.5) ? 0 : some(1, 3));
    }
    op(pad, {x}, type, at(x).quantization);
  }

  void make(const Reshape&) {
    const TensorId x = copied(some_shape(1, 5));
    // Merge and split: the factors of the extents, dealt out again in order.
    Shape out{1};
    int64_t left = elements(at(x).shape);
    for (int64_t factor = 2; left > 1; ++factor) {
      for (; left % factor == 0; left /= factor) {
        if (out.size() < 5 && maybe(0.5)) out.push_back(1);
        out.back() *= factor;
      }
    }
    if (maybe(0.5)) std::reverse(out.begin(), out.end());
    op(Reshape{}, {x}, at(x).type, at(x).quantization, out);
  }

  void make(const Transpose&) {
    const TensorId x = copied(some_shape(1, 6));
    Transpose transpose;
    transpose.permutation.resize(at(x).shape.size());
    std::iota(transpose.permutation.begin(), transpose.permutation.end(), 0);
    for (size_t i = transpose.permutation.size() - 1; i > 0; --i) {
      std::swap(transpose.permutation[i],
                transpose.permutation[static_cast<size_t>(some(0, static_cast<int64_t>(i)))]);
    }
    op(transpose, {x}, at(x).type, at(x).quantization);
  }

  void make(const Softmax&) {
    const float beta = maybe(0.5) ? 1.0F : static_cast<float>(0.1 + 2 * random_.unit());
    if (maybe(0.3)) {
      op(Softmax{beta}, {tensor(some_shape(1, 4), DType::kInt16, quantization_of(DType::kInt16))},
         DType::kInt16, {{0x1p-15F}, {0}, 0});
      return;
    }
    const TensorId x = int8(some_shape(1, 4));
    if (maybe(0.7)) {
      op(Softmax{beta}, {x}, DType::kInt8, {{0x1p-8F}, {-128}, 0});
    } else {
      op(Softmax{beta}, {x}, DType::kInt16, {{0x1p-16F}, {-32768}, 0});
    }
  }

  void make(const Relu&) {
    const DType type = some_activation();
    const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
    static constexpr Activation kRanges[] = {Activation::kRelu, Activation::kReluN1To1,
                                             Activation::kRelu0To1};
    op(Relu{kRanges[type == DType::kInt16 ? 0 : some(0, 2)]}, {x}, type,
       maybe(0.5) ? at(x).quantization : quantization_of(type));
  }
  void make(const LeakyRelu&) {
    const DType type = maybe(0.5) ? DType::kInt8 : DType::kInt16;
    const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
    op(LeakyRelu{maybe(0.7) ? 0.25F : -1.5F}, {x}, type,
       maybe(0.5) ? at(x).quantization : quantization_of(type));
  }
  void make(const Relu6&) {
    const DType type = some_activation();
    const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
    op(Relu6{}, {x}, type, at(x).quantization);
  }

  void make(const Quantize&) {
    static constexpr std::pair<DType, DType> kPairs[] = {
        {DType::kFloat32, DType::kInt8}, {DType::kFloat32, DType::kInt16},
        {DType::kInt8, DType::kInt8},    {DType::kInt8, DType::kUInt8},
        {DType::kUInt8, DType::kInt8},   {DType::kInt8, DType::kInt16},
        {DType::kInt8, DType::kInt32},   {DType::kInt16, DType::kInt8},
        {DType::kInt32, DType::kInt8},   {DType::kInt16, DType::kInt32},
        {DType::kInt16, DType::kInt16},  {DType::kInt32, DType::kInt16},
    };
    const auto [in, out] = kPairs[some(0, std::size(kPairs) - 1)];
    const TensorId x = tensor(some_shape(1, 6), in, quantization_of(in));
    op(Quantize{}, {x}, out, quantization_of(out));
  }

  void make(const Dequantize&) {
    const DType in = maybe(0.7) ? DType::kInt8 : DType::kInt16;
    const TensorId x = tensor(some_shape(1, 6), in, quantization_of(in));
    op(Dequantize{}, {x}, DType::kFloat32, {});
  }

  void make(const Concat&) {
    const TensorId first = copied(some_shape(1, 5));
    const Shape shape = at(first).shape;
    const int axis = static_cast<int>(some(0, static_cast<int64_t>(shape.size()) - 1));
    std::vector<TensorId> inputs{first};
    const int64_t count = some(1, 4);
    for (int64_t k = 1; k < count; ++k) {
      Shape other = shape;
      other[static_cast<size_t>(axis)] = some(1, 5);
      inputs.push_back(
          maybe(0.1) ? first
                     : maybe_constant(tensor(other, at(first).type, at(first).quantization), 0.2));
    }
    op(Concat{axis}, inputs, at(first).type, at(first).quantization);
  }

  void make(const Logistic&) {
    if (maybe(0.7)) {
      op(Logistic{}, {int8(some_shape(1, 6))}, DType::kInt8, {{0x1p-8F}, {-128}, 0});
    } else {
      op(Logistic{}, {sigmoid_argument()}, DType::kInt16, {{0x1p-15F}, {0}, 0});
    }
  }
  void make(const Tanh&) {
    if (maybe(0.7)) {
      op(Tanh{}, {int8(some_shape(1, 6))}, DType::kInt8, {{0x1p-7F}, {0}, 0});
    } else {
      op(Tanh{}, {sigmoid_argument()}, DType::kInt16, {{0x1p-15F}, {0}, 0});
    }
  }
  /// Powers of two have a multiplier of their own.
  TensorId sigmoid_argument() {
    const Quantization power{{maybe(0.5) ? 0x1p-12F : 0x1p-11F}, {0}, 0};
    return tensor(some_shape(1, 6), DType::kInt16,
                  maybe(0.3) ? power : quantization_of(DType::kInt16));
  }
  template <class A>
  void make_function() {
    op(A{}, {int8(some_shape(1, 6))}, DType::kInt8, int8_quantization());
  }
  void make(const LogSoftmax&) {
    op(LogSoftmax{}, {int8(some_shape(1, 4))}, DType::kInt8, {{0x1p-4F}, {127}, 0});
  }
  void make(const Prelu&) {
    const DType type = some_activation();
    const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
    Shape alpha = at(x).shape;
    for (int64_t& extent : alpha) extent = maybe(0.5) ? 1 : extent;
    alpha.erase(alpha.begin(), alpha.begin() + some(0, static_cast<int64_t>(alpha.size()) - 1));
    const TensorId slope = maybe_constant(tensor(alpha, type, quantization_of(type)), 0.7);
    op(Prelu{}, {x, slope}, type, quantization_of(type));
  }
  TensorId float32(const Shape& shape) { return tensor(shape, DType::kFloat32, {}); }
  void make(const Elementwise&) {
    const auto function = static_cast<Function>(some(0, static_cast<int64_t>(Function::kSquare)));
    op(Elementwise{function}, {float32(some_shape(1, 6))}, DType::kFloat32, {});
  }
  void make(const L2Pool2D&) {
    op(L2Pool2D{window(1), activation()}, {float32(image())}, DType::kFloat32, {});
  }
  void make(const Elu&) { make_function<Elu>(); }
  void make(const HardSwish&) { make_function<HardSwish>(); }
  void make(const Abs&) {
    const TensorId x = some_tensor(some_shape(1, 6));
    op(Abs{}, {x}, at(x).type, quantization_of(at(x).type));
  }

  void make(const Rsqrt&) {
    const TensorId x = int8(some_shape(1, 6));
    op(Rsqrt{}, {x}, DType::kInt8, int8_quantization());
  }
  void make(const Gelu&) {
    const TensorId x = int8(some_shape(1, 6));
    op(Gelu{maybe(0.5)}, {x}, DType::kInt8, int8_quantization());
  }

  void make(const Slice&) {
    const TensorId x = copied(some_shape(1, 6));
    Slice slice;
    Shape out;
    for (const int64_t extent : at(x).shape) {
      const int64_t begin = some(0, extent - 1);
      const bool backwards = maybe(0.3);
      const int64_t stride = some(1, 3);
      const int64_t most = (backwards ? begin : extent - 1 - begin) / stride + 1;
      slice.begin.push_back(begin);
      slice.stride.push_back(backwards ? -stride : stride);
      if (maybe(0.2)) {
        slice.dropped.push_back(static_cast<int>(slice.begin.size()) - 1);
      } else {
        out.push_back(some(1, most));
      }
    }
    op(slice, {x}, at(x).type, at(x).quantization, out);
  }

  /// Whole factors up and down, odd sizes, and any size at all.
  int64_t resized(int64_t extent) {
    switch (some(0, 4)) {
      case 0:
        return 2 * extent;
      case 1:
        return extent * some(1, 4);
      case 2:
        return std::max<int64_t>(1, extent / 2);
      case 3:
        return std::max<int64_t>(1, 2 * extent - 1);
      default:
        return some(1, 12);
    }
  }
  template <class A>
  void make_resize(TensorId x) {
    const Shape from = at(x).shape;
    const int64_t kind = some(0, 2);
    op(A{kind == 1, kind == 2}, {x}, at(x).type, at(x).quantization,
       Shape{from[0], resized(from[1]), resized(from[2]), from[3]});
  }
  void make(const ResizeNearestNeighbor&) {
    make_resize<ResizeNearestNeighbor>(some_tensor(image()));
  }
  void make(const ResizeBilinear&) { make_resize<ResizeBilinear>(int8(image())); }
};

}  // namespace

Graph random_op_graph(uint64_t seed) {
  Random random(seed);
  const Attributes kind = operator_number(static_cast<int>(seed % kOperators));
  for (int draw = 0; draw < kDraws; ++draw) {
    Graph graph = Draw(random).graph(kind);
    if (unsupported_reason(graph, graph.ops[0]).empty()) {
      check_graph(graph);
      return graph;
    }
  }
  throw InternalError(std::string(name(kind)) + ": no draw was supported");
}

}  // namespace thimble::testing
