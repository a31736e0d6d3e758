// SPDX-License-Identifier: Apache-2.0
// What moves elements and computes none.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"
#include "tests/support/random_op.h"

namespace thimble::testing {

using namespace spoil;

namespace {

TensorId some_raw(OpDraw& draw, const Shape& shape) {
  static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                                     DType::kFloat32};
  const DType type = kTypes[draw.some(0, 4)];
  return draw.tensor(shape, type, draw.quantization_of(type));
}

/// Some are beyond the ends; some are constants.
TensorId positions(OpDraw& draw, const Shape& shape, int64_t extent) {
  const TensorId t = draw.tensor(shape, DType::kInt32, {});
  if (draw.maybe(0.2))
    draw.graph().tensor(t).data =
        std::make_shared<const Bytes>(random_positions(elements(shape), extent, draw.random()));
  return t;
}

}  // namespace

Graph literal_of(const Pad&) {
  return Literal().int8({2, 3}).int8({3, 5}).op(Pad{{1, 0}, {0, 2}, 3});
}
Claims claims_of(const Pad&) {
  return {
      .float32 = true,
      .refusals = {
          {"one pair of numbers", [](Graph& g) { attributes<Pad>(g).before = {1}; }},
          {"one pair of numbers",
           [](Graph& g) {
             attributes<Pad>(g).after = {-1, 0};
           }},
          {"the value is within the type", [](Graph& g) { attributes<Pad>(g).value = 128; }},
          {"have one type: int8, int16, int32", [](Graph& g) { output(g).type = DType::kInt16; }}}};
}
void OpDraw::make(const Pad&) {
  static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                                     DType::kFloat32};
  const DType type = kTypes[some(0, 4)];
  const TensorId x = tensor(some_shape(1, 4), type, quantization_of(type));
  Pad pad;
  if (type != DType::kFloat32) {
    pad.value =
        maybe(0.5) ? at(x).quantization.zero_points[0] : static_cast<int32_t>(some(-128, 127));
  }
  for (size_t i = 0; i < at(x).shape.size(); ++i) {
    pad.before.push_back(maybe(0.5) ? 0 : some(1, 3));
    pad.after.push_back(maybe(0.5) ? 0 : some(1, 3));
  }
  op(pad, {x}, type, at(x).quantization);
}

Graph literal_of(const Reshape& a) { return Literal().int8(kCube).int8({6, 4}).op(a); }
Claims claims_of(const Reshape&) {
  return {.refusals = {{"as many elements",
                        [](Graph& g) {
                          set_shape(g, 1, {5, 5});
                        }},
                       {"have one type", [](Graph& g) {
                          for (Tensor& t : g.tensors) t.type = DType::kUInt64;
                        }}}};
}
void OpDraw::make(const Reshape&) {
  const TensorId x = copied(some_shape(1, 5));
  // Merge and split: the factors of the extents, dealt out again in order.
  Shape out{1};
  int64_t left = elements(at(x).shape);
  for (int64_t factor = 2; left > 1; ++factor) {
    for (; left % factor == 0; left /= factor) {
      if (out.size() < 5 && maybe(0.5)) out.push_back(1);
      out.back() *= factor;
    }
  }
  if (maybe(0.5)) std::reverse(out.begin(), out.end());
  op(Reshape{}, {x}, at(x).type, at(x).quantization, out);
}

Graph literal_of(const Transpose&) {
  return Literal().int8(kCube).int8({4, 2, 3}).op(Transpose{{2, 0, 1}});
}
Claims claims_of(const Transpose&) {
  return {.refusals = {{"1 to 6 axes", [](Graph& g) { set_all_shapes(g, {}); }},
                       {"each axis of the input once",
                        [](Graph& g) {
                          attributes<Transpose>(g).permutation = {0, 0, 1};
                        }},
                       {"each axis of the input once", [](Graph& g) {
                          attributes<Transpose>(g).permutation = {0, 1, 3};
                        }}}};
}
void OpDraw::make(const Transpose&) {
  const TensorId x = copied(some_shape(1, 6));
  Transpose transpose;
  transpose.permutation.resize(at(x).shape.size());
  std::iota(transpose.permutation.begin(), transpose.permutation.end(), 0);
  for (size_t i = transpose.permutation.size() - 1; i > 0; --i) {
    std::swap(transpose.permutation[i],
              transpose.permutation[static_cast<size_t>(some(0, static_cast<int64_t>(i)))]);
  }
  op(transpose, {x}, at(x).type, at(x).quantization);
}

