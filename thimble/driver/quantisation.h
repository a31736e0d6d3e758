// SPDX-License-Identifier: Apache-2.0
// A float network and samples of its inputs: the network in int8.
#pragma once

#include <functional>
#include <string>

#include "thimble/driver/samples.h"
#include "thimble/quantise/quantise.h"
#include "thimble/report/quantisation_report.h"

namespace thimble {

struct QuantisationRequest {
  const Graph& graph;  ///< as imported
  const SampleReader& reader;
  std::string data;  ///< as the user named it
  QuantiseOptions options = {};
  int64_t limit = 0;  ///< most samples, from all over the set; 0: all
  int jobs = 1;
  std::function<void(const char* what, size_t done, size_t of)> progress = {};  ///< any thread
};

struct Quantisation {
  Graph graph;
  QuantisationReport report;  ///< without names of files
};

/// Deterministic whatever the number of threads; the network is the same for any order of samples.
/// Throws CompileError for data without samples, of other shapes, or with values that are no
/// numbers; and for a network that has no operator to quantise.
[[nodiscard]] Quantisation quantisation_of(const QuantisationRequest& request);

}  // namespace thimble
