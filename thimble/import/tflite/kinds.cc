// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "thimble/import/tflite/attributes.h"
#include "thimble/import/tflite/expansions.h"
#include "thimble/import/tflite/signal.h"
#include "thimble/import/tflite/slices.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

using tfl::BuiltinOperator;

template <class Operator>
Attributes plain(const TfliteOp&) {
  return Operator{};
}

/// With a fused activation and nothing else.
template <class Operator>
Attributes fused(const TfliteOp& op) {
  return Operator{.activation = activation(op, options<tfl::ActivationOptions>(op).activation)};
}

template <bool kRemainder>
Attributes floor_div(const TfliteOp&) {
  return FloorDiv{kRemainder};
}

template <Relation kRelation>
Attributes comparison(const TfliteOp&) {
  return Comparison{kRelation};
}

template <Activation kRange>
Attributes relu(const TfliteOp&) {
  return Relu{kRange};
}

template <Function kFunction>
Attributes elementwise(const TfliteOp&) {
  return Elementwise{kFunction};
}

constexpr size_t kNoLimit = OperatorKind::kNoLimit;

constexpr OperatorKind expanded(BuiltinOperator code, size_t min_inputs, size_t max_inputs,
                                void (*expand)(const TfliteOp&, Expansion&),
                                size_t first_optional = kNoLimit) {
  return {.code = code,
          .min_inputs = min_inputs,
          .max_inputs = max_inputs,
          .first_optional = first_optional,
          .expand = expand};
}

/// Read by HandledVariables.
constexpr OperatorKind by_handle(BuiltinOperator code) { return {.code = code}; }

