// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "thimble/model/error.h"

namespace thimble {

int64_t size_bytes(DType type) {
  switch (type) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUInt8:
      return 1;
    case DType::kInt16:
      return 2;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
    case DType::kUInt64:
      return 8;
  }
  throw InternalError("unknown DType");
}

const char* name(DType type) {
  switch (type) {
    case DType::kBool:
      return "bool";
    case DType::kInt8:
      return "int8";
    case DType::kUInt8:
      return "uint8";
    case DType::kInt16:
      return "int16";
    case DType::kInt32:
      return "int32";
    case DType::kUInt32:
      return "uint32";
    case DType::kInt64:
      return "int64";
    case DType::kUInt64:
      return "uint64";
    case DType::kFloat32:
      return "float32";
  }
  throw InternalError("unknown DType");
}

int64_t elements(const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

bool Tensor::operator==(const Tensor& other) const {
  const bool same_data =
      data == other.data || (data != nullptr && other.data != nullptr && *data == *other.data);
  return name == other.name && shape == other.shape && type == other.type &&
         quantization == other.quantization && same_data;
}

Bytes zero_bytes(const Tensor& tensor) {
  const std::vector<int32_t>& zeros = tensor.quantization.zero_points;
  const bool has_zero_point = tensor.type == DType::kInt8 && !zeros.empty();
  return Bytes(static_cast<size_t>(tensor.size_bytes()),
               static_cast<uint8_t>(has_zero_point ? zeros[0] : 0));
}

std::vector<OpId> producers(const Graph& graph) {
  std::vector<OpId> result(graph.tensors.size());
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    for (TensorId t : graph.ops[i].outputs) result[t.index()] = OpId{static_cast<int32_t>(i)};
  }
  return result;
}

std::vector<std::vector<OpId>> consumers(const Graph& graph) {
  std::vector<std::vector<OpId>> result(graph.tensors.size());
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const OpId id{static_cast<int32_t>(i)};
    for (TensorId t : graph.ops[i].inputs) {
      auto& readers = result[t.index()];
      if (readers.empty() || readers.back() != id) readers.push_back(id);
    }
  }
  return result;
}

bool is_hybrid(const Attributes& attributes, size_t k, const Tensor& tensor) {
  const bool by_gates = std::holds_alternative<Lstm>(attributes);
  const bool by_last = std::holds_alternative<DepthwiseConv2D>(attributes);
  const bool weighted = by_gates || by_last || std::holds_alternative<Conv2D>(attributes) ||
                        std::holds_alternative<FullyConnected>(attributes);
  if (!weighted || (by_gates ? k != 2 && k != 3 : k != 1)) return false;
  if (tensor.type != DType::kInt8 || !tensor.is_constant() || tensor.shape.empty()) return false;
  const Quantization& q = tensor.quantization;
  const size_t axis = by_last ? tensor.shape.size() - 1 : 0;
  const bool for_all = q.scales.size() == 1 && !by_gates;
  const bool for_each =
      q.axis == static_cast<int>(axis) && std::ssize(q.scales) == tensor.shape[axis];
  constexpr float kMost = 0x1p119F;  // dequantised weights are finite
  return (for_all || for_each) && q.zero_points.size() == q.scales.size() &&
         std::ranges::all_of(q.scales, [](float scale) { return scale > 0 && scale < kMost; }) &&
         std::ranges::all_of(q.zero_points, [&](int32_t zero) {
           return zero == q.zero_points[0] && zero >= INT8_MIN && zero <= INT8_MAX;
         });
}

bool is_float32(const Graph& graph, const Op& op) {
  const auto fits = [&](TensorId t) { return graph.tensor(t).type == DType::kFloat32; };
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (!fits(op.inputs[k]) && !is_hybrid(op.attributes, k, graph.tensor(op.inputs[k])))
      return false;
  }
  return std::ranges::all_of(op.outputs, fits);
}

const Accumulator* find_accumulator(const Graph& graph, TensorId tensor) {
  const auto it = std::ranges::find(graph.accumulators, tensor, &Accumulator::tensor);
  return it == graph.accumulators.end() ? nullptr : &*it;
}

DType accumulator_type(const Graph& graph, TensorId tensor) {
  const Accumulator* accumulator = find_accumulator(graph, tensor);
  return accumulator == nullptr ? DType::kInt32 : accumulator->type;
}

Graph with_accumulators(Graph graph, std::vector<Accumulator> accumulators) {
  graph.accumulators = std::move(accumulators);
  return graph;
}

