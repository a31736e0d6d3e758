// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM: of raw values, which have one quantisation.
#include <algorithm>

#include "thimble/reference/evaluate.h"

namespace thimble::reference {
namespace {

template <class Choose>
std::vector<Bytes> chosen_of_two(const OpContext& context, Choose choose) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& output = context.output();
  const std::vector<int32_t> a_values = integers_from(context.input_bytes(0), a.type);
  const std::vector<int32_t> b_values = integers_from(context.input_bytes(1), b.type);
  const std::vector<int64_t> a_offsets =
      offsets(output.shape, broadcast_strides(a.shape, output.shape));
  const std::vector<int64_t> b_offsets =
      offsets(output.shape, broadcast_strides(b.shape, output.shape));
  std::vector<int32_t> result;
  for (size_t i = 0; i < a_offsets.size(); ++i) {
    result.push_back(choose(a_values[static_cast<size_t>(a_offsets[i])],
                            b_values[static_cast<size_t>(b_offsets[i])]));
  }
  return {bytes_from_integers(result, output.type)};
}

}  // namespace

std::vector<Bytes> evaluate(const Maximum&, const OpContext& context) {
  return chosen_of_two(context, [](int32_t a, int32_t b) { return std::max(a, b); });
}

std::vector<Bytes> evaluate(const Minimum&, const OpContext& context) {
  return chosen_of_two(context, [](int32_t a, int32_t b) { return std::min(a, b); });
}

}  // namespace thimble::reference
