// SPDX-License-Identifier: Apache-2.0
// PAD and PADV2: elements of one value around the input.
#include <algorithm>
#include <limits>

#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool paddings_fit(const Graph& graph, const Op& op) {
  const Pad& a = std::get<Pad>(op.attributes);
  const Shape& x = OpView{graph, op}.x();
  if (a.before.size() != x.size() || a.after.size() != x.size()) return false;
  auto in_range = [](int64_t n) { return n >= 0 && n <= std::numeric_limits<int32_t>::max(); };
  return std::all_of(a.before.begin(), a.before.end(), in_range) &&
         std::all_of(a.after.begin(), a.after.end(), in_range);
}

bool is_padded_type(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.out().type;
  return v.in(0).type == type && (type == DType::kInt8 || type == DType::kInt16 ||
                                  type == DType::kInt32 || type == DType::kFloat32);
}

bool value_fits(const Graph& graph, const Op& op) {
  const int32_t value = std::get<Pad>(op.attributes).value;
  switch (OpView{graph, op}.out().type) {
    case DType::kInt8:
      return value >= -128 && value <= 127;
    case DType::kInt16:
      return value >= -32768 && value <= 32767;
    default:
      return true;
  }
}

}  // namespace

AccessMap access_map_of(const Pad& a, const OpView& v) {
  InputMap map;
  for (size_t i = 0; i < v.x().size(); ++i) {
    map.axes.push_back(
        Affine{.out_axis = static_cast<int>(i), .lo = -a.before[i], .hi = -a.before[i]});
  }
  return {map};
}

int64_t macs_of(const Pad&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Pad& a, const OpView& v) {
  Shape shape = v.x();
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += a.before[i] + a.after[i];
  return shape;
}

Traits traits_of(const Pad& a) {
  Traits traits{.by_channel = true};
  if (a.before.size() == 4)
    traits.window = Window{.padding = {a.before[1], a.after[1], a.before[2], a.after[2]}};
  return traits;
}

std::vector<Constraint> constraints_of(const Pad&) {
  return {kOneInput,
          kRank1To4,
          {"the paddings are constants, one pair of numbers from 0 to 2^31 - 1 for each axis",
           paddings_fit},
          {"input and output have one type: int8, int16, int32 or float32", is_padded_type},
          {"the value is within the type", value_fits, true},
          kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
