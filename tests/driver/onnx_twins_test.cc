// SPDX-License-Identifier: Apache-2.0
// MLPerf Tiny's networks of float32 as .onnx and as the .tflite that they were converted from: the
// same plan. The .tflite of keyword spotting has weights of int8, the .onnx what these stand for.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "tests/support/shared.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/reports.h"

namespace thimble {
namespace {

struct Twins {
  const char *onnx, *tflite;
  PortLayout layout = PortLayout::kChannelsLast;  ///< of the .onnx: as the .tflite has it
};

void PrintTo(const Twins& twins, std::ostream* out) { *out << twins.onnx; }

class OnnxTwins : public ::testing::TestWithParam<Twins> {};

Compiled planned(const std::string& file, PortLayout layout) {
  Request request{.model = (testing::shared_folder() / file).string(),
                  .target = generic_target("cortex-m4"),
                  .weights = Weights::kWide};
  request.import.port_layout = layout;
  return std::get<Compiled>(compile(request));
}

TEST_P(OnnxTwins, HaveOnePlan) {
  if (!std::filesystem::exists(testing::shared_folder() / GetParam().onnx))
    GTEST_SKIP() << "needs the shared ONNX models: set THIMBLE_SHARED";
  const Compiled onnx = planned(GetParam().onnx, GetParam().layout),
                 tflite = planned(GetParam().tflite, PortLayout::kOfTheFile);
  EXPECT_EQ(onnx.program.arena_bytes(), tflite.program.arena_bytes());
  const double of_onnx = counted_estimate(onnx).value().estimate.instructions,
               of_tflite = counted_estimate(tflite).value().estimate.instructions;
  EXPECT_NEAR(of_onnx, of_tflite, of_tflite / 100);
}

INSTANTIATE_TEST_SUITE_P(
    Float32, OnnxTwins,
    ::testing::Values(
        Twins{"onnx/mlperf_tiny/ad_autoencoder.onnx", "models/ad01_fp32.tflite"},
        Twins{"onnx/mlperf_tiny/ic_resnet.onnx", "models/pretrainedResnet_float.tflite"},
        Twins{"onnx/mlperf_tiny/ic_resnet_nhwc_dynbatch.onnx",
              "models/pretrainedResnet_float.tflite", PortLayout::kOfTheFile},
        Twins{"onnx/mlperf_tiny/kws_dscnn.onnx", "models/kws_ref_model_float32.tflite"}));

}  // namespace
}  // namespace thimble
