// SPDX-License-Identifier: Apache-2.0
// ARG_MAX, ARG_MIN: the first (last) of the largest (smallest) raw values.
#include "thimble/reference/along_axis.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

namespace {

template <class T>
bool is_better(const ArgMax& op, T value, T most) {
  return (op.least ? value < most : value > most) || (op.last && value == most);
}

template <class T>
std::vector<Bytes> arg_max_of(const ArgMax& op, const OpContext& context) {
  const std::vector<T> x = context.read<T>(0);
  std::vector<int32_t> result;
  for (const AxisLine& line : lines_along(context.input(0).shape, op.axis)) {
    size_t best = 0;
    for (size_t k = 1; k < line.count; ++k) {
      const T value = x[line.first + k * line.step], most = x[line.first + best * line.step];
      if (is_better(op, value, most)) best = k;
    }
    result.push_back(static_cast<int32_t>(best));
  }
  return {bytes_from(result)};
}

}  // namespace

std::vector<Bytes> evaluate(const ArgMax& op, const OpContext& context) {
  return context.input(0).type == DType::kFloat32 ? arg_max_of<float>(op, context)
                                                  : arg_max_of<int8_t>(op, context);
}

RealValues real_of(const ArgMax& op, const RealContext& c) {
  const RealValues& x = *c.inputs[0];
  RealValues result;
  for (const AxisLine& line : lines_along(c.shape(0), op.axis)) {
    size_t best = 0;
    for (size_t k = 1; k < line.count; ++k) {
      const float value = x[line.first + k * line.step], most = x[line.first + best * line.step];
      if (is_better(op, value, most)) best = k;
    }
    result.push_back(static_cast<float>(best));
  }
  return result;
}

ValueRanges bounds_of(const ArgMax& op, const BoundsContext& c) {
  const int64_t count = c.input(0).shape.at(static_cast<size_t>(op.axis));
  return everywhere(c.output(), {0, static_cast<int32_t>(count) - 1});
}

}  // namespace thimble::reference
