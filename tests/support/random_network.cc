// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_network.h"

#include <fmt/format.h>

#include "tests/support/random_op.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tensor_file.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {
namespace {

/// Adds operators on images and on what they become, a supported one at a time.
class RandomNetwork {
 public:
  explicit RandomNetwork(uint64_t seed) : random_(seed), g_(seed) {}

  Graph make() {
    const int64_t batch = random_.chance(0.2) ? 2 : 1;
    for (int64_t k = random_.between(1, 2); k > 0; --k) {
      add(g_.input({batch, some(2, 7), some(2, 7), some(1, 6)}));
      if (random_.chance(0.25)) channels_last();
    }
    if (random_.chance(0.3)) constant();
    const int64_t count = some(2, 8);
    for (int tries = 0; tries < 60 && made_ < count; ++tries) grow();
    outputs();
    check_graph(g_.graph());
    return g_.graph();
  }

 private:
  int64_t some(int64_t lowest, int64_t highest) { return random_.between(lowest, highest); }
  const Tensor& at(TensorId t) { return g_.graph().tensor(t); }
  bool is_image(TensorId t) { return at(t).shape.size() == 4; }
  void add(TensorId t) { tensors_.push_back(t); }
  TensorId pick() {
    const auto last = static_cast<int64_t>(tensors_.size()) - 1;
    const int64_t k = some(0, last);
    return tensors_[static_cast<size_t>(random_.chance(0.4) ? last : k)];
  }

  // The last input arrives channels first.
  void channels_last() { add(g_.transpose(tensors_.back(), {0, 2, 3, 1})); }

  void constant() {
    const TensorId t = g_.input(at(tensors_[0]).shape);
    Graph& graph = g_.graph();
    graph.inputs.pop_back();
    graph.tensor(t).data = std::make_shared<const Bytes>(
        random_bytes(DType::kInt8, elements(at(t).shape), random_.next()));
    add(t);
  }

  /// An operator that TestGraph has no word for: its output quantised as asked.
  void append(Attributes attributes, std::vector<TensorId> inputs, const Quantization& q,
              const Shape& shape = {}) {
    Graph& graph = g_.graph();
    const TensorId out{static_cast<int32_t>(graph.tensors.size())};
    graph.tensors.push_back({fmt::format("t{}", out.value), shape, DType::kInt8, q, nullptr});
    Op op{std::move(attributes), std::move(inputs), {out}, static_cast<int>(graph.ops.size())};
    if (shape.empty() && !op.inputs.empty()) graph.tensor(out).shape = output_shape(graph, op);
    graph.ops.push_back(std::move(op));
    add(out);
  }

  void grow() {
    const Graph before = g_.graph();
    const size_t known = tensors_.size();
    step(some(0, 18), pick());
    if (tensors_.size() == known) return;
    const Graph& graph = g_.graph();
    const bool large = at(tensors_.back()).size_bytes() > 3000;
    if (large || !unsupported_reason(graph, graph.ops.back()).empty()) {
      g_.graph() = before;
      tensors_.resize(known);
    } else {
      ++made_;
    }
  }

  void step(int64_t kind, TensorId x) {
    const Shape shape = at(x).shape;
    const Quantization q = at(x).quantization;
    const Quantization other{{0.11F}, {-3}, 0};
    if (kind < 8 && is_image(x)) return image_step(kind, x);
    switch (kind) {
      case 8:
        return add(g_.add(x, x));
      case 9:
        return broadcast(x);
      case 10:
        return append(Concat{.axis = static_cast<int>(shape.size()) - 1}, {x, x}, q);
      case 11:
        return append(Relu{}, {x}, other);
      case 12:
        return add(g_.reshape(x, {elements(shape)}));
      case 13:
        return split_axes(x);
      case 14:
        return elements(shape) > 400 ? void() : add(g_.fully_connected(x, some(1, 5)));
      case 15:
        return lookup(x);
      case 16:
        return slice(x);
      case 17:
        return is_image(x) ? resize(x) : void();
      default:
        return append(Softmax{}, {x}, {{0x1p-8F}, {-128}, 0});
    }
  }

  // A part of each axis, every second or backwards now and then; one axis may go.
  void slice(TensorId x) {
    const Shape shape = at(x).shape;
    const int64_t gone = random_.chance(0.3) && shape.size() > 1 ? some(0, 3) : -1;
    Slice slice;
    Shape out;
    for (size_t k = 0; k < shape.size(); ++k) {
      const bool backwards = random_.chance(0.3);
      const int64_t stride = random_.chance(0.3) ? 2 : 1;
      const int64_t begin = some(0, shape[k] / 2);
      const int64_t most = (backwards ? begin : shape[k] - 1 - begin) / stride + 1;
      slice.begin.push_back(begin);
      slice.stride.push_back(backwards ? -stride : stride);
      if (static_cast<int64_t>(k) == gone) {
        slice.dropped.push_back(static_cast<int>(k));
      } else {
        out.push_back(some((most + 1) / 2, most));
      }
    }
    append(slice, {x}, at(x).quantization, out);
  }

