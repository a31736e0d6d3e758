// SPDX-License-Identifier: Apache-2.0
// What an epoch came to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thimble::training {

struct CurvePoint {
  std::string stage;
  int64_t epoch = 0;  ///< of the stage, from 1
  double rate = 0;    ///< of learning, at its end
  double loss = 0, train_accuracy = 0, test_accuracy = 0;
  int64_t arena_bytes = 0, weight_bytes = 0, macs = 0;
};
using Curve = std::vector<CurvePoint>;

/// With a line of names.
[[nodiscard]] std::string csv(const Curve& curve);
/// Throws CompileError, in the name of `where`, for what csv() did not write.
[[nodiscard]] Curve curve_from(const std::string& csv, const std::string& where);

}  // namespace thimble::training
