// SPDX-License-Identifier: Apache-2.0
// Custom operators beside those of the audio front end, and sums of overlapping frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/audio_preprocessor.h"
#include "tests/import/tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::TensorType;

/// Inference by inference.
class Stateful {
 public:
  explicit Stateful(const TfliteBuilder& net)
      : graph_(import_tflite(net.bytes(), "net", "net.tflite")), state_(initial_state(graph_)) {}

  template <class T>
  std::vector<T> run(const std::vector<T>& input) {
    const TensorValues values = interpret(graph_, {reference::bytes_from(input)}, state_);
    return reference::elements_from<T>(values[graph_.outputs[0].tensor.index()]);
  }

 private:
  Graph graph_;
  StateValues state_;
};

TfliteBuilder one_custom(const std::string& name, const TfliteBuilder::Dims& from,
                         const TfliteBuilder::Dims& to, TensorType type, const Bytes& options) {
  TfliteBuilder net;
  const int32_t x = net.tensor(from, type), out = net.tensor(to, type);
  net.custom(name, {x}, {out}, options);
  net.inputs({x});
  net.outputs({out});
  return net;
}

std::string refusal_of(const TfliteBuilder& net) {
  try {
    (void)import_tflite(net.bytes(), "net", "net.tflite");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "taken";
}

// Rows that have not come yet are the zero point of -3.
TEST(CircularBuffer, KeepsTheLastRows) {
  Stateful net(one_custom("CIRCULAR_BUFFER", {1, 1, 1, 2}, {1, 3, 1, 2}, TensorType::INT8,
                          flex_map({{"cycles_max", 1}})));
  EXPECT_THAT(net.run<int8_t>({1, 2}), ElementsAre(-3, -3, -3, -3, 1, 2));
  EXPECT_THAT(net.run<int8_t>({3, 4}), ElementsAre(-3, -3, 1, 2, 3, 4));
  EXPECT_THAT(net.run<int8_t>({5, 6}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(net.run<int8_t>({7, 8}), ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(CircularBuffer, IsRefusedWhereItStopsTheNetworkMostTimes) {
  const auto refused = [](const TfliteBuilder::Dims& out, const Bytes& options) {
    return refusal_of(one_custom("CIRCULAR_BUFFER", {1, 1, 1, 2}, out, TensorType::INT8, options));
  };
  EXPECT_THAT(refused({1, 3, 1, 2}, flex_map({{"cycles_max", 4}})),
              HasSubstr("run once in 4 inferences, which is not supported"));
  EXPECT_THAT(refused({1, 3, 1, 2}, {}), HasSubstr("run once in 2 inferences"));
  EXPECT_EQ(refused({1, 5, 1, 2}, {}), "taken") << "the original knows it by its rows";
  EXPECT_THAT(refused({1, 3, 1, 4}, flex_map({{"cycles_max", 1}})), HasSubstr("is damaged"));
}

// Frames of 3 that begin every 2 samples: one overlaps.
TEST(OverlapAdd, AddsWhatFramesShare) {
  const Bytes step = flex_map({{"T", 0}, {"frame_step", 2}});
  Stateful real(one_custom("SignalOverlapAdd", {2, 3}, {4}, TensorType::FLOAT32, step));
  EXPECT_THAT(real.run<float>({1, 2, 3, 10, 20, 30}), ElementsAre(1, 2, 13, 20));
  EXPECT_THAT(real.run<float>({1, 2, 3, 10, 20, 30}), ElementsAre(31, 2, 13, 20));
  Stateful whole(one_custom("SignalOverlapAdd", {1, 3}, {2}, TensorType::INT16, step));
  EXPECT_THAT(whole.run<int16_t>({1, 2, 30000}), ElementsAre(1, 2));
  EXPECT_THAT(whole.run<int16_t>({10000, 5, -30000}), ElementsAre(32767, 5));
  EXPECT_THAT(whole.run<int16_t>({-10000, 5, 0}), ElementsAre(-32768, 5));
}

TEST(OverlapAdd, OfFramesThatDoNotOverlap) {
  Stateful net(one_custom("SignalOverlapAdd", {2, 2}, {4}, TensorType::INT16,
                          flex_map({{"T", 7}, {"frame_step", 2}})));
  EXPECT_THAT(net.run<int16_t>({1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
}

/// Two boxes of uint8 (scale 0.5, zero point 100), one class.
TfliteBuilder detections(int64_t classes_of_a_detection) {
  TfliteBuilder net;
  const auto quantised = [&](int32_t id, float scale, int64_t zero_point) {
    net.at(id).quantization = std::make_unique<tflite::QuantizationParametersT>();
    net.at(id).quantization->scale = {scale};
    net.at(id).quantization->zero_point = {zero_point};
    return id;
  };
  const int32_t boxes = quantised(net.tensor({1, 2, 4}, TensorType::UINT8), 0.5F, 100);
  const int32_t scores =
      quantised(net.constant({1, 2, 2}, TensorType::UINT8, {0, 64, 128, 192}), 1.0F / 256, 0);
  const int32_t anchors =
      quantised(net.constant({2, 4}, TensorType::UINT8, {2, 2, 4, 4, 8, 8, 4, 4}), 0.5F, 0);
  TfliteBuilder::Dims made;
  for (int k = 0; k < 4; ++k) made.push_back(net.tensor({10}, TensorType::FLOAT32));
  net.custom("TFLite_Detection_PostProcess", {boxes, scores, anchors}, made,
             flex_map({{"max_detections", 2},
                       {"max_classes_per_detection", classes_of_a_detection},
                       {"nms_score_threshold", 0},
                       {"nms_iou_threshold", 1},
                       {"num_classes", 2},
                       {"y_scale", 1},
                       {"x_scale", 1},
                       {"h_scale", 1},
                       {"w_scale", 1}}));
  net.inputs({boxes});
  net.outputs(made);
  return net;
}

// All encodings are 0: boxes are their anchors, of height and width 2, at 1 and at 4.
TEST(Detections, OfUint8HaveTheShapesThatFollow) {
  const Graph graph = import_tflite(detections(1).bytes(), "net", "net.tflite");
  const TensorValues values = interpret(graph, {Bytes(8, 100)});
  std::vector<Shape> shapes;
  std::vector<float> all;
  for (const Port& port : graph.outputs) {
    shapes.push_back(graph.tensor(port.tensor).shape);
    for (const float value : reference::elements_from<float>(values[port.tensor.index()]))
      all.push_back(value);
  }
  EXPECT_THAT(shapes, ElementsAre(Shape{1, 2, 4}, Shape{1, 2}, Shape{1, 2}, Shape{1}));
  EXPECT_THAT(all, ElementsAre(3, 3, 5, 5, 0, 0, 2, 2, 1, 1, 0.75F, 0.25F, 2));
}

TEST(Detections, OfSeveralClassesEachAreRefused) {
  EXPECT_THAT(refusal_of(detections(2)),
              HasSubstr("2 classes of a detection are not supported; supported is 1"));
}

}  // namespace
}  // namespace thimble::testing
