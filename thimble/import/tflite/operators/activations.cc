// SPDX-License-Identifier: Apache-2.0
// Functions of one number, and softmax.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

template <Activation kRange>
Attributes relu(const TfliteOp&) {
  return Relu{kRange};
}

Attributes leaky_relu(const TfliteOp& op) {
  return LeakyRelu{.alpha = options<tfl::LeakyReluOptions>(op).alpha};
}

/// Converters leave out options of nothing but defaults.
Attributes gelu(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::GeluOptions>(op);
  return Gelu{.approximate = from != nullptr && from->approximate};
}

Attributes softmax(const TfliteOp& op) {
  const float beta = options<tfl::SoftmaxOptions>(op).beta;
  if (!std::isfinite(beta)) op.damaged("beta is not finite");
  return Softmax{.beta = beta};
}

/// Slopes become what its input is: those of int16 are int8 in the file.
void prelu(const TfliteOp& op, Expansion& steps) {
  Tensor& alpha = steps.tensor(op.inputs[1]);
  if (op.input(0).type == DType::kInt16 && alpha.type == DType::kInt8 && alpha.is_constant()) {
    Bytes wide;
    for (const uint8_t byte : *alpha.data) {
      wide.push_back(byte);
      wide.push_back(byte < 0x80 ? 0 : 0xff);
    }
    alpha.type = DType::kInt16;  // once for all readers, which have to agree
    alpha.data = std::make_shared<const Bytes>(std::move(wide));
  }
  steps.finish(Prelu{}, {op.inputs[0], op.inputs[1]});
}

}  // namespace

OperatorList activation_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = ELU, .attributes = plain<Elu>, .shape = first_input},
      {.code = GELU, .attributes = gelu, .shape = first_input},
      {.code = HARD_SWISH,
       .attributes = plain<HardSwish>,
       .shape = first_input,
       .uint8 = kComputes},
      {.code = LEAKY_RELU, .attributes = leaky_relu, .shape = first_input, .uint8 = kComputes},
      {.code = LOGISTIC, .attributes = plain<Logistic>, .shape = first_input, .uint8 = kComputes},
      {.code = LOG_SOFTMAX, .attributes = plain<LogSoftmax>, .shape = first_input},
      {.code = PRELU,
       .inputs = {2, 2},
       .expand = prelu,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = RELU,
       .attributes = relu<Activation::kRelu>,
       .shape = first_input,
       .uint8 = kComputes},
      {.code = RELU6, .attributes = plain<Relu6>, .shape = first_input, .uint8 = kComputes},
      {.code = RELU_0_TO_1,
       .attributes = relu<Activation::kRelu0To1>,
       .shape = first_input,
       .uint8 = kComputes},
      {.code = RELU_N1_TO_1,
       .attributes = relu<Activation::kReluN1To1>,
       .shape = first_input,
       .uint8 = kComputes},
      {.code = SOFTMAX, .attributes = softmax, .shape = first_input, .uint8 = kComputes},
      {.code = TANH, .attributes = plain<Tanh>, .shape = first_input, .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
