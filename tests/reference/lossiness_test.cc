// SPDX-License-Identifier: Apache-2.0
// How lossy sums of 16 and 8 bits are, measured on a trained network: a table of docs/planners.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/partial_sums.h"

namespace thimble {
namespace {

/// In steps of the output's type.
struct Difference {
  int most = 0;
  double mean = 0;
};

Difference difference(const std::vector<Bytes>& exact, const std::vector<Bytes>& lossy) {
  Difference result;
  int64_t sum = 0;
  int64_t count = 0;
  for (size_t k = 0; k < exact.size(); ++k) {
    const auto a = reference::elements_from<int8_t>(exact[k]);
    const auto b = reference::elements_from<int8_t>(lossy[k]);
    for (size_t i = 0; i < a.size(); ++i, ++count) {
      const int by = std::abs(a[i] - b[i]);
      result.most = std::max(result.most, by);
      sum += by;
    }
  }
  result.mean = static_cast<double>(sum) / static_cast<double>(count);
  return result;
}

/// person_detect on its golden inputs: four of noise and two photographs.
class PersonDetect : public ::testing::Test {
 protected:
  void SetUp() override {
    THIMBLE_NEEDS_SHARED();
    graph_ = import_tflite(testing::model_path("person_detect"));
    for (const auto& file : testing::golden_paths("person_detect")) {
      for (const testing::Golden::Inference& inference : testing::load_golden(file).seeds)
        inputs_.push_back(inference.input_bytes());
    }
    for (const Op& op : graph_.ops) {
      const bool pointwise = std::holds_alternative<Conv2D>(op.attributes) &&
                             graph_.tensor(op.inputs[1]).shape[1] == 1;
      if (pointwise) projections_.push_back(op.outputs[0]);
    }
    exact_ = outputs(graph_);
  }

  [[nodiscard]] std::vector<Bytes> outputs(const Graph& graph) const {
    std::vector<Bytes> result;
    for (const std::vector<Bytes>& set : inputs_)
      result.push_back(interpret(graph, set)[graph.outputs[0].tensor.index()]);
    return result;
  }

  /// The first `layers` projections summed that way.
  [[nodiscard]] Difference loss(size_t layers, DType type, int64_t chunk, bool calibrate) const {
    const std::vector<OpId> producer = producers(graph_);
    std::vector<Accumulator> accumulators;
    for (size_t k = 0; k < layers; ++k) {
      const Op& op = graph_.op(producer[projections_[k].index()]);
      accumulators.push_back(
          accumulator_for(projections_[k], type, chunk, bounded_sums(graph_, op)));
    }
    if (calibrate) accumulators = calibrated(graph_, accumulators, inputs_);
    const Difference result =
        difference(exact_, outputs(with_accumulators(graph_, std::move(accumulators))));
    fmt::print("{:2} layers, {:5}, {} at a time, {}: at most {:3}, {:.2f} on average\n", layers,
               name(type), chunk, calibrate ? "measured" : "bound   ", result.most, result.mean);
    return result;
  }

  Graph graph_;
  std::vector<std::vector<Bytes>> inputs_;
  std::vector<TensorId> projections_;
  std::vector<Bytes> exact_;
};

TEST_F(PersonDetect, LosesLittleWhereItsScalesAreMeasured) {
  ASSERT_EQ(inputs_.size(), 6u);
  ASSERT_EQ(projections_.size(), 14u);  // the last is the classifier
  for (const size_t layers : {1, 3, 13}) {
    for (const DType type : {DType::kInt16, DType::kInt8}) {
      for (const int64_t chunk : {1, 8}) {
        const Difference bound = loss(layers, type, chunk, false);
        const Difference measured = loss(layers, type, chunk, true);
        if (type == DType::kInt16) {
          EXPECT_LE(measured.most, 2);
        } else if (layers == 13) {  // with one layer, 12 values are too few to tell
          EXPECT_LT(measured.mean, bound.mean / 10);
        }
      }
    }
  }
}

}  // namespace
}  // namespace thimble
