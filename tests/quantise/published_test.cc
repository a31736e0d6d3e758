// SPDX-License-Identifier: Apache-2.0
// Beside what TensorFlow Lite's converter made of the same networks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/quantise/quantise.h"

namespace thimble {
namespace {

/// Weights and biases in the order of the operators that read them.
std::vector<Tensor> weights_of(const Graph& graph) {
  std::vector<Tensor> result;
  for (const Op& op : graph.ops) {
    for (size_t k = 1; k < op.inputs.size(); ++k) {
      const Tensor& tensor = graph.tensor(op.inputs[k]);
      if (tensor.is_constant() && !tensor.quantization.scales.empty()) result.push_back(tensor);
    }
  }
  return result;
}

struct Pair {
  std::string real, published;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.real; }

/// Numbers of the size that both networks were trained on.
Ranges ranges_on_noise(const Graph& graph) {
  const Shape& shape = graph.tensor(graph.inputs[0].tensor).shape;
  std::vector<float> values(static_cast<size_t>(elements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761U % 255) - 100;
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return observed_ranges(graph, {bytes});
}

class Published : public ::testing::TestWithParam<Pair> {};

TEST_P(Published, WeightsAreTheSame) {
  THIMBLE_NEEDS_SHARED();
  const Graph real = import_tflite(testing::model_path(GetParam().real));
  const Graph published = import_tflite(testing::model_path(GetParam().published));
  const Graph made = quantised(real, ranges_on_noise(real), {.dense_per_channel = false}).graph;
  const std::vector<Tensor> ours = weights_of(made), theirs = weights_of(published);
  ASSERT_EQ(ours.size(), theirs.size());
  int64_t differ = 0, of = 0;
  for (size_t k = 0; k < ours.size(); ++k) {
    SCOPED_TRACE(ours[k].name);
    ASSERT_EQ(ours[k].type, theirs[k].type);
    ASSERT_EQ(ours[k].shape, theirs[k].shape);
    if (ours[k].type != DType::kInt8) continue;
    EXPECT_EQ(ours[k].quantization, theirs[k].quantization);
    const Bytes &a = *ours[k].data, &b = *theirs[k].data;
    of += std::ssize(a);
    for (size_t i = 0; i < a.size(); ++i) {
      const int difference = static_cast<int8_t>(a[i]) - static_cast<int8_t>(b[i]);
      EXPECT_LE(std::abs(difference), 1);
      differ += difference != 0;
    }
  }
  fmt::print("{} of {} weights differ\n", differ, of);
  EXPECT_LE(differ, 2);
}

INSTANTIATE_TEST_SUITE_P(Models, Published,
                         ::testing::Values(Pair{"pretrainedResnet_float", "pretrainedResnet_quant"},
                                           Pair{"ad01_fp32", "ad01_int8"}),
                         [](const auto& test) { return test.param.real; });

}  // namespace
}  // namespace thimble
