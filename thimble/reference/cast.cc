// SPDX-License-Identifier: Apache-2.0
// CAST: numbers as another type. What does not fit, where the original is undefined for reals:
// within int32 (NaN: 0), then its low bits.
#include <algorithm>
#include <cmath>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {
namespace {

std::vector<int64_t> whole_numbers(const OpContext& context) {
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt64) return context.read<int64_t>(0);
  if (input.type != DType::kFloat32) {
    const std::vector<int32_t> values = integers_from(context.input_bytes(0), input.type);
    return {values.begin(), values.end()};
  }
  std::vector<int64_t> result;
  for (const float real : context.read<float>(0)) {
    const double limited = std::clamp<double>(std::trunc(real), INT32_MIN, INT32_MAX);
    result.push_back(std::isnan(real) ? 0 : static_cast<int64_t>(limited));
  }
  return result;
}

}  // namespace

std::vector<Bytes> evaluate(const Cast&, const OpContext& context) {
  if (context.input(0).type == DType::kUInt32 || context.output().type == DType::kUInt32)
    return {context.input_bytes(0)};  // int32 and uint32 share their bits
  const std::vector<int64_t> values = whole_numbers(context);
  const DType type = context.output().type;
  if (type == DType::kInt64) return {bytes_from(values)};
  if (type == DType::kFloat32) {
    std::vector<float> reals;
    for (const int64_t value : values) reals.push_back(static_cast<float>(value));
    return {bytes_from(reals)};
  }
  std::vector<int32_t> low_bits;
  for (const int64_t value : values) low_bits.push_back(static_cast<int32_t>(value));
  return {bytes_from_integers(low_bits, type)};
}

RealValues real_of(const Cast&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const bool whole = c.graph.tensor(c.op.outputs[0]).type != DType::kFloat32;
  for (float& value : result) value = whole ? std::trunc(value) : value;
  return result;
}

ValueRanges bounds_of(const Cast&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
