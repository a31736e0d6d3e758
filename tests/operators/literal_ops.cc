// SPDX-License-Identifier: Apache-2.0
// One small supported network of one operator for each kind.
#include "tests/operators/literal_ops.h"

#include <utility>

#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

const Shape kCube{2, 3, 4};
constexpr auto kShort = DType::kInt16, kWord = DType::kUInt32;

std::shared_ptr<const Bytes> ones(const Tensor& tensor) {
  return std::make_shared<const Bytes>(static_cast<size_t>(tensor.size_bytes()), uint8_t{1});
}

class Literal {
 public:
  Literal& int8(const Shape& shape) { return tensor(shape, DType::kInt8, {{0.5F}, {3}, 0}); }
  Literal& float32(const Shape& shape) { return tensor(shape, DType::kFloat32, {}); }
  /// Without a scale.
  Literal& raw(const Shape& shape, DType type) { return tensor(shape, type, {}); }
  Literal& tensor(const Shape& shape, DType type, const Quantization& q) {
    graph_.tensors.push_back({"", shape, type, q, nullptr});
    return *this;
  }
  /// A constant of ones.
  Literal& constant(const Shape& shape, DType type, const Quantization& q) {
    tensor(shape, type, q);
    graph_.tensors.back().data = ones(graph_.tensors.back());
    return *this;
  }
  Literal& weights(const Shape& shape) { return constant(shape, DType::kInt8, {{0.01F}, {0}, 0}); }
  Literal& bias(int64_t channels) { return constant({channels}, DType::kInt32, {}); }

  /// The last tensor is the output, those before it are the inputs.
  Graph op(Attributes attributes) {
    Op op{std::move(attributes), {}, {}, 0};
    const auto last = static_cast<int32_t>(graph_.tensors.size()) - 1;
    for (int32_t t = 0; t < last; ++t) {
      op.inputs.push_back({t});
      if (!graph_.tensor({t}).is_constant()) graph_.inputs.push_back({{t}, {}});
    }
    op.outputs = {{last}};
    graph_.outputs = {{{last}, {}}};
    graph_.name = snake_name(op.attributes);
    graph_.ops.push_back(std::move(op));
    return graph_;
  }

 private:
  Graph graph_;
};

