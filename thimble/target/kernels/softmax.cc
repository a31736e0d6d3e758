// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/portable/softmax.h"
#include "thimble/reference/softmax_tables.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

constexpr int kIntegerBits = 5;          // of the scaled differences
constexpr int64_t kMostChannels = 4095;  // the sum of exponentials has 12 integer bits

struct InputScale {
  runtime::Scale scale;
  int32_t diff_min = 0;  // differences below have an exponential of zero
};

InputScale input_scale(const Operands& t, float beta) {
  const double most = 2147483647.0;
  const double real = std::min(static_cast<double>(beta) * static_cast<double>(scale_of(t.in(0))) *
                                   (1 << (31 - kIntegerBits)),
                               most);
  const runtime::Scale scale = quantize_scale(real);
  const double radius =
      std::ldexp(static_cast<double>((1 << kIntegerBits) - 1), 31 - kIntegerBits - scale.shift);
  return {scale, -static_cast<int32_t>(std::min(std::floor(radius), most))};
}

// Parameters of a softmax of int8.
runtime::SoftmaxParams softmax_params(const Softmax& a, const Operands& t) {
  const InputScale in = input_scale(t, a.beta);
  return {in.scale, in.diff_min, static_cast<int32_t>(t.in(0).shape.back())};
}

bool is_softmax(const Operands& t, Method method, Family family) {
  const Shape& x = t.in(0).shape;
  return method == Method::kCompute && has_row(family, t) && !x.empty() &&
         (t.in(0).type != DType::kInt8 || x.back() <= kMostChannels);
}

std::vector<KernelUse> float_softmax_use(const Operands& t, Family family, float beta) {
  const auto channels = static_cast<int32_t>(t.in(0).shape.back());
  return float_function_use(t, family, runtime::FloatSoftmaxParams{beta, channels});
}

}  // namespace

bool supported(const LogSoftmax&, const Operands& t, Method method) {
  return is_softmax(t, method, Family::kLogSoftmax);
}

std::vector<KernelUse> uses(const LogSoftmax&, const Operands& t, Method) {
  if (is_float32(t)) return float_softmax_use(t, Family::kLogSoftmax, 1);
  const InputScale in = input_scale(t, 1);
  const double inverse = std::ldexp(1.0, 31 - in.scale.shift) / in.scale.multiplier;
  const runtime::LogSoftmaxParams params{.input_scale = in.scale,
                                         .inverse_scale = quantize_scale(inverse),
                                         .diff_min = in.diff_min,
                                         .channels = static_cast<int32_t>(t.in(0).shape.back())};
  return {elementwise_use(portable_kernel(Family::kLogSoftmax), params, {t.in(0).shape},
                          t.out().shape)};
}

bool supported(const Softmax&, const Operands& t, Method method) {
  return is_softmax(t, method, Family::kSoftmax);
}

std::vector<KernelUse> uses(const Softmax& a, const Operands& t, Method) {
  if (is_float32(t)) return float_softmax_use(t, Family::kSoftmax, a.beta);
  if (t.in(0).type == DType::kInt16) {
    const double to_table =
        static_cast<double>(scale_of(t.in(0))) * static_cast<double>(a.beta) / (10.0 / 65535.0);
    const runtime::SoftmaxTableParams params{
        .exponentials = nullptr,
        .reciprocals = nullptr,
        .input_scale = quantize_scale(to_table),
        .channels = static_cast<int32_t>(t.in(0).shape.back())};
    return {elementwise_use(portable_kernel(Family::kSoftmax, DType::kInt16, DType::kInt16), params,
                            {t.in(0).shape}, t.out().shape)};
  }
  return {elementwise_use(portable_kernel(Family::kSoftmax, t.in(0).type, t.out().type),
                          softmax_params(a, t), {t.in(0).shape}, t.out().shape)};
}

std::vector<int32_t> exponentials_of(const runtime::SoftmaxParams& p) {
  std::vector<int32_t> table(256);
  for (int32_t k = 0; k < static_cast<int32_t>(table.size()); ++k) {
    if (-k >= p.diff_min) table[static_cast<size_t>(k)] = runtime::exp_of_difference(p, -k);
  }
  return table;
}

namespace {

std::vector<PackedConstant> pack_softmax_tables(const Operands&) {
  const auto packed = [](const char* role, const reference::SoftmaxTable& values) {
    PackedConstant table{role, DType::kInt16, {static_cast<int64_t>(values.size())}, {}};
    Bytes bytes(sizeof values);
    std::memcpy(bytes.data(), values.data(), sizeof values);
    table.data = std::move(bytes);
    return table;
  };
  return {packed("exponentials", reference::exponential_table()),
          packed("reciprocals", reference::reciprocal_table())};
}

std::vector<PackedConstant> pack_softmax_exponentials(const Operands& t) {
  return {packed_words("exponentials",
                       exponentials_of(softmax_params(std::get<Softmax>(t.op.attributes), t)))};
}

KernelParams softmax_exponentials(const Operands&, const KernelParams& portable) {
  return runtime::SoftmaxExponentialsParams{nullptr,
                                            std::get<runtime::SoftmaxParams>(portable).channels};
}

template <auto Kernel>
constexpr KernelInfo softmax_row_dsp(const char* name, DType out) {
  return row<Kernel>({.name = name,
                      .family = Family::kSoftmax,
                      .out = out,
                      .set = InstructionSet::kDsp,
                      .progress = Progress::kNone,
                      .whole_axes = {false, false, false, true},
                      .weights = Weights::kFast,
                      .pack = pack_softmax_exponentials,
                      .adapt = softmax_exponentials});
}

}  // namespace

std::span<const KernelInfo> softmax_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::softmax_i8_i8>({.name = "softmax_i8_i8",
                                   .family = kSoftmax,
                                   .progress = kNone,
                                   .whole_axes = kWholeChannels}),
      row<runtime::softmax_i8_i16>({.name = "softmax_i8_i16",
                                    .family = kSoftmax,
                                    .out = kInt16,
                                    .progress = kNone,
                                    .whole_axes = kWholeChannels}),
      softmax_row_dsp<runtime::softmax_i8_i8_dsp>("softmax_i8_i8_dsp", kInt8),
      softmax_row_dsp<runtime::softmax_i8_i16_dsp>("softmax_i8_i16_dsp", kInt16),
      row<runtime::log_softmax>({.name = "log_softmax",
                                 .family = kLogSoftmax,
                                 .progress = kNone,
                                 .whole_axes = kWholeChannels}),
      row<runtime::softmax_i16_i16>({.name = "softmax_i16_i16",
                                     .family = kSoftmax,
                                     .in = kInt16,
                                     .out = kInt16,
                                     .progress = kNone,
                                     .whole_axes = kWholeChannels,
                                     .pack = pack_softmax_tables}),
      float_row<runtime::softmax_f32>("softmax_f32", kSoftmax, kNone, nullptr, kWholeChannels),
      float_row<runtime::log_softmax_f32>("log_softmax_f32", kLogSoftmax, kNone, nullptr,
                                          kWholeChannels),
  };
  return kRows;
}

}  // namespace thimble