std::string accumulator_fault(const Graph& graph) {
  const std::vector<OpId> producer = producers(graph);
  std::set<TensorId> seen;
  for (const Accumulator& a : graph.accumulators) {
    if (!a.tensor.valid() || a.tensor.index() >= graph.tensors.size())
      return "an accumulator's tensor does not exist";
    if (!seen.insert(a.tensor).second) return "a tensor has two accumulators";
    const OpId made_by = producer[a.tensor.index()];
    const bool sums =
        made_by.valid() && (std::holds_alternative<Conv2D>(graph.op(made_by).attributes) ||
                            std::holds_alternative<FullyConnected>(graph.op(made_by).attributes));
    if (!sums || graph.tensor(a.tensor).type != DType::kInt8)
      return "an accumulator is not for the int8 output of a convolution or fully connected layer";
    if (a.type != DType::kInt16 && a.type != DType::kInt8)
      return "an accumulator is neither int16 nor int8";
    const int32_t most = a.type == DType::kInt8 ? INT8_MAX : INT16_MAX;
    if (a.zero_point < -most - 1 || a.zero_point > most)
      return "an accumulator's zero point is beyond its type";
    if (!std::isnormal(a.scale) || a.scale < 0) return "an accumulator's scale is not positive";
    const std::vector<float>& out_scale = graph.tensor(a.tensor).quantization.scales;
    const float most_ratio = a.type == DType::kInt8 ? 0x1p22F : 0x1p14F;  // stays within 32 bits
    if (out_scale.size() != 1 || !(a.scale / out_scale[0] < most_ratio))
      return "an accumulator's scale is too large for its tensor's";
    const Op& op = graph.op(made_by);
    const std::vector<float>& x_scale = graph.tensor(op.inputs.at(0)).quantization.scales;
    for (const float weight : graph.tensor(op.inputs.at(1)).quantization.scales) {
      const double product = x_scale.size() == 1 ? double{x_scale[0]} * double{weight} : 0;
      if (!(product / double{a.scale} < 0x1p30))  // the largest fixed-point factor
        return "an accumulator's scale is too small for its operator's products";
    }
    const Shape& x = graph.tensor(graph.op(made_by).inputs.at(0)).shape;
    if (a.chunk < 1 || x.empty() || a.chunk > x.back())
      return "an accumulator's chunk is not between 1 and the channels of the operator's input";
  }
  return "";
}

Shape in_order(const Shape& shape, const std::vector<int>& order) {
  Shape result;
  for (const int axis : order) result.push_back(shape.at(static_cast<size_t>(axis)));
  return result;
}

bool has_rows(const Shape& shape) {
  return (shape.size() == 3 || shape.size() == 4) && shape[0] == 1;
}

Shape caller_shape(const Graph& graph, const Port& port) {
  if (!port.shape.empty()) return port.shape;
  const Shape& shape = graph.tensor(port.tensor).shape;
  return port.order.empty() ? shape : in_order(shape, port.order);
}

std::string label(const Op& op) {
  return op.file_index < 0 ? fmt::format("{} (made by a rewrite)", name(op.attributes))
                           : fmt::format("{} #{}", name(op.attributes), op.file_index);
}

void check_graph(const Graph& graph) {
  const size_t count = graph.tensors.size();
  std::vector<bool> available(count);
  auto in_range = [&](TensorId t) { return t.valid() && t.index() < count; };
  for (size_t t = 0; t < count; ++t) {
    const Tensor& tensor = graph.tensors[t];
    available[t] = tensor.is_constant();
    if (tensor.is_constant()) {
      check(static_cast<int64_t>(tensor.data->size()) == tensor.size_bytes(),
            "a constant's data does not have the size of its shape");
    }
  }
  for (const Port& port : graph.inputs) {
    check(in_range(port.tensor), "a network input is out of range");
    available[port.tensor.index()] = true;
  }
  for (const State& state : graph.states) {
    check(in_range(state.in), "a variable is out of range");
    available[state.in.index()] = true;
  }
  for (const Op& op : graph.ops) {
    for (TensorId t : op.inputs) {
      check(in_range(t) && available[t.index()], "an operator reads a tensor before it exists");
    }
    for (TensorId t : op.outputs) {
      check(in_range(t) && !available[t.index()], "a tensor has two producers");
      available[t.index()] = true;
    }
  }
  for (const Port& port : graph.outputs) {
    check(in_range(port.tensor) && available[port.tensor.index()],
          "a network output is never computed");
  }
  for (const State& state : graph.states) {
    check(in_range(state.out) && available[state.out.index()], "a variable is never computed");
    const Tensor &in = graph.tensor(state.in), &out = graph.tensor(state.out);
    check(
        in.type == out.type && in.shape == out.shape && state.in != state.out && !out.is_constant(),
        "a variable ends as another tensor than it begins");
    check(
        state.initial != nullptr && static_cast<int64_t>(state.initial->size()) == in.size_bytes(),
        "a variable has no initial value");
  }
  check(accumulator_fault(graph).empty(), "an accumulator is not one of this network's");
}

}  // namespace thimble
