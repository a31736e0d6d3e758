// SPDX-License-Identifier: Apache-2.0
// What operators promise (operators/traits.h), against what the interpreter makes of other inputs.
#include "thimble/operators/traits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/random_op.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

constexpr uint64_t kSeeds = 2640 / testing::kOneIn;  // 40 of each operator

/// `bytes` with the elements that are chosen from others.
Bytes mixed(const Bytes& bytes, const Bytes& others, const Tensor& tensor,
            const std::function<bool(size_t)>& chosen) {
  const auto size = static_cast<size_t>(size_bytes(tensor.type));
  Bytes result = bytes;
  for (size_t k = 0; k < result.size(); ++k) {
    if (chosen(k / size)) result[k] = others[k];
  }
  return result;
}

/// The elements of the operator's output that differ between two sets of operands.
std::vector<size_t> differing(const Graph& graph, const TensorValues& a, const TensorValues& b) {
  const Op& op = graph.ops[0];
  const auto size = static_cast<size_t>(size_bytes(graph.tensor(op.outputs[0]).type));
  const Bytes of_a = interpret_op(graph, op, a)[0], of_b = interpret_op(graph, op, b)[0];
  std::vector<size_t> result;
  for (size_t k = 0; k < of_a.size(); ++k) {
    if (of_a[k] != of_b[k]) result.push_back(k / size);
  }
  return result;
}

size_t channels_of_shape(const Shape& shape) {
  return shape.empty() ? 1 : static_cast<size_t>(shape.back());
}

/// As rewrites/channel_sets.cc asks.
bool keeps_channels_apart(const InputMap& map, const Shape& in, const Shape& out) {
  if (channels_of_shape(in) != channels_of_shape(out)) return false;
  if (map.linear || map.axes.empty()) return true;
  const auto* last = std::get_if<Affine>(&map.axes.back());
  return last != nullptr && *last == Affine{.out_axis = static_cast<int>(out.size()) - 1};
}

TEST(Traits, ValuesOfOneValueChangeWithItAlone) {
  int cases = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = testing::random_op_graph(seed);
    const Op& op = graph.ops[0];
    const Tensor& in = graph.tensor(op.inputs[0]);
    if (!traits(op.attributes).of_each_value || in.is_constant()) continue;
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, label(op)));
    const TensorValues values = testing::random_inputs(graph, seed);
    TensorValues others = testing::random_inputs(graph, seed + 1);
    const size_t element = seed % static_cast<size_t>(elements(in.shape));
    Bytes& x = others[op.inputs[0].index()];
    x = mixed(values[op.inputs[0].index()], x, in, [&](size_t k) { return k == element; });
    for (const size_t k : differing(graph, values, others)) EXPECT_EQ(k, element);
    ++cases;
  }
  EXPECT_GT(cases, 200 / testing::kOneIn);
}

TEST(Traits, ChannelsThatAreKeptApartChangeAlone) {
  int cases = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = testing::random_op_graph(seed);
    const Op& op = graph.ops[0];
    if (!traits(op.attributes).by_channel) continue;
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, label(op)));
    const Shape& out = graph.tensor(op.outputs[0]).shape;
    const size_t channels = channels_of_shape(out), channel = seed % channels;
    const TensorValues values = testing::random_inputs(graph, seed);
    const TensorValues random = testing::random_inputs(graph, seed + 1);
    const AccessMap maps = access_map(graph, op);
    TensorValues others = values;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor& in = graph.tensor(op.inputs[i]);
      if (in.is_constant() || !keeps_channels_apart(maps[i], in.shape, out)) continue;
      const size_t t = op.inputs[i].index();
      others[t] =
          mixed(values[t], random[t], in, [&](size_t k) { return k % channels == channel; });
      ++cases;
    }
    for (const size_t k : differing(graph, values, others)) EXPECT_EQ(k % channels, channel);
  }
  EXPECT_GT(cases, 400 / testing::kOneIn);
}

}  // namespace
}  // namespace thimble
