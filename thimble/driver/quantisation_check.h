// SPDX-License-Identifier: Apache-2.0
// A float network beside a quantised one that somebody made of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "thimble/driver/samples.h"
#include "thimble/report/quantisation_report.h"

namespace thimble {

struct QuantisationCheckRequest {
  const Graph& real;  ///< as imported
  const Graph& made;
  const SampleReader& reader;  ///< of the float network's inputs
  std::string data;            ///< as the user named it
  std::vector<std::string> class_names = {};
  int64_t limit = 0;  ///< as of QuantisationRequest
  int jobs = 1;
  std::function<void(const char* what, size_t done, size_t of)> progress = {};
};

/// Noise of outputs, of tensors that have one name in both, and how often both choose one class; by
/// all samples. Throws CompileError where the networks' ports differ.
[[nodiscard]] QuantisationReport quantisation_check(const QuantisationCheckRequest& request);

}  // namespace thimble