/// Ascending by name.
constexpr std::array kOperatorKinds = {
    OperatorKind{BuiltinOperator::ABS, 1, 1, kNoLimit, kNoLimit, plain<Abs>},
    OperatorKind{BuiltinOperator::ADD, 2, 2, kNoLimit, kNoLimit, fused<Add>},
    expanded(BuiltinOperator::ADD_N, 1, kNoLimit, add_n),
    expanded(BuiltinOperator::ARG_MAX, 2, 2, arg_max),
    expanded(BuiltinOperator::ARG_MIN, 2, 2, arg_min),
    by_handle(BuiltinOperator::ASSIGN_VARIABLE),
    OperatorKind{BuiltinOperator::AVERAGE_POOL_2D, 1, 1, kNoLimit, kNoLimit, average_pool_2d},
    OperatorKind{BuiltinOperator::BATCH_MATMUL, 2, 2, kNoLimit, kNoLimit, batch_matmul},
    expanded(BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, batch_to_space),
    expanded(BuiltinOperator::BROADCAST_ARGS, 2, 2, only_extents),
    expanded(BuiltinOperator::BROADCAST_TO, 2, 2, broadcast_to),
    by_handle(BuiltinOperator::CALL_ONCE),
    expanded(BuiltinOperator::CAST, 1, 1, cast),
    OperatorKind{BuiltinOperator::CEIL, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kCeil>},
    OperatorKind{BuiltinOperator::CONCATENATION, 1, kNoLimit, kNoLimit, kNoLimit, concatenation},
    OperatorKind{BuiltinOperator::CONV_2D, 2, 3, 2, kNoLimit, conv_2d},
    OperatorKind{BuiltinOperator::COS, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kCos>},
    OperatorKind{BuiltinOperator::CUMSUM, 2, 2, kNoLimit, 1, cumsum},
    OperatorKind{BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3, 2, kNoLimit, depthwise_conv_2d},
    expanded(BuiltinOperator::DEPTH_TO_SPACE, 1, 1, depth_to_space),
    expanded(BuiltinOperator::DEQUANTIZE, 1, 1, dequantize),
    OperatorKind{BuiltinOperator::DIV, 2, 2, kNoLimit, kNoLimit, fused<Div>},
    expanded(BuiltinOperator::DYNAMIC_UPDATE_SLICE, 3, 3, dynamic_update_slice),
    OperatorKind{BuiltinOperator::ELU, 1, 1, kNoLimit, kNoLimit, plain<Elu>},
    expanded(BuiltinOperator::EMBEDDING_LOOKUP, 2, 2, embedding_lookup),
    OperatorKind{BuiltinOperator::EQUAL, 2, 2, kNoLimit, kNoLimit, comparison<Relation::kEqual>},
    OperatorKind{BuiltinOperator::EXP, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kExp>},
    OperatorKind{BuiltinOperator::EXPAND_DIMS, 2, 2, kNoLimit, 1, reshape},
    expanded(BuiltinOperator::FILL, 2, 2, only_extents),
    OperatorKind{BuiltinOperator::FLOOR, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kFloor>},
    OperatorKind{BuiltinOperator::FLOOR_DIV, 2, 2, kNoLimit, kNoLimit, floor_div<false>},
    OperatorKind{BuiltinOperator::FLOOR_MOD, 2, 2, kNoLimit, kNoLimit, floor_div<true>},
    OperatorKind{BuiltinOperator::FULLY_CONNECTED, 2, 3, 2, kNoLimit, fully_connected},
    expanded(BuiltinOperator::GATHER, 2, 2, gather),
    expanded(BuiltinOperator::GATHER_ND, 2, 2, gather_nd),
    OperatorKind{BuiltinOperator::GELU, 1, 1, kNoLimit, kNoLimit, gelu},
    OperatorKind{BuiltinOperator::GREATER, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kGreater>},
    OperatorKind{BuiltinOperator::GREATER_EQUAL, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kGreaterEqual>},
    OperatorKind{BuiltinOperator::HARD_SWISH, 1, 1, kNoLimit, kNoLimit, plain<HardSwish>},
    OperatorKind{BuiltinOperator::L2_NORMALIZATION, 1, 1, kNoLimit, kNoLimit, l2_normalization},
    OperatorKind{BuiltinOperator::L2_POOL_2D, 1, 1, kNoLimit, kNoLimit, l2_pool_2d},
    OperatorKind{BuiltinOperator::LEAKY_RELU, 1, 1, kNoLimit, kNoLimit, leaky_relu},
    OperatorKind{BuiltinOperator::LESS, 2, 2, kNoLimit, kNoLimit, comparison<Relation::kLess>},
    OperatorKind{BuiltinOperator::LESS_EQUAL, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kLessEqual>},
    OperatorKind{BuiltinOperator::LOG, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kLog>},
    OperatorKind{BuiltinOperator::LOGICAL_AND, 2, 2, kNoLimit, kNoLimit, plain<Minimum>},
    expanded(BuiltinOperator::LOGICAL_NOT, 1, 1, logical_not),
    OperatorKind{BuiltinOperator::LOGICAL_OR, 2, 2, kNoLimit, kNoLimit, plain<Maximum>},
    OperatorKind{BuiltinOperator::LOGISTIC, 1, 1, kNoLimit, kNoLimit, plain<Logistic>},
    OperatorKind{BuiltinOperator::LOG_SOFTMAX, 1, 1, kNoLimit, kNoLimit, plain<LogSoftmax>},
    OperatorKind{BuiltinOperator::MAXIMUM, 2, 2, kNoLimit, kNoLimit, plain<Maximum>},
    OperatorKind{BuiltinOperator::MAX_POOL_2D, 1, 1, kNoLimit, kNoLimit, max_pool_2d},
    OperatorKind{BuiltinOperator::MEAN, 2, 2, kNoLimit, 1, mean},
    OperatorKind{BuiltinOperator::MINIMUM, 2, 2, kNoLimit, kNoLimit, plain<Minimum>},
    expanded(BuiltinOperator::MIRROR_PAD, 2, 2, mirror_pad),
    OperatorKind{BuiltinOperator::MUL, 2, 2, kNoLimit, kNoLimit, fused<Mul>},
    OperatorKind{BuiltinOperator::NEG, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kNeg>},
    OperatorKind{BuiltinOperator::NOT_EQUAL, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kNotEqual>},
    expanded(BuiltinOperator::PACK, 1, kNoLimit, pack),
    OperatorKind{BuiltinOperator::PAD, 2, 2, kNoLimit, 1, pad},
    OperatorKind{BuiltinOperator::PADV2, 3, 3, kNoLimit, 1, padv2},
    expanded(BuiltinOperator::PRELU, 2, 2, prelu),
    OperatorKind{BuiltinOperator::QUANTIZE, 1, 1, kNoLimit, kNoLimit, plain<Quantize>},
    expanded(BuiltinOperator::RANK, 1, 1, only_extents),
    by_handle(BuiltinOperator::READ_VARIABLE),
    expanded(BuiltinOperator::REDUCE_ALL, 2, 2, reduce_all),
    expanded(BuiltinOperator::REDUCE_ANY, 2, 2, reduce_any),
    expanded(BuiltinOperator::REDUCE_MAX, 2, 2, reduce_max),
    expanded(BuiltinOperator::REDUCE_MIN, 2, 2, reduce_min),
    expanded(BuiltinOperator::REDUCE_PROD, 2, 2, only_extents),
    OperatorKind{BuiltinOperator::RELU, 1, 1, kNoLimit, kNoLimit, relu<Activation::kRelu>},
    OperatorKind{BuiltinOperator::RELU6, 1, 1, kNoLimit, kNoLimit, plain<Relu6>},
    OperatorKind{BuiltinOperator::RELU_0_TO_1, 1, 1, kNoLimit, kNoLimit,
                 relu<Activation::kRelu0To1>},
    OperatorKind{BuiltinOperator::RELU_N1_TO_1, 1, 1, kNoLimit, kNoLimit,
                 relu<Activation::kReluN1To1>},
    OperatorKind{BuiltinOperator::RESHAPE, 1, 2, kNoLimit, 1, reshape},
    OperatorKind{BuiltinOperator::RESIZE_BILINEAR, 2, 2, kNoLimit, 1, resize_bilinear},
    OperatorKind{BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2, kNoLimit, 1,
                 resize_nearest_neighbor},
    OperatorKind{BuiltinOperator::REVERSE_V2, 2, 2, kNoLimit, 1, reverse},
    OperatorKind{BuiltinOperator::ROUND, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kRound>},
    OperatorKind{BuiltinOperator::RSQRT, 1, 1, kNoLimit, kNoLimit, plain<Rsqrt>},
    expanded(BuiltinOperator::SELECT, 3, 3, select),
    OperatorKind{BuiltinOperator::SELECT_V2, 3, 3, kNoLimit, kNoLimit, plain<Select>},
    expanded(BuiltinOperator::SHAPE, 1, 1, only_extents),
    OperatorKind{BuiltinOperator::SIN, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kSin>},
    OperatorKind{BuiltinOperator::SLICE, 3, 3, kNoLimit, 1, slice},
    OperatorKind{BuiltinOperator::SOFTMAX, 1, 1, kNoLimit, kNoLimit, softmax},
    expanded(BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, space_to_batch),
    expanded(BuiltinOperator::SPACE_TO_DEPTH, 1, 1, space_to_depth),
    OperatorKind{BuiltinOperator::SPLIT, 2, 2, kNoLimit, kNoLimit, split, 1, true},
    OperatorKind{BuiltinOperator::SPLIT_V, 3, 3, kNoLimit, 1, split_v, 0, true},
    OperatorKind{BuiltinOperator::SQRT, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kSqrt>},
    OperatorKind{BuiltinOperator::SQUARE, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kSquare>},
    OperatorKind{BuiltinOperator::SQUARED_DIFFERENCE, 2, 2, kNoLimit, kNoLimit,
                 plain<SquaredDifference>},
    OperatorKind{BuiltinOperator::SQUEEZE, 1, 1, kNoLimit, kNoLimit, plain<Reshape>},
    expanded(BuiltinOperator::STRIDED_SLICE, 4, 4, strided_slice),
    OperatorKind{BuiltinOperator::SUB, 2, 2, kNoLimit, kNoLimit, fused<Sub>},
    OperatorKind{BuiltinOperator::SUM, 2, 2, kNoLimit, 1, sum},
    expanded(BuiltinOperator::SVDF, 5, 5, svdf, 3),
    OperatorKind{BuiltinOperator::TANH, 1, 1, kNoLimit, kNoLimit, plain<Tanh>},
    expanded(BuiltinOperator::TILE, 2, 2, tile),
    OperatorKind{BuiltinOperator::TRANSPOSE, 2, 2, kNoLimit, 1, transpose},
    OperatorKind{BuiltinOperator::TRANSPOSE_CONV, 3, 4, 3, kNoLimit, transpose_conv, 1, false,
                 true},
    expanded(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, 24, unidirectional_sequence_lstm,
             1),
    OperatorKind{BuiltinOperator::UNPACK, 1, 1, kNoLimit, kNoLimit, unpack, 0, true},
    by_handle(BuiltinOperator::VAR_HANDLE),
    expanded(BuiltinOperator::ZEROS_LIKE, 1, 1, only_extents),
};

