// SPDX-License-Identifier: Apache-2.0
// Random calls of what picks boxes.
#include <memory>
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

// Whole calls alone.
Case detections_case(Random& random, KernelId kernel) {
  const int32_t boxes = random.between(1, 9), background = random.between(0, 1);
  DetectionPostProcessParams p{.anchors = nullptr,
                               .boxes = boxes,
                               .classes = random.between(1, 4),
                               .label_offset = background,
                               .max_detections = random.between(1, 5),
                               .detections_per_class = random.between(1, 4),
                               .regular = random.between(0, 1),
                               .score_threshold = -1,
                               .iou_threshold = 0.5F,
                               .scales = {10, 10, 5, 5}};
  const auto anchors = std::make_shared<const std::vector<float>>(random_floats(random, 4 * boxes));
  const Extents encodings{1, 1, boxes, 4}, scores{1, 1, boxes, p.classes + background};
  const int32_t room = p.regular != 0 ? 4 * p.detections_per_class : 0;
  const auto all = [](const Extents& e) { return Region{{}, {e[0], e[1], e[2], e[3]}}; };
  return {.in = {{encodings, kFloat}, {scores, kFloat}},
          .out = {{1, 1, 1, 6 * p.max_detections + 1 + room}, kFloat},
          .run =
              [=](const Call& call) {
                DetectionPostProcessParams with_anchors = p;
                with_anchors.anchors = anchors->data();
                run(kernel, with_anchors, call);
              },
          .needed = [=](const Region&, Chunk) -> std::vector<Region> {
            return {all(encodings), all(scores)};
          },
          .whole_channels = true};
}

}  // namespace

std::vector<FamilyCases> detection_cases() {
  return {
      {Family::kDetectionPostProcess, nullptr, detections_case},
  };
}

}  // namespace thimble::testing
