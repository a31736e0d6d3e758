// SPDX-License-Identifier: Apache-2.0
// Operators that are always folded (extents.h).
#include <algorithm>

#include "thimble/import/tflite/extents.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

Shape rank_of_input(const TfliteOp& op) { return {std::ssize(shape_of(op, 0))}; }

Shape scalar(const TfliteOp&) { return {}; }

Shape filled_shape(const TfliteOp& op) { return integers(op, 0, "extents"); }

Shape longer_input(const TfliteOp& op) {
  return {std::max(elements(shape_of(op, 0)), elements(shape_of(op, 1)))};
}

}  // namespace

OperatorList folded_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = BROADCAST_ARGS, .inputs = {2, 2}, .expand = only_extents, .shape = longer_input},
      {.code = FILL, .inputs = {2, 2}, .expand = only_extents, .shape = filled_shape},
      {.code = RANK, .expand = only_extents, .shape = scalar, .uint8 = kMoves},
      {.code = SHAPE, .expand = only_extents, .shape = rank_of_input, .uint8 = kMoves},
      {.code = ZEROS_LIKE, .expand = only_extents, .shape = first_input, .uint8 = kMoves},
  };
  return kKinds;
}

}  // namespace thimble