NamedKind custom_kind(std::string_view custom_name) {
  const std::string name = printable(custom_name);
  for (const OperatorKind& kind : custom_kinds()) {
    if (name == kind.custom) return {.name = name, .kind = &kind};
  }
  return {.name = name.empty() ? "custom operator" : "custom operator " + name};
}

}  // namespace

NamedKind kind_of(const TfliteFile& file, size_t number) {
  const tfl::OperatorRecord op = file.op(number);
  if (!op.code) {
    throw Damage(place_of(file.where(), "operator", number),
                 fmt::format("there is no operator code {}", op.code_index));
  }
  if (op.code == BuiltinOperator::CUSTOM) return custom_kind(op.custom_name);
  NamedKind result{.name = format_name(*op.code)};
  if (result.name.empty())
    result.name = fmt::format("operator code {}", static_cast<int32_t>(*op.code));
  const auto found = std::ranges::find(kOperatorKinds, *op.code, &OperatorKind::code);
  if (found != kOperatorKinds.end()) result.kind = &*found;
  return result;
}

std::vector<TensorId> TfliteListing::inputs() const {
  return tensor_ids(file_, file_.inputs(), where() + ": network inputs");
}

std::vector<TensorId> TfliteListing::outputs() const {
  return tensor_ids(file_, file_.outputs(), where() + ": network outputs");
}

