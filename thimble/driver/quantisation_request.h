// SPDX-License-Identifier: Apache-2.0
// What is asked of a quantisation.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/driver/samples.h"
#include "thimble/quantise/quantise.h"

namespace thimble {

/// How ranges of activations are chosen.
enum class RangeChoice : uint8_t { kAuto, kSeen, kLeastError, kPercentile };
/// Whether weights are rounded by what it does to their layer's output, and biases corrected.
enum class RoundingChoice : uint8_t { kAuto, kNearest, kByError };

/// What the formats of layers are chosen by, beside one another.
struct FormatBudget {
  bool front = false;                        ///< choose nothing, only show
  std::optional<double> accuracy_drop = {};  ///< in percent of the samples
  std::optional<int64_t> weight_bytes = {};  ///< of constants in the file
  const Request* plan = nullptr;  ///< each is planned by it, and must fit; its model does not count
};

struct QuantisationRequest {
  const Graph& graph;  ///< as imported
  const SampleReader& reader;
  std::string data;                           ///< as the user named it
  std::vector<std::string> class_names = {};  ///< empty: not known
  DType ports = DType::kInt8;
  bool dense_per_channel = true;
  Format format = Format::kInt8;       ///< of all operators but these
  std::map<int, Format> formats = {};  ///< by Op::file_index
  RangeChoice ranges = RangeChoice::kAuto;
  RoundingChoice rounding = RoundingChoice::kAuto;
  FormatBudget budget = {};
  int64_t limit = 0;  ///< most samples, from all over the set; 0: kUsualSamples
  int jobs = 1;
  std::function<void(const char* what, size_t done, size_t of)> progress = {};  ///< any thread
};

}  // namespace thimble