Graph literal_of(const Concat&) {
  return Literal().int8({2, 3}).int8({2, 5}).int8({2, 8}).op(Concat{1});
}
Claims claims_of(const Concat&) {
  return {
      .refusals = {{"axis only",
                    [](Graph& g) {
                      set_shape(g, 1, {3, 5});
                    }},
                   {"axis only", [](Graph& g) { set_shape(g, 1, {2}); }},
                   {"one of the first input's", [](Graph& g) { attributes<Concat>(g).axis = 2; }},
                   {"no fused activation",
                    [](Graph& g) { attributes<Concat>(g).activation = Activation::kRelu; }},
                   {"have one type", [](Graph& g) { operand(g, 1).type = DType::kUInt8; }},
                   {"same scale and zero point",
                    [](Graph& g) { operand(g, 1).quantization.zero_points = {4}; }}}};
}
void OpDraw::make(const Concat&) {
  const TensorId first = copied(some_shape(1, 5));
  const Shape shape = at(first).shape;
  const int axis = static_cast<int>(some(0, static_cast<int64_t>(shape.size()) - 1));
  std::vector<TensorId> inputs{first};
  const int64_t count = some(1, 4);
  for (int64_t k = 1; k < count; ++k) {
    Shape other = shape;
    other[static_cast<size_t>(axis)] = some(1, 5);
    inputs.push_back(
        maybe(0.1) ? first
                   : maybe_constant(tensor(other, at(first).type, at(first).quantization), 0.2));
  }
  op(Concat{axis}, inputs, at(first).type, at(first).quantization);
}

Graph literal_of(const Slice&) {
  return Literal().int8({2, 9, 4}).int8({3, 2}).op(Slice{{1, 3, 3}, {1, 2, -1}, {0}});
}
Claims claims_of(const Slice&) {
  return {
      .refusals = {
          {"one for each axis",
           [](Graph& g) {
             attributes<Slice>(g).begin = {1, 3};
           }},
          {"no stride is 0",
           [](Graph& g) {
             attributes<Slice>(g).stride = {1, 0, -1};
           }},
          {"no stride is 0",
           [](Graph& g) {
             attributes<Slice>(g).stride = {1, int64_t{1} << 62, -1};
           }},
          {"without those that are dropped",
           [](Graph& g) {
             attributes<Slice>(g).dropped = {0, 0};
           }},
          {"without those that are dropped", [](Graph& g) { attributes<Slice>(g).dropped = {3}; }},
          {"without those that are dropped", [](Graph& g) { attributes<Slice>(g).dropped = {}; }},
          {"every index is within",
           [](Graph& g) {
             attributes<Slice>(g).begin = {2, 3, 3};
           }},
          {"every index is within",
           [](Graph& g) {
             set_shape(g, 1, {4, 2});
           }},
          {"every index is within",
           [](Graph& g) {
             set_shape(g, 1, {3, 5});
           }},
          {"have one type", [](Graph& g) { output(g).type = DType::kInt16; }},
          {"same scale and zero point", [](Graph& g) { set_scale(output(g), 0.25F); }}}};
}
void OpDraw::make(const Slice&) {
  const TensorId x = copied(some_shape(1, 6));
  Slice slice;
  Shape out;
  for (const int64_t extent : at(x).shape) {
    const int64_t begin = some(0, extent - 1);
    const bool backwards = maybe(0.3);
    const int64_t stride = some(1, 3);
    const int64_t most = (backwards ? begin : extent - 1 - begin) / stride + 1;
    slice.begin.push_back(begin);
    slice.stride.push_back(backwards ? -stride : stride);
    if (maybe(0.2)) {
      slice.dropped.push_back(static_cast<int>(slice.begin.size()) - 1);
    } else {
      out.push_back(some(1, most));
    }
  }
  op(slice, {x}, at(x).type, at(x).quantization, out);
}

