// SPDX-License-Identifier: Apache-2.0
// Operators that mark or choose some elements of many.
#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/onnx/choice.h"
#include "thimble/import/onnx/extremes.h"

namespace thimble::onnx {
namespace {

// 0, 1, .. along an axis of so many, from `first` on.
Value counted_along(const Reading& r, size_t axis, size_t rank, int64_t count, int64_t first = 0) {
  Shape shape(rank, 1);
  shape[axis] = count;
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return r.known(constant_of(shape, numbers, DType::kInt32));
}

// One of the numbers of a constant, to be stretched.
Value number_of(const Reading& r, const Constant& numbers, size_t k) {
  const auto bytes = static_cast<size_t>(size_bytes(numbers.type));
  const auto begin = numbers.data->begin() + static_cast<long>(k * bytes);
  Constant number{.type = numbers.type, .shape = {1}};
  number.data = std::make_shared<const Bytes>(begin, begin + static_cast<long>(bytes));
  return r.known(std::move(number));
}

Value zero_of(const Reading& r, DType type) {
  if (type == DType::kFloat32) return r.number(0);
  return r.known(constant_of(Shape{1}, std::vector<int64_t>{0}, type));
}

// 1 at the first of the largest values, 0 elsewhere; before opset 13 of all axes from one on.
void hard_max(Reading& r) {
  const Value& given = r.input(0);
  const bool single = r.node.opset >= 13;
  size_t axis = r.node.axis(r.node.whole("axis", single ? -1 : 1), given.rank());
  Value x = given;
  if (!single && axis + 1 < given.rank()) {
    const auto count = [](auto begin, auto end) {
      return std::accumulate(begin, end, int64_t{1}, std::multiplies());
    };
    const auto middle = given.shape.begin() + static_cast<long>(axis);
    x = in_shape(given, {count(given.shape.begin(), middle), count(middle, given.shape.end())});
    axis = 1;
  }
  const Value largest = index_of_extreme(r, x, axis, {});
  const Value places = counted_along(r, axis, x.rank(), x.shape[axis]);
  const Value marks =
      r.each(Cast{}, related(r, Relation::kEqual, places, largest), DType::kFloat32);
  r.make(0, in_shape(marks, given.shape));
}

// Indices may count from the end; others mark nothing.
void one_hot(Reading& r) {
  constexpr int64_t kMostDepth = 65536;
  const std::vector<int64_t> depths = wholes(r.constant(1, "a depth"));
  const Constant& values = r.constant(2, "values");
  if (depths.size() != 1 || depths[0] < 1 || values.size() != 2)
    r.node.damaged("its depth is not one number, or its values are not two");
  const int64_t depth = depths[0];
  if (depth > kMostDepth)
    r.node.refuse(
        fmt::format("is not supported with a depth of {}; up to {} it is", depth, kMostDepth));
  const Value& indices = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", -1), indices.rank() + 1);
  Shape shape = indices.shape;
  shape.insert(shape.begin() + static_cast<long>(axis), 1);
  const Value whole =
      indices.type == DType::kInt32 ? indices : r.each(Cast{}, indices, DType::kInt32);
  const Value at = in_shape(whole, shape);
  const auto marks_from = [&](int64_t first) {
    return related(r, Relation::kEqual, at, counted_along(r, axis, shape.size(), depth, first));
  };
  const Value marked = r.each(Maximum{}, marks_from(0), marks_from(-depth));
  r.make(0, selected(r, marked, number_of(r, values, 1), number_of(r, values, 0)));
}

// The elements of matrices that stay.
Constant zeros_but(const Constant& matrices, const std::vector<int64_t>& stays) {
  const auto bytes = static_cast<size_t>(size_bytes(matrices.type));
  Bytes data = *matrices.data;
  for (size_t k = 0; k < data.size(); ++k)
    if (stays[k / bytes % stays.size()] == 0) data[k] = 0;
  Constant result = matrices;
  result.data = std::make_shared<const Bytes>(std::move(data));
  return result;
}

// The part on and above the k-th diagonal, or below; 0 elsewhere.
void triangle(Reading& r) {
  const Value& x = r.input(0);
  if (x.rank() < 2) r.node.damaged("it has less than two axes");
  const bool upper = r.node.whole("upper", 1) != 0;
  int64_t diagonal = 0;
  if (r.has(1)) {
    const Constant& given = r.constant(1, "a diagonal");
    if (given.size() != 1) r.node.damaged("its diagonal is not one number");
    diagonal = wholes(given)[0];
  }
  const int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  std::vector<int64_t> stays;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      stays.push_back(upper ? column - row >= diagonal : column - row <= diagonal);
  if (x.constant != nullptr) return r.make(0, r.known(zeros_but(*x.constant, stays)));
  const Value mask = r.known(constant_of({rows, columns}, stays, DType::kBool));
  r.make(0, selected(r, mask, x, zero_of(r, x.type)));
}

void eye_like(Reading& r) {
  const Value& x = r.input(0);
  if (x.rank() != 2) r.node.damaged("its input is no matrix");
  DType type = x.type;
  if (r.node.has("dtype")) {
    const auto to = static_cast<ElementType>(r.node.whole("dtype", 0));
    const std::optional<DType> given = type_of(to);
    if (!given) r.node.refuse(fmt::format("of {} is not supported", name(to)));
    type = *given;
  }
  const int64_t diagonal = r.node.whole("k", 0);
  std::vector<int64_t> ones;
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t column = 0; column < x.shape[1]; ++column)
      ones.push_back(column - row == diagonal);
  r.make(0, r.known(converted(constant_of(x.shape, ones, DType::kInt32), type)));
}

// One after the other: the first of the largest, which is then as small as can be.
void top(Reading& r) {
  constexpr int64_t kMost = 32;
  const Value& x = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", -1), x.rank());
  int64_t count = r.node.whole("k", 0);
  if (r.node.opset >= 10) {
    const Constant& given = r.constant(1, "a count");
    if (given.size() != 1) r.node.damaged("its count is not one number");
    count = wholes(given)[0];
  }
  if (count < 1 || count > x.shape[axis])
    r.node.damaged(fmt::format("{} of {}", count, x.shape[axis]));
  if (count > kMost || x.type != DType::kFloat32)
    r.node.refuse(fmt::format("is not supported but for at most {} of float32", kMost));
  const bool least = r.node.whole("largest", 1) == 0;
  Reduction reduction{.axes = {static_cast<int>(axis)}, .shape = x.shape};
  reduction.shape[axis] = 1;
  const Value places = counted_along(r, axis, x.rank(), x.shape[axis]);
  const float worst = std::numeric_limits<float>::max();
  std::vector<Value> values, indices;
  Value rest = x;
  for (int64_t k = 0; k < count; ++k) {
    const Value at = index_of_extreme(r, rest, axis, {.least = least});
    if (r.wants(0)) values.push_back(extreme_of(r, rest, reduction, least));
    indices.push_back(at);
    if (k + 1 == count) break;
    rest = selected(r, related(r, Relation::kEqual, places, at), r.number(least ? worst : -worst),
                    rest);
  }
  if (r.wants(0)) r.make(0, joined_along(r, values, axis));
  if (r.wants(1)) r.make(1, joined_along(r, indices, axis));
}

}  // namespace

const ReadNodes& choice_operators() {
  static const ReadNodes all = {{"EyeLike", eye_like},
                                {"Hardmax", hard_max},
                                {"OneHot", one_hot},
                                {"TopK", top},
                                {"Trilu", triangle}};
  return all;
}

}  // namespace thimble::onnx
