// SPDX-License-Identifier: Apache-2.0
// Which layers have which format, chosen together: what each saves of weights, and what it costs of
// the outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "thimble/driver/quantisation_judge.h"
#include "thimble/quantise/quantise.h"

namespace thimble {

/// Formats of all operators, and what came of them.
struct FormatPoint {
  Formats formats;
  Quantised made;
  OutputNoise noise;
  int64_t weight_bytes = 0;
};

/// How points are made; quick: on few samples, for comparisons.
using PointMaker = std::function<FormatPoint(Formats formats, bool quick)>;

/// Bytes of all constants in a file: two weights of 4 bits to a byte.
[[nodiscard]] int64_t constant_bytes(const Quantised& made);

/// From the given formats on, more and more layers in int4: those first that cost least noise for
/// the bytes that they save, each tried alone. free: operators whose format may change. The first
/// is the given one; at most kMostPoints, and one with no more than `weight_bytes` if there is any
/// such.
[[nodiscard]] std::vector<FormatPoint> narrower_points(const Graph& real, FormatPoint given,
                                                       const std::vector<bool>& free,
                                                       std::optional<int64_t> weight_bytes,
                                                       const PointMaker& make);
/// More and more operators in int16: those first that cost most in their format alone, by `noise`
/// (per operator; 0: it may not change).
[[nodiscard]] std::vector<FormatPoint> wider_points(const Formats& given,
                                                    const std::vector<double>& noise,
                                                    const PointMaker& make);

constexpr size_t kMostPoints = 6;

}  // namespace thimble
