// SPDX-License-Identifier: Apache-2.0
// What a network's outputs say: classes with their scores, boxes around objects.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace thimble {

struct ClassScore {
  int64_t number = 0;
  std::string label;  ///< empty: not known
  float score = 0;
};
/// The best first; of equal ones that with the smaller number.
[[nodiscard]] std::vector<ClassScore> best_classes(const std::vector<float>& scores,
                                                   const std::vector<std::string>& labels,
                                                   size_t most);

/// Corners as fractions of the picture's height and width.
struct Detection {
  float ymin = 0, xmin = 0, ymax = 0, xmax = 0;
  ClassScore object;
};

/// A line for each.
[[nodiscard]] std::string classes_text(const std::vector<ClassScore>& classes);
[[nodiscard]] std::string detections_text(const std::vector<Detection>& detections);
[[nodiscard]] nlohmann::ordered_json classes_json(const std::vector<ClassScore>& classes);
[[nodiscard]] nlohmann::ordered_json detections_json(const std::vector<Detection>& detections);

/// "person", or "class 3".
[[nodiscard]] std::string class_name(const ClassScore& of);

}  // namespace thimble
