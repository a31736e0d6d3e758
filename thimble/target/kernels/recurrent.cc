// SPDX-License-Identifier: Apache-2.0
// What is left of operators with a state: SVDF in three steps, and long short-term memory.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/float_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"
#include "thimble/target/kernels/sigmoid.h"

namespace thimble {
namespace {

constexpr size_t kLstmGates = 4;

int32_t narrow_extent(int64_t extent) { return static_cast<int32_t>(extent); }

// Scales of SVDF are formed in float32 from end to end.
runtime::Scale float_scale(float a, float b, float out) {
  return quantize_scale(static_cast<double>(a * b / out));
}

// The product in float32, its quotient in double, as of a fully connected layer.
runtime::Scale gate_scale(float values, float weights, double result) {
  return quantize_scale(static_cast<double>(values * weights) / result);
}

KernelId shift_in_kernel(const Operands& t) {
  const DType type = t.out().type == DType::kFloat32 ? DType::kInt32 : t.out().type;
  return portable_kernel(Family::kShiftIn, type, type);
}

runtime::ShiftInParams shift_in_params(const ShiftIn& a, const Shape& state, const Shape& newest) {
  const auto axis = static_cast<size_t>(a.axis);
  return {.axis = a.axis + 4 - static_cast<int32_t>(state.size()),
          .kept = narrow_extent(state[axis] - newest[axis]),
          .count = narrow_extent(newest[axis])};
}

KernelParams svdf_params(const Operands& t, int32_t rank, int32_t memory) {
  runtime::SvdfParams params{};
  params.rank = rank;
  params.memory = memory;
  params.state_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  params.scale = float_scale(scale_of(t.in(0)), scale_of(t.in(1)), scale_of(t.out()));
  return params;
}

KernelParams float_svdf_params(Activation activation, int32_t rank, int32_t memory) {
  const runtime::FloatClampParams clamp = float_clamp(activation);
  return runtime::FloatSvdfParams{nullptr, rank, memory, clamp.clamp_min, clamp.clamp_max};
}

OperandAxes axes_by_hand(std::vector<std::vector<int>> axes) {
  return {std::move(axes), {0, 0, 0, 0}, {1, 1, 1, 1}};
}

// The use that a fully connected layer would have.
KernelUse float_features_use(const Operands& t) {
  runtime::FloatConv2DParams params{};
  params.window.kernel_h = params.window.kernel_w = 1;
  params.window.stride_h = params.window.stride_w = 1;
  params.window.dilation_h = params.window.dilation_w = 1;
  params.window.in_h = 1;
  params.window.in_w = narrow_extent(t.in(0).shape[0]);
  params.in_per_group = narrow_extent(t.in(1).shape[1]);
  params.out_per_group = narrow_extent(t.in(1).shape[0]);
  return float_convolution_use(
      t, Family::kConv2D, {axes_by_hand({{}, {}, {0}, {1}}), axes_by_hand({{}, {}, {0}, {1, 2}})},
      params, Activation::kNone);
}

// The call in float32, where weights may be int8.
KernelUse float_lstm_use(const Lstm& a, const Operands& t) {
  const Shape& x = t.in(0).shape;
  const auto fill = [&](auto params) {
    params.times = narrow_extent(x[1]);
    params.inputs = narrow_extent(x[2]);
    params.units = narrow_extent(t.in(4).shape[1]);
    params.reverse = a.reverse ? 1 : 0;
    params.cell_limit = a.real_clip > 0 ? a.real_clip : runtime::kLargestFloat;
    return params;
  };
  const OperandAxes axes = identity_axes(t.out().shape.size());
  KernelUse use{.kernel = float_kernel(Family::kLstm),
                .params = fill(runtime::FloatLstmParams{}),
                .inputs = {0, 1},
                .in = {identity_axes(x.size()), axes},
                .out = axes,
                .limits = limits_of(axes, t.out().shape)};
  if (t.in(2).type == DType::kFloat32) return use;
  auto params = fill(runtime::HybridLstmParams{});
  const Quantization &weights = t.in(2).quantization, &recurrent = t.in(3).quantization;
  params.zero_point[0] = weights.zero_points.at(0);
  params.zero_point[1] = recurrent.zero_points.at(0);
  std::ranges::copy(weights.scales, params.input_scale);
  std::ranges::copy(recurrent.scales, params.recurrent_scale);
  use.kernel = float_kernel(Family::kLstmHybrid);
  use.params = params;
  return use;
}

// Biases for inputs and for hidden states, less zero point * sum of the weights; sums wrap around.
std::vector<int32_t> lstm_biases(const Operands& t) {
  const auto rows = static_cast<size_t>(elements(t.in(4).shape));
  std::vector<int32_t> biases(2 * rows);
  for (size_t row = 0; row < rows; ++row) {
    uint32_t own = 0;
    std::memcpy(&own, t.in(4).data->data() + row * sizeof(own), sizeof(own));
    for (size_t operand = 0; operand < 2; ++operand) {
      const Bytes& weights = *t.in(2 + operand).data;
      const size_t depth = weights.size() / rows;
      uint32_t sum = 0;
      for (size_t k = 0; k < depth; ++k)
        sum += static_cast<uint32_t>(static_cast<int8_t>(weights[row * depth + k]));
      const uint32_t bias =
          (operand == 0 ? own : 0) - static_cast<uint32_t>(zero_point_of(t.in(operand))) * sum;
      biases[2 * row + operand] = static_cast<int32_t>(bias);
    }
  }
  return biases;
}

}  // namespace

bool supported(const SvdfFeatures&, const Operands& t, Method method) {
  if (is_float32(t)) return method == Method::kCompute;
  return method == Method::kCompute && has_row(Family::kSvdfFeatures, t);
}
bool supported(const ShiftIn&, const Operands& t, Method method) {
  return method == Method::kCompute && shift_in_kernel(t).valid();
}
bool supported(const SvdfOutput&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kSvdf, t);
}
bool supported(const Lstm&, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(Family::kLstm, t);
}

