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

/// Inferences in turn, [begin, end), that decide for the same class.
struct ClassRun {
  size_t begin = 0, end = 0;
  ClassScore best;  ///< with its highest score
};
/// classes: the best one of each inference; none where there is none.
[[nodiscard]] std::vector<ClassRun> class_runs(const std::vector<ClassScore>& classes);

/// Corners as fractions of the picture's height and width.
struct Detection {
  float ymin = 0, xmin = 0, ymax = 0, xmax = 0;
  ClassScore object;
};

/// A line for each.
[[nodiscard]] std::string classes_text(const std::vector<ClassScore>& classes);
/// Nothing of fewer than two inferences.
[[nodiscard]] std::string decisions_text(const std::vector<ClassRun>& decisions);
[[nodiscard]] std::string detections_text(const std::vector<Detection>& detections);
[[nodiscard]] nlohmann::ordered_json classes_json(const std::vector<ClassScore>& classes);
[[nodiscard]] nlohmann::ordered_json decisions_json(const std::vector<ClassRun>& decisions);
[[nodiscard]] nlohmann::ordered_json detections_json(const std::vector<Detection>& detections);

/// "person", or "class 3".
[[nodiscard]] std::string class_name(const ClassScore& of);

}  // namespace thimble
