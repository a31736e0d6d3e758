// SPDX-License-Identifier: Apache-2.0
// Kernels against the plain interpreter on random operators: whole, in place, in chunks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/random_op.h"
#include "tests/target/kernels/run_op.h"
#include "thimble/reference/interpreter.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble::testing {
namespace {

// Alternative of Attributes.
class RandomOperators : public ::testing::TestWithParam<size_t> {};

constexpr size_t kKinds = std::variant_size_v<AnyOperator>;
constexpr uint64_t kRounds = 150;

std::string dump(const Graph& graph) {
  std::string text = label(graph.ops[0]);
  for (const Tensor& t : graph.tensors)
    text += fmt::format(" {} {}", name(t.type), to_string(t.shape));
  return text;
}

template <class... Operator>
bool is_one_of(const Attributes& a) {
  return (std::holds_alternative<Operator>(a) || ...);
}

TEST_P(RandomOperators, EqualTheInterpreter) {
  for (uint64_t round = 0; round < kRounds; ++round) {
    const uint64_t seed = GetParam() + round * kKinds;
    const Graph graph = random_op_graph(seed);
    const Op& op = graph.ops[0];
    SCOPED_TRACE(dump(graph));
    ASSERT_EQ(op.attributes.index(), GetParam());
    const TensorValues values = random_inputs(graph, seed);
    const Bytes expected = interpret_op(graph, op, values)[0];
    ASSERT_TRUE(has_kernel(graph, op, Method::kCompute));
    ASSERT_EQ(run_op(graph, op, Method::kCompute, values), expected);
    if (has_kernel(graph, op, Method::kInPlace)) {
      ASSERT_EQ(run_op(graph, op, Method::kInPlace, values), expected);
    }
    if (has_kernel(graph, op, Method::kAccumulate)) {
      const Shape& x = graph.tensor(op.inputs[0]).shape;
      const auto extent = static_cast<int32_t>(x[chunk_axis(graph, op)]);
      std::vector<int32_t> ends{extent};
      if (extent > 1) ends.insert(ends.begin(), 1 + static_cast<int32_t>(round) % (extent - 1));
      ASSERT_EQ(run_op_in_chunks(graph, op, values, ends), expected);
    }
  }
}

TEST_P(RandomOperators, OfWhatWasUint8EqualTheInterpreter) {
  for (uint64_t round = 0; round < kRounds; ++round) {
    const uint64_t seed = GetParam() + round * kKinds;
    const Graph graph = as_uint8(random_op_graph(seed), seed);
    if (graph.ops == random_op_graph(seed).ops) continue;
    const Op& op = graph.ops[0];
    SCOPED_TRACE(dump(graph));
    const TensorValues values = random_inputs(graph, seed);
    ASSERT_TRUE(has_kernel(graph, op, Method::kCompute));
    ASSERT_EQ(run_op(graph, op, Method::kCompute, values), interpret_op(graph, op, values)[0]);
  }
}

TEST_P(RandomOperators, OfFloat32EqualTheInterpreter) {
  int taken = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    const uint64_t seed = GetParam() + round * kKinds;
    const Graph graph = in_float32(random_op_graph(seed), seed);
    if (graph.ops.empty()) continue;
    const Op& op = graph.ops[0];
    SCOPED_TRACE(dump(graph));
    const TensorValues values = random_inputs(graph, seed);
    const Bytes expected = interpret_op(graph, op, values)[0];
    for (const Method method : {Method::kInPlace, Method::kAccumulate, Method::kFinalise})
      ASSERT_FALSE(has_kernel(graph, op, method));
    ASSERT_TRUE(has_kernel(graph, op, Method::kCompute));
    ASSERT_EQ(run_op(graph, op, Method::kCompute, values), expected);
    ++taken;
  }
  const Attributes kind = random_op_graph(GetParam()).ops[0].attributes;
  const bool of_integers = is_one_of<Quantize, Dequantize, Comparison, Select, Cast, ArgMax, Gather,
                                     UpdateSlice, StepLoop>(kind) ||
                           std::visit([]<class A>(const A&) { return kIsSignal<A>; }, kind);
  EXPECT_EQ(taken == 0, of_integers) << taken;
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomOperators, ::testing::Range(size_t{0}, kKinds));

}  // namespace
}  // namespace thimble::testing
