// SPDX-License-Identifier: Apache-2.0
// Beside what TensorFlow Lite's converter made of the same networks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/driver/samples.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/quantise.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"

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
  bool dense_per_channel = false;
  std::string data;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.real; }

std::vector<std::vector<Bytes>> samples(const Graph& graph, const std::string& file) {
  Preprocessing as_they_are;
  as_they_are.scale = 1;
  std::vector<std::vector<Bytes>> result;
  for (const Sample& sample : SampleReader(graph, {}, as_they_are).read(file))
    result.push_back(sample.inputs);
  return result;
}

Ranges ranges_on(const Graph& graph, const std::vector<std::vector<Bytes>>& inputs) {
  Ranges ranges;
  for (const auto& sample : inputs) include(ranges, observed_ranges(graph, sample));
  return ranges;
}

class Published : public ::testing::TestWithParam<Pair> {};

TEST_P(Published, WeightsAreTheSame) {
  THIMBLE_NEEDS_SHARED();
  const Graph real = import_tflite(testing::model_path(GetParam().real));
  const Graph published = import_tflite(testing::model_path(GetParam().published));
  const auto inputs = samples(real, GetParam().data);
  const Graph made = quantised(real, ranges_on(real, inputs), {.dense_per_channel = false}).graph;
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
                         ::testing::Values(Pair{"pretrainedResnet_float", "pretrainedResnet_quant",
                                                false, "/work/shared/ptq/ic_calibration.npy"}),
                         [](const auto& test) { return test.param.real; });

}  // namespace
}  // namespace thimble