bool TfliteListing::is_supported(size_t op) const { return kind_of(file_, op).kind != nullptr; }

std::vector<TensorId> TfliteListing::inputs_of(size_t op) const {
  return tensor_ids(file_, file_.op(op).inputs, place_of(where(), kind_of(file_, op).name, op));
}

std::vector<TensorId> TfliteListing::outputs_of(size_t op) const {
  return tensor_ids(file_, file_.op(op).outputs, place_of(where(), kind_of(file_, op).name, op));
}

Help help_for_operator(const std::string& name) {
  if (name == "WHILE" || name == "IF") return Help::kUnroll;
  if (name == "custom operator ethos-u") return Help::kBeforeVela;
  if (name == "custom operator edgetpu-custom-op") return Help::kBeforeEdgeTpu;
  return Help::kNone;
}

void check_operands(const OperatorKind& kind, const TfliteOp& op) {
  const size_t count = op.inputs.size();
  if (count < kind.min_inputs || count > kind.max_inputs) {
    op.refuse(fmt::format("has {} inputs; at least {}{} are supported", count, kind.min_inputs,
                          kind.max_inputs == OperatorKind::kNoLimit
                              ? ""
                              : fmt::format(", at most {}", kind.max_inputs)));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!op.inputs[i].valid() && i < kind.first_optional) {
      op.damaged(fmt::format("input {} is absent", i));
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!op.outputs[i].valid()) op.damaged(fmt::format("output {} is absent", i));
  }
  if (kind.per_output ? op.outputs.empty() : op.outputs.size() != kind.outputs) {
    op.refuse(fmt::format("has {} outputs; supported is {}", op.outputs.size(),
                          kind.per_output ? "at least 1" : std::to_string(kind.outputs)));
  }
}

}  // namespace thimble