std::vector<KernelUse> uses(const SvdfFeatures&, const Operands& t, Method) {
  const Shape& out = t.out().shape;
  if (is_float32(t)) return {float_features_use(t)};
  runtime::SvdfFeaturesParams params{};
  params.depth = narrow_extent(t.in(1).shape[1]);
  params.input_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  params.scale = float_scale(scale_of(t.in(0)), scale_of(t.in(1)), scale_of(t.out()));
  const OperandAxes axes = identity_axes(out.size());
  return {{.kernel = portable_kernel(Family::kSvdfFeatures, t.in(0).type, t.out().type),
           .params = params,
           .inputs = {0},
           .in = {axes_by_hand({{}, {0}, {}, {1}})},
           .out = axes,
           .limits = limits_of(axes, out)}};
}

std::vector<KernelUse> uses(const ShiftIn& a, const Operands& t, Method) {
  const OperandAxes axes = identity_axes(t.out().shape.size());
  return {{.kernel = shift_in_kernel(t),
           .params = shift_in_params(a, t.in(0).shape, t.in(1).shape),
           .inputs = {0, 1},
           .in = {axes, axes},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

std::vector<KernelUse> uses(const SvdfOutput& a, const Operands& t, Method) {
  const Shape& state = t.in(0).shape;
  const Shape& out = t.out().shape;
  const int32_t rank = narrow_extent(state[1] / out[1]), memory = narrow_extent(state[2]);
  const KernelParams params =
      is_float32(t) ? float_svdf_params(a.activation, rank, memory) : svdf_params(t, rank, memory);
  const OperandAxes axes = axes_by_hand({{}, {0}, {1}, {}});
  return {{.kernel = portable_kernel(Family::kSvdf, t.in(0).type, t.out().type),
           .params = params,
           .inputs = {0, 1},
           .in = {identity_axes(state.size()), axes_by_hand({{}, {}, {0}, {1}})},
           .out = axes,
           .limits = limits_of(axes, out)}};
}

std::vector<KernelUse> uses(const Lstm& a, const Operands& t, Method) {
  if (is_float32(t)) return {float_lstm_use(a, t)};
  const Shape& x = t.in(0).shape;
  constexpr double kGateScale = 0x1p-12;  // of what a gate's function takes
  constexpr double kUnit = 0x1p-15;       // of what it gives
  runtime::LstmParams params{};
  params.times = narrow_extent(x[1]);
  params.inputs = narrow_extent(x[2]);
  params.units = narrow_extent(t.in(4).shape[1]);
  params.output_zero_point = zero_point_of(t.out());
  for (size_t gate = 0; gate < kLstmGates; ++gate) {
    const auto of = [&](size_t operand) {
      return gate_scale(scale_of(t.in(operand)), t.in(2 + operand).quantization.scales[gate],
                        kGateScale);
    };
    params.input_scale[gate] = of(0);
    params.recurrent_scale[gate] = of(1);
  }
  params.forget_scale = quantize_scale(kUnit);
  params.update_scale = quantize_scale(kUnit * kUnit / static_cast<double>(a.cell_scale));
  params.output_scale = quantize_scale(kUnit * kUnit / static_cast<double>(scale_of(t.out())));
  const int above = std::ilogb(a.cell_scale) + 12;
  params.cell_multiplier = 3 << std::max(above, 0);
  params.cell_shift = std::max(-above, 0);
  params.cell_limit = a.cell_clip > 0 ? a.cell_clip : 32768;
  const OperandAxes axes = identity_axes(t.out().shape.size());
  return {{.kernel = portable_kernel(Family::kLstm),
           .params = params,
           .inputs = {0, 1},
           .in = {identity_axes(x.size()), axes},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

namespace {

std::vector<PackedConstant> pack_svdf_features(const Operands& t) {
  return {packed_weights(t, t.in(1).shape)};
}

std::vector<PackedConstant> pack_svdf(const Operands& t) {
  const Tensor& bias = t.in(2);
  return {{"bias", bias.type, bias.shape, *bias.data}};
}

std::vector<PackedConstant> pack_float_lstm(const Operands& t) {
  std::vector<PackedConstant> result;
  for (const auto& [role, k] : {std::pair{"weights", 2}, {"recurrent", 3}, {"biases", 4}}) {
    const Tensor& constant = t.in(static_cast<size_t>(k));
    result.push_back({role, constant.type, constant.shape, *constant.data});
  }
  return result;
}

std::vector<PackedConstant> pack_lstm(const Operands& t) {
  const Tensor &weights = t.in(2), &recurrent = t.in(3);
  return {{"weights", DType::kInt8, weights.shape, *weights.data},
          {"recurrent", DType::kInt8, recurrent.shape, *recurrent.data},
          packed_words("biases", lstm_biases(t)),
          pack_sigmoid(t).at(0)};
}

/// Rows of SVDF_FEATURES by instruction set.
template <auto Kernel>
constexpr KernelInfo svdf_features_row(const char* name, DType out, InstructionSet set) {
  return row<Kernel>({.name = name,
                      .family = Family::kSvdfFeatures,
                      .out = out,
                      .set = set,
                      .progress = Progress::kPixel,
                      .dense_channels = true,
                      .pack = pack_svdf_features});
}

template <auto Kernel>
constexpr KernelInfo lstm_row(const char* name, InstructionSet set) {
  return row<Kernel>({.name = name,
                      .family = Family::kLstm,
                      .set = set,
                      .progress = Progress::kNone,
                      .rings = false,
                      .whole_axes = {true, true, true, true},
                      .dense_channels = true,
                      .dense_output = true,
                      .pack = pack_lstm});
}

template <auto Kernel>
constexpr KernelInfo float_lstm_row(const char* name, Family family) {
  KernelInfo result =
      float_row<Kernel>(name, family, Progress::kNone, pack_float_lstm, {true, true, true, true});
  result.rings = false;
  return result;
}

}  // namespace

std::span<const KernelInfo> recurrent_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::svdf_features_i8_i8>({.name = "svdf_features_i8_i8",
                                         .family = kSvdfFeatures,
                                         .progress = kPixel,
                                         .pack = pack_svdf_features}),
      row<runtime::svdf_features_i8_i16>({.name = "svdf_features_i8_i16",
                                          .family = kSvdfFeatures,
                                          .out = kInt16,
                                          .progress = kPixel,
                                          .pack = pack_svdf_features}),
      svdf_features_row<runtime::svdf_features_i8_i8_mve>("svdf_features_i8_i8_mve", kInt8, kMve),
      svdf_features_row<runtime::svdf_features_i8_i16_mve>("svdf_features_i8_i16_mve", kInt16,
                                                           kMve),
      svdf_features_row<runtime::svdf_features_i8_i8_dsp>("svdf_features_i8_i8_dsp", kInt8, kDsp),
      svdf_features_row<runtime::svdf_features_i8_i16_dsp>("svdf_features_i8_i16_dsp", kInt16,
                                                           kDsp),
      row<runtime::svdf>({.name = "svdf", .family = kSvdf, .progress = kPixel, .pack = pack_svdf}),
      row<runtime::svdf_i16_i8>({.name = "svdf_i16_i8",
                                 .family = kSvdf,
                                 .in = kInt16,
                                 .progress = kPixel,
                                 .pack = pack_svdf}),
      float_row<runtime::svdf_f32>("svdf_f32", kSvdf, kPixel, pack_svdf),
      row<runtime::lstm>({.name = "lstm",
                          .family = kLstm,
                          .progress = kNone,
                          .rings = false,
                          .whole_axes = kWholeRegion,
                          .pack = pack_lstm}),
      lstm_row<runtime::lstm_mve>("lstm_mve", kMve),
      lstm_row<runtime::lstm_dsp>("lstm_dsp", kDsp),
      float_lstm_row<runtime::lstm_f32>("lstm_f32", kLstm),
      float_lstm_row<runtime::lstm_hybrid_f32>("lstm_hybrid_f32", kLstmHybrid),
      row<runtime::shift_in_8>({.name = "shift_in_8", .family = kShiftIn}),
      row<runtime::shift_in_16>(
          {.name = "shift_in_16", .family = kShiftIn, .in = kInt16, .out = kInt16}),
      row<runtime::shift_in_32>(
          {.name = "shift_in_32", .family = kShiftIn, .in = kInt32, .out = kInt32}),
  };
  return kRows;
}

}  // namespace thimble