  void resize(TensorId x) {
    const Shape in = at(x).shape;
    const auto size = [&](int64_t extent) { return random_.chance(0.6) ? 2 * extent : some(1, 9); };
    const Shape out{in[0], size(in[1]), size(in[2]), in[3]};
    const int64_t kind = some(0, 2);
    random_.chance(0.5)
        ? append(ResizeNearestNeighbor{kind == 1, kind == 2}, {x}, at(x).quantization, out)
        : append(ResizeBilinear{kind == 1, kind == 2}, {x}, at(x).quantization, out);
  }

  void image_step(int64_t kind, TensorId x) {
    const Window window{.kernel_h = some(1, 3),
                        .kernel_w = some(1, 3),
                        .stride_h = some(1, 2),
                        .stride_w = 1,
                        .padding = {}};
    switch (kind) {
      case 0:
        return add(g_.conv(x, some(1, 6), some(1, 3), some(1, 2)));
      case 1:
        return add(g_.depthwise(x, some(1, 3), 1));
      case 2:
        return add(g_.depthwise(x, 3, some(1, 2)));
      case 3:
        return add(g_.pad(x, some(0, 2), some(0, 2)));
      case 4:
        return append(AveragePool2D{.window = window}, {x}, at(x).quantization);
      case 5:
        return append(MaxPool2D{.window = window}, {x}, at(x).quantization);
      case 6:
        if (random_.chance(0.3)) return mean_of_channels(x);
        return append(Mean{{1, 2}}, {x}, at(x).quantization,
                      {at(x).shape[0], 1, 1, at(x).shape[3]});
      default:
        return add(g_.transpose(x, {0, 3, 1, 2}));
    }
  }

  void lookup(TensorId x) {
    switch (some(0, 2)) {
      case 0:
        return append(Rsqrt{}, {x}, {{0.05F}, {-100}, 0});
      case 1:
        return append(Gelu{}, {x}, {{0.07F}, {-90}, 0});
      default:
        return append(Logistic{}, {x}, {{0x1p-8F}, {-128}, 0});
    }
  }

  void mean_of_channels(TensorId x) {
    Shape out = at(x).shape;
    out.back() = 1;
    append(Mean{{3}}, {x}, at(x).quantization, out);
  }

  // With a second operand of the same shape, of one channel, or a constant.
  void broadcast(TensorId x) {
    for (int tries = 0; tries < 6; ++tries) {
      const TensorId y = pick();
      if (at(y).shape.size() > at(x).shape.size()) continue;
      const size_t lead = at(x).shape.size() - at(y).shape.size();
      bool fits = true;
      for (size_t k = 0; k < at(y).shape.size(); ++k) {
        fits = fits && (at(y).shape[k] == 1 || at(y).shape[k] == at(x).shape[lead + k]);
      }
      if (!fits) continue;
      const std::vector<TensorId> inputs =
          random_.chance(0.5) ? std::vector{x, y} : std::vector{y, x};
      static const Attributes kKinds[] = {Add{}, Add{}, Mul{}, Mul{}, Sub{}, SquaredDifference{}};
      return append(kKinds[some(0, std::size(kKinds) - 1)], inputs, {{0.1F}, {2}, 0});
    }
  }

  // Six axes, transposed.
  void split_axes(TensorId x) {
    Shape shape = at(x).shape;
    for (size_t k = 0; shape.size() < 6 && k < shape.size(); ++k) {
      if (shape[k] % 2 != 0) continue;
      shape[k] /= 2;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(k), 2);
      ++k;
    }
    std::vector<int> permutation;
    for (size_t k = shape.size(); k-- > 0;) permutation.push_back(static_cast<int>(k));
    add(g_.transpose(g_.reshape(x, shape), permutation));
  }

  // What nobody reads; now and then something in the middle, an input, or the same tensor twice.
  void outputs() {
    const Graph& graph = g_.graph();
    const auto readers = consumers(graph);
    std::vector<TensorId> chosen;
    for (const Op& op : graph.ops) {
      const TensorId t = op.outputs[0];
      if (readers[t.index()].empty() || random_.chance(0.1)) chosen.push_back(t);
    }
    if (random_.chance(0.1)) chosen.push_back(graph.inputs[0].tensor);
    if (random_.chance(0.1)) chosen.push_back(chosen[0]);
    for (TensorId t : chosen) {
      const bool last = is_image(t) && readers[t.index()].empty() && random_.chance(0.3);
      g_.output(last ? g_.transpose(t, {0, 3, 1, 2}) : t);
    }
  }

