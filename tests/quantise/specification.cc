// SPDX-License-Identifier: Apache-2.0
#include "tests/quantise/specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace thimble::testing {
namespace {

const std::set<std::string> kSameAsInput = {"AVERAGE_POOL_2D",
                                            "MAX_POOL_2D",
                                            "RESHAPE",
                                            "TRANSPOSE",
                                            "PAD",
                                            "SLICE",
                                            "STRIDED_SLICE",
                                            "GATHER",
                                            "MIN_POOL_2D",
                                            "RESIZE_BILINEAR",
                                            "RESIZE_NEAREST_NEIGHBOR"};
const std::set<std::string> kNotOfInt16 = {"ARG_MAX",
                                           "RESIZE_BILINEAR",
                                           "RESIZE_NEAREST_NEIGHBOR",
                                           "HARD_SWISH",
                                           "RELU",
                                           "RELU6",
                                           "LOG_SOFTMAX",
                                           "SUM",
                                           "L2_NORMALIZATION",
                                           "EQUAL",
                                           "LESS",
                                           "GREATER"};
const std::set<std::string> kAllTheSame = {"CONCATENATION", "MAXIMUM", "MINIMUM"};

bool is_int8(const Tensor& tensor) { return tensor.type == DType::kInt8; }
bool is_int16(const Tensor& tensor) { return tensor.type == DType::kInt16; }

std::string fixed_fault(const Tensor& out, float scale, int32_t zero_point) {
  const bool met = out.quantization.scales == std::vector{scale} &&
                   out.quantization.zero_points[0] == zero_point;
  return met ? "" : fmt::format("its output must have the scale {}, {}", scale, zero_point);
}

/// axis: of the scales of the weights, if they have several.
std::string weights_fault(const Graph& graph, const Op& op, int axis) {
  const Tensor& x = graph.tensor(op.inputs[0]);
  const Tensor& weights = graph.tensor(op.inputs[1]);
  if (!weights.is_constant()) return "";
  const Quantization& q = weights.quantization;
  if (!is_int8(weights)) return "its weights must be int8";
  if (q.per_channel() && q.axis != axis) return fmt::format("its weights' axis must be {}", axis);
  if (q.per_channel() && std::ssize(q.scales) != weights.shape[static_cast<size_t>(axis)])
    return "its weights must have a scale for each channel";
  if (std::ranges::any_of(q.zero_points, [](int32_t z) { return z != 0; }))
    return "its weights' zero points must be 0";
  if (std::ranges::find(*weights.data, uint8_t{0x80}) != weights.data->end())
    return "its weights must not be -128";
  if (op.inputs.size() < 3) return "";
  const Tensor& bias = graph.tensor(op.inputs[2]);
  if (bias.type != (is_int16(x) ? DType::kInt64 : DType::kInt32))
    return "its bias must be int32, beside int16 int64";
  const auto& scales = bias.quantization.scales;
  if (scales.size() != q.scales.size()) return "its bias must have as many scales as its weights";
  for (size_t k = 0; k < scales.size(); ++k)
    if (scales[k] != x.quantization.scales[0] * q.scales[k])
      return "its bias's scale must be that of the input times that of the weights";
  return "";
}

std::string op_fault(const Graph& graph, const Op& op) {
  const std::string kind = name(op.attributes);
  const Tensor& out = graph.tensor(op.outputs[0]);
  const Tensor& x = graph.tensor(op.inputs[0]);
  if (!is_int8(x) && !is_int16(x)) return "";
  if (is_int16(x) && kNotOfInt16.contains(kind)) return "it has no form in int16";
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const TensorId t : *operands)
      if (is_int16(graph.tensor(t)) && graph.tensor(t).quantization.zero_points[0] != 0)
        return "zero points of int16 must be 0";
  for (const TensorId t : op.inputs)
    if (graph.tensor(t).type == DType::kFloat32) return "it mixes int8 and float32";
  if (kind == "CONV_2D" || kind == "TRANSPOSE_CONV" || kind == "FULLY_CONNECTED") {
    if (const std::string fault = weights_fault(graph, op, 0); !fault.empty()) return fault;
  }
  if (kind == "DEPTHWISE_CONV_2D") {
    if (const std::string fault = weights_fault(graph, op, 3); !fault.empty()) return fault;
  }
  if (kind == "QUANTIZE" || (!is_int8(out) && !is_int16(out))) return "";
  if (out.type != x.type) return "its input and output must have one type";
  if (kSameAsInput.contains(kind) && out.quantization != x.quantization)
    return "its output must have the scale of its input";
  if (kAllTheSame.contains(kind)) {
    for (const TensorId t : op.inputs)
      if (graph.tensor(t).quantization != out.quantization) return "all scales must be the same";
  }
  if (is_int16(out) && (kind == "SOFTMAX" || kind == "LOGISTIC" || kind == "TANH"))
    return fixed_fault(out, 1.0F / 32768, 0);
  if (kind == "SOFTMAX" || kind == "LOGISTIC") return fixed_fault(out, 1.0F / 256, -128);
  if (kind == "TANH" || kind == "L2_NORMALIZATION") return fixed_fault(out, 1.0F / 128, 0);
  if (kind == "LOG_SOFTMAX") return fixed_fault(out, 16.0F / 256, 127);
  return "";
}

}  // namespace

std::string specification_fault(const Graph& graph) {
  for (const Op& op : graph.ops) {
    const std::string fault = op_fault(graph, op);
    if (!fault.empty()) return fmt::format("{}: {}", label(op), fault);
  }
  return "";
}

}  // namespace thimble::testing
