// SPDX-License-Identifier: Apache-2.0
// Images in other sizes.
#include <algorithm>
#include <cstdint>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

/// Whole factors up and down, odd sizes, and any size at all.
int64_t resized(OpDraw& draw, int64_t extent) {
  switch (draw.some(0, 4)) {
    case 0:
      return 2 * extent;
    case 1:
      return extent * draw.some(1, 4);
    case 2:
      return std::max<int64_t>(1, extent / 2);
    case 3:
      return std::max<int64_t>(1, 2 * extent - 1);
    default:
      return draw.some(1, 12);
  }
}

template <class A>
void make_resize(OpDraw& draw, TensorId x) {
  const Shape from = draw.at(x).shape;
  const int64_t kind = draw.some(0, 2);
  draw.op(A{kind == 1, kind == 2}, {x}, draw.at(x).type, draw.at(x).quantization,
          Shape{from[0], resized(draw, from[1]), resized(draw, from[2]), from[3]});
}

}  // namespace

Graph literal_of(const ResizeNearestNeighbor& a) {
  return Literal().int8({1, 2, 3, 4}).int8({1, 4, 6, 4}).op(a);
}
Claims claims_of(const ResizeNearestNeighbor&) {
  return {.float32 = true,
          .refusals = {{"the input's batch and channels",
                        [](Graph& g) {
                          set_shape(g, 1, {1, 4, 6, 5});
                        }},
                       {"widths are 1 to 32767", [](Graph& g) {
                          set_shape(g, 1, {1, 4, 32768, 4});
                        }}}};
}
void OpDraw::make(const ResizeNearestNeighbor&) {
  make_resize<ResizeNearestNeighbor>(*this, some_tensor(image()));
}

Graph literal_of(const ResizeBilinear&) {
  return Literal()
      .int8({1, 2, 3, 4})
      .int8({1, 4, 6, 4})
      .op(ResizeBilinear{.half_pixel_centers = true});
}
Claims claims_of(const ResizeBilinear&) {
  return {.float32 = true,
          .refusals = {{"the input's batch and channels",
                        [](Graph& g) {
                          set_shape(g, 1, {2, 4, 6, 4});
                        }},
                       {"are not both set",
                        [](Graph& g) { attributes<ResizeBilinear>(g).align_corners = true; }},
                       {"rounded to steps of 1/1024", [](Graph& g) {
                          set_shape(g, 1, {1, 4, 1800, 4});
                        }}}};
}
void OpDraw::make(const ResizeBilinear&) { make_resize<ResizeBilinear>(*this, int8(image())); }

}  // namespace thimble::testing
