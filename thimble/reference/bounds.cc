// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/bounds.h"

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/window.h"

namespace thimble {
ValueRanges constant_bounds(const Tensor& constant) {
  using namespace reference;
  if (any_value(constant).empty()) return {};
  const std::vector<int32_t> values = integers_from(*constant.data, constant.type);
  const size_t channels = channels_of(constant);
  ValueRanges result;
  for (size_t k = 0; k < values.size(); ++k) {
    const ValueRange value{values[k], values[k]};
    if (k < channels) {
      result.push_back(value);
    } else {
      result[k % channels] = hull(result[k % channels], value);
    }
  }
  return result;
}

ValueRanges output_bounds(const Graph& graph, const Op& op,
                          const std::vector<ValueRanges>& of_tensors) {
  if (is_float32(graph, op)) return {};
  const reference::BoundsContext context{graph, op, of_tensors};
  return std::visit(
      [&]<class Operator>(const Operator& attributes) {
        if constexpr (kIsSignal<Operator>) {
          return reference::any_value(context.output());
        } else if (!kOfIntegersInOnnx<Operator> && op.attributes.arithmetic == Arithmetic::kOnnx) {
          return reference::any_value(context.output());
        } else {
          return reference::bounds_of(attributes, context);
        }
      },
      op.attributes);
}

std::vector<ValueRanges> channel_bounds(const Graph& graph) {
  std::vector<ValueRanges> result(graph.tensors.size());
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (!graph.tensors[t].is_constant()) result[t] = reference::any_value(graph.tensors[t]);
  }
  for (const Op& op : graph.ops) {
    // Weights and biases are read value by value, not as intervals.
    const bool weighted = traits(op.attributes).weighted;
    for (size_t i = 0; i < (weighted ? 1 : op.inputs.size()); ++i) {
      const TensorId t = op.inputs[i];
      if (result[t.index()].empty() && graph.tensor(t).is_constant())
        result[t.index()] = constant_bounds(graph.tensor(t));
    }
    result[op.outputs[0].index()] = output_bounds(graph, op, result);
  }
  return result;
}

bool reaches_padding(const Window& window, const Shape& in, const Shape& out) {
  const reference::Image from(in), to(out);
  const auto is_cut = [](int64_t kernel) {
    return [kernel](const reference::Taps& taps) { return taps.count() < kernel; };
  };
  return std::ranges::any_of(reference::distinct_taps_of_rows(window, from.h, to.h),
                             is_cut(window.kernel_h)) ||
         std::ranges::any_of(reference::distinct_taps_of_columns(window, from.w, to.w),
                             is_cut(window.kernel_w));
}

}  // namespace thimble
