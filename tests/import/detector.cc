// SPDX-License-Identifier: Apache-2.0
#include "detector.h"

#include "audio_preprocessor.h"
#include "tflite_builder.h"

namespace thimble::testing {

Bytes picture_detector() {
  using tflite::TensorType;
  TfliteBuilder net;
  const int32_t picture = net.tensor({1, 8, 4, 1}, TensorType::FLOAT32);
  const int32_t shape = net.constant({1, 8, 4});
  const int32_t boxes = net.tensor({1, 8, 4}, TensorType::FLOAT32);
  net.op(tflite::BuiltinOperator::RESHAPE, {picture, shape}, {boxes});
  std::vector<float> scores(16, 0.05F), anchors;
  scores[1] = 0.75F;
  for (int n = 0; n < 8; ++n) anchors.insert(anchors.end(), {0.5F, 0.5F, 0.5F, 0.5F});
  TfliteBuilder::Dims made;
  for (int k = 0; k < 4; ++k) made.push_back(net.tensor({10}, TensorType::FLOAT32));
  net.custom("TFLite_Detection_PostProcess",
             {boxes, net.constant({1, 8, 2}, TensorType::FLOAT32, bytes_of(scores)),
              net.constant({8, 4}, TensorType::FLOAT32, bytes_of(anchors))},
             made,
             flex_map({{"max_detections", 3},
                       {"max_classes_per_detection", 1},
                       {"nms_score_threshold", 0},
                       {"nms_iou_threshold", 1},
                       {"num_classes", 2},
                       {"y_scale", 1},
                       {"x_scale", 1},
                       {"h_scale", 1},
                       {"w_scale", 1}}));
  net.inputs({picture});
  net.outputs(made);
  return net.bytes();
}

}  // namespace thimble::testing
