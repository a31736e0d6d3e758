// SPDX-License-Identifier: Apache-2.0
// The access maps of every operator against the reference interpreter, on random operators: what a
// map leaves out is not read, and what it names suffices.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/random_op.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"
#include "thimble/regions/access_map.h"

namespace thimble {
namespace {

constexpr uint64_t kOperators = std::variant_size_v<AnyOperator>;

/// A random operator, its inputs' values and its map.
struct Subject {
  explicit Subject(uint64_t seed)
      : random(seed),
        graph(testing::random_op_graph(seed)),
        op(graph.ops[0]),
        maps(access_map(graph, op)),
        values(testing::random_inputs(graph, seed + 1)) {}

  [[nodiscard]] const Tensor& out() const { return graph.tensor(op.outputs[0]); }
  [[nodiscard]] Bytes run() const { return interpret_op(graph, op, values).at(0); }
  [[nodiscard]] std::string label() const { return graph.name; }

  /// What tensor t must hold for `region` of the output: the hull over the inputs that are t, since
  /// an operator may read a tensor twice.
  [[nodiscard]] Region needed(TensorId t, const Region& region) const {
    const Shape& shape = graph.tensor(t).shape;
    std::optional<Region> sum;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (op.inputs[k] != t) continue;
      const Region one = input_region(maps[k], shape, out().shape, region);
      sum = sum ? hull(*sum, one) : one;
    }
    return sum.value();
  }

  zoo::Random random;
  Graph graph;
  Op op;
  AccessMap maps;
  TensorValues values;
};

std::vector<int64_t> position(int64_t index, const Shape& shape) {
  std::vector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0; index /= shape[i]) at[i] = index % shape[i];
  return at;
}

bool inside(const Region& region, const std::vector<int64_t>& at) {
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] < region[i].begin || at[i] >= region[i].end) return false;
  }
  return true;
}

Region point(const std::vector<int64_t>& at) {
  Region region;
  for (int64_t i : at) region.push_back({i, i + 1});
  return region;
}

Region random_region(const Shape& shape, zoo::Random& random) {
  Region region;
  for (int64_t extent : shape) {
    const int64_t begin = random.between(0, extent - 1);
    region.push_back({begin, random.between(begin + 1, extent)});
  }
  return region;
}

/// `original` with every element outside `keep` replaced by that of `noise`.
Bytes replace_outside(const Tensor& tensor, const Region& keep, const Bytes& original,
                      const Bytes& noise) {
  Bytes result = noise;
  const auto size = static_cast<size_t>(size_bytes(tensor.type));
  for (int64_t i = 0; i < elements(tensor.shape); ++i) {
    if (!inside(keep, position(i, tensor.shape))) continue;
    std::memcpy(&result[static_cast<size_t>(i) * size], &original[static_cast<size_t>(i) * size],
                size);
  }
  return result;
}

bool equal_inside(const Tensor& tensor, const Region& region, const Bytes& a, const Bytes& b) {
  return replace_outside(tensor, region, a, b) == b;
}

const Bytes& value(const Subject& s, TensorId t) {
  const Tensor& tensor = s.graph.tensor(t);
  return tensor.is_constant() ? *tensor.data : s.values[t.index()];
}

void set_value(Subject& s, TensorId t, Bytes bytes) {
  Tensor& tensor = s.graph.tensor(t);
  if (tensor.is_constant()) {
    tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  } else {
    s.values[t.index()] = std::move(bytes);
  }
}

class AccessMapProperty : public ::testing::TestWithParam<uint64_t> {
 protected:
  static constexpr uint64_t kSubjects = 40 / testing::kOneIn;  ///< random operators of the kind
  template <class Test>
  void for_each_subject(Test test) {
    for (uint64_t round = 0; round < kSubjects && !HasFailure(); ++round) {
      const uint64_t seed = GetParam() + round * kOperators;
      SCOPED_TRACE("seed " + std::to_string(seed));
      Subject subject(seed);
      test(subject);
    }
  }
};

TEST_P(AccessMapProperty, NamedInputsSuffice) {
  for_each_subject([](Subject& s) {
    const Bytes expected = s.run();
    for (int trial = 0; trial < 8; ++trial) {
      const Region region = random_region(s.out().shape, s.random);
      Subject noisy = s;
      for (TensorId t : s.op.inputs) {
        const Bytes noise = testing::random_values(s.graph, t, s.random);
        const Bytes mixed =
            replace_outside(s.graph.tensor(t), s.needed(t, region), value(s, t), noise);
        set_value(noisy, t, mixed);
      }
      EXPECT_TRUE(equal_inside(s.out(), region, noisy.run(), expected)) << to_string(region);
    }
  });
}

TEST_P(AccessMapProperty, PerturbationStaysWithinTheImage) {
  for_each_subject([](Subject& s) {
    const Bytes expected = s.run();
    for (int trial = 0; trial < 6; ++trial) {
      const auto last = static_cast<int64_t>(s.op.inputs.size()) - 1;
      const auto number = static_cast<size_t>(s.random.between(0, last));
      // Where a filter bank's bands lie is read whole, and not every number is inside.
      if (std::holds_alternative<SignalFilterBank>(s.op.attributes) && number > 2) continue;
      const TensorId t = s.op.inputs[number];
      const Tensor& tensor = s.graph.tensor(t);
      const std::vector<int64_t> at =
          position(s.random.between(0, elements(tensor.shape) - 1), tensor.shape);
      Subject other = s;
      // Everything but that element is kept.
      const Bytes noise = testing::random_values(s.graph, t, s.random);
      set_value(other, t, replace_outside(tensor, point(at), noise, value(s, t)));
      const Bytes changed = other.run();
      const auto size = static_cast<size_t>(size_bytes(s.out().type));
      for (int64_t o = 0; o < elements(s.out().shape); ++o) {
        const Region one = point(position(o, s.out().shape));
        if (inside(s.needed(t, one), at)) continue;
        const size_t byte = static_cast<size_t>(o) * size;
        EXPECT_EQ(std::memcmp(&changed[byte], &expected[byte], size), 0) << to_string(one);
      }
    }
  });
}

/// A region needs exactly what its elements need together (reshape: at least).
TEST_P(AccessMapProperty, RegionIsTheHullOfItsElements) {
  for_each_subject([](Subject& s) {
    for (size_t k = 0; k < s.op.inputs.size(); ++k) {
      const Shape& in = s.graph.tensor(s.op.inputs[k]).shape;
      const Region region = random_region(s.out().shape, s.random);
      const Region needed = input_region(s.maps[k], in, s.out().shape, region);
      EXPECT_TRUE(contains(whole(in), needed));
      Region sum(in.size());
      for (int64_t o = 0; o < elements(s.out().shape); ++o) {
        const std::vector<int64_t> at = position(o, s.out().shape);
        if (!inside(region, at)) continue;
        const Region one = input_region(s.maps[k], in, s.out().shape, point(at));
        sum = hull(sum, one);
      }
      EXPECT_TRUE(contains(needed, sum)) << to_string(region);
      if (!s.maps[k].linear) {
        EXPECT_TRUE(contains(sum, needed)) << to_string(region);
      }
    }
  });
}

std::string operator_name(const ::testing::TestParamInfo<uint64_t>& info) {
  return testing::random_op_graph(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Operators, AccessMapProperty, ::testing::Range(uint64_t{0}, kOperators),
                         operator_name);

}  // namespace
}  // namespace thimble