Graph literal_of(const Gather&) {
  return Literal().int8(kCube).raw({2, 5}, DType::kInt32).int8({2, 5, 4}).op(Gather{1, 1});
}
Claims claims_of(const Gather&) {
  return {
      .refusals = {{"ones of the operands'", [](Graph& g) { attributes<Gather>(g).axis = 3; }},
                   {"before the axis", [](Graph& g) { attributes<Gather>(g).batch_axes = 2; }},
                   {"same extents along the batch axes",
                    [](Graph& g) {
                      set_shape(g, 1, {3, 5});
                    }},
                   {"the output has the shape",
                    [](Graph& g) {
                      set_shape(g, 1, {2, 6});
                    }},
                   {"the indices are int32", [](Graph& g) { operand(g, 1).type = DType::kInt64; }},
                   {"at most 32 bits",
                    [](Graph& g) { operand(g, 0).type = output(g).type = DType::kInt64; }},
                   {"the output's scale and zero point",
                    [](Graph& g) { set_scale(operand(g, 0), 0.25F); }}}};
}
/// Some indices are beyond the ends; either operand may be constant.
void OpDraw::make(const Gather&) {
  const TensorId x = maybe_constant(some_raw(*this, some_shape(1, 4)), 0.3);
  const auto axes = static_cast<int64_t>(at(x).shape.size());
  const int64_t axis = some(0, axes - 1), batch_axes = maybe(0.3) ? some(0, axis) : 0;
  Shape indices(at(x).shape.begin(), at(x).shape.begin() + batch_axes);
  for (int64_t more = some(0, std::min<int64_t>(2, 7 - axes)); more > 0; --more)
    indices.push_back(some(1, 5));
  const TensorId where = positions(*this, indices, at(x).shape[static_cast<size_t>(axis)]);
  op(Gather{static_cast<int>(axis), static_cast<int>(batch_axes)}, {x, where}, at(x).type,
     at(x).quantization);
}

Graph literal_of(const UpdateSlice& a) {
  return Literal().int8(kCube).int8({1, 3, 2}).raw({3}, DType::kInt32).int8(kCube).op(a);
}
Claims claims_of(const UpdateSlice&) {
  return {
      .refusals = {{"there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
                   {"1 to 4 axes", [](Graph& g) { set_all_shapes(g, Shape(5, 1)); }},
                   {"there is a begin for each", [](Graph& g) { set_shape(g, 2, {2}); }},
                   {"the input's number of axes",
                    [](Graph& g) {
                      set_shape(g, 1, {3, 2});
                    }},
                   {"nowhere larger",
                    [](Graph& g) {
                      set_shape(g, 1, {1, 3, 5});
                    }},
                   {"the output has the shape",
                    [](Graph& g) {
                      output(g).shape = {2, 3, 5};
                    }},
                   {"the begins are int32", [](Graph& g) { operand(g, 2).type = DType::kInt64; }},
                   {"the output's scale and zero point",
                    [](Graph& g) { set_scale(operand(g, 1), 0.25F); }}}};
}
void OpDraw::make(const UpdateSlice&) {
  const TensorId x = some_raw(*this, some_shape(1, 4));
  Shape update = at(x).shape;
  for (int64_t& extent : update) extent = some(1, extent);
  const TensorId over = maybe_constant(tensor(update, at(x).type, at(x).quantization), 0.2);
  const TensorId begins =
      positions(*this, {static_cast<int64_t>(update.size())}, at(x).shape.back());
  op(UpdateSlice{}, {x, over, begins}, at(x).type, at(x).quantization);
}

}  // namespace thimble::testing
