// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess in float32.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/real.h"

namespace thimble::reference {

/// Corners of one box.
struct Decoded {
  float ymin = 0, xmin = 0, ymax = 0, xmax = 0;
};

/// encodings: `width` numbers for each box.
[[nodiscard]] std::vector<Decoded> decoded(const DetectionPostProcess& op,
                                           const RealValues& encodings, size_t width,
                                           const RealValues& anchors);
/// What the operator makes of the boxes and `width` scores for each.
[[nodiscard]] RealValues detections(const DetectionPostProcess& op,
                                    const std::vector<Decoded>& boxes, const RealValues& scores,
                                    size_t width);

}  // namespace thimble::reference
