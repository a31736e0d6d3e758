// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/attributes.h"

#include "thimble/model/error.h"
#include "thimble/model/one_of_members.h"

namespace thimble {
namespace {

struct Names {
  const char* upper;
  const char* snake;
};

struct NameOf {
  Names operator()(const Conv2D&) const { return {"CONV_2D", "conv_2d"}; }
  Names operator()(const DepthwiseConv2D&) const {
    return {"DEPTHWISE_CONV_2D", "depthwise_conv_2d"};
  }
  Names operator()(const FullyConnected&) const { return {"FULLY_CONNECTED", "fully_connected"}; }
  Names operator()(const BatchMatMul&) const { return {"BATCH_MATMUL", "batch_matmul"}; }
  Names operator()(const AveragePool2D&) const { return {"AVERAGE_POOL_2D", "average_pool_2d"}; }
  Names operator()(const MaxPool2D& a) const {
    return a.least ? Names{"MIN_POOL_2D", "min_pool_2d"} : Names{"MAX_POOL_2D", "max_pool_2d"};
  }
  Names operator()(const Sum&) const { return {"SUM", "sum"}; }
  Names operator()(const Div&) const { return {"DIV", "div"}; }
  Names operator()(const FloorDiv& a) const {
    return a.remainder ? Names{"FLOOR_MOD", "floor_mod"} : Names{"FLOOR_DIV", "floor_div"};
  }
  Names operator()(const Comparison& a) const {
    switch (a.relation) {
      case Relation::kEqual:
        return {"EQUAL", "equal"};
      case Relation::kNotEqual:
        return {"NOT_EQUAL", "not_equal"};
      case Relation::kGreater:
        return {"GREATER", "greater"};
      case Relation::kGreaterEqual:
        return {"GREATER_EQUAL", "greater_equal"};
      case Relation::kLess:
        return {"LESS", "less"};
      case Relation::kLessEqual:
        return {"LESS_EQUAL", "less_equal"};
    }
    throw InternalError("unknown Relation");
  }
  Names operator()(const Select&) const { return {"SELECT_V2", "select_v2"}; }
  Names operator()(const Cast&) const { return {"CAST", "cast"}; }
  Names operator()(const Gather&) const { return {"GATHER", "gather"}; }
  Names operator()(const UpdateSlice&) const {
    return {"DYNAMIC_UPDATE_SLICE", "dynamic_update_slice"};
  }
  Names operator()(const DetectionPostProcess&) const {
    return {"DETECTION_POST_PROCESS", "detection_post_process"};
  }
  Names operator()(const ArgMax& a) const {
    return a.least ? Names{"ARG_MIN", "arg_min"} : Names{"ARG_MAX", "arg_max"};
  }
  Names operator()(const CumSum&) const { return {"CUMSUM", "cumsum"}; }
  Names operator()(const L2Normalization&) const {
    return {"L2_NORMALIZATION", "l2_normalization"};
  }
  Names operator()(const Mean&) const { return {"MEAN", "mean"}; }
  Names operator()(const Add&) const { return {"ADD", "add"}; }
  Names operator()(const Mul&) const { return {"MUL", "mul"}; }
  Names operator()(const Pad&) const { return {"PAD", "pad"}; }
  Names operator()(const Reshape&) const { return {"RESHAPE", "reshape"}; }
  Names operator()(const Transpose&) const { return {"TRANSPOSE", "transpose"}; }
  Names operator()(const Softmax&) const { return {"SOFTMAX", "softmax"}; }
  Names operator()(const Relu& a) const {
    if (a.range == Activation::kReluN1To1) return {"RELU_N1_TO_1", "relu_n1_to_1"};
    if (a.range == Activation::kRelu0To1) return {"RELU_0_TO_1", "relu_0_to_1"};
    return {"RELU", "relu"};
  }
  Names operator()(const Relu6&) const { return {"RELU6", "relu6"}; }
  Names operator()(const LeakyRelu&) const { return {"LEAKY_RELU", "leaky_relu"}; }
  Names operator()(const Quantize&) const { return {"QUANTIZE", "quantize"}; }
  Names operator()(const Dequantize&) const { return {"DEQUANTIZE", "dequantize"}; }
  Names operator()(const Concat&) const { return {"CONCATENATION", "concatenation"}; }
  Names operator()(const Logistic&) const { return {"LOGISTIC", "logistic"}; }
  Names operator()(const Slice&) const { return {"SLICE", "slice"}; }
  Names operator()(const ResizeNearestNeighbor&) const {
    return {"RESIZE_NEAREST_NEIGHBOR", "resize_nearest_neighbor"};
  }
  Names operator()(const ResizeBilinear&) const { return {"RESIZE_BILINEAR", "resize_bilinear"}; }
  Names operator()(const Sub&) const { return {"SUB", "sub"}; }
  Names operator()(const SquaredDifference&) const {
    return {"SQUARED_DIFFERENCE", "squared_difference"};
  }
  Names operator()(const TransposeConv&) const { return {"TRANSPOSE_CONV", "transpose_conv"}; }
  Names operator()(const Maximum&) const { return {"MAXIMUM", "maximum"}; }
  Names operator()(const Minimum&) const { return {"MINIMUM", "minimum"}; }
  Names operator()(const LogSoftmax&) const { return {"LOG_SOFTMAX", "log_softmax"}; }
  Names operator()(const SvdfFeatures&) const { return {"SVDF_FEATURES", "svdf_features"}; }
  Names operator()(const ShiftIn&) const { return {"SHIFT_IN", "shift_in"}; }
  Names operator()(const SvdfOutput&) const { return {"SVDF", "svdf"}; }
  Names operator()(const SignalWindow&) const { return {"SIGNAL_WINDOW", "signal_window"}; }
  Names operator()(const SignalAutoShift&) const {
    return {"SIGNAL_AUTO_SHIFT", "signal_auto_shift"};
  }
  Names operator()(const SignalShift&) const { return {"SIGNAL_SHIFT", "signal_shift"}; }
  Names operator()(const SignalRfft&) const { return {"SIGNAL_RFFT", "signal_rfft"}; }
  Names operator()(const SignalIrfft&) const { return {"SIGNAL_IRFFT", "signal_irfft"}; }
  Names operator()(const SignalEnergy&) const { return {"SIGNAL_ENERGY", "signal_energy"}; }
  Names operator()(const SignalFilterBank&) const {
    return {"SIGNAL_FILTER_BANK", "signal_filter_bank"};
  }
  Names operator()(const SignalSquareRoot&) const {
    return {"SIGNAL_SQUARE_ROOT", "signal_square_root"};
  }
  Names operator()(const SignalNoise&) const { return {"SIGNAL_NOISE", "signal_noise"}; }
  Names operator()(const SignalSubtraction&) const {
    return {"SIGNAL_SUBTRACTION", "signal_subtraction"};
  }
  Names operator()(const SignalPcan&) const { return {"SIGNAL_PCAN", "signal_pcan"}; }
  Names operator()(const SignalLog&) const { return {"SIGNAL_LOG", "signal_log"}; }
  Names operator()(const Lstm&) const { return {"UNIDIRECTIONAL_SEQUENCE_LSTM", "lstm"}; }
  Names operator()(const Prelu&) const { return {"PRELU", "prelu"}; }
  Names operator()(const Tanh&) const { return {"TANH", "tanh"}; }
  Names operator()(const Elu&) const { return {"ELU", "elu"}; }
  Names operator()(const HardSwish&) const { return {"HARD_SWISH", "hard_swish"}; }
  Names operator()(const Abs&) const { return {"ABS", "abs"}; }
  Names operator()(const Rsqrt&) const { return {"RSQRT", "rsqrt"}; }
  Names operator()(const Gelu&) const { return {"GELU", "gelu"}; }
  Names operator()(const L2Pool2D&) const { return {"L2_POOL_2D", "l2_pool_2d"}; }
  Names operator()(const Elementwise& a) const {
    switch (a.function) {
      case Function::kCeil:
        return {"CEIL", "ceil"};
      case Function::kCos:
        return {"COS", "cos"};
      case Function::kExp:
        return {"EXP", "exp"};
      case Function::kFloor:
        return {"FLOOR", "floor"};
      case Function::kLog:
        return {"LOG", "log"};
      case Function::kNeg:
        return {"NEG", "neg"};
      case Function::kRound:
        return {"ROUND", "round"};
      case Function::kSin:
        return {"SIN", "sin"};
      case Function::kSqrt:
        return {"SQRT", "sqrt"};
      case Function::kSquare:
        return {"SQUARE", "square"};
    }
    throw InternalError("unknown Function");
  }
};

}  // namespace

template class OneOf<AnyOperator>;
template struct MadeOfEach<AnyOperator>;

int32_t accepted(Relation relation) {
  switch (relation) {
    case Relation::kEqual:
      return 2;
    case Relation::kNotEqual:
      return 1 | 4 | 8;
    case Relation::kGreater:
      return 4;
    case Relation::kGreaterEqual:
      return 2 | 4;
    case Relation::kLess:
      return 1;
    case Relation::kLessEqual:
      return 1 | 2;
  }
  throw InternalError("unknown Relation");
}

const char* name(const Attributes& attributes) { return std::visit(NameOf{}, attributes).upper; }

const char* snake_name(const Attributes& attributes) {
  return std::visit(NameOf{}, attributes).snake;
}

}  // namespace thimble
