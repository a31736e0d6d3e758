// SPDX-License-Identifier: Apache-2.0
// A float network and samples of its inputs: the network in integers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "thimble/driver/quantisation_request.h"
#include "thimble/quantise/quantise.h"
#include "thimble/report/quantisation_report.h"

namespace thimble {

struct Quantisation {
  Graph graph;
  std::vector<TensorId> four_bits;  ///< constants that are written as int4
  QuantisationReport report;        ///< without names of files
};

/// Deterministic whatever the number of threads; the network is the same for any order of samples.
/// Throws CompileError for data without samples, of other shapes, or with values that are no
/// numbers; and for a network that has no operator to quantise.
[[nodiscard]] Quantisation quantisation_of(const QuantisationRequest& request);

}  // namespace thimble
