// SPDX-License-Identifier: Apache-2.0
// Parameters and constants of the audio front end.
#include <algorithm>
#include <cmath>

#include "thimble/program/fault_of.h"
#include "thimble/reference/signal_tables.h"

namespace thimble {
namespace {

// Constant k, which must hold these numbers.
void compare_shorts(const ReadBack& r, size_t k, const std::vector<int16_t>& wanted,
                    Difference& d) {
  if (unpacked<int16_t>(r, k, DType::kInt16, wanted.size()) != wanted)
    d.fail(fmt::format("its constant {} is wrong", k));
}

std::vector<int16_t> shorts_of(const Tensor& t) {
  std::vector<int16_t> values(t.data->size() / sizeof(int16_t));
  if (!values.empty()) std::memcpy(values.data(), t.data->data(), values.size() * sizeof(int16_t));
  return values;
}

std::string transform_fault(int32_t size, reference::Direction direction, int64_t samples,
                            const ReadBack& r) {
  const auto* p = r.as<runtime::SignalRfftParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("samples", p->samples, samples).expect("size", p->size, size);
  std::vector<int16_t> wanted;
  for (const reference::Twiddle& w : reference::twiddles(size / 2, direction))
    wanted.insert(wanted.end(), {w.re, w.im});
  for (const reference::Twiddle& w : reference::last_twiddles(size, direction))
    wanted.insert(wanted.end(), {w.re, w.im});
  compare_shorts(r, 0, wanted, d);
  return d.text();
}

}  // namespace

std::string fault_of(const SignalWindow& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalWindowParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference().expect("shift", p->shift, a.shift).text();
}

std::string fault_of(const SignalAutoShift&, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalAutoShiftParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference().expect("samples", p->samples, r.in(0).shape.back()).text();
}

std::string fault_of(const SignalShift&, const ReadBack&) { return kOtherKernel; }
std::string fault_of(const SignalSquareRoot&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const SignalRfft& a, const ReadBack& r) {
  if (info(r.call.kernel).family != Family::kSignalRfft) return kOtherKernel;
  return transform_fault(a.size, reference::Direction::kForward, r.in(0).shape.back(), r);
}

std::string fault_of(const SignalIrfft& a, const ReadBack& r) {
  if (info(r.call.kernel).family != Family::kSignalIrfft) return kOtherKernel;
  return transform_fault(a.size, reference::Direction::kInverse, a.size, r);
}

std::string fault_of(const SignalEnergy& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalEnergyParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference().expect("begin", p->begin, a.begin).expect("end", p->end, a.end).text();
}

std::string fault_of(const SignalFilterBank&, const ReadBack& r) {
  if (r.as<runtime::SignalFilterBankParams>() == nullptr) return kOtherKernel;
  Difference d;
  compare_shorts(r, 0, shorts_of(r.in(1)), d);
  compare_shorts(r, 1, shorts_of(r.in(2)), d);
  const auto energies = shorts_of(r.in(3)), weights = shorts_of(r.in(4)),
             counts = shorts_of(r.in(5));
  std::vector<int16_t> bands;
  for (size_t k = 0; k < counts.size(); ++k) {
    bands.push_back(energies.at(k));
    bands.push_back(weights.at(k));
    bands.push_back(counts[k]);
  }
  compare_shorts(r, 2, bands, d);
  return d.text();
}

std::string fault_of(const SignalNoise& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalNoiseParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  for (size_t k = 0; k < 2; ++k) {
    d.expect("smoothing", p->smoothing[k], a.smoothing[k]);
    d.expect("one_minus_smoothing", p->one_minus_smoothing[k], a.one_minus_smoothing[k]);
  }
  d.expect("smoothing_bits", p->smoothing_bits, a.smoothing_bits);
  return d.expect("bits", p->bits, a.bits).expect("clamping", p->clamping, a.clamping).text();
}

std::string fault_of(const SignalSubtraction& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalSubtractionParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect("min_signal_remaining", p->min_signal_remaining, a.min_signal_remaining)
      .expect("smoothing_bits", p->smoothing_bits, a.smoothing_bits)
      .expect("bits", p->bits, a.bits)
      .text();
}

std::string fault_of(const SignalPcan& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalPcanParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("shift", p->shift, a.shift);
  compare_shorts(r, 0, shorts_of(r.in(2)), d);
  return d.text();
}

std::string fault_of(const SignalLog& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SignalLogParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("scale", p->scale, a.scale);
  d.expect("correction_bits", p->correction_bits, a.correction_bits);
  const auto& table = reference::logarithm_table();
  compare_shorts(r, 0, {table.begin(), table.end()}, d);
  return d.text();
}

}  // namespace thimble
