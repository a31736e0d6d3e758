// SPDX-License-Identifier: Apache-2.0
// Bounds of channels: exhaustive over the inputs of small operators, where they must be met
// exactly, and never exceeded by random operators and networks.
#include "thimble/reference/bounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/extreme_inputs.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
void PrintTo(const ValueRange& i, std::ostream* out) {
  *out << '[' << i.low << ", " << i.high << ']';
}

namespace {

using reference::bytes_from;
using reference::bytes_from_integers;
using reference::elements_from;
using reference::integers_from;
using zoo::Random;

ValueRange random_interval(Random& random, int32_t least = -128, int32_t most = 127) {
  if (random.chance(0.2)) return {least, most};
  const auto a = static_cast<int32_t>(random.between(least, most));
  const auto b = random.chance(0.2) ? a : static_cast<int32_t>(random.between(least, most));
  return {std::min(a, b), std::max(a, b)};
}

bool holds(const ValueRange& interval, int32_t value) {
  return interval.low <= value && value <= interval.high;
}

Quantization some_quantization(Random& random) {
  return {{static_cast<float>(0.004 + 0.1 * random.unit())},
          {static_cast<int32_t>(random.between(-128, 127))},
          0};
}

class AllPairs {
 public:
  AllPairs(uint64_t seed, Shape image) : random_(seed) {
    image.insert(image.begin(), kPairs);
    x_ = add(image, DType::kInt8, some_quantization(random_), {});
  }

  Random& random() { return random_; }
  TensorId x() const { return x_; }
  const Tensor& at(TensorId t) const { return graph_.tensor(t); }

  TensorId constant(const Shape& shape, const Quantization& q) {
    std::vector<int8_t> values(static_cast<size_t>(elements(shape)));
    for (int8_t& v : values) v = static_cast<int8_t>(random_.between(-127, 127));
    return add(shape, DType::kInt8, q, bytes_from(values));
  }
  /// [O, ...] weights (of a depthwise convolution [1, ..., O]) and mostly a bias, for sums of which
  /// some saturate; one scale or one per channel.
  std::vector<TensorId> weighted(const Shape& shape, int axis) {
    const auto channels = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
    Quantization q{{}, {}, axis};
    const bool per_channel = random_.chance(0.5) && channels > 1;
    for (size_t o = 0; o < (per_channel ? channels : 1); ++o) {
      q.scales.push_back(static_cast<float>(0.001 + 0.05 * random_.unit()));
      q.zero_points.push_back(0);
    }
    std::vector<TensorId> inputs{x_, constant(shape, q)};
    if (random_.chance(0.2)) return inputs;
    std::vector<int32_t> bias(channels);
    for (int32_t& b : bias) b = static_cast<int32_t>(random_.between(-40000, 40000));
    inputs.push_back(add({static_cast<int64_t>(channels)}, DType::kInt32, {}, bytes_from(bias)));
    return inputs;
  }

  /// The bounds for random intervals of the input are what the values in them come to.
  void expect_exact(Attributes attributes, std::vector<TensorId> inputs,
                    const Shape& shape_of_one = {}, bool same_scale = false) {
    const TensorId out =
        add({}, DType::kInt8, same_scale ? at(x_).quantization : some_quantization(random_), {});
    const Op op{std::move(attributes), std::move(inputs), {out}, 0};
    Shape& shape = graph_.tensor(out).shape = shape_of_one;
    shape.insert(shape.begin(), kPairs);
    if (shape_of_one.empty()) shape = output_shape(graph_, op);
    TensorValues values(graph_.tensors.size());
    std::vector<int8_t> x;
    for (int a = -128; a < 128; ++a) {
      for (int b = -128; b < 128; ++b) {
        x.push_back(static_cast<int8_t>(a));
        x.push_back(static_cast<int8_t>(b));
      }
    }
    values[x_.index()] = bytes_from(x);
    const std::vector<int8_t> y = elements_from<int8_t>(interpret_op(graph_, op, values)[0]);
    for (int k = 0; k < 10; ++k) expect_exact(op, x, y);
  }

 private:
  static constexpr int64_t kPairs = 65536;

  TensorId add(const Shape& shape, DType type, const Quantization& q, const Bytes& data) {
    graph_.tensors.push_back(
        {"", shape, type, q, data.empty() ? nullptr : std::make_shared<const Bytes>(data)});
    return {static_cast<int32_t>(graph_.tensors.size()) - 1};
  }

