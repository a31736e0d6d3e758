// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/uint8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/read_op.h"

namespace thimble {
namespace {

using tfl::BuiltinOperator;

/// The operand that the weights are multiplied with.
size_t multiplied_operand(const OperatorKind& kind) { return kind.weights_first ? 2 : 0; }

/// Tensors that share their data still do afterwards: a hostile file may have any number of them.
class Lowering {
 public:
  void lower(Tensor& tensor) {
    tensor.type = DType::kInt8;
    if (tensor.quantization.scales.empty()) tensor.quantization = {{1.0F}, {0}, 0};
    for (int32_t& zero_point : tensor.quantization.zero_points) zero_point -= 128;
    if (!tensor.is_constant()) return;
    std::shared_ptr<const Bytes>& lowered = lowered_[tensor.data];
    if (lowered == nullptr) {
      Bytes bytes = *tensor.data;
      for (uint8_t& byte : bytes) byte ^= 0x80U;
      lowered = std::make_shared<const Bytes>(std::move(bytes));
    }
    tensor.data = lowered;
  }

 private:
  std::map<std::shared_ptr<const Bytes>, std::shared_ptr<const Bytes>> lowered_;
};

/// Makes the zero point 0 if the weights fit int8 then, and no other tensor shares their data.
void centre(Tensor& weights) {
  std::vector<int32_t>& zero_points = weights.quantization.zero_points;
  if (weights.data.use_count() > 1) return;
  if (!weights.is_constant() || weights.type != DType::kInt8 || zero_points.size() != 1) return;
  Bytes bytes = *weights.data;
  for (uint8_t& byte : bytes) {
    const int32_t centred = static_cast<int8_t>(byte) - zero_points[0];
    if (centred < INT8_MIN || centred > INT8_MAX) return;
    byte = static_cast<uint8_t>(centred);
  }
  zero_points[0] = 0;
  weights.data = std::make_shared<const Bytes>(std::move(bytes));
}

/// All windows hold an odd number of elements: no average is a tie.
bool has_no_ties(const Window& window) {
  return window.padding == Padding{} && window.kernel_h * window.kernel_w % 2 == 1;
}

struct DiffersInUint8 {
  template <class Operator>
  bool operator()(const Operator&) const {
    return kDiffersInUint8<Operator>;
  }
  bool operator()(const Quantize&) const { return false; }  // where it does, it is made so
  bool operator()(const AveragePool2D& a) const { return !has_no_ties(a.window); }
};

/// The operators of the section with their operands, as far as these are known.
struct ListedOp {
  const OperatorKind& kind;
  TfliteOp op;
};
std::vector<ListedOp> listed(const TfliteFile& file, const Section& section,
                             const std::vector<Tensor>& tensors) {
  std::vector<ListedOp> result;
  for (const size_t i : section.ops) {
    const NamedKind kind = kind_of(file, i);
    if (kind.kind == nullptr) continue;
    result.push_back({*kind.kind, read_operands(file, i, kind.name, tensors)});
  }
  return result;
}

/// Whether it is a concatenation that rescales this input, or any.
bool rescales(BuiltinOperator code, const TfliteOp& op, TensorId input) {
  return code == BuiltinOperator::CONCATENATION && input.valid() && op.outputs.size() == 1 &&
         op.tensors[input.index()].quantization != op.output().quantization;
}
bool rescales(BuiltinOperator code, const TfliteOp& op) {
  return std::ranges::any_of(op.inputs, [&](TensorId id) { return rescales(code, op, id); });
}

/// Inputs that are quantised otherwise are rescaled first.
ReadOperator with_rescaled_inputs(const Op& concatenation, const TfliteOp& op,
                                  std::vector<Tensor>& tensors) {
  const float scale = op.output().quantization.scales[0];
  if (!std::isfinite(1 / scale))
    op.refuse(fmt::format("the output's scale of {} has no reciprocal", scale));
  Expansion steps(op, tensors);
  std::map<int32_t, TensorId> rescaled;
  std::vector<TensorId> inputs;
  for (const TensorId input : concatenation.inputs) {
    TensorId& made = rescaled.try_emplace(input.value).first->second;
    if (!made.valid() && rescales(BuiltinOperator::CONCATENATION, op, input))
      made =
          steps.make({Quantize{}, Arithmetic::kTfliteUint8}, {input}, tensors[input.index()].shape);
    inputs.push_back(made.valid() ? made : input);
  }
  steps.finish(concatenation.attributes, inputs);
  return steps.done();
}

/// Interpolated in float32 between the values that they were, and rounded half up.
ReadOperator resized_in_float32(const Op& resize, const TfliteOp& op,
                                std::vector<Tensor>& tensors) {
  Expansion steps(op, tensors);
  const auto as_float = [](const Shape& shape) {
    return Tensor{.name = "", .shape = shape, .type = DType::kFloat32};
  };
  const auto number = [&](float value) {
    Tensor tensor = as_float({});
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    tensor.name = fmt::format("{}/{}", op.output().name, value);
    tensor.data = std::make_shared<const Bytes>(bytes, bytes + sizeof value);
    return steps.add(std::move(tensor));
  };
  const Tensor x = as_float(op.input(0).shape), y = as_float(op.output().shape);
  const TensorId raw = steps.make_as(Cast{}, {resize.inputs[0]}, x);
  const TensorId before = steps.make_as(Add{}, {raw, number(128)}, x);
  const TensorId between = steps.make_as(resize.attributes, {before}, y);
  const TensorId rounded = steps.make_as(Add{}, {between, number(0.5F)}, y);
  const TensorId whole = steps.make_as(Elementwise{Function::kFloor}, {rounded}, y);
  const TensorId less = steps.make_as(Sub{}, {whole, number(128)}, y);
  steps.finish(Cast{}, {less});
  return steps.done();
}

/// Turned by 180 degrees.
Tensor turned(Tensor weights) {
  const Shape& shape = weights.shape;
  const auto depth = static_cast<size_t>(shape[3]);
  const auto taps = static_cast<size_t>(shape[1] * shape[2]);
  Bytes bytes;
  for (size_t o = 0; o < static_cast<size_t>(shape[0]); ++o) {
    for (size_t tap = taps; tap-- > 0;) {
      const auto from = weights.data->begin() + static_cast<int64_t>((o * taps + tap) * depth);
      bytes.insert(bytes.end(), from, from + static_cast<int64_t>(depth));
    }
  }
  weights.name += "/turned";
  weights.data = std::make_shared<const Bytes>(std::move(bytes));
  return weights;
}

/// TRANSPOSE_CONV whose weights have a zero point: a convolution, whose kernels take one, of the
/// input with zeros between its pixels.
ReadOperator as_convolution(const Op& transpose, const TfliteOp& op, std::vector<Tensor>& tensors) {
  const auto& a = std::get<TransposeConv>(transpose.attributes);
  const Window& w = a.window;
  Tensor x = tensors[transpose.inputs[0].index()];
  x.data = nullptr;
  const int32_t zero = x.quantization.zero_points[0];
  const Shape in = x.shape, out = op.output().shape;
  Expansion steps(op, tensors);
  const auto made = [&](Attributes attributes, TensorId from, Shape shape) {
    x.shape = std::move(shape);
    return steps.make_as(std::move(attributes), {from}, x);
  };
  // stride - 1 times zeros behind each of `count` runs of `size` elements.
  const auto dilate_axis = [&](TensorId from, int64_t count, int64_t stride, int64_t size) {
    if (stride == 1) return from;
    const TensorId apart = made(Reshape{}, from, {count, 1, size});
    return made(Pad{{0, 0, 0}, {0, stride - 1, 0}, zero}, apart, {count, stride, size});
  };
  const int64_t rows = in[0] * in[1] * w.stride_h;
  TensorId dilated = dilate_axis(transpose.inputs[0], in[0] * in[1], w.stride_h, in[2] * in[3]);
  dilated = dilate_axis(dilated, rows * in[2], w.stride_w, in[3]);
  Shape extents = {in[0], in[1] * w.stride_h, in[2] * w.stride_w, in[3]};
  if (extents != in) dilated = made(Reshape{}, dilated, extents);
  Window window{.kernel_h = w.kernel_h, .kernel_w = w.kernel_w, .padding = {}};
  window.padding.top = w.kernel_h - 1 - w.padding.top;
  window.padding.left = w.kernel_w - 1 - w.padding.left;
  window.padding.bottom = out[1] + w.kernel_h - 1 - extents[1] - window.padding.top;
  window.padding.right = out[2] + w.kernel_w - 1 - extents[2] - window.padding.left;
  if (window.padding.bottom < 0 || window.padding.right < 0) {  // what no window reaches
    extents[1] += std::min<int64_t>(0, window.padding.bottom);
    extents[2] += std::min<int64_t>(0, window.padding.right);
    window.padding.bottom = std::max<int64_t>(0, window.padding.bottom);
    window.padding.right = std::max<int64_t>(0, window.padding.right);
    dilated = made(Slice{{0, 0, 0, 0}, {1, 1, 1, 1}, {}}, dilated, extents);
  }
  std::vector<TensorId> inputs = transpose.inputs;
  inputs[0] = dilated;
  inputs[1] = steps.add(turned(tensors[transpose.inputs[1].index()]));
  steps.finish({Conv2D{.window = window, .activation = a.activation}, Arithmetic::kTfliteUint8},
               inputs);
  return steps.done();
}

/// Whether its weights are constants with a zero point, and its shapes those of a convolution.
bool has_offset_weights(const Op& op, const TfliteOp& from, const std::vector<Tensor>& tensors) {
  const auto* a = std::get_if<TransposeConv>(&op.attributes);
  if (a == nullptr) return false;
  const Tensor &x = tensors[op.inputs[0].index()], &weights = tensors[op.inputs[1].index()];
  const Window& w = a->window;
  constexpr double kMostDilatedElements = 0x1p31;  // with zeros between them
  double dilated = static_cast<double>(w.stride_h) * static_cast<double>(w.stride_w);
  for (const int64_t extent : x.shape) dilated *= static_cast<double>(extent);
  if (w.stride_h < 1 || w.stride_w < 1 || !(dilated > 0 && dilated < kMostDilatedElements))
    return false;
  return x.shape.size() == 4 && weights.shape.size() == 4 && from.output().shape.size() == 4 &&
         weights.is_constant() && weights.quantization.zero_points[0] != 0 &&
         w.padding.top < w.kernel_h && w.padding.left < w.kernel_w;
}

/// Whether it asks for int8 in the place of uint8.
bool computes_in_uint8(const ListedOp& listed) {
  const TfliteOp& op = listed.op;
  const auto types = [&](const std::vector<TensorId>& ids, DType type) {
    return std::ranges::any_of(
        ids, [&](TensorId id) { return id.valid() && op.tensors[id.index()].type == type; });
  };
  const bool reads = types(op.inputs, DType::kUInt8), writes = types(op.outputs, DType::kUInt8);
  if (!reads && !writes) return false;
  if (listed.kind.code == BuiltinOperator::QUANTIZE)
    return !types(reads ? op.outputs : op.inputs, DType::kInt8);
  return listed.kind.uint8 != OperatorKind::Uint8::kMoves || rescales(listed.kind.code, op);
}

}  // namespace

Uint8Tensors::Uint8Tensors(const TfliteFile& file, const Section& section,
                           std::vector<Tensor>& tensors)
    : has_(tensors.size()), unscaled_(tensors.size()) {
  const std::vector<ListedOp> ops = listed(file, section, tensors);
  if (std::ranges::none_of(ops, computes_in_uint8)) return;
  {
    Lowering lowering;
    for (size_t t = 0; t < tensors.size(); ++t) {
      has_[t] = tensors[t].type == DType::kUInt8;
      unscaled_[t] = has_[t] && tensors[t].quantization.scales.empty();
      if (has_[t]) lowering.lower(tensors[t]);
    }
  }
  std::vector<bool> read_elsewhere(tensors.size());  // read by something else than as weights
  for (const auto& [kind, op] : ops) {
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (op.inputs[k].valid() && (k != 1 || !kind.weighted))
        read_elsewhere[op.inputs[k].index()] = true;
    }
  }
  for (const auto& [kind, op] : ops) {
    if (!kind.weighted || op.inputs.size() < 2 || !has(op.inputs[1])) continue;
    if (!read_elsewhere[op.inputs[1].index()]) centre(tensors[op.inputs[1].index()]);
  }
}

