// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/equalise.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

Bytes outputs_of(const Graph& graph, const std::vector<Bytes>& inputs) {
  const TensorValues values = interpret(graph, inputs);
  Bytes all;
  for (const Port& port : graph.outputs)
    all.insert(all.end(), values[port.tensor.index()].begin(), values[port.tensor.index()].end());
  return all;
}

TEST(Equalised, NetworksComputeTheSame) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = import_tflite(testing::model_path("pretrainedResnet_float"));
  const std::vector<LayerPair> pairs = layer_pairs(graph);
  EXPECT_EQ(pairs.size(), 3U);  // all others end in an addition, or in two readers
  std::vector<Bytes> inputs = {Bytes(size_t{32} * 32 * 3 * 4)};
  for (size_t i = 0; i < inputs[0].size(); i += 4) {
    const auto value = static_cast<float>(i * 2654435761U % 256);
    std::memcpy(&inputs[0][i], &value, sizeof(value));
  }
  const Graph changed = equalised(graph, pairs, observed_peaks(graph, pairs, inputs));
  EXPECT_NE(changed, graph);
  EXPECT_EQ(outputs_of(changed, inputs), outputs_of(graph, inputs));
}

}  // namespace
}  // namespace thimble
