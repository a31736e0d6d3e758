// SPDX-License-Identifier: Apache-2.0
// The audio front end of TensorFlow Lite Micro.
#include <cstring>

#include "thimble/reference/elements.h"
#include "thimble/reference/signal_tables.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

KernelId signal_kernel(Family family, const Operands& t) {
  return portable_kernel(family, t.in(0).type, t.out().type);
}

bool computes(Family family, const Operands& t, Method method) {
  return method == Method::kCompute && signal_kernel(family, t).valid();
}

/// The first `count` operands element by element; those after them are packed.
std::vector<KernelUse> each_element(Family family, const Operands& t, size_t count,
                                    const KernelParams& params) {
  std::vector<Shape> shapes;
  for (size_t k = 0; k < count; ++k) shapes.push_back(t.in(k).shape);
  return {elementwise_use(signal_kernel(family, t), params, shapes, t.out().shape)};
}

/// Operand 0, whose channels are others than the output's.
std::vector<KernelUse> gathered(Family family, const Operands& t, const KernelParams& params) {
  const OperandAxes out = identity_axes(t.out().shape.size());
  return {{.kernel = signal_kernel(family, t),
           .params = params,
           .inputs = {0},
           .in = {identity_axes(t.in(0).shape.size())},
           .out = out,
           .limits = limits_of(out, t.out().shape)}};
}

PackedConstant packed_shorts(const char* role, Shape shape, const std::vector<int16_t>& values) {
  return {role, DType::kInt16, std::move(shape), reference::bytes_from(values)};
}

PackedConstant packed_operand(const char* role, const Tensor& t) {
  return {role, t.type, t.shape, *t.data};
}

std::vector<int16_t> shorts_of(const Tensor& t) {
  return reference::elements_from<int16_t>(*t.data);
}

std::vector<PackedConstant> packed_twiddles(int64_t size, reference::Direction direction) {
  std::vector<int16_t> values;
  for (const auto& part :
       {reference::twiddles(size / 2, direction), reference::last_twiddles(size, direction)}) {
    for (const reference::Twiddle& w : part) values.insert(values.end(), {w.re, w.im});
  }
  return {packed_shorts("twiddles", {static_cast<int64_t>(values.size()) / 2, 2}, values)};
}

}  // namespace

bool supported(const SignalWindow&, const Operands& t, Method method) {
  return computes(Family::kSignalWindow, t, method);
}
bool supported(const SignalAutoShift&, const Operands& t, Method method) {
  return computes(Family::kSignalAutoShift, t, method);
}
bool supported(const SignalShift&, const Operands& t, Method method) {
  return computes(Family::kSignalShift, t, method);
}
bool supported(const SignalRfft&, const Operands& t, Method method) {
  return computes(Family::kSignalRfft, t, method);
}
bool supported(const SignalIrfft&, const Operands& t, Method method) {
  return computes(Family::kSignalIrfft, t, method);
}
bool supported(const SignalEnergy&, const Operands& t, Method method) {
  return computes(Family::kSignalEnergy, t, method);
}
bool supported(const SignalFilterBank&, const Operands& t, Method method) {
  return computes(Family::kSignalFilterBank, t, method);
}
bool supported(const SignalSquareRoot&, const Operands& t, Method method) {
  return computes(Family::kSignalSquareRoot, t, method);
}
bool supported(const SignalNoise&, const Operands& t, Method method) {
  return computes(Family::kSignalNoise, t, method);
}
bool supported(const SignalSubtraction&, const Operands& t, Method method) {
  return computes(Family::kSignalSubtraction, t, method);
}
bool supported(const SignalPcan&, const Operands& t, Method method) {
  return computes(Family::kSignalPcan, t, method);
}
bool supported(const SignalLog&, const Operands& t, Method method) {
  return computes(Family::kSignalLog, t, method);
}

