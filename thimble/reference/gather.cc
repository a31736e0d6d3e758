// SPDX-License-Identifier: Apache-2.0
// GATHER and DYNAMIC_UPDATE_SLICE: raw elements from where operands say. The original stops where
// an index of GATHER is out of range; here it is taken to the end that is nearer.
#include <algorithm>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

/// The product of the extents of the axes [begin, end).
int64_t product_of(const Shape& shape, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t k = begin; k < end; ++k) product *= shape[k];
  return product;
}

void append(Bytes& to, const Bytes& from, size_t element, size_t size) {
  const auto begin = from.begin() + static_cast<int64_t>(element * size);
  to.insert(to.end(), begin, begin + static_cast<int64_t>(size));
}

/// GATHER: per element of the output, its number in x.
std::vector<size_t> gathered(const Gather& op, const Shape& x, const Shape& indices,
                             const std::vector<int32_t>& values) {
  const auto axis = static_cast<size_t>(op.axis), batch_axes = static_cast<size_t>(op.batch_axes);
  const int64_t batches = product_of(x, 0, batch_axes), outer = product_of(x, batch_axes, axis);
  const int64_t count = x[axis], inner = product_of(x, axis + 1, x.size());
  const int64_t positions = product_of(indices, batch_axes, indices.size());
  std::vector<size_t> result;
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t p = 0; p < positions; ++p) {
        const int64_t given = values[static_cast<size_t>(b * positions + p)];
        const int64_t index = std::clamp<int64_t>(given, 0, count - 1);
        const int64_t first = ((b * outer + o) * count + index) * inner;
        for (int64_t i = 0; i < inner; ++i) result.push_back(static_cast<size_t>(first + i));
      }
    }
  }
  return result;
}

/// DYNAMIC_UPDATE_SLICE: per element of x its number in the update, or -1.
std::vector<int64_t> updated(const Shape& x, const Shape& update,
                             const std::vector<int32_t>& begins) {
  std::vector<int64_t> result;
  for (int64_t k = 0; k < elements(x); ++k) {
    int64_t rest = k, number = 0, step = 1;
    for (size_t axis = x.size(); axis-- > 0;) {
      const int64_t begin = std::clamp<int64_t>(begins[axis], 0, x[axis] - update[axis]);
      const int64_t index = rest % x[axis] - begin;
      rest /= x[axis];
      if (number >= 0) number = index < 0 || index >= update[axis] ? -1 : number + index * step;
      step *= update[axis];
    }
    result.push_back(number);
  }
  return result;
}

/// Indices are whole numbers.
std::vector<int32_t> whole(const RealValues& values) { return {values.begin(), values.end()}; }

}  // namespace

std::vector<Bytes> evaluate(const Gather& op, const OpContext& context) {
  const auto size = static_cast<size_t>(size_bytes(context.output().type));
  Bytes result;
  for (const size_t element :
       gathered(op, context.input(0).shape, context.input(1).shape, context.read<int32_t>(1)))
    append(result, context.input_bytes(0), element, size);
  return {result};
}

std::vector<Bytes> evaluate(const UpdateSlice&, const OpContext& context) {
  const auto size = static_cast<size_t>(size_bytes(context.output().type));
  Bytes result;
  size_t element = 0;
  for (const int64_t number :
       updated(context.input(0).shape, context.input(1).shape, context.read<int32_t>(2))) {
    if (number < 0) {
      append(result, context.input_bytes(0), element, size);
    } else {
      append(result, context.input_bytes(1), static_cast<size_t>(number), size);
    }
    ++element;
  }
  return {result};
}

RealValues real_of(const Gather& op, const RealContext& c) {
  RealValues result;
  for (const size_t element : gathered(op, c.shape(0), c.shape(1), whole(*c.inputs[1])))
    result.push_back((*c.inputs[0])[element]);
  return result;
}

ValueRanges bounds_of(const Gather& op, const BoundsContext& c) {
  if (any_value(c.output()).empty()) return {};
  // Channels stay what they are where the axis is another one.
  if (op.axis + 1 == std::ssize(c.input(0).shape))
    return everywhere(c.output(), hull(c.input_bounds(0)));
  return c.input_bounds(0);
}

RealValues real_of(const UpdateSlice&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const std::vector<int64_t> numbers = updated(c.shape(0), c.shape(1), whole(*c.inputs[2]));
  for (size_t k = 0; k < result.size(); ++k) {
    if (numbers[k] >= 0) result[k] = (*c.inputs[1])[static_cast<size_t>(numbers[k])];
  }
  return result;
}

ValueRanges bounds_of(const UpdateSlice&, const BoundsContext& c) {
  if (any_value(c.output()).empty()) return {};
  return everywhere(c.output(), hull(hull(c.input_bounds(0)), hull(c.input_bounds(1))));
}

}  // namespace thimble::reference