struct Make {
  Graph operator()(const Conv2D&) const {
    const Window w{.kernel_h = 3, .kernel_w = 3, .padding = {.top = 1}};
    return Literal()
        .int8({1, 6, 6, 4})
        .weights({6, 3, 3, 4})
        .bias(6)
        .int8({1, 5, 4, 6})
        .op(Conv2D{w});
  }
  Graph operator()(const DepthwiseConv2D&) const {
    const Window w{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2};
    return Literal()
        .int8({1, 6, 6, 2})
        .weights({1, 3, 3, 6})
        .bias(6)
        .int8({1, 2, 2, 6})
        .op(DepthwiseConv2D{w, 3});
  }
  Graph operator()(const TransposeConv&) const {
    const Window w{
        .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2, .padding = {.top = 1}};
    return Literal()
        .int8({1, 3, 4, 2})
        .weights({6, 3, 3, 2})
        .bias(6)
        .int8({1, 6, 9, 6})
        .op(TransposeConv{w});
  }
  Graph operator()(const Maximum& a) const {
    return Literal().int8(kCube).int8({4}).int8(kCube).op(a);
  }
  Graph operator()(const Minimum& a) const {
    return Literal().int8(kCube).int8({4}).int8(kCube).op(a);
  }
  Graph operator()(const Tanh& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 128}, {0}, 0}).op(a);
  }
  Graph operator()(const LogSoftmax& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 16}, {127}, 0}).op(a);
  }
  Graph operator()(const Prelu& a) const {
    return Literal().int8(kCube).int8({3, 1}).int8(kCube).op(a);
  }
  Graph operator()(const Sum&) const {
    return Literal().int8({1, 4, 5, 3}).int8({1, 3}).op(Sum{{1, 2}});
  }
  Graph operator()(const Div& a) const { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
  Graph operator()(const FloorDiv& a) const {
    return Literal().float32(kCube).float32({4}).float32(kCube).op(a);
  }
  Graph operator()(const Comparison& a) const {
    return Literal().int8(kCube).int8({4}).tensor(kCube, DType::kBool, {}).op(a);
  }
  Graph operator()(const Select& a) const {
    return Literal().tensor({3, 1}, DType::kBool, {}).int8(kCube).int8({4}).int8(kCube).op(a);
  }
  Graph operator()(const Cast& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kInt32, {}).op(a);
  }
  Graph operator()(const Gather&) const {
    return Literal().int8(kCube).raw({2, 5}, DType::kInt32).int8({2, 5, 4}).op(Gather{1, 1});
  }
  Graph operator()(const UpdateSlice& a) const {
    return Literal().int8(kCube).int8({1, 3, 2}).raw({3}, DType::kInt32).int8(kCube).op(a);
  }
  Graph operator()(const DetectionPostProcess&) const {
    return Literal()
        .float32({1, 7, 4})
        .float32({1, 7, 3})
        .constant({7, 4}, DType::kFloat32, {})
        .float32({13})
        .op(DetectionPostProcess{.max_detections = 2, .classes = 2});
  }
  Graph operator()(const ArgMax&) const {
    return Literal().int8(kCube).tensor({2, 4}, DType::kInt32, {}).op(ArgMax{1});
  }
  Graph operator()(const CumSum&) const { return Literal().int8(kCube).int8(kCube).op(CumSum{1}); }
  Graph operator()(const L2Normalization& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 128}, {0}, 0}).op(a);
  }
  Graph operator()(const SvdfFeatures& a) const {
    return Literal().int8({2, 4}).weights({6, 4}).int8({2, 6, 1}).op(a);
  }
  Graph operator()(const ShiftIn& a) const {
    return Literal().int8({2, 6, 4}).int8({2, 6, 1}).int8({2, 6, 4}).op(a);
  }
  Graph operator()(const SvdfOutput& a) const {
    return Literal().int8({2, 6, 4}).weights({6, 4}).bias(3).int8({2, 3}).op(a);
  }
  Graph operator()(const Lstm&) const {
    const Quantization gates{{0.01F, 0.02F, 0.03F, 0.04F}, {0, 0, 0, 0}, 0};
    return Literal()
        .int8({2, 3, 4})
        .int8({2, 15})
        .constant({4, 5, 4}, DType::kInt8, gates)
        .constant({4, 5, 5}, DType::kInt8, gates)
        .constant({4, 5}, DType::kInt32, {})
        .int8({2, 25})
        .op(Lstm{.cell_scale = 0x1p-11F});
  }
  Graph operator()(const SignalWindow&) const {
    return Literal()
        .raw({2, 8}, kShort)
        .constant({8}, kShort, {})
        .raw({2, 8}, kShort)
        .op(SignalWindow{3});
  }
  Graph operator()(const SignalAutoShift& a) const {
    return Literal().raw({8}, kShort).raw({}, DType::kInt32).op(a);
  }
  Graph operator()(const SignalShift& a) const {
    return Literal().raw({8}, kShort).raw({}, DType::kInt32).raw({8}, kShort).op(a);
  }
  Graph operator()(const SignalRfft&) const {
    return Literal().raw({2, 8}, kShort).raw({2, 14}, kShort).op(SignalRfft{12});
  }
  Graph operator()(const SignalIrfft&) const {
    return Literal().raw({2, 14}, kShort).raw({2, 12}, kShort).op(SignalIrfft{12});
  }
  Graph operator()(const SignalEnergy&) const {
    return Literal().raw({8}, kShort).raw({4}, kWord).op(SignalEnergy{1, 3});
  }
  Graph operator()(const SignalFilterBank& a) const {
    Literal literal;
    literal.raw({600}, kWord);
    for (const int64_t count : {600, 600, 4, 4, 4}) literal.constant({count}, kShort, {});
    return literal.raw({3}, DType::kUInt64).op(a);
  }
  Graph operator()(const SignalSquareRoot& a) const {
    return Literal().raw({8}, DType::kUInt64).raw({}, DType::kInt32).raw({8}, kWord).op(a);
  }
  Graph operator()(const SignalNoise&) const {
    return Literal()
        .raw({8}, kWord)
        .raw({8}, kWord)
        .raw({8}, kWord)
        .op(SignalNoise{{400, 980}, {15984, 15404}, 10, 14, false});
  }
  Graph operator()(const SignalSubtraction&) const {
    return Literal()
        .raw({8}, kWord)
        .raw({8}, kWord)
        .raw({8}, kWord)
        .op(SignalSubtraction{819, 10, 14});
  }
  Graph operator()(const SignalPcan&) const {
    return Literal()
        .raw({8}, kWord)
        .raw({8}, kWord)
        .constant({125}, kShort, {})
        .raw({8}, kWord)
        .op(SignalPcan{6});
  }
  Graph operator()(const SignalLog&) const {
    return Literal().raw({8}, kWord).raw({8}, kShort).op(SignalLog{64, 3});
  }
  Graph operator()(const Elu& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const HardSwish& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const Abs& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const FullyConnected& a) const {
    return Literal().int8(kCube).weights({5, 4}).bias(5).int8({2, 3, 5}).op(a);
  }
  Graph operator()(const BatchMatMul&) const {
    return Literal().int8({2, 3, 4}).int8({5, 4}).int8({2, 3, 5}).op(BatchMatMul{false, true});
  }
  Graph operator()(const AveragePool2D&) const {
    return Literal().int8({1, 6, 6, 3}).int8({1, 3, 3, 3}).op(AveragePool2D{halving()});
  }
  Graph operator()(const MaxPool2D&) const {
    return Literal().int8({1, 6, 6, 3}).int8({1, 3, 3, 3}).op(MaxPool2D{halving()});
  }
  Graph operator()(const Mean&) const {
    return Literal().int8({1, 4, 5, 3}).int8({1, 3}).op(Mean{{1, 2}});
  }
  Graph operator()(const Add& a) const { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
  Graph operator()(const Mul& a) const { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
  Graph operator()(const Sub& a) const { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
  Graph operator()(const SquaredDifference& a) const {
    return Literal().int8(kCube).int8({2, 3, 1}).int8(kCube).op(a);
  }
  Graph operator()(const Rsqrt& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const Gelu& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const Pad&) const {
    return Literal().int8({2, 3}).int8({3, 5}).op(Pad{{1, 0}, {0, 2}, 3});
  }
  Graph operator()(const Reshape& a) const { return Literal().int8(kCube).int8({6, 4}).op(a); }
  Graph operator()(const Transpose&) const {
    return Literal().int8(kCube).int8({4, 2, 3}).op(Transpose{{2, 0, 1}});
  }
  Graph operator()(const Softmax& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 256}, {-128}, 0}).op(a);
  }
  Graph operator()(const Relu& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const Relu6& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const LeakyRelu& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const Quantize& a) const { return Literal().int8(kCube).int8(kCube).op(a); }
  Graph operator()(const Dequantize& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kFloat32, {}).op(a);
  }
  Graph operator()(const Concat&) const {
    return Literal().int8({2, 3}).int8({2, 5}).int8({2, 8}).op(Concat{1});
  }
  Graph operator()(const Logistic& a) const {
    return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 256}, {-128}, 0}).op(a);
  }
  Graph operator()(const Slice&) const {
    return Literal().int8({2, 9, 4}).int8({3, 2}).op(Slice{{1, 3, 3}, {1, 2, -1}, {0}});
  }
  Graph operator()(const ResizeNearestNeighbor& a) const {
    return Literal().int8({1, 2, 3, 4}).int8({1, 4, 6, 4}).op(a);
  }
  Graph operator()(const ResizeBilinear&) const {
    return Literal()
        .int8({1, 2, 3, 4})
        .int8({1, 4, 6, 4})
        .op(ResizeBilinear{.half_pixel_centers = true});
  }

  Graph operator()(const L2Pool2D&) const {
    return Literal().float32({1, 4, 4, 2}).float32({1, 2, 2, 2}).op(L2Pool2D{.window = halving()});
  }
  Graph operator()(const Elementwise& a) const {
    return Literal().float32(kCube).float32(kCube).op(a);
  }

  static Window halving() { return {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}; }
};

template <size_t... kIndex>
Attributes attributes_named(const std::string& kind, std::index_sequence<kIndex...>) {
  for (const Attributes& a : {Attributes(std::variant_alternative_t<kIndex, AnyOperator>{})...}) {
    if (kind == snake_name(a)) return a;
  }
  throw InternalError("no operator is called " + kind);
}

}  // namespace

Graph literal_op(const std::string& kind) {
  return std::visit(
      Make{}, attributes_named(kind, std::make_index_sequence<std::variant_size_v<AnyOperator>>()));
}

void set_shape(Graph& graph, int tensor, const Shape& shape) {
  Tensor& t = graph.tensors.at(static_cast<size_t>(tensor));
  t.shape = shape;
  if (t.is_constant()) t.data = ones(t);
}

void in_float(Graph& graph) {
  for (Tensor& t : graph.tensors) {
    t.type = DType::kFloat32;
    t.quantization = {};
    if (t.is_constant()) set_all(t, 1.0F);
  }
}

}  // namespace thimble::testing