std::vector<KernelUse> uses(const SignalWindow& a, const Operands& t, Method) {
  return each_element(Family::kSignalWindow, t, 2, runtime::SignalWindowParams{a.shift});
}
std::vector<KernelUse> uses(const SignalAutoShift&, const Operands& t, Method) {
  const auto samples = static_cast<int32_t>(t.in(0).shape[0]);
  return gathered(Family::kSignalAutoShift, t, runtime::SignalAutoShiftParams{samples});
}
std::vector<KernelUse> uses(const SignalShift&, const Operands& t, Method) {
  return each_element(Family::kSignalShift, t, 2, {});
}
std::vector<KernelUse> uses(const SignalRfft& a, const Operands& t, Method) {
  const auto samples = static_cast<int32_t>(t.in(0).shape.back());
  return gathered(Family::kSignalRfft, t, runtime::SignalRfftParams{nullptr, samples, a.size});
}
std::vector<KernelUse> uses(const SignalIrfft& a, const Operands& t, Method) {
  return gathered(Family::kSignalIrfft, t, runtime::SignalRfftParams{nullptr, a.size, a.size});
}
std::vector<KernelUse> uses(const SignalEnergy& a, const Operands& t, Method) {
  return gathered(Family::kSignalEnergy, t, runtime::SignalEnergyParams{a.begin, a.end});
}
std::vector<KernelUse> uses(const SignalFilterBank&, const Operands& t, Method) {
  return gathered(Family::kSignalFilterBank, t, runtime::SignalFilterBankParams{});
}
std::vector<KernelUse> uses(const SignalSquareRoot&, const Operands& t, Method) {
  return each_element(Family::kSignalSquareRoot, t, 2, {});
}
std::vector<KernelUse> uses(const SignalNoise& a, const Operands& t, Method) {
  const runtime::SignalNoiseParams params{{a.smoothing[0], a.smoothing[1]},
                                          {a.one_minus_smoothing[0], a.one_minus_smoothing[1]},
                                          a.smoothing_bits,
                                          a.bits,
                                          a.clamping ? 1 : 0};
  return each_element(Family::kSignalNoise, t, 2, params);
}
std::vector<KernelUse> uses(const SignalSubtraction& a, const Operands& t, Method) {
  return each_element(
      Family::kSignalSubtraction, t, 2,
      runtime::SignalSubtractionParams{a.min_signal_remaining, a.smoothing_bits, a.bits});
}
std::vector<KernelUse> uses(const SignalPcan& a, const Operands& t, Method) {
  return each_element(Family::kSignalPcan, t, 2, runtime::SignalPcanParams{nullptr, a.shift});
}
std::vector<KernelUse> uses(const SignalLog& a, const Operands& t, Method) {
  return each_element(Family::kSignalLog, t, 1,
                      runtime::SignalLogParams{nullptr, a.scale, a.correction_bits});
}

namespace {

std::vector<PackedConstant> pack_signal_rfft(const Operands& t) {
  return packed_twiddles(t.out().shape.back() - 2, reference::Direction::kForward);
}

std::vector<PackedConstant> pack_signal_irfft(const Operands& t) {
  return packed_twiddles(t.out().shape.back(), reference::Direction::kInverse);
}

std::vector<PackedConstant> pack_signal_filter_bank(const Operands& t) {
  const auto energies = shorts_of(t.in(3)), weights = shorts_of(t.in(4)),
             counts = shorts_of(t.in(5));
  std::vector<int16_t> bands;
  for (size_t k = 0; k < counts.size(); ++k)
    bands.insert(bands.end(), {energies[k], weights[k], counts[k]});
  return {packed_operand("weights", t.in(1)), packed_operand("unweights", t.in(2)),
          packed_shorts("bands", {static_cast<int64_t>(counts.size()), 3}, bands)};
}

std::vector<PackedConstant> pack_signal_pcan(const Operands& t) {
  return {packed_operand("gains", t.in(2))};
}

std::vector<PackedConstant> pack_signal_log(const Operands&) {
  const auto& table = reference::logarithm_table();
  return {
      packed_shorts("table", {static_cast<int64_t>(table.size())}, {table.begin(), table.end()})};
}

/// A row of the audio front end: integers of two types.
template <auto Kernel>
constexpr KernelInfo signal_row(const char* name, Family family, std::array<DType, 2> types,
                                Progress progress = Progress::kElement,
                                std::vector<PackedConstant> (*pack)(const Operands&) = nullptr,
                                std::array<bool, 4> whole_axes = {}) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .in = types[0],
                      .out = types[1],
                      .progress = progress,
                      .whole_axes = whole_axes,
                      .pack = pack});
}

}  // namespace

std::span<const KernelInfo> signal_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      signal_row<runtime::signal_window>("signal_window", kSignalWindow, {kInt16, kInt16}),
      signal_row<runtime::signal_auto_shift>("signal_auto_shift", kSignalAutoShift,
                                             {kInt16, kInt32}, kNone),
      signal_row<runtime::signal_shift>("signal_shift", kSignalShift, {kInt16, kInt16}),
      signal_row<runtime::signal_rfft>("signal_rfft", kSignalRfft, {kInt16, kInt16}, kNone,
                                       pack_signal_rfft, kWholeChannels),
      signal_row<runtime::signal_irfft>("signal_irfft", kSignalIrfft, {kInt16, kInt16}, kNone,
                                        pack_signal_irfft, kWholeChannels),
      signal_row<runtime::signal_energy>("signal_energy", kSignalEnergy, {kInt16, kUInt32}, kNone),
      signal_row<runtime::signal_filter_bank>("signal_filter_bank", kSignalFilterBank,
                                              {kUInt32, kUInt64}, kNone, pack_signal_filter_bank),
      signal_row<runtime::signal_square_root>("signal_square_root", kSignalSquareRoot,
                                              {kUInt64, kUInt32}),
      signal_row<runtime::signal_noise>("signal_noise", kSignalNoise, {kUInt32, kUInt32}),
      signal_row<runtime::signal_subtraction>("signal_subtraction", kSignalSubtraction,
                                              {kUInt32, kUInt32}),
      signal_row<runtime::signal_pcan>("signal_pcan", kSignalPcan, {kUInt32, kUInt32}, kElement,
                                       pack_signal_pcan),
      signal_row<runtime::signal_log>("signal_log", kSignalLog, {kUInt32, kInt16}, kElement,
                                      pack_signal_log),
  };
  return kRows;
}

}  // namespace thimble
