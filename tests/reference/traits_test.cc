// SPDX-License-Identifier: Apache-2.0
// What operators promise (operators/traits.h), against what the interpreter makes of other inputs.
#include "thimble/operators/traits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

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

struct Pixel {
  int64_t row = 0, column = 0;
};

/// The first element of a pixel in [1,H,W,C].
size_t element_of(const Shape& image, int64_t row, int64_t column) {
  return static_cast<size_t>((row * image[2] + column) * image[3]);
}

/// Pixels whose windows are all inside of the operand.
std::vector<Pixel> inner_pixels(const Window& w, const Shape& in, const Shape& out) {
  std::vector<Pixel> result;
  for (Pixel p; p.row < out[1]; ++p.row) {
    for (p.column = 0; p.column < out[2]; ++p.column) {
      const int64_t top = p.row * w.stride_h - w.padding.top;
      const int64_t left = p.column * w.stride_w - w.padding.left;
      if (top >= 0 && left >= 0 && top + (w.kernel_h - 1) * w.dilation_h < in[1] &&
          left + (w.kernel_w - 1) * w.dilation_w < in[2])
        result.push_back(p);
    }
  }
  return result;
}

// What certify/piece.cc relies on: everything outside of the window is other, and the window lies
// elsewhere.
TEST(Traits, PixelsAreWhatTheirWindowsMakeThem) {
  int cases = 0;
  std::set<std::string> operators;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = testing::random_op_graph(seed);
    const Op& op = graph.ops[0];
    const std::optional<Window> window = traits(op.attributes).window;
    const Tensor& in = graph.tensor(op.inputs[0]);
    const Shape& out = graph.tensor(op.outputs[0]).shape;
    const bool constants_behind =
        std::all_of(op.inputs.begin() + 1, op.inputs.end(),
                    [&](TensorId t) { return graph.tensor(t).is_constant(); });
    if (!window || !constants_behind || in.is_constant()) continue;
    if (in.shape.size() != 4 || out.size() != 4 || in.shape[0] != 1) continue;
    const std::vector<Pixel> inner = inner_pixels(*window, in.shape, out);
    if (inner.size() < 2) continue;
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, label(op)));
    const Pixel from = inner[seed % (inner.size() - 1)], to = inner.back();
    const TensorValues values = testing::random_inputs(graph, seed);
    TensorValues others = testing::random_inputs(graph, seed + 1);
    const auto pixel_bytes =
        static_cast<size_t>(in.shape[3]) * static_cast<size_t>(size_bytes(in.type));
    const size_t x = op.inputs[0].index();
    const auto at = [&](int64_t row, int64_t column) {
      return element_of(in.shape, row, column) * static_cast<size_t>(size_bytes(in.type));
    };
    for (int64_t y = 0; y < window->kernel_h; ++y) {
      for (int64_t z = 0; z < window->kernel_w; ++z) {
        const auto position = [&](const Pixel& p) {
          return at(p.row * window->stride_h - window->padding.top + y * window->dilation_h,
                    p.column * window->stride_w - window->padding.left + z * window->dilation_w);
        };
        std::copy_n(values[x].begin() + static_cast<std::ptrdiff_t>(position(from)), pixel_bytes,
                    others[x].begin() + static_cast<std::ptrdiff_t>(position(to)));
      }
    }
    const Bytes before = interpret_op(graph, op, values)[0];
    const Bytes after = interpret_op(graph, op, others)[0];
    const auto size = static_cast<size_t>(size_bytes(graph.tensor(op.outputs[0]).type));
    const size_t a = element_of(out, from.row, from.column) * size;
    const size_t b = element_of(out, to.row, to.column) * size;
    for (size_t k = 0; k < static_cast<size_t>(out[3]) * size; ++k)
      ASSERT_EQ(before[a + k], after[b + k]) << "byte " << k;
    operators.insert(snake_name(op.attributes));
    ++cases;
  }
  EXPECT_GT(cases, 100 / testing::kOneIn);
  EXPECT_GT(operators.size(), testing::kOneIn == 1 ? 12 : 3);
}

}  // namespace
}  // namespace thimble
