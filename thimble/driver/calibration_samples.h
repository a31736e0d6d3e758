// SPDX-License-Identifier: Apache-2.0
// Samples of a float network's inputs, from what users name.
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/samples.h"

namespace thimble {

using SampleInputs = std::vector<Bytes>;  ///< one per input port

struct CalibrationSample {
  SampleInputs inputs;
  std::string label = {};  ///< of a folder by class, or an array with a .csv of labels beside it
};

struct CalibrationSamples {
  std::vector<SampleInputs> inputs;
  std::vector<std::string> labels;  ///< of each; empty: there are none, or not of all
  std::vector<std::string> warnings;
};

/// So many are taken where nobody says how many: more make ranges no better, and nothing that
/// follows takes longer, or more memory, for a larger set.
constexpr int64_t kUsualSamples = 1000;

/// At most `limit` (0: kUsualSamples) of the samples in a folder or file, from all over it. Throws
/// CompileError for data without samples, of other shapes, or with values that are no numbers.
[[nodiscard]] CalibrationSamples calibration_samples(const Graph& graph, const SampleReader& reader,
                                                     const std::string& data, int64_t limit);

}  // namespace thimble
