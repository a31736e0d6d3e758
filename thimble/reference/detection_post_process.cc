// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess in float32. Sorts by score and suppresses what a better box covers,
// as TensorFlow Lite's detection_postprocess.cc does; but boxes are decoded in float32, and what it
// does not write is 0.
#include <algorithm>
#include <numeric>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

/// Corners of one box.
struct Decoded {
  float ymin = 0, xmin = 0, ymax = 0, xmax = 0;
};

float area_of(const Decoded& b) { return (b.ymax - b.ymin) * (b.xmax - b.xmin); }

float overlap_of(const Decoded& a, const Decoded& b) {
  if (area_of(a) <= 0 || area_of(b) <= 0) return 0;
  const float height = std::max(std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin), 0.0F);
  const float width = std::max(std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin), 0.0F);
  const float both = height * width;
  return both / (area_of(a) + area_of(b) - both);
}

/// One class or the best of each box.
struct Candidates {
  std::vector<float> scores;
  std::vector<size_t> labels;
};

/// The boxes that stay, the best first; of equal ones that with the smaller number.
std::vector<size_t> kept(const DetectionPostProcess& op, const std::vector<Decoded>& boxes,
                         const Candidates& candidates, int32_t most) {
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return !(candidates.scores[i] >= op.score_threshold); });
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return candidates.scores[a] > candidates.scores[b]; });
  std::vector<size_t> result;
  for (const size_t i : order) {
    if (std::ssize(result) == most) break;
    const bool covered = std::ranges::any_of(
        result, [&](size_t k) { return overlap_of(boxes[k], boxes[i]) > op.iou_threshold; });
    if (!covered) result.push_back(i);
  }
  return result;
}

struct Detection {
  Decoded box;
  size_t label;
  float score;
};

void write(const Decoded& box, float* to) {
  to[0] = box.ymin;
  to[1] = box.xmin;
  to[2] = box.ymax;
  to[3] = box.xmax;
}

/// encodings: `width` numbers for each box.
std::vector<Decoded> decoded(const DetectionPostProcess& op, const RealValues& encodings,
                             size_t width, const RealValues& anchors) {
  std::vector<Decoded> result;
  for (size_t i = 0; i < anchors.size() / 4; ++i) {
    const float* e = &encodings[i * width];
    const float* a = &anchors[i * 4];
    const float y = e[0] / op.scales[0] * a[2] + a[0], x = e[1] / op.scales[1] * a[3] + a[1];
    const float half_h = 0.5F * runtime::real::exp(e[2] / op.scales[2]) * a[2];
    const float half_w = 0.5F * runtime::real::exp(e[3] / op.scales[3]) * a[3];
    result.push_back({y - half_h, x - half_w, y + half_h, x + half_w});
  }
  return result;
}

/// What the operator makes of the boxes and `width` scores for each.
RealValues detections(const DetectionPostProcess& op, const std::vector<Decoded>& boxes,
                      const RealValues& scores, size_t width) {
  const auto most = static_cast<size_t>(op.max_detections);
  const auto classes = static_cast<size_t>(op.classes);
  const auto score = [&](size_t i, size_t label) {
    return scores[i * width + (width - classes) + label];
  };
  RealValues result(6 * most + 1 +
                    (op.regular ? 4 * static_cast<size_t>(op.detections_per_class) : 0));
  std::vector<Detection> found;
  for (size_t label = 0; label < (op.regular ? classes : 1); ++label) {
    Candidates candidates;
    for (size_t i = 0; i < boxes.size(); ++i) {
      size_t best = label;
      for (size_t k = 1; !op.regular && k < classes; ++k)
        best = score(i, k) > score(i, best) ? k : best;
      candidates.scores.push_back(score(i, best));
      candidates.labels.push_back(best);
    }
    size_t place = 0;
    for (const size_t i :
         kept(op, boxes, candidates, op.regular ? op.detections_per_class : op.max_detections)) {
      found.push_back({boxes[i], candidates.labels[i], candidates.scores[i]});
      if (op.regular) write(boxes[i], &result[6 * most + 1 + 4 * place++]);
    }
    std::ranges::stable_sort(
        found, [](const Detection& a, const Detection& b) { return a.score > b.score; });
    found.resize(std::min(found.size(), most));
  }
  for (size_t k = 0; k < found.size(); ++k) {
    write(found[k].box, &result[4 * k]);
    result[4 * most + k] = static_cast<float>(found[k].label);
    result[5 * most + k] = found[k].score;
  }
  result[6 * most] = static_cast<float>(found.size());
  return result;
}

}  // namespace

std::vector<Bytes> evaluate(const DetectionPostProcess&, const OpContext&) {
  throw InternalError("detections are computed in float32");
}

RealValues real_of(const DetectionPostProcess& op, const RealContext& c) {
  return detections(op,
                    decoded(op, *c.inputs[0], static_cast<size_t>(c.shape(0).back()), *c.inputs[2]),
                    *c.inputs[1], static_cast<size_t>(c.shape(1).back()));
}

ValueRanges bounds_of(const DetectionPostProcess&, const BoundsContext&) { return {}; }

}  // namespace thimble::reference