  zoo::Random random_;
  TestGraph g_;
  std::vector<TensorId> tensors_;
  int64_t made_ = 0;
};

}  // namespace

Graph random_network(uint64_t seed) { return RandomNetwork(seed).make(); }

Graph random_chain(uint64_t seed) {
  zoo::Random random(seed);
  TestGraph g(seed);
  std::vector<TensorId> made = {
      g.input({1, random.between(2, 7), random.between(2, 7), random.between(1, 9)})};
  const auto shape = [&](TensorId t) { return g.graph().tensor(t).shape; };
  for (int64_t k = random.between(3, 9); k > 0; --k) {
    const TensorId x = made.back();
    const TensorId other =
        made[static_cast<size_t>(random.between(0, static_cast<int64_t>(made.size()) - 1))];
    const int64_t kind = random.between(0, 3);
    if (kind == 0 && shape(other) == shape(x)) {
      made.push_back(g.add(other, x));
    } else if (kind <= 1) {
      made.push_back(g.depthwise(x, random.between(1, 3), random.chance(0.2) ? 2 : 1));
    } else {
      made.push_back(g.conv(random.chance(0.1) ? other : x, random.between(2, 12),
                            random.chance(0.6) ? 1 : 3, random.chance(0.1) ? 2 : 1));
    }
  }
  const auto readers = consumers(g.graph());
  for (const TensorId t : made) {
    if (readers[t.index()].empty() || random.chance(0.05)) g.output(t);
  }
  return g.graph();
}

Graph random_bottlenecks(uint64_t seed) {
  zoo::Random random(seed);
  TestGraph g(seed);
  const int64_t channels = random.between(1, 3);
  TensorId x = g.input({1, random.between(8, 24), random.between(8, 24), channels});
  for (int64_t k = random.between(1, 3); k > 0; --k) {
    const int64_t stride = random.between(1, 2);
    TensorId y = g.conv(x, random.between(4, 12), 1, 1);
    for (int64_t windows = random.between(1, 2); windows > 0; --windows)
      y = g.depthwise(y, random.between(2, 5), windows == 1 ? stride : 1);
    y = g.conv(y, channels, 1, 1);
    x = stride == 1 && random.chance(0.5) ? g.add(y, x) : y;
  }
  g.output(x);
  return g.graph();
}

Graph random_attention(uint64_t seed) {
  zoo::Random random(seed);
  TestGraph g(seed);
  const int64_t tokens = random.between(1, 9), heads = random.chance(0.5) ? 1 : 3;
  const int64_t width = heads * random.between(1, 3);
  const bool flat = heads == 1 && random.chance(0.3);  // without a batch axis
  const auto split = [&](TensorId t) {
    if (heads == 1) return t;
    return g.transpose(g.reshape(t, {1, tokens, heads, width / heads}), {0, 2, 1, 3});
  };
  const auto attention = [&](TensorId x) {
    const TensorId queries = split(random.chance(0.7) ? g.linear(x, width) : x);
    const TensorId keys = split(random.chance(0.7) ? g.linear(x, width) : x);
    const TensorId values = split(g.linear(x, width));
    TensorId y = g.batch_matmul(g.softmax(g.batch_matmul(queries, keys, true)), values, false);
    if (heads > 1) y = g.reshape(g.transpose(y, {0, 2, 1, 3}), {1, tokens, width});
    return g.linear(y, width);
  };
  std::vector<TensorId> made = {g.input(flat ? Shape{tokens, width} : Shape{1, tokens, width})};
  for (int64_t k = random.between(1, 4); k > 0; --k) {
    const TensorId x = made.back();
    const TensorId y =
        random.chance(0.6) ? attention(x) : g.linear(g.linear(x, random.between(1, 8)), width);
    made.push_back(random.chance(0.7) ? g.add(x, y) : y);
  }
  const auto readers = consumers(g.graph());
  for (const TensorId t : made) {
    if (readers[t.index()].empty() || random.chance(0.05)) g.output(t);
  }
  return g.graph();
}

std::vector<Bytes> noise(const Graph& graph, uint64_t seed) {
  std::vector<Bytes> inputs;
  for (const Port& port : graph.inputs) {
    const Tensor& t = graph.tensor(port.tensor);
    inputs.push_back(random_bytes(t.type, elements(t.shape), seed));
  }
  return inputs;
}

std::vector<Bytes> expected_outputs(const Graph& graph, const std::vector<Bytes>& inputs) {
  const TensorValues values = interpret(graph, inputs);
  std::vector<Bytes> result;
  for (const Port& port : graph.outputs) {
    const Tensor& t = graph.tensor(port.tensor);
    result.push_back(to_port(graph, port, t.is_constant() ? *t.data : values[port.tensor.index()]));
  }
  return result;
}

}  // namespace thimble::testing
