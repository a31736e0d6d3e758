// SPDX-License-Identifier: Apache-2.0
// Plans in files: a schedule with its addresses as JSON, to be looked at, kept and verified again.
#pragma once

#include <filesystem>
#include <string>

#include "thimble/plan/placed_plan.h"

namespace thimble {

/// What a saved plan says about the model that it belongs to.
struct PlanOrigin {
  std::string model;           ///< Graph::name
  std::string sha256;          ///< of the model file's bytes; of its description for zoo models
  bool rewrite = true;         ///< false: --no-rewrite
  bool keep_channels = false;  ///< --keep-channels
  bool int8_io = false;        ///< --io-type int8
  bool operator==(const PlanOrigin&) const = default;
};

[[nodiscard]] std::string to_json(const PlacedPlan& plan, const PlanOrigin& origin);

struct SavedPlan {
  PlacedPlan plan;
  PlanOrigin origin;
};
/// Throws CompileError for anything that is not a saved plan. The schedule may still be
/// malformed().
[[nodiscard]] SavedPlan plan_from_json(const std::string& text, const std::string& where);
[[nodiscard]] SavedPlan read_plan(const std::string& file);

}  // namespace thimble
