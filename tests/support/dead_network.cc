// SPDX-License-Identifier: Apache-2.0
#include "tests/support/dead_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/operators/claims.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tensor_file.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"

namespace thimble::testing {
namespace {

/// The weighted operator that makes a tensor.
const Op& maker_of(const Graph& graph, TensorId t) { return graph.op(producers(graph)[t.index()]); }

}  // namespace

void make_constant(Graph& graph, TensorId t, size_t c, int32_t value) {
  const Op& op = maker_of(graph, t);
  const bool depthwise = std::holds_alternative<DepthwiseConv2D>(op.attributes);
  Tensor& weights = graph.tensor(op.inputs[1]);
  Bytes bytes = *weights.data;
  const auto channels = static_cast<size_t>(depthwise ? weights.shape.back() : weights.shape[0]);
  for (size_t k = 0; k < bytes.size(); ++k) {
    if ((depthwise ? k % channels : k / (bytes.size() / channels)) == c) bytes[k] = 0;
  }
  weights.data = std::make_shared<const Bytes>(std::move(bytes));
  const Tensor& out = graph.tensor(t);
  const std::vector<float>& scales = weights.quantization.scales;
  const double step = double{graph.tensor(op.inputs[0]).quantization.scales[0]} *
                      double{scales[scales.size() > 1 ? c : 0]};
  std::vector<int32_t> bias = reference::elements_from<int32_t>(*graph.tensor(op.inputs[2]).data);
  bias[c] = static_cast<int32_t>(std::round((value - out.quantization.zero_points[0]) *
                                            double{out.quantization.scales[0]} / step));
  graph.tensor(op.inputs[2]).data = std::make_shared<const Bytes>(reference::bytes_from(bias));
}

void make_some_constant(Graph& graph, zoo::Random& random) {
  for (const Op& op : graph.ops) {
    const bool depthwise = std::holds_alternative<DepthwiseConv2D>(op.attributes);
    const bool sums = depthwise || std::holds_alternative<Conv2D>(op.attributes) ||
                      std::holds_alternative<FullyConnected>(op.attributes);
    if (!sums || op.inputs.size() < 3 || !graph.tensor(op.inputs[1]).is_constant()) continue;
    if (graph.tensor(op.inputs[1]).quantization.zero_points.at(0) != 0) continue;
    const Graph before = graph;
    const double share = random.chance(0.2) ? 1 : 0.5;
    const auto count = static_cast<size_t>(elements(graph.tensor(op.inputs[2]).shape));
    const int32_t zero = graph.tensor(op.outputs[0]).quantization.zero_points[0];
    for (size_t c = 0; c < count; ++c) {
      if (!random.chance(share)) continue;
      const auto value = static_cast<int32_t>(random.between(-140, 140));
      make_constant(graph, op.outputs[0], c, random.chance(0.5) ? zero : value);
    }
    if (!unsupported_reason(graph, op).empty()) graph = before;
  }
}

namespace {

/// Convolutions, and between them what goes channel by channel; every tensor that nobody reads goes
/// through a layer that sums over it, so that channels may go.
class DeadNetwork {
 public:
  explicit DeadNetwork(uint64_t seed) : random_(seed), g_(seed) {}

  Graph make() {
    tensors_.push_back(g_.conv(g_.input({1, 5, 4, 2}), some(3, 8), 3, 1));
    for (int tries = 0; tries < 12; ++tries) {
      const Graph before = g_.graph();
      const size_t known = tensors_.size();
      step(some(0, 30));
      const Graph& graph = g_.graph();
      for (size_t k = before.ops.size(); k < graph.ops.size(); ++k) {
        if (unsupported_reason(graph, graph.ops[k]).empty()) continue;
        g_.graph() = before;
        tensors_.resize(known);
        break;
      }
    }
    const auto readers = consumers(g_.graph());
    for (const TensorId t : tensors_) {
      if (!readers[t.index()].empty()) continue;
      const bool image = at(t).shape.size() == 4;
      g_.output(image && random_.chance(0.5) ? g_.conv(t, 2, 1 + 2 * some(0, 1), 1)
                                             : g_.fully_connected(t, 3));
      if (random_.chance(0.05)) g_.output(t);
    }
    make_some_constant(g_.graph(), random_);
    check_graph(g_.graph());
    return g_.graph();
  }

 private:
  int64_t some(int64_t lowest, int64_t highest) { return random_.between(lowest, highest); }
  const Tensor& at(TensorId t) { return g_.graph().tensor(t); }
  TensorId pick() {
    return tensors_[static_cast<size_t>(some(0, static_cast<int64_t>(tensors_.size()) - 1))];
  }

