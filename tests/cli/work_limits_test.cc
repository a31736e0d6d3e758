// SPDX-License-Identifier: Apache-2.0
// Small files that ask for much work, and long ones: a limit of time holds in all that a command
// does, reading and rewriting included.
#include <fmt/format.h>

#include <chrono>

#include "tests/cli/command_line.h"
#include "tests/import/tflite_builder.h"
#include "tests/support/workload.h"

namespace thimble::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

// The processor's time: 4 s at most where nothing runs beside, and machines differ by twice. What
// these tests are against took minutes.
constexpr double kMostSeconds = kSanitized ? 60 : 12;

class WorkLimits : public CommandLine {
 protected:
  /// Both commands, by the processor's time: other tests run beside.
  void expect_soon(const TfliteBuilder& net) const {
    write("m.tflite", text_of(net.bytes()));
    for (const char* command :
         {"compile m.tflite --time-limit 1", "plan m.tflite --planner original --time-limit 1"}) {
      const std::string limits = kSanitized ? "" : "ulimit -v 1048576; ";
      const ProcessResult result = run_process(
          {.arguments = {"bash", "-c",
                         fmt::format("{}TIMEFORMAT='took %U %S'; time \"$0\" {} >out.txt 2>err.txt",
                                     limits, command),
                         THIMBLE_PROGRAM},
           .working_folder = folder(),
           .timeout_seconds = 300});
      EXPECT_THAT(result.exit_status, AnyOf(0, 2)) << command << read("err.txt");
      double user = 0, system = 0;
      ASSERT_EQ(std::sscanf(result.err.c_str(), "took %lf %lf", &user, &system), 2) << result.err;
      EXPECT_LT(user + system, kMostSeconds) << command;
    }
  }
};

tflite::Pool2DOptionsT window(int32_t height, int32_t width) {
  tflite::Pool2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_h = options.stride_w = 1;
  options.filter_height = height;
  options.filter_width = width;
  return options;
}

TfliteBuilder max_pool(int32_t height, int32_t width, int32_t window_height, int32_t window_width) {
  TfliteBuilder net;
  const int32_t x = net.tensor({1, height, width, 1}), y = net.tensor({1, height, width, 1});
  net.op(BuiltinOperator::MAX_POOL_2D, {x}, {y}, window(window_height, window_width));
  net.inputs({x});
  net.outputs({y});
  return net;
}

TEST_F(WorkLimits, HoldForWindowsAsLargeAsTheImage) { expect_soon(max_pool(1000, 1000, 999, 999)); }

TEST_F(WorkLimits, WindowsOfOneLongRowArePlannedRight) {
  expect_soon(max_pool(1, 65535, 1, 65535));
  EXPECT_THAT(read("out.txt"), HasSubstr("MAX_POOL_2D"));
}

// The bounds of channels look at every way in which the window lies on the image.
TEST_F(WorkLimits, HoldForDepthwiseWindowsAsLargeAsTheImage) {
  TfliteBuilder net;
  const int32_t x = net.tensor({1, 300, 300, 1}), y = net.tensor({1, 300, 300, 1});
  tflite::DepthwiseConv2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_h = options.stride_w = options.depth_multiplier = 1;
  options.dilation_h_factor = options.dilation_w_factor = 1;
  net.op(BuiltinOperator::DEPTHWISE_CONV_2D, {x, net.weights({1, 299, 299, 1}, 3), net.bias(1)},
         {y}, options);
  net.inputs({x});
  net.outputs({y});
  expect_soon(net);
}

// What is too much to fold stays an operator.
TEST_F(WorkLimits, HoldForConvolutionsOfConstants) {
  TfliteBuilder net;
  const int32_t image = net.constant({1, 128, 128, 1}, tflite::TensorType::INT8, Bytes(16384, 7));
  net.at(image).quantization = std::make_unique<tflite::QuantizationParametersT>();
  net.at(image).quantization->scale = {0.5F};
  net.at(image).quantization->zero_point = {-3};
  const int32_t y = net.tensor({1, 128, 128, 8}), x = net.tensor({1, 128, 128, 8});
  const int32_t sum = net.tensor({1, 128, 128, 8});
  tflite::Conv2DOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_h = options.stride_w = 1;
  options.dilation_h_factor = options.dilation_w_factor = 1;
  net.op(BuiltinOperator::CONV_2D, {image, net.weights({8, 65, 65, 1}, 0), net.bias(8)}, {y},
         options);
  net.op(BuiltinOperator::ADD, {x, y}, {sum}, tflite::AddOptionsT());
  net.inputs({x});
  net.outputs({sum});
  expect_soon(net);
}

TEST_F(WorkLimits, HoldForLongChains) {
  TfliteBuilder relus;
  int32_t x = relus.tensor({1, 8});
  relus.inputs({x});
  for (int k = 0; k < 50'000; ++k) {
    const int32_t y = relus.tensor({1, 8});
    relus.op(BuiltinOperator::RELU, {x}, {y});
    x = y;
  }
  relus.outputs({x});
  expect_soon(relus);
}

TEST_F(WorkLimits, HoldForManyTransposes) {
  TfliteBuilder net;
  int32_t x = net.tensor({1, 4, 6, 2});
  const int32_t permutation = net.constant({0, 3, 2, 1});
  net.inputs({x});
  for (int k = 0; k < 10'000; ++k) {
    const int32_t y = k % 2 == 0 ? net.tensor({1, 2, 6, 4}) : net.tensor({1, 4, 6, 2});
    net.op(BuiltinOperator::TRANSPOSE, {x, permutation}, {y}, tflite::TransposeOptionsT());
    x = y;
  }
  net.outputs({x});
  expect_soon(net);
}

TEST_F(WorkLimits, HoldForSplitsAndConcatenationsInTurn) {
  TfliteBuilder net;
  int32_t x = net.tensor({1, 4, 4, 8});
  const int32_t axis = net.constant({}, tflite::TensorType::INT32, bytes_of<int32_t>({3}));
  net.inputs({x});
  tflite::SplitOptionsT split;
  split.num_splits = 2;
  tflite::ConcatenationOptionsT concatenation;
  concatenation.axis = 3;
  for (int k = 0; k < 5'000; ++k) {
    const int32_t a = net.tensor({1, 4, 4, 4}), b = net.tensor({1, 4, 4, 4});
    const int32_t y = net.tensor({1, 4, 4, 8});
    net.op(BuiltinOperator::SPLIT, {axis, x}, {a, b}, split);
    net.op(BuiltinOperator::CONCATENATION, {b, a}, {y}, concatenation);
    x = y;
  }
  net.outputs({x});
  expect_soon(net);
}

}  // namespace
}  // namespace thimble::testing
