// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

/// The size is a parameter that the output's shape repeats.
template <class Operator>
Attributes resize(const TfliteOp& op) {
  const auto& from = options<tfl::ResizeOptions>(op);
  const std::vector<int64_t> size = integers(op, 1, "sizes");
  const Shape& out = op.output().shape;
  // Another rank is refused by the operator's constraints, with their message.
  if (size.size() != 2 || (out.size() == 4 && (out[1] != size[0] || out[2] != size[1]))) {
    op.damaged(
        fmt::format("a new size of [{}] for an output of "
                    "shape {}",
                    fmt::join(size, ", "), to_string(out)));
  }
  return Operator{.align_corners = from.align_corners,
                  .half_pixel_centers = from.half_pixel_centers};
}

Shape resized(const TfliteOp& op) {
  Shape shape = shape_of(op, 0, 4);
  const std::vector<int64_t> sizes = integers(op, 1, "sizes");
  if (sizes.size() != 2) refuse_operands(op);
  shape[1] = sizes[0];
  shape[2] = sizes[1];
  return shape;
}

}  // namespace

OperatorList resize_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = RESIZE_BILINEAR,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = resize<ResizeBilinear>,
       .shape = resized,
       .uint8 = kComputes},
      {.code = RESIZE_NEAREST_NEIGHBOR,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = resize<ResizeNearestNeighbor>,
       .shape = resized,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