  void append(Attributes attributes, std::vector<TensorId> inputs, bool same_scale,
              const Shape& shape = {}) {
    Graph& graph = g_.graph();
    const TensorId out{static_cast<int32_t>(graph.tensors.size())};
    const Quantization q =
        same_scale ? at(inputs[0]).quantization : Quantization{{0.07F}, {-11}, 0};
    graph.tensors.push_back({fmt::format("t{}", out.value), shape, DType::kInt8, q, nullptr});
    Op op{std::move(attributes), std::move(inputs), {out}, static_cast<int>(graph.ops.size())};
    if (shape.empty()) graph.tensor(out).shape = output_shape(graph, op);
    graph.ops.push_back(std::move(op));
    tensors_.push_back(out);
  }
  /// With the quantisation of its output that the operator demands.
  void append_as_demanded(const Attributes& attributes, TensorId x) {
    append(attributes, {x}, false);
    g_.graph().tensor(last()).quantization = literal_of(attributes).tensors.back().quantization;
  }
  /// A tensor of the same shape, or a constant: whole, one value per channel, per column, or one.
  TensorId other(TensorId x) {
    for (const TensorId t : tensors_) {
      if (t != x && at(t).shape == at(x).shape && random_.chance(0.6)) return t;
    }
    return constant(x);
  }
  TensorId constant(TensorId x) {
    const Shape full = at(x).shape;
    const int64_t columns = full.size() > 2 ? full[2] : 1;
    const Shape shapes[] = {full, {full.back()}, {full.back()}, {columns, 1}, {1}};
    const Shape shape = shapes[some(0, 4)];
    Graph& graph = g_.graph();
    graph.tensors.push_back(
        {"c", shape, at(x).type, at(x).quantization,
         std::make_shared<const Bytes>(random_bytes(at(x).type, elements(shape), random_.next()))});
    return {static_cast<int32_t>(graph.tensors.size()) - 1};
  }
  /// Either first.
  std::vector<TensorId> pair(TensorId x, TensorId y) {
    return random_.chance(0.5) ? std::vector{x, y} : std::vector{y, x};
  }

  /// Element by element, of int8 or float32, with whatever stands beside it.
  Attributes binary() {
    const Attributes kinds[] = {Add{},
                                Sub{},
                                Mul{},
                                Div{},
                                SquaredDifference{},
                                Maximum{},
                                Minimum{},
                                Prelu{},
                                FloorDiv{random_.chance(0.5)}};
    return kinds[some(0, std::size(kinds) - 1)];
  }
  Attributes of_floats() {
    if (random_.chance(0.2)) return Pow{};
    return FloorDiv{random_.chance(0.5)};
  }
  Attributes unary() {
    const Attributes kinds[] = {
        Relu{Activation::kReluN1To1}, Relu6{}, LeakyRelu{-0.3F}, Elu{}, HardSwish{}, Abs{},
        Gelu{random_.chance(0.5)}};
    return kinds[some(0, std::size(kinds) - 1)];
  }
  TensorId last() { return tensors_.back(); }
  void set_type(DType type) {
    Tensor& tensor = g_.graph().tensor(last());
    tensor.type = type;
    tensor.quantization = {};
  }

  /// In float32 and back.
  void in_floats(TensorId x) {
    append(Dequantize{}, {x}, false);
    set_type(DType::kFloat32);
    for (int64_t k = some(1, 3); k > 0; --k) {
      const TensorId y = last();
      if (random_.chance(0.6)) {
        append(random_.chance(0.3) ? of_floats() : binary(), pair(y, constant(y)), false,
               at(y).shape);
      } else if (random_.chance(0.5)) {
        append(Elementwise{static_cast<Function>(some(0, static_cast<int64_t>(Function::kSquare)))},
               {y}, false);
      } else {
        const Shape& of = at(y).shape;
        const bool pool = random_.chance(0.3) && of.size() == 4 && std::min(of[1], of[2]) > 1;
        append(pool ? Attributes(L2Pool2D{{2, 2, 1, 1, 1, 1, {}}}) : unary(), {y}, false);
      }
      set_type(DType::kFloat32);
    }
    const TensorId y = last();
    append(Quantize{}, {y}, false);
    std::erase_if(tensors_, [&](TensorId t) { return at(t).type == DType::kFloat32; });
    silence();
  }
  /// What this layer makes constant need not be computed before it either.
  void silence() {
    if (random_.chance(0.7)) tensors_.push_back(g_.depthwise(last(), 3, 1));
  }

  void selected(TensorId x) {
    append(Comparison{static_cast<Relation>(some(0, 5))}, pair(x, constant(x)), false, at(x).shape);
    set_type(DType::kBool);
    const TensorId condition = last();
    tensors_.pop_back();
    const std::vector<TensorId> both = pair(x, constant(x));
    append(Select{}, {condition, both[0], both[1]}, false, at(x).shape);
    g_.graph().tensor(last()).quantization = at(x).quantization;
  }