bool Uint8Tensors::touches(const TfliteOp& op) const {
  const auto was = [&](TensorId id) { return has(id); };
  return std::ranges::any_of(op.inputs, was) || std::ranges::any_of(op.outputs, was);
}

ReadOperator Uint8Tensors::read(const OperatorKind& kind, const TfliteOp& from,
                                std::vector<Tensor>& tensors) const {
  if (!touches(from)) return read_op(kind, from, tensors);
  check_operands(kind, from);
  if (kind.uint8 == OperatorKind::Uint8::kRefused) {
    throw Refusal(from.where,
                  "is not supported of uint8: its kernel may compute otherwise than that of int8; "
                  "converted to int8 it may be",
                  Help::kQuantise);
  }
  const bool needs_scales =
      rescales(kind.code, from) ||
      (kind.uint8 != OperatorKind::Uint8::kMoves && kind.code != BuiltinOperator::CAST);
  for (const auto* ids : {&from.inputs, &from.outputs}) {
    for (const TensorId id : *ids) {
      if (!has(id)) continue;
      const bool unscaled = unscaled_[id.index()];
      const size_t scales = unscaled ? 0 : tensors[id.index()].quantization.scales.size();
      if (scales == 1 || (unscaled && !needs_scales)) continue;
      from.refuse(fmt::format("tensor {} '{}' of uint8 has {} scales; supported is one", id.value,
                              tensors[id.index()].name, scales));
    }
  }
  if (kind.code == BuiltinOperator::RELU &&
      from.input(0).quantization.scales != from.output().quantization.scales) {
    throw Refusal(from.where, "of uint8 is supported where input and output have one scale",
                  Help::kQuantise);
  }
  if (kind.weighted && !(has(from.inputs[multiplied_operand(kind)]) && has(from.inputs[1]))) {
    from.damaged("input and weights are not both uint8");
  }
  TfliteOp op_of_uint8 = from;
  op_of_uint8.lowered = &has_;
  ReadOperator result = read_op(kind, std::move(op_of_uint8), tensors);
  for (Op& op : result.ops) {
    if (std::visit(DiffersInUint8{}, op.attributes))
      op.attributes.arithmetic = Arithmetic::kTfliteUint8;
  }
  if (kind.code == BuiltinOperator::RESIZE_BILINEAR)
    return resized_in_float32(result.ops.at(0), from, tensors);
  if (result.ops.size() == 1 && has_offset_weights(result.ops[0], from, tensors))
    return as_convolution(result.ops[0], from, tensors);
  if (rescales(kind.code, from) && result.ops.size() == 1)
    return with_rescaled_inputs(result.ops[0], from, tensors);
  return result;
}

