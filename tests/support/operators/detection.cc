// SPDX-License-Identifier: Apache-2.0
// Boxes of detections.
#include <cstdint>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

Graph literal_of(const DetectionPostProcess&) {
  return Literal()
      .float32({1, 7, 4})
      .float32({1, 7, 3})
      .constant({7, 4}, DType::kFloat32, {})
      .float32({13})
      .op(DetectionPostProcess{.max_detections = 2, .classes = 2});
}
Claims claims_of(const DetectionPostProcess&) {
  return {
      .refusals = {
          {"there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
          {"3 axes, anchors 2",
           [](Graph& g) {
             set_shape(g, 0, {7, 4});
           }},
          {"the anchors are a constant", [](Graph& g) { operand(g, 2).data = nullptr; }},
          {"at least 4 numbers",
           [](Graph& g) {
             set_shape(g, 0, {1, 7, 3});
           }},
          {"none or one for the background",
           [](Graph& g) { attributes<DetectionPostProcess>(g).classes = 1; }},
          {"are 1 to 65535",
           [](Graph& g) { attributes<DetectionPostProcess>(g).max_detections = 0; }},
          {"above 0 and at most 1",
           [](Graph& g) { attributes<DetectionPostProcess>(g).iou_threshold = 0; }},
          {"finite and not 0", [](Graph& g) { attributes<DetectionPostProcess>(g).scales[2] = 0; }},
          {"the output has the shape",
           [](Graph& g) { attributes<DetectionPostProcess>(g).regular = true; }},
          {"inputs and output are float32", [](Graph& g) { output(g).type = DType::kInt8; }}}};
}
void OpDraw::make(const DetectionPostProcess&) {
  const int64_t boxes = some(1, 12);
  DetectionPostProcess a{.max_detections = static_cast<int32_t>(some(1, 6)),
                         .detections_per_class = static_cast<int32_t>(some(1, 5)),
                         .classes = static_cast<int32_t>(some(1, 4)),
                         .regular = maybe(0.5),
                         .score_threshold = maybe(0.5) ? -2.0F : 0.25F,
                         .iou_threshold = maybe(0.5) ? 0.5F : 0.1F,
                         .scales = {10, 10, 5, 5}};
  const TensorId encodings = tensor({1, boxes, some(4, 5)}, DType::kFloat32, {});
  const TensorId scores = tensor({1, boxes, a.classes + some(0, 1)}, DType::kFloat32, {});
  const TensorId anchors = tensor({boxes, 4}, DType::kFloat32, {});
  fill(anchors);
  op(a, {encodings, scores, anchors}, DType::kFloat32, {});
}

}  // namespace thimble::testing
