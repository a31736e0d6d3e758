// SPDX-License-Identifier: Apache-2.0
// The operators that are taken, by subject: each list is defined behind its functions. kind_of
// (kinds.h) looks an operator up in all of them.
#pragma once

#include <span>

#include "thimble/import/tflite/operator_kind.h"

namespace thimble {

using OperatorList = std::span<const OperatorKind>;

[[nodiscard]] OperatorList activation_kinds();
[[nodiscard]] OperatorList arithmetic_kinds();
[[nodiscard]] OperatorList block_kinds();
[[nodiscard]] OperatorList choice_kinds();
[[nodiscard]] OperatorList element_type_kinds();
[[nodiscard]] OperatorList folded_kinds();
[[nodiscard]] OperatorList gather_kinds();
[[nodiscard]] OperatorList handle_kinds();  ///< variables.cc
[[nodiscard]] OperatorList join_kinds();
[[nodiscard]] OperatorList lstm_kinds();
[[nodiscard]] OperatorList matrix_product_kinds();
[[nodiscard]] OperatorList padding_kinds();
[[nodiscard]] OperatorList reduction_kinds();
[[nodiscard]] OperatorList reshape_kinds();
[[nodiscard]] OperatorList resize_kinds();
[[nodiscard]] OperatorList slice_kinds();
[[nodiscard]] OperatorList state_kinds();
[[nodiscard]] OperatorList window_kinds();

// Custom operators
[[nodiscard]] OperatorList custom_kinds();
[[nodiscard]] OperatorList signal_kinds();

}  // namespace thimble
