// SPDX-License-Identifier: Apache-2.0
// What inferences gave: `thimble run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/program/program.h"
#include "thimble/report/compile_report.h"
#include "thimble/report/predictions.h"
#include "thimble/report/tensor_text.h"

namespace thimble {

/// Bytes that all inferences together moved to block storage and back, and what the plan has for
/// them: as many, or more where records are compressed.
struct StorageTraffic {
  MovedBytes moved, most;
};

/// What an execution gave, case by case.
struct Inferences {
  std::vector<std::vector<Bytes>> outputs;  ///< [case][port], in the caller's bytes
  std::string difference;                   ///< the first from what is expected; empty: none
  double tolerance = 0;  ///< relative, of float32: what agreement took; 0: it is identical
  size_t compared_ops = 0;
  std::vector<Deviation> deviations;    ///< of lossy sums, per output; empty: they are exact
  std::optional<MeasuredCost> board;    ///< if it was the emulated one
  std::optional<StorageTraffic> moved;  ///< on the host, of plans that move something
};

/// Refers to the caller's graph and inferences.
struct RunReport {
  const Graph& graph;
  const Inferences& inferences;
  std::string model;                          ///< as the user named it
  std::string on;                             ///< "reference", "host", "qemu"
  std::string planner;                        ///< as named; empty: the reference, which has none
  int64_t arena_bytes = 0;                    ///< of the plan
  std::optional<CoreEstimate> estimate = {};  ///< of the plan
  std::string compared_with = {};             ///< "GOLDEN.safetensors", ...; empty: with nothing
  std::string input = {};                     ///< the file and what was done with it; empty: noise
  std::vector<std::string> warnings = {};     ///< of what was done
  std::vector<ClassScore> classes = {};       ///< the best ones of the last inference
  std::vector<ClassRun> decisions = {};       ///< of inferences in turn
  int64_t whole_from = 0;                     ///< the first of these whose window is full
  std::optional<std::vector<Detection>> detections = {};  ///< likewise, of a detector
};

[[nodiscard]] std::string run_text(const RunReport& report);
[[nodiscard]] std::string run_json(const RunReport& report);

}  // namespace thimble