TensorId Uint8Tensors::open(TensorId port, Graph& graph) const {
  Tensor caller = graph.tensor(port);
  constexpr std::string_view kSuffix = "/int8";
  if (caller.name.ends_with(kSuffix)) {  // listed twice
    caller.name.resize(caller.name.size() - kSuffix.size());
  } else {
    graph.tensor(port).name += kSuffix;
  }
  caller.type = DType::kUInt8;
  for (int32_t& zero_point : caller.quantization.zero_points) zero_point += 128;
  graph.tensors.push_back(std::move(caller));
  return {static_cast<int32_t>(graph.tensors.size()) - 1};
}

std::vector<Op> Uint8Tensors::open_inputs(Graph& graph) const {
  std::vector<Op> result;
  for (Port& port : graph.inputs) {
    if (!has(port.tensor)) continue;
    const TensorId caller = open(port.tensor, graph);
    result.push_back({Quantize{}, {caller}, {port.tensor}, -1});
    port.tensor = caller;
  }
  return result;
}

std::vector<Op> Uint8Tensors::open_outputs(Graph& graph) const {
  std::vector<Op> result;
  for (Port& port : graph.outputs) {
    if (!has(port.tensor)) continue;
    const TensorId caller = open(port.tensor, graph);
    result.push_back({Quantize{}, {port.tensor}, {caller}, -1});
    port.tensor = caller;
  }
  return result;
}

}  // namespace thimble
