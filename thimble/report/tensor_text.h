// SPDX-License-Identifier: Apache-2.0
// Values of tensors for people.
#pragma once

#include <string>

#include "thimble/model/graph.h"

namespace thimble {

/// A name on one line of readable length: control characters escaped, the middle of a long one
/// left out. Names of converted models run to hundreds of characters.
[[nodiscard]] std::string display_name(const std::string& name);

/// Element `index` as text: "-3", "0.25".
[[nodiscard]] std::string element_text(const Bytes& bytes, DType type, int64_t index);

/// Relative, of float32: what other implementations, with other library functions, may be off.
inline constexpr double kFloatTolerance = 1e-5;

/// Empty if the bytes are equal but for those of NaN, or the numbers of float32 are off by at most
/// `tolerance` of those expected; else where they first differ: "element [0,3,5,7] (number 1234):
/// expected -3, got -4; 17 of 2304 differ".
[[nodiscard]] std::string first_difference(const Bytes& expected, const Bytes& actual, DType type,
                                           const Shape& shape, double tolerance = 0);

/// Between two values of the same tensor, in its own steps (float32: in real numbers).
struct Deviation {
  double most = 0, sum = 0;
  int64_t elements = 0;
  [[nodiscard]] double mean() const {
    return elements == 0 ? 0 : sum / static_cast<double>(elements);
  }
};
void add_deviation(Deviation& total, const Bytes& expected, const Bytes& actual, DType type);

/// The first values, and which is the largest.
[[nodiscard]] std::string values_text(const Bytes& bytes, DType type);

}  // namespace thimble
