// SPDX-License-Identifier: Apache-2.0
// Values chosen by a condition.
#pragma once

#include "thimble/import/onnx/reading.h"

namespace thimble::onnx {

/// x where the condition holds, y elsewhere; all stretched to each other.
[[nodiscard]] Value selected(const Reading& r, const Value& condition, const Value& x,
                             const Value& y);

/// A truth value as a constant, to be stretched.
[[nodiscard]] Value truth(const Reading& r, bool holds);

/// Where x is so beside y.
[[nodiscard]] Value related(const Reading& r, Relation relation, const Value& x, const Value& y);

}  // namespace thimble::onnx
