// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess: boxes of objects, without those that overlap better ones.
#include <algorithm>
#include <cmath>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

constexpr int32_t kMostDetections = 65535;

const DetectionPostProcess& detection_of(const Op& op) {
  return std::get<DetectionPostProcess>(op.attributes);
}

bool has_encodings_scores_and_anchors(const Graph&, const Op& op) { return op.inputs.size() == 3; }

bool detection_ranks(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(0).shape.size() == 3 && v.in(1).shape.size() == 3 && v.in(2).shape.size() == 2 &&
         v.out().shape.size() == 1;
}

bool anchors_are_constant(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(2).is_constant();
}

bool boxes_agree(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Shape &x = v.in(0).shape, &scores = v.in(1).shape, &anchors = v.in(2).shape;
  return x[0] == 1 && scores[0] == 1 && scores[1] == x[1] && x[2] >= 4 && anchors == Shape{x[1], 4};
}

bool classes_agree(const Graph& graph, const Op& op) {
  const int64_t background = OpView{graph, op}.in(1).shape[2] - detection_of(op).classes;
  return detection_of(op).classes >= 1 && (background == 0 || background == 1);
}

bool detections_are_few(const Graph&, const Op& op) {
  const DetectionPostProcess& a = detection_of(op);
  return a.max_detections >= 1 && a.max_detections <= kMostDetections &&
         a.detections_per_class >= 1 && a.detections_per_class <= kMostDetections;
}

bool detection_numbers_are_sane(const Graph&, const Op& op) {
  const DetectionPostProcess& a = detection_of(op);
  return std::isfinite(a.score_threshold) && a.iou_threshold > 0 && a.iou_threshold <= 1 &&
         std::ranges::all_of(a.scales, [](float s) { return std::isfinite(s) && s != 0; });
}

}  // namespace

AccessMap access_map_of(const DetectionPostProcess&, const OpView& v) {
  AccessMap map;
  for (size_t i = 0; i < v.inputs(); ++i)
    map.push_back({std::vector<AxisMap>(v.in(i).shape.size(), Whole{})});
  return map;
}

int64_t macs_of(const DetectionPostProcess&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const DetectionPostProcess& a, const OpView&) {
  const int64_t room = a.regular ? 4 * int64_t{a.detections_per_class} : 0;
  return {6 * int64_t{a.max_detections} + 1 + room};
}

Traits traits_of(const DetectionPostProcess&) { return {}; }

std::vector<Constraint> constraints_of(const DetectionPostProcess&) {
  return {{"there are 3 inputs: encodings of boxes, scores and anchors",
           has_encodings_scores_and_anchors},
          {"encodings and scores have 3 axes, anchors 2 and the output 1", detection_ranks},
          kAllFloat32,
          {"the anchors are a constant", anchors_are_constant},
          {"the batch is 1, and each box has at least 4 numbers, its scores and an anchor of 4",
           boxes_agree},
          {"there is a score for each class, and none or one for the background", classes_agree},
          {"detections, of a class too, are 1 to 65535", detections_are_few},
          {"the overlap's threshold is above 0 and at most 1, the scales finite and not 0",
           detection_numbers_are_sane},
          kOutputShape};
}

}  // namespace thimble
