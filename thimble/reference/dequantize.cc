// SPDX-License-Identifier: Apache-2.0
// DEQUANTIZE: scale * (value - zero point), rounded once to float32.
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Dequantize&, const OpContext& context) {
  const Tensor& input = context.input(0);
  check(context.output().type == DType::kFloat32, "dequantize gives float32");
  const double scale = scale_of(input);
  const int64_t zero_point = zero_point_of(input);
  std::vector<float> result;
  for (int32_t value : integers_from(context.input_bytes(0), input.type)) {
    result.push_back(static_cast<float>(scale * static_cast<double>(value - zero_point)));
  }
  return {bytes_from(result)};
}

RealValues real_of(const Dequantize&, const RealContext& c) { return *c.inputs[0]; }

ValueRanges bounds_of(const Dequantize&, const BoundsContext&) { return {}; }

}  // namespace thimble::reference
