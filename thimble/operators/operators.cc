// SPDX-License-Identifier: Apache-2.0
// Dispatch to the overloads of each operator's file, and the page of supported operators.
#include "thimble/operators/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/violated.h"
#include "thimble/operators/weights.h"

namespace thimble {
namespace {

Shape shape_of(const OpView& view) {
  return std::visit([&](const auto& a) { return output_shape_of(a, view); }, view.op.attributes);
}

std::vector<Constraint> own_constraints(const Attributes& attributes) {
  return std::visit([](const auto& a) { return constraints_of(a); }, attributes);
}

// Not by sorting Attributes, which takes a compiler a minute.
template <size_t... kIndex>
std::map<std::string, std::vector<Constraint>> constraints_by_name(std::index_sequence<kIndex...>) {
  std::map<std::string, std::vector<Constraint>> result;
  const auto add = [&](const Attributes& a) { result.emplace(name(a), own_constraints(a)); };
  (add(std::variant_alternative_t<kIndex, AnyOperator>{}), ...);
  return result;
}

std::string bullets(const std::vector<Constraint>& list) {
  std::string text;
  for (const Constraint& c : list)
    text += fmt::format("- {}{}\n", c.text, c.of_integers ? " (integers)" : "");
  return text;
}

}  // namespace

AccessMap access_map(const Graph& graph, const Op& op) {
  const OpView view{graph, op};
  return std::visit([&](const auto& a) { return access_map_of(a, view); }, op.attributes);
}

int64_t macs(const Graph& graph, const Op& op, const Region& region) {
  const OpView view{graph, op};
  return std::visit([&](const auto& a) { return macs_of(a, view, region); }, op.attributes);
}

int64_t macs(const Graph& graph, const Op& op) {
  return macs(graph, op, whole(OpView{graph, op}.out().shape));
}

int64_t macs(const Graph& graph) {
  int64_t sum = 0;
  for (const Op& op : graph.ops) sum += macs(graph, op);
  return sum;
}

Shape output_shape(const Graph& graph, const Op& op) {
  const OpView view{graph, op};
  Shape shape = shape_of(view);
  if (std::holds_alternative<Reshape>(op.attributes)) {
    check(elements(shape) == elements(view.x()), "RESHAPE: the output has another size");
  }
  if (std::holds_alternative<Mean>(op.attributes)) {
    check(shape == view.out().shape, "MEAN: the output's shape does not follow from the axes");
  }
  return shape;
}

Traits traits(const Attributes& attributes) {
  return std::visit([](const auto& a) { return traits_of(a); }, attributes);
}

bool output_has_its_shape(const Graph& graph, const Op& op) {
  const OpView view{graph, op};
  return shape_of(view) == view.out().shape;
}

std::vector<Constraint> constraints(const Attributes& attributes) {
  return join({common_constraints(), own_constraints(attributes)});
}

namespace {

// What integers stand for, in Arithmetic::kOnnx.
bool computes_numbers(const Attributes& attributes) {
  const auto sums = []<class Operator>(const Operator&) { return kOfIntegersInOnnx<Operator>; };
  return attributes.arithmetic == Arithmetic::kOnnx && !std::visit(sums, attributes);
}

}  // namespace

Constraint violated(const Graph& graph, const Op& op) {
  for (const Constraint& c : constraints(op.attributes)) {
    // The first say that there are operands.
    if (c.of_integers && (is_float32(graph, op) || computes_numbers(op.attributes))) continue;
    if (!c.holds(graph, op)) return c;
  }
  return {};
}

std::string unsupported_reason(const Graph& graph, const Op& op) {
  const char* text = violated(graph, op).text;
  return text == nullptr ? "" : text;
}

std::shared_ptr<const Bytes> silenced_bias(const Graph& graph, const Op& op) {
  const Constraint broken = violated(graph, op);
  if (!broken.of_sums || op.inputs.size() < 3) return nullptr;
  const std::vector<size_t> channels = silent_overflows(graph, op);
  if (channels.empty()) return nullptr;
  Bytes bias = *graph.tensor(op.inputs[2]).data;
  for (const size_t o : channels) std::memset(&bias[o * sizeof(int32_t)], 0, sizeof(int32_t));
  return std::make_shared<const Bytes>(std::move(bias));
}

std::string found_instead(const Graph& graph, const Op& op) {
  std::string text = found(graph, op);
  if (violated(graph, op).holds == output_has_its_shape)
    text += fmt::format("; {} follows", to_string(shape_of({graph, op})));
  return text;
}

std::string supported_ops_markdown() {
  std::string text =
      "# Supported operators\n\n"
      "Made from the predicates that check them (`thimble/operators`); do not edit. An operator "
      "is\n"
      "refused with the first of these that it breaks. Fused activations are NONE, RELU,\n"
      "RELU_N1_TO_1 and RELU6. PADV2 counts as PAD; STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK and\n"
      "REVERSE_V2 as SLICE; SQUEEZE and EXPAND_DIMS as RESHAPE; NOT_EQUAL, GREATER, "
      "GREATER_EQUAL,\n"
      "LESS and LESS_EQUAL as EQUAL; ARG_MIN as ARG_MAX; FLOOR_MOD as FLOOR_DIV; RELU_0_TO_1 and\n"
      "RELU_N1_TO_1 as RELU; SELECT as SELECT_V2; LOGICAL_AND as MINIMUM, LOGICAL_OR as MAXIMUM,\n"
      "LOGICAL_NOT, and a CAST to bool, as EQUAL. ADD_N, BATCH_TO_SPACE_ND, BROADCAST_TO,\n"
      "DEPTH_TO_SPACE, GATHER, GATHER_ND, MIRROR_PAD, PACK, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX,\n"
      "REDUCE_MIN, SPACE_TO_BATCH_ND, SPACE_TO_DEPTH and TILE become several of these (RESHAPE,\n"
      "TRANSPOSE, SLICE, CONCATENATION, PAD, MAX_POOL_2D, QUANTIZE, CAST, ADD), their parameters\n"
      "being constants: of TILE and BROADCAST_TO at most 1024 copies along an axis, of GATHER and\n"
      "GATHER_ND at most 1024 runs of evenly spaced positions. Where positions are computed at "
      "run\n"
      "time, GATHER, GATHER_ND and EMBEDDING_LOOKUP are GATHER; an index beyond an end means the\n"
      "element at that end. CIRCULAR_BUFFER, of one cycle, and SignalOverlapAdd become several, "
      "too,\n"
      "with a state; ZEROS_LIKE is a constant. TFLite_Detection_PostProcess is\n"
      "DETECTION_POST_PROCESS and slices, of one class for each detection unless suppression is\n"
      "regular. STRIDED_SLICE may have an ellipsis\n"
      "and new axes, but no ends that count from the begins. ARG_MAX and ARG_MIN may give int64.\n"
      "SHAPE, RANK, FILL, BROADCAST_ARGS, REDUCE_PROD and the others are taken of any few integers "
      "that\n"
      "follow from shapes and constants: sizes that a network computes for its RESHAPE. What is\n"
      "computed of constants alone becomes a constant. SVDF becomes SVDF_FEATURES, SHIFT_IN and\n"
      "SVDF, whose state is an input and an output, as is that of UNIDIRECTIONAL_SEQUENCE_LSTM\n"
      "(docs/ports.md). RNN and GRU are ONNX's, and what steps of such layers become, unrolled or "
      "in\n"
      "a WHILE whose count is known (docs/models.md); steps of int8 become STEP_LOOP. ATAN, COS, "
      "ERF, EXP, FLOOR,\n"
      "LOG, NEG, ROUND, SIN, SQRT and SQUARE are like\n"
      "CEIL. What is marked (integers) does not matter where all operands are float32. Models of\n"
      "uint8 become int8 when they are imported (docs/arithmetic.md); MEAN and SUM of more than 4\n"
      "axes have fewer then, where neighbours that are treated alike can be one, and PAD of more\n"
      "pads one axis after the other where it has to.\n\n"
      "## Every operator\n\n" +
      bullets(common_constraints());
  const auto every = std::make_index_sequence<std::variant_size_v<AnyOperator>>();
  for (const auto& [name, constraints] : constraints_by_name(every))
    text += fmt::format("\n## {}\n\n{}", name, bullets(constraints));
  return text;
}

}  // namespace thimble
