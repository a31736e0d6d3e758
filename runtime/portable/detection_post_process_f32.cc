// SPDX-License-Identifier: Apache-2.0
// Boxes are found one after the other, each by a walk over all of them, in place of sorting: few
// are wanted, and the walk needs no memory.
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

namespace {

using Params = DetectionPostProcessParams;

struct Box {
  float ymin, xmin, ymax, xmax;
};

float area(const Box& b) noexcept { return (b.ymax - b.ymin) * (b.xmax - b.xmin); }

float larger(float a, float b) noexcept { return a > b ? a : b; }
float smaller(float a, float b) noexcept { return a < b ? a : b; }

/// The part of the union of two boxes that both cover.
float overlap(const Box& a, const Box& b) noexcept {
  const float area_a = area(a), area_b = area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = larger(smaller(a.ymax, b.ymax) - larger(a.ymin, b.ymin), 0);
  const float width = larger(smaller(a.xmax, b.xmax) - larger(a.xmin, b.xmin), 0);
  const float both = height * width;
  return both / (area_a + area_b - both);
}

Box decoded(const Params& p, const View& encodings, int32_t i) noexcept {
  const auto* from = pixel<const float>(encodings, 0, 0, i);
  const int32_t step = encodings.stride[3];
  const float* anchor = p.anchors + 4 * i;
  const float y = from[0] / p.scales[0] * anchor[2] + anchor[0];
  const float x = from[step] / p.scales[1] * anchor[3] + anchor[1];
  const float half_h = 0.5F * real::exp(from[2 * step] / p.scales[2]) * anchor[2];
  const float half_w = 0.5F * real::exp(from[3 * step] / p.scales[3]) * anchor[3];
  return {y - half_h, x - half_w, y + half_h, x + half_w};
}

struct Scored {
  int32_t box, label;
  float score;
};

/// A box's score for one class.
struct OfClass {
  const Params& p;
  const View& scores;
  int32_t label;

  Scored operator()(int32_t i) const noexcept {
    const auto* from = pixel<const float>(scores, 0, 0, i);
    return {i, label, from[(p.label_offset + label) * scores.stride[3]]};
  }
};

/// A box's best score, of the first class that has it.
struct OfBestClass {
  const Params& p;
  const View& scores;

  Scored operator()(int32_t i) const noexcept {
    Scored best = OfClass{p, scores, 0}(i);
    for (int32_t label = 1; label < p.classes; ++label) {
      const Scored next = OfClass{p, scores, label}(i);
      if (next.score > best.score) best = next;
    }
    return best;
  }
};

/// Boxes that were chosen so far, and which was the last.
struct Chosen {
  Box* boxes;
  int32_t count;
  Scored last;

  /// Where scores are equal, the one with the smaller number comes first.
  bool is_behind(const Scored& s) const noexcept {
    return count == 0 || s.score < last.score || (s.score == last.score && s.box > last.box);
  }
  bool covers(const Box& box, float most) const noexcept {
    for (int32_t k = 0; k < count; ++k) {
      if (overlap(boxes[k], box) > most) return true;
    }
    return false;
  }
};

/// Adds the best of the rest; whether there is one.
template <class ScoreOf>
bool choose(const Params& p, const View& encodings, ScoreOf score_of, Chosen& chosen) noexcept {
  Scored best = {-1, 0, 0};
  Box found = {0, 0, 0, 0};
  for (int32_t i = 0; i < p.boxes; ++i) {
    const Scored s = score_of(i);
    if (!(s.score >= p.score_threshold) || !chosen.is_behind(s)) continue;
    if (best.box >= 0 && !(s.score > best.score)) continue;
    const Box box = decoded(p, encodings, i);
    if (chosen.covers(box, p.iou_threshold)) continue;
    best = s;
    found = box;
  }
  if (best.box < 0) return false;
  chosen.boxes[chosen.count++] = found;
  chosen.last = best;
  return true;
}

struct Detections {
  Box* boxes;
  float *labels, *scores;
  int32_t count, most;

  /// Behind those that are as good.
  void insert(const Box& box, const Scored& s) noexcept {
    int32_t at = count;
    while (at > 0 && scores[at - 1] < s.score) --at;
    if (at == most) return;
    if (count < most) ++count;
    for (int32_t k = count - 1; k > at; --k) {
      boxes[k] = boxes[k - 1];
      labels[k] = labels[k - 1];
      scores[k] = scores[k - 1];
    }
    boxes[at] = box;
    labels[at] = static_cast<float>(s.label);
    scores[at] = s.score;
  }
};

}  // namespace

void detection_post_process_f32(const DetectionPostProcessParams& p, const View& encodings,
                                const View& scores, const View& out,
                                const Region& region) noexcept {
  for (int32_t k = 0; k < 4; ++k) {
    if (region.begin[k] == region.end[k]) return;
  }
  const int32_t most = p.max_detections;
  auto* to = pixel<float>(out, 0, 0, 0);
  for (int32_t k = 0; k < region.end[3]; ++k) to[k] = 0;
  Detections all = {reinterpret_cast<Box*>(to), to + 4 * most, to + 5 * most, 0, most};
  if (p.regular == 0) {
    Chosen chosen = {all.boxes, 0, {}};
    while (chosen.count < most && choose(p, encodings, OfBestClass{p, scores}, chosen)) {
      all.labels[all.count] = static_cast<float>(chosen.last.label);
      all.scores[all.count++] = chosen.last.score;
    }
  } else {
    auto* room = reinterpret_cast<Box*>(to + 6 * most + 1);
    for (int32_t label = 0; label < p.classes; ++label) {
      Chosen chosen = {room, 0, {}};
      while (chosen.count < p.detections_per_class &&
             choose(p, encodings, OfClass{p, scores, label}, chosen))
        all.insert(room[chosen.count - 1], chosen.last);
    }
  }
  to[6 * most] = static_cast<float>(all.count);
}

}  // namespace thimble::runtime
