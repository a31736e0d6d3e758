// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a network while it is trained: memory, weights, work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/compiled.h"
#include "thimble/driver/request.h"
#include "thimble/model/graph.h"
#include "thimble/target/target.h"

namespace thimble::training {

/// How the question is asked, as options of `thimble compile` say it.
struct PlanOptions {
  std::string planner = "auto";  ///< "NAME:key=value,...": pex:accounting=paper,accumulators=8
  Target target = {};
  std::optional<double> max_latency = {};  ///< of `auto`
  int64_t effort = 1;                      ///< of `auto`
};

/// Options that ask for little effort, if the planner has any. Throws CompileError if there is no
/// such planner.
[[nodiscard]] PlanOptions quick(PlanOptions options);

struct Footprint {
  /// An activation of the network, or a part of it, in the arena when that is fullest.
  struct AtPeak {
    TensorId tensor;
    int64_t bytes = 0;
  };

  int64_t arena_bytes = 0;   ///< as laid out
  int64_t weight_bytes = 0;  ///< constants that operators read, in int8
  int64_t macs = 0;          ///< executed
  std::vector<AtPeak> at_peak;
};

/// The int8 network of the same shapes: scales and weights are nobody's.
[[nodiscard]] Graph int8_shapes(const Graph& graph);

/// Constants of a network of float32, as they are in int8; biases have four bytes.
[[nodiscard]] int64_t int8_weight_bytes(const Graph& graph);

/// How the compiler is asked for the plan of an int8 network.
[[nodiscard]] Request plan_request(const Graph& int8, const PlanOptions& options);

/// The answer, if it is a plan. Throws CompileError if there is none.
[[nodiscard]] Compiled planned(const Request& request);

/// graph: of float32; asked as int8_shapes(). Throws CompileError for what the compiler does not
/// take.
[[nodiscard]] Footprint footprint(const Graph& graph, const PlanOptions& options);

}  // namespace thimble::training
