// SPDX-License-Identifier: Apache-2.0
// Custom operators: those of TensorFlow Lite Micro's audio front end, and the list of all.
#pragma once

#include <span>

#include "thimble/import/tflite/operator_kind.h"

namespace thimble {

/// Ascending by name.
[[nodiscard]] std::span<const OperatorKind> custom_kinds();

}  // namespace thimble