  /// What needs all channels.
  void whole(TensorId x) {
    switch (some(0, 4)) {
      case 0:
        return append_as_demanded(Softmax{}, x);
      case 1: {
        const TensorId y = constant(x);
        g_.graph().tensor(y).shape = {at(x).shape.back(), 3};
        g_.graph().tensor(y).data = std::make_shared<const Bytes>(
            random_bytes(DType::kInt8, at(x).shape.back() * 3, random_.next()));
        return append(BatchMatMul{}, {x, y}, false);
      }
      case 2:
        return append(CumSum{2}, {x}, true);
      case 3:
        return append_as_demanded(L2Normalization{}, x);
      default:
        return append(Transpose{{0, 3, 1, 2}}, {x}, true);
    }
  }

  void move(TensorId x) {
    const Shape shape = at(x).shape;
    switch (some(0, 4)) {
      case 0:
        return append(Reshape{}, {x}, true, {1, shape[1] * shape[2], 1, shape[3]});
      case 1:
        return append(ResizeNearestNeighbor{}, {x}, true, {1, 3, 7, shape[3]});
      case 2:
        return append(Sum{{1}}, {x}, false, {1, 1, shape[2], shape[3]});
      case 3:
        return append(Mean{{1, 3}}, {x}, false, {1, 1, shape[2], 1});
      default: {
        const TensorId c = constant(x);
        g_.graph().tensor(c).shape = shape;
        g_.graph().tensor(c).data = std::make_shared<const Bytes>(
            random_bytes(DType::kInt8, elements(shape), random_.next()));
        return append(Concat{static_cast<int>(some(1, 3))}, pair(x, c), true);
      }
    }
  }

  void step(int64_t kind) {
    const TensorId x = pick();
    const Shape shape = at(x).shape;
    if (shape.size() != 4) return;
    const Window window{2, 2, 1, 1, 1, 1, {}};
    switch (kind) {
      case 0:
      case 1:
        return tensors_.push_back(g_.conv(x, some(3, 8), random_.chance(0.5) ? 1 : 3, some(1, 2)));
      case 2:
        return tensors_.push_back(g_.depthwise(x, 3, some(1, 2)));
      case 3:
        return append(Relu{}, {x}, false);
      case 4:
        return append_as_demanded(Logistic{}, x);
      case 5:
        return append(Quantize{}, {x}, false);
      case 6:
        return append(AveragePool2D{window, Activation::kNone}, {x}, true);
      case 7:
        return append(MaxPool2D{window, Activation::kRelu6}, {x}, true);
      case 8: {
        std::vector<TensorId> parts{x, other(x)};
        for (TensorId t : tensors_) {
          if (at(t).shape.size() == 4 && at(t).shape[1] == shape[1] && at(t).shape[2] == shape[2])
            parts[1] = t;
        }
        if (at(parts[1]).shape.size() != 4) return;
        for (TensorId t : parts) {  // one quantisation: quantised to it
          append(Quantize{}, {t}, false);
        }
        const size_t last = tensors_.size();
        return append(Concat{3}, {tensors_[last - 2], tensors_[last - 1]}, true);
      }
      case 9:
        return append(Add{}, {x, other(x)}, false);
      case 10:
        return append(Mul{}, {other(x), x}, false, shape);
      case 11:
        return append(Sub{Activation::kRelu}, {x, other(x)}, false);
      case 12: {
        const int64_t begin = some(0, shape[3] - 1);
        return append(Slice{{0, 0, 0, begin}, {1, 2, 1, 1}, {}}, {x}, true,
                      {1, (shape[1] + 1) / 2, shape[2], some(1, shape[3] - begin)});
      }
      case 13:
        return append(Pad{{0, 1, 0, 0}, {0, 0, 2, 0}, static_cast<int32_t>(some(-128, 127))}, {x},
                      true);
      case 14:
        return append(ResizeBilinear{}, {x}, true, {1, 6, 3, shape[3]});
      case 15:
        return append(Mean{{1, 2}}, {x}, false, {1, 1, 1, shape[3]});
      case 16:
        return append(Transpose{{0, 2, 1, 3}}, {x}, true);
      case 17:
      case 18:
      case 19:
      case 20:
        return append(binary(), pair(x, other(x)), random_.chance(0.5), shape), silence();
      case 21:
      case 22:
      case 23:
        return in_floats(x);
      case 24:
      case 25:
        return append(unary(), {x}, random_.chance(0.5));
      case 26:
        return selected(x);
      case 27:
      case 28:
        return move(x);
      case 29:
        return whole(x);
      default:
        return append_as_demanded(Tanh{}, x);
    }
  }

  zoo::Random random_;
  TestGraph g_;
  std::vector<TensorId> tensors_;
};

}  // namespace

Graph random_dead_network(uint64_t seed) { return DeadNetwork(seed).make(); }

}  // namespace thimble::testing
