// SPDX-License-Identifier: Apache-2.0
// Constraints that several operators share.
#include "thimble/operators/predicates.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/operators/maps.h"
#include "thimble/operators/op_view.h"

namespace thimble {
namespace {

/// Kernels count elements and bytes in 32 bits.
constexpr int64_t kElementLimit = std::numeric_limits<int32_t>::max();

template <class Holds>
bool all_tensors(const Graph& graph, const Op& op, Holds holds) {
  auto of = [&](TensorId t) { return holds(graph.tensor(t)); };
  return std::all_of(op.inputs.begin(), op.inputs.end(), of) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), of);
}

bool operands_exist(const Graph& graph, const Op& op) {
  auto exists = [&](TensorId t) { return t.valid() && t.index() < graph.tensors.size(); };
  return std::all_of(op.inputs.begin(), op.inputs.end(), exists) &&
         std::all_of(op.outputs.begin(), op.outputs.end(), exists);
}

bool one_computed_output(const Graph& graph, const Op& op) {
  return !op.inputs.empty() && op.outputs.size() == 1 && !graph.tensor(op.outputs[0]).is_constant();
}

bool has_countable_size(const Tensor& tensor) {
  int64_t left = kElementLimit / size_bytes(tensor.type);
  for (int64_t extent : tensor.shape) {
    if (extent < 1 || extent > left) return false;
    left /= extent;
  }
  return true;
}

bool sizes_are_countable(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, has_countable_size);
}

bool constants_are_complete(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, [](const Tensor& t) {
    return !t.is_constant() || static_cast<int64_t>(t.data->size()) == t.size_bytes();
  });
}

/// Emitted code has no literals for others.
bool floats_are_finite(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, [](const Tensor& t) {
    if (!t.is_constant() || t.type != DType::kFloat32) return true;
    for (size_t at = 0; at < t.data->size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, t.data->data() + at, sizeof value);
      if (!std::isfinite(value)) return false;
    }
    return true;
  });
}

struct Range {
  int64_t lowest, highest;
};

Range range(DType type) {
  switch (type) {
    case DType::kInt8:
      return {-128, 127};
    case DType::kUInt8:
      return {0, 255};
    case DType::kInt16:
      return {-32768, 32767};
    case DType::kInt32:
    case DType::kInt64:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case DType::kBool:
    case DType::kUInt32:
    case DType::kUInt64:
    case DType::kFloat32:
      return {0, -1};  // never quantised
  }
  throw InternalError("unknown DType");
}

}  // namespace

std::vector<Constraint> common_constraints() {
  return {
      {"every operand is a tensor of the network", operands_exist},
      {"there is at least one input, and one output, which is not a constant", one_computed_output},
      {"every extent is at least 1, and every tensor is smaller than 2 GiB", sizes_are_countable},
      {"constants have the bytes of their shape", constants_are_complete},
      {"constants of float32 are finite", floats_are_finite},
  };
}

std::vector<Constraint> join(std::initializer_list<std::vector<Constraint>> lists) {
  std::vector<Constraint> result;
  for (const auto& list : lists) result.insert(result.end(), list.begin(), list.end());
  return result;
}

bool is_positive_scale(double scale) { return std::isfinite(scale) && scale > 0; }

bool has_one_scale(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.scales.size() != 1 || q.zero_points.size() != 1) return false;
  const Range r = range(tensor.type);
  return is_positive_scale(q.scales[0]) && q.zero_points[0] >= r.lowest &&
         q.zero_points[0] <= r.highest;
}

bool same_quantization(const Tensor& a, const Tensor& b) {
  const Quantization& p = a.quantization;
  const Quantization& q = b.quantization;
  return p.scales.size() <= 1 && p.scales == q.scales && p.zero_points == q.zero_points;
}

bool one_input(const Graph&, const Op& op) { return op.inputs.size() == 1; }
bool two_inputs(const Graph&, const Op& op) { return op.inputs.size() == 2; }

bool all_int8(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, [](const Tensor& t) { return t.type == DType::kInt8; });
}

bool all_float32(const Graph& graph, const Op& op) { return is_float32(graph, op); }

bool all_int8_or_float32(const Graph& graph, const Op& op) {
  return all_int8(graph, op) || is_float32(graph, op);
}

bool all_int8_or_int16(const Graph& graph, const Op& op) {
  return all_int8(graph, op) ||
         all_tensors(graph, op, [](const Tensor& t) { return t.type == DType::kInt16; });
}

bool all_int8_int16_or_float32(const Graph& graph, const Op& op) {
  const auto is_int16 = [](const Tensor& t) { return t.type == DType::kInt16; };
  return all_int8_or_float32(graph, op) || all_tensors(graph, op, is_int16);
}

bool all_numbers(const Graph& graph, const Op& op) {
  return all_int8_int16_or_float32(graph, op) ||
         all_tensors(graph, op, [](const Tensor& t) { return t.type == DType::kInt32; });
}

bool all_comparable(const Graph& graph, const Op& op) {
  return all_numbers(graph, op) ||
         all_tensors(graph, op, [](const Tensor& t) { return t.type == DType::kBool; });
}

bool quantised_have_one_scale(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, [](const Tensor& t) {
    return (t.type != DType::kInt8 && t.type != DType::kInt16) || has_one_scale(t);
  });
}

bool int16_is_symmetric(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, [](const Tensor& t) {
    return t.type != DType::kInt16 || t.quantization.zero_points[0] == 0;
  });
}

bool all_one_copied_type(const Graph& graph, const Op& op) {
  const DType type = graph.tensor(op.outputs[0]).type;
  const bool copied = type == DType::kInt8 || type == DType::kUInt8 || type == DType::kInt16 ||
                      type == DType::kInt32 || type == DType::kUInt32 || type == DType::kInt64 ||
                      type == DType::kFloat32 || type == DType::kBool;
  return copied && all_tensors(graph, op, [&](const Tensor& t) { return t.type == type; });
}

bool all_have_one_scale(const Graph& graph, const Op& op) {
  return all_tensors(graph, op, has_one_scale);
}

bool all_same_quantization(const Graph& graph, const Op& op) {
  const Tensor& out = graph.tensor(op.outputs[0]);
  return all_tensors(graph, op, [&](const Tensor& t) { return same_quantization(t, out); });
}

bool rescale_fits(const Graph& graph, const Op& op) {
  const Tensor& in = graph.tensor(op.inputs[0]);
  if (in.type == DType::kFloat32) return true;
  const double ratio = static_cast<double>(in.quantization.scales[0]) /
                       graph.tensor(op.outputs[0]).quantization.scales[0];
  if (in.type == DType::kInt32) return ratio < 1 && in.quantization.zero_points[0] == 0;
  return ratio < (in.type == DType::kInt16 ? 0x1p14 : 0x1p22);
}

bool sum_scale_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  if (v.out().type == DType::kInt32) return true;
  const double most = std::max(v.in(0).quantization.scales[0], v.in(1).quantization.scales[0]);
  const double bound = v.out().type == DType::kInt16 ? 0x1p14 : 0x1p19;
  return most < bound * v.out().quantization.scales[0];
}

bool shapes_broadcast(const Graph& graph, const Op& op) {
  Shape shape = graph.tensor(op.inputs[0]).shape;
  for (const TensorId t : op.inputs) shape = broadcast_shape(shape, graph.tensor(t).shape);
  return std::all_of(shape.begin(), shape.end(), [](int64_t extent) { return extent > 0; });
}

}  // namespace thimble
