// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/kernel_uses.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"

namespace thimble {
namespace {

// Axes of several indices, outermost first; nothing if there are gaps between them.
std::optional<std::vector<size_t>> dense_axes(const Shape& extents,
                                              const std::vector<int64_t>& stride) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1) axes.push_back(axis);
  }
  std::ranges::sort(axes, std::greater{}, [&](size_t axis) { return stride[axis]; });
  int64_t next = 1;
  for (size_t k = axes.size(); k-- > 0; next *= extents[axes[k]]) {
    if (stride[axes[k]] != next) return std::nullopt;
  }
  return axes;
}

}  // namespace

bool has_kernel(const Graph& graph, const Op& op, Method method) {
  const bool sums = method == Method::kAccumulate || method == Method::kFinalise;
  if (!sums && find_accumulator(graph, op.outputs.at(0)) != nullptr) return false;
  const Operands t{graph, op};
  return std::visit(
      [&]<class Operator>(const Operator& a) {
        return (!t.is_onnx() || kIsOfOnnx<Operator>)&&supported(a, t, method);
      },
      op.attributes);
}

size_t chunk_axis(const Graph& graph, const Op& op) {
  const size_t rank = graph.tensor(op.inputs.at(0)).shape.size();
  return std::visit([&](const auto& a) { return accumulated_axis(a, rank); }, op.attributes);
}

std::vector<KernelUse> kernel_uses(const Graph& graph, const Op& op, Method method) {
  check(has_kernel(graph, op, method), "kernel_uses: no kernel does that");
  const Operands t{graph, op};
  return std::visit([&](const auto& a) { return uses(a, t, method); }, op.attributes);
}

Scratch scratch(const Graph& graph, const Op& op, Method method, KernelId wanted) {
  return has_kernel(graph, op, method) ? scratch(kernel_uses(graph, op, method), wanted)
                                       : Scratch{};
}

Scratch scratch(const std::vector<KernelUse>& uses, KernelId wanted) {
  Scratch most;
  for (const KernelUse& use : uses) {
    const KernelId kernel = chosen(wanted, use);
    most.size_bytes = std::max(most.size_bytes, least_scratch_bytes(kernel, use));
    if (size_bytes(info(kernel).scratch_type) > size_bytes(most.type))
      most.type = info(kernel).scratch_type;
  }
  return most;
}

KernelParams params_of(const Graph& graph, const Op& op, KernelId kernel, const KernelUse& use,
                       std::optional<int64_t> scratch) {
  const KernelInfo& k = info(kernel);
  KernelParams params = k.adapt == nullptr ? use.params : k.adapt({graph, op}, use.params);
  auto* packed = std::get_if<runtime::DepthwiseConv2DPackedParams>(&params);
  if (packed != nullptr)
    packed->scratch_bytes = static_cast<int32_t>(scratch.value_or(scratch_bytes(kernel, use)));
  return params;
}

std::vector<PackedConstant> pack(const Graph& graph, const Op& op, KernelId kernel) {
  const KernelInfo& k = info(kernel);
  return k.pack == nullptr ? std::vector<PackedConstant>{} : k.pack({graph, op});
}

KernelUse plain_copy(const Shape& shape, DType type) {
  return elementwise_use(copy_kernel(type), {}, {shape}, shape);
}

bool transposes_in_place(const Shape& extents, const std::vector<int64_t>& from,
                         const std::vector<int64_t>& to) {
  if (extents.size() > 4) return false;
  std::optional<std::vector<size_t>> before = dense_axes(extents, from);
  const std::optional<std::vector<size_t>> after = dense_axes(extents, to);
  if (!before || !after) return false;
  if (after->empty()) return before->empty();
  const auto first = std::ranges::find(*before, after->front());
  std::rotate(before->begin(), first, before->end());
  return before == after;
}

}  // namespace thimble
