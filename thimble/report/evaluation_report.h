// SPDX-License-Identifier: Apache-2.0
// How well a network does on samples whose truth is known: `thimble eval`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thimble {

enum class EvaluationTask : uint8_t {
  kClasses,  ///< the class with the best score
  kScore,    ///< one number that says yes or no
  kAnomaly,  ///< how far an autoencoder's output is from its input
  kValues,   ///< numbers
};
[[nodiscard]] const char* name(EvaluationTask task);

/// Rows are what is true, columns what the network says.
using Confusion = std::vector<std::vector<int64_t>>;

struct Evaluation {
  std::string model, set;  ///< as the user named them
  std::string on;          ///< "reference", "host", "qemu"
  std::string planner;     ///< empty: none
  EvaluationTask task = EvaluationTask::kClasses;
  std::string input;                  ///< what was done with the first sample; empty: nothing
  std::vector<std::string> warnings;  ///< of what was done with it
  std::string classes_by;             ///< how labels of the set became classes, for people
  int64_t samples = 0, of_samples = 0, left_out_files = 0;
  double seconds = 0;  ///< of the clock, for all
  int jobs = 1;
  std::optional<int64_t> instructions;  ///< on the emulated board, of one inference

  std::vector<std::string> classes;    ///< by number
  Confusion confusion;                 ///< kClasses, kScore
  std::optional<int64_t> right, top5;  ///< top5: of more than five classes
  std::optional<double> auc;           ///< of two classes
  std::string positive;                ///< whose score it is of
  std::vector<double> mean_scores;     ///< kAnomaly: by class
  std::optional<double> mean_absolute_error, root_mean_square_error;  ///< kValues
};

[[nodiscard]] std::string evaluation_text(const Evaluation& evaluation);
[[nodiscard]] std::string evaluation_json(const Evaluation& evaluation);

/// How probable it is that a positive sample has a higher score than a negative one, ties counted
/// as halves. Nothing: there are none of one kind.
[[nodiscard]] std::optional<double> area_under_curve(std::vector<std::pair<double, bool>> scores);

}  // namespace thimble