  void expect_exact(const Op& op, const std::vector<int8_t>& x, const std::vector<int8_t>& y) {
    std::vector<ValueRanges> of(graph_.tensors.size());
    const auto channels = static_cast<size_t>(at(x_).shape.back());
    for (size_t c = 0; c < channels; ++c) of[x_.index()].push_back(random_interval(random_));
    for (const TensorId t : op.inputs) {
      if (at(t).is_constant()) of[t.index()] = constant_bounds(at(t));
    }
    const auto outputs = static_cast<size_t>(at(op.outputs[0]).shape.back());
    ValueRanges expected(outputs, {127, -128});
    for (size_t pair = 0; pair < kPairs; ++pair) {
      bool counts = true;
      for (size_t k = 0; k < 2; ++k)
        counts = counts && holds(of[x_.index()][k % channels], x[2 * pair + k]);
      if (!counts) continue;
      const size_t per_pair = y.size() / kPairs;
      for (size_t k = pair * per_pair; k < (pair + 1) * per_pair; ++k) {
        ValueRange& i = expected[k % outputs];
        i = {std::min<int32_t>(i.low, y[k]), std::max<int32_t>(i.high, y[k])};
      }
    }
    EXPECT_EQ(output_bounds(graph_, op, of), expected);
  }

  Random random_;
  Graph graph_;
  TensorId x_;
};

uint64_t draws() { return testing::random_cases(12, 200) / (testing::kSanitized ? 4 : 1); }

Activation some_activation(Random& random) { return static_cast<Activation>(random.between(0, 3)); }

struct WindowCase {
  Shape image;
  int64_t kernel_h, kernel_w, stride, dilation;
  Padding padding;
};

const WindowCase kWindows[] = {
    {{1, 1, 2}, 1, 1, 1, 1, {}},           {{1, 1, 2}, 3, 3, 1, 1, {1, 1, 1, 1}},
    {{2, 1, 1}, 2, 1, 1, 1, {}},           {{2, 1, 1}, 3, 1, 1, 1, {1, 1, 0, 0}},
    {{1, 2, 1}, 1, 2, 1, 1, {0, 0, 1, 0}}, {{1, 2, 1}, 1, 4, 2, 1, {0, 0, 2, 1}},
    {{2, 1, 1}, 2, 1, 1, 2, {1, 1, 0, 0}}, {{1, 2, 1}, 2, 2, 1, 1, {1, 1, 1, 1}}};

Window window_of(const WindowCase& c) {
  return {c.kernel_h, c.kernel_w, c.stride, c.stride, c.dilation, c.dilation, c.padding};
}

TEST(Bounds, ConvolutionsMeetThem) {
  for (uint64_t seed = 0; seed < draws(); ++seed) {
    for (const WindowCase& c : kWindows) {
      AllPairs pairs(seed, c.image);
      const int64_t channels = c.image[2];
      const int64_t groups = pairs.random().chance(0.3) ? channels : 1;
      pairs.expect_exact(Conv2D{window_of(c), some_activation(pairs.random())},
                         pairs.weighted({4, c.kernel_h, c.kernel_w, channels / groups}, 0));
    }
  }
}

TEST(Bounds, DepthwiseConvolutionsMeetThem) {
  for (uint64_t seed = 0; seed < draws(); ++seed) {
    for (const WindowCase& c : kWindows) {
      AllPairs pairs(seed, c.image);
      const int64_t multiplier = pairs.random().between(1, 3);
      pairs.expect_exact(DepthwiseConv2D{window_of(c), multiplier, some_activation(pairs.random())},
                         pairs.weighted({1, c.kernel_h, c.kernel_w, c.image[2] * multiplier}, 3));
    }
  }
}

TEST(Bounds, FullyConnectedLayersMeetThem) {
  for (uint64_t seed = 0; seed < draws(); ++seed) {
    AllPairs by_channel(seed, {2});
    by_channel.expect_exact(FullyConnected{some_activation(by_channel.random())},
                            by_channel.weighted({5, 2}, 0));
    AllPairs two_pixels(seed, {2, 1});  // each of the same channel
    std::vector<TensorId> inputs = two_pixels.weighted({5, 2}, 0);
    two_pixels.expect_exact(FullyConnected{}, inputs);
    AllPairs shifted(seed, {2});
    inputs = {shifted.x(), shifted.constant({3, 2}, {{0.02F}, {17}, 0})};
    shifted.expect_exact(FullyConnected{}, inputs);
  }
}

TEST(Bounds, MatrixProductsMeetThem) {
  for (uint64_t seed = 0; seed < draws(); ++seed) {
    AllPairs pairs(seed, {2, 1});
    const TensorId y = pairs.constant({1, 3}, {{0.03F}, {-9}, 0});
    pairs.expect_exact(BatchMatMul{}, {pairs.x(), y});
  }
}

TEST(Bounds, PoolsMeetThem) {
  for (uint64_t seed = 0; seed < draws(); ++seed) {
    for (const WindowCase& c : kWindows) {
      if (c.dilation > 1 || std::max(c.padding.top, c.padding.bottom) >= c.kernel_h ||
          std::max(c.padding.left, c.padding.right) >= c.kernel_w)
        continue;
      AllPairs average(seed, c.image);
      average.expect_exact(AveragePool2D{window_of(c), some_activation(average.random())},
                           {average.x()}, {}, true);
      AllPairs largest(seed, c.image);
      largest.expect_exact(MaxPool2D{window_of(c), some_activation(largest.random())},
                           {largest.x()}, {}, true);
    }
  }
}

TEST(Bounds, MeansMeetThem) {
  for (uint64_t seed = 0; seed < 4 * draws(); ++seed) {
    AllPairs pixels(seed, {2, 1});
    pixels.expect_exact(Mean{{1}}, {pixels.x()}, {1});
    AllPairs channels(seed, {1, 2});
    channels.expect_exact(Mean{{2}}, {channels.x()}, {1, 1});
    AllPairs both(seed, {2, 1});
    both.expect_exact(Mean{{1, 2}}, {both.x()}, {1});
  }
}

TEST(Bounds, ResizedImagesMeetThem) {
  for (uint64_t seed = 0; seed < draws(); ++seed) {
    for (const bool half_pixels : {false, true}) {
      AllPairs rows(seed, {2, 1, 1});
      rows.expect_exact(ResizeBilinear{.half_pixel_centers = half_pixels}, {rows.x()}, {5, 1, 1},
                        true);
      AllPairs columns(seed, {1, 2, 1});
      columns.expect_exact(ResizeNearestNeighbor{.half_pixel_centers = half_pixels}, {columns.x()},
                           {1, 3, 1}, true);
    }
  }
}

// All pairs of values, each once; of the difference's square the upper end is met.
TEST(Bounds, OperatorsOnTwoValuesMeetThem) {
  Random random(1);
  for (uint64_t draw = 0; draw < 2 * draws(); ++draw) {
    for (const Attributes& kind :
         {Attributes{Add{some_activation(random)}}, Attributes{Sub{some_activation(random)}},
          Attributes{Mul{some_activation(random)}}, Attributes{SquaredDifference{}}}) {
      Graph graph;
      for (int t = 0; t < 3; ++t)
        graph.tensors.push_back({"", {65536, 1}, DType::kInt8, some_quantization(random), nullptr});
      const Op op{kind, {TensorId{0}, TensorId{1}}, {TensorId{2}}, 0};
      TensorValues values(3);
      for (int pair = 0; pair < 65536; ++pair) {
        values[0].push_back(static_cast<uint8_t>(pair / 256 - 128));
        values[1].push_back(static_cast<uint8_t>(pair % 256 - 128));
      }
      const std::vector<int8_t> y = elements_from<int8_t>(interpret_op(graph, op, values)[0]);
      for (int k = 0; k < 5; ++k) {
        const ValueRange a = random_interval(random), b = random_interval(random);
        ValueRange expected{127, -128};
        for (int32_t i = a.low; i <= a.high; ++i) {
          for (int32_t j = b.low; j <= b.high; ++j) {
            const int32_t v = y[static_cast<size_t>(256 * (i + 128) + j + 128)];
            expected = {std::min(expected.low, v), std::max(expected.high, v)};
          }
        }
        const ValueRange found = output_bounds(graph, op, {{a}, {b}, {}}).at(0);
        if (std::holds_alternative<SquaredDifference>(kind)) {
          EXPECT_LE(found.low, expected.low);
          EXPECT_EQ(found.high, expected.high);
        } else {
          EXPECT_EQ(found, expected) << name(kind);
        }
      }
    }
  }
}

// Every value of every type of input: RELU, LOGISTIC, GELU, QUANTIZE, ...
TEST(Bounds, OperatorsOnOneValueMeetThem) {
  Random random(2);
  size_t cases = 0;
  for (uint64_t seed = 0; seed < 120 * draws(); ++seed) {
    Graph graph = testing::random_op_graph(seed);
    const Op& op = graph.ops[0];
    const Tensor& in = graph.tensor(op.inputs[0]);
    const Tensor& result = graph.tensor(op.outputs[0]);
    if (!traits(op.attributes).of_each_value || std::holds_alternative<Cast>(op.attributes) ||
        in.is_constant() || size_bytes(in.type) > 2 || result.type == DType::kFloat32)
      continue;
    const reference::IntegerRange range = reference::range_of(in.type);
    std::vector<int32_t> x(static_cast<size_t>(range.max - range.min + 1));
    std::iota(x.begin(), x.end(), static_cast<int32_t>(range.min));
    const TensorId out = op.outputs[0];
    for (const TensorId t : {op.inputs[0], out})
      graph.tensor(t).shape = {static_cast<int64_t>(x.size()), 1};
    TensorValues values(graph.tensors.size());
    values[op.inputs[0].index()] = bytes_from_integers(x, in.type);
    const std::vector<int32_t> y =
        integers_from(interpret_op(graph, op, values)[0], graph.tensor(out).type);
    for (int k = 0; k < 3; ++k) {
      const ValueRange i =
          random_interval(random, static_cast<int32_t>(range.min), static_cast<int32_t>(range.max));
      const auto [least, most] =
          std::minmax_element(y.begin() + (i.low - x[0]), y.begin() + (i.high - x[0]) + 1);
      std::vector<ValueRanges> of(graph.tensors.size());
      of[op.inputs[0].index()] = {i};
      EXPECT_EQ(output_bounds(graph, op, of).at(0), (ValueRange{*least, *most})) << label(op);
      ++cases;
    }
  }
  EXPECT_GT(cases, 20U * draws());
}

void expect_within(const Graph& graph, TensorId t, const Bytes& bytes,
                   const ValueRanges& intervals) {
  if (intervals.empty()) return;
  const std::vector<int32_t> values = integers_from(bytes, graph.tensor(t).type);
  for (size_t k = 0; k < values.size(); ++k) {
    ASSERT_TRUE(holds(intervals[k % intervals.size()], values[k]))
        << "tensor " << t.value << ", element " << k << ": " << values[k];
  }
}

TEST(Bounds, HoldTheValuesOfRandomOperators) {
  for (uint64_t seed = 0; seed < testing::random_cases(6000, 100000) / testing::kOneIn; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Graph graph = testing::random_op_graph(seed);
    if (seed % 3 == 0) graph = testing::as_uint8(std::move(graph), seed);
    const Op& op = graph.ops[0];
    Random random(seed + 1);
    TensorValues values = testing::random_inputs(graph, seed);
    std::vector<ValueRanges> of = channel_bounds(graph);
    for (const Port& port : graph.inputs) {
      const Tensor& t = graph.tensor(port.tensor);
      ValueRanges& intervals = of[port.tensor.index()];
      if (intervals.empty() || t.type == DType::kInt32) continue;
      for (ValueRange& i : intervals) i = random_interval(random, i.low, i.high);
      std::vector<int32_t> x(static_cast<size_t>(elements(t.shape)));
      for (size_t k = 0; k < x.size(); ++k) {
        const ValueRange& i = intervals[k % intervals.size()];
        x[k] = random.chance(0.7) ? (random.chance(0.5) ? i.low : i.high)
                                  : static_cast<int32_t>(random.between(i.low, i.high));
      }
      values[port.tensor.index()] = bytes_from_integers(x, t.type);
    }
    expect_within(graph, op.outputs[0], interpret_op(graph, op, values)[0],
                  output_bounds(graph, op, of));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Bounds, HoldTheValuesOfRandomNetworks) {
  for (uint64_t seed = 0; seed < testing::random_cases(300, 10000) / testing::kOneIn; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Graph graph = seed % 3 == 0   ? testing::random_chain(seed)
                        : seed % 3 == 1 ? testing::random_attention(seed)
                                        : testing::random_network(seed);
    const std::vector<ValueRanges> bounds = channel_bounds(graph);
    std::vector<std::vector<Bytes>> sets = testing::extreme_inputs(graph, 3, seed);
    sets.push_back(testing::noise(graph, seed));
    for (const std::vector<Bytes>& inputs : sets) {
      const TensorValues values = interpret(graph, inputs);
      for (const Op& op : graph.ops) {
        expect_within(graph, op.outputs[0], values[op.outputs[0].index()],
                      bounds[op.outputs[0].index()]);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// What the header says.
TEST(Bounds, FindAChannelThatIsTheSameForEveryInput) {
  Graph graph;
  const auto add = [&](const Shape& shape, DType type, int32_t zero_point, const Bytes& data) {
    graph.tensors.push_back({"",
                             shape,
                             type,
                             {{1}, {zero_point}, 0},
                             data.empty() ? nullptr : std::make_shared<const Bytes>(data)});
  };
  add({1, 1, 1, 1}, DType::kInt8, -128, {});
  add({1, 1, 1, 1}, DType::kInt8, 0, bytes_from(std::vector<int8_t>{-3}));
  add({1}, DType::kInt32, 0, bytes_from(std::vector<int32_t>{-20}));
  add({1, 1, 1, 1}, DType::kInt8, -128, {});
  graph.inputs = {{TensorId{0}}};
  graph.ops = {
      {Conv2D{{}, Activation::kRelu}, {TensorId{0}, TensorId{1}, TensorId{2}}, {TensorId{3}}, 0}};
  EXPECT_EQ(channel_bounds(graph)[3], (ValueRanges{{-128, -128}}));
}

}  // namespace
}  // namespace thimble
