// SPDX-License-Identifier: Apache-2.0
// The audio front end of TensorFlow Lite Micro.
#include <algorithm>
#include <cstring>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

constexpr int64_t kGains = 125;
constexpr int32_t kLargestTransform = 32768;

/// Types of operands 0, 1, .. and, last of all, of the output.
template <DType... kTypes>
bool signal_types(const Graph& graph, const Op& op) {
  static constexpr DType kWanted[] = {kTypes...};
  const OpView v{graph, op};
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (v.in(k).type != kWanted[k]) return false;
  }
  return v.out().type == kWanted[op.inputs.size()];
}

bool second_is_scalar(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 1 && v.in(1).shape.empty() && v.out().shape.size() == 1;
}

bool second_is_a_vector(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(1).shape.size() == 1;
}

bool gives_a_scalar(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 1 && v.out().shape.empty();
}

bool operands_are_vectors(const Graph& graph, const Op& op) {
  return ranks_within<1, 1>(graph, op);
}

template <size_t kFirst>
bool constants_from(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  for (size_t k = kFirst; k < op.inputs.size(); ++k) {
    if (!v.in(k).is_constant()) return false;
  }
  return true;
}

bool second_has_the_shape(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(1).shape == v.x();
}

bool is_shift(int32_t bits) { return bits >= 0 && bits <= 31; }

bool window_is_a_frame(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(1).shape[0] == v.x().back();
}

bool window_shift_fits(const Graph&, const Op& op) {
  return is_shift(std::get<SignalWindow>(op.attributes).shift);
}

template <class Transform>
bool transform_is_a_product(const Graph&, const Op& op) {
  int32_t size = std::get<Transform>(op.attributes).size;
  if (size < 4 || size > kLargestTransform || size % 2 != 0) return false;
  for (const int32_t factor : {2, 3, 5}) {
    while (size % factor == 0) size /= factor;
  }
  return size == 1;
}

bool frame_fits_transform(const Graph& graph, const Op& op) {
  return OpView{graph, op}.x().back() <= std::get<SignalRfft>(op.attributes).size;
}

bool spectrum_fits_transform(const Graph& graph, const Op& op) {
  return OpView{graph, op}.x().back() == int64_t{std::get<SignalIrfft>(op.attributes).size} + 2;
}

bool has_pairs(const Graph& graph, const Op& op) { return OpView{graph, op}.x().back() % 2 == 0; }

bool energies_are_inside(const Graph& graph, const Op& op) {
  const auto& a = std::get<SignalEnergy>(op.attributes);
  return a.begin >= 0 && a.begin <= a.end && a.end <= OpView{graph, op}.x().back() / 2;
}

bool filter_bank_inputs(const Graph&, const Op& op) { return op.inputs.size() == 6; }
bool pcan_inputs(const Graph&, const Op& op) { return op.inputs.size() == 3; }

std::vector<int16_t> shorts_of(const Tensor& constant) {
  std::vector<int16_t> values(constant.data->size() / sizeof(int16_t));
  if (!values.empty())
    std::memcpy(values.data(), constant.data->data(), values.size() * sizeof(int16_t));
  return values;
}

bool bands_are_inside(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const int64_t weights = v.in(1).shape[0];
  if (v.in(2).shape != v.in(1).shape || v.in(3).shape[0] < 2 || v.in(4).shape != v.in(3).shape ||
      v.in(5).shape != v.in(3).shape)
    return false;
  const auto energies = shorts_of(v.in(3)), first = shorts_of(v.in(4)), counts = shorts_of(v.in(5));
  for (size_t band = 0; band < counts.size(); ++band) {
    if (energies[band] < 0 || first[band] < 0 || counts[band] < 0) return false;
    if (energies[band] + counts[band] > v.x()[0] || first[band] + counts[band] > weights)
      return false;
  }
  return true;
}

bool noise_parameters_fit(const Graph&, const Op& op) {
  const auto& a = std::get<SignalNoise>(op.attributes);
  const auto negative = [](int32_t factor) { return factor < 0; };
  return std::ranges::none_of(a.smoothing, negative) &&
         std::ranges::none_of(a.one_minus_smoothing, negative) && is_shift(a.smoothing_bits) &&
         is_shift(a.bits);
}

bool subtraction_parameters_fit(const Graph&, const Op& op) {
  const auto& a = std::get<SignalSubtraction>(op.attributes);
  return a.min_signal_remaining >= 0 && is_shift(a.smoothing_bits) && is_shift(a.bits);
}

bool gains_are_complete(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(2).shape[0] == kGains;
}

bool pcan_shift_fits(const Graph&, const Op& op) {
  const int32_t shift = std::get<SignalPcan>(op.attributes).shift;
  return shift >= 0 && shift <= 63;
}

bool log_parameters_fit(const Graph&, const Op& op) {
  const auto& a = std::get<SignalLog>(op.attributes);
  return a.scale >= 0 && is_shift(a.correction_bits);
}

constexpr Constraint kVectors{"inputs and output have 1 axis", operands_are_vectors};
constexpr Constraint kSecondIsScalar{"input and output have 1 axis, the shift none",
                                     second_is_scalar};
template <class Transform>
constexpr Constraint kIsAProduct{
    "the length is even, from 4 to 32768, and has no prime factor above 5",
    transform_is_a_product<Transform>};
constexpr Constraint kOneShape{"both inputs have the same shape", second_has_the_shape};
constexpr auto kShort = DType::kInt16, kInt = DType::kInt32, kWord = DType::kUInt32,
               kLong = DType::kUInt64;

const InputMap kScalar{};
const InputMap kWholeVector{.axes = {Whole{}}};

AccessMap whole_last_axis(const OpView& v) {
  InputMap map = identity_map(v.x().size());
  map.axes.back() = Whole{};
  return {map};
}

}  // namespace

AccessMap access_map_of(const SignalWindow&, const OpView& v) {
  const size_t rank = v.x().size();
  return {identity_map(rank), channel_map(static_cast<int>(rank) - 1)};
}
AccessMap access_map_of(const SignalAutoShift&, const OpView&) { return {kWholeVector}; }
AccessMap access_map_of(const SignalShift&, const OpView&) { return {identity_map(1), kScalar}; }
AccessMap access_map_of(const SignalRfft&, const OpView& v) { return whole_last_axis(v); }
AccessMap access_map_of(const SignalIrfft&, const OpView& v) { return whole_last_axis(v); }
AccessMap access_map_of(const SignalEnergy&, const OpView&) {
  return {{.axes = {Affine{.out_axis = 0, .num = 2, .hi = 1}}}};
}
AccessMap access_map_of(const SignalFilterBank&, const OpView& v) {
  return AccessMap(v.inputs(), kWholeVector);
}
AccessMap access_map_of(const SignalSquareRoot&, const OpView&) {
  return {identity_map(1), kScalar};
}
AccessMap access_map_of(const SignalNoise&, const OpView&) {
  return {identity_map(1), identity_map(1)};
}
AccessMap access_map_of(const SignalSubtraction&, const OpView&) {
  return {identity_map(1), identity_map(1)};
}
AccessMap access_map_of(const SignalPcan&, const OpView&) {
  return {identity_map(1), identity_map(1), kWholeVector};
}
AccessMap access_map_of(const SignalLog&, const OpView&) { return {identity_map(1)}; }

Shape output_shape_of(const SignalWindow&, const OpView& v) { return v.x(); }
Shape output_shape_of(const SignalAutoShift&, const OpView&) { return {}; }
Shape output_shape_of(const SignalShift&, const OpView& v) { return v.x(); }
Shape output_shape_of(const SignalRfft& a, const OpView& v) {
  Shape shape = v.x();
  shape.back() = int64_t{a.size} + 2;
  return shape;
}
Shape output_shape_of(const SignalIrfft& a, const OpView& v) {
  Shape shape = v.x();
  shape.back() = a.size;
  return shape;
}
Shape output_shape_of(const SignalEnergy&, const OpView& v) { return {v.x()[0] / 2}; }
Shape output_shape_of(const SignalFilterBank&, const OpView& v) { return {v.in(3).shape[0] - 1}; }
Shape output_shape_of(const SignalSquareRoot&, const OpView& v) { return v.x(); }
Shape output_shape_of(const SignalNoise&, const OpView& v) { return v.x(); }
Shape output_shape_of(const SignalSubtraction&, const OpView& v) { return v.x(); }
Shape output_shape_of(const SignalPcan&, const OpView& v) { return v.x(); }
Shape output_shape_of(const SignalLog&, const OpView& v) { return v.x(); }

Traits traits_of(const SignalWindow&) { return {}; }

std::vector<Constraint> constraints_of(const SignalWindow&) {
  return {kTwoInputs,
          kRank1To6,
          {"the weights have 1 axis", second_is_a_vector},
          {"inputs and output are int16", signal_types<kShort, kShort, kShort>},
          {"the weights are a constant", constants_from<1>},
          {"there is a weight for each index of the input's last axis", window_is_a_frame},
          {"the shift is 0 to 31", window_shift_fits},
          kOutputShape};
}

Traits traits_of(const SignalAutoShift&) { return {}; }

std::vector<Constraint> constraints_of(const SignalAutoShift&) {
  return {kOneInput,
          {"the input has 1 axis, the output none", gives_a_scalar},
          {"the input is int16, the output int32", signal_types<kShort, kInt>}};
}

Traits traits_of(const SignalShift&) { return {}; }

std::vector<Constraint> constraints_of(const SignalShift&) {
  return {kTwoInputs,
          kSecondIsScalar,
          {"input and output are int16, the shift is int32", signal_types<kShort, kInt, kShort>},
          kOutputShape};
}

Traits traits_of(const SignalRfft&) { return {}; }

std::vector<Constraint> constraints_of(const SignalRfft&) {
  return {kOneInput,
          kRank1To6,
          {"input and output are int16", signal_types<kShort, kShort>},
          kIsAProduct<SignalRfft>,
          {"the input's last axis is at most as long", frame_fits_transform},
          kOutputShape};
}

Traits traits_of(const SignalIrfft&) { return {}; }

std::vector<Constraint> constraints_of(const SignalIrfft&) {
  return {kOneInput,
          kRank1To6,
          {"input and output are int16", signal_types<kShort, kShort>},
          kIsAProduct<SignalIrfft>,
          {"the input's last axis is longer by 2", spectrum_fits_transform},
          kOutputShape};
}

Traits traits_of(const SignalEnergy&) { return {}; }

std::vector<Constraint> constraints_of(const SignalEnergy&) {
  return {kOneInput,
          kVectors,
          {"the input is int16, the output uint32", signal_types<kShort, kWord>},
          {"the input has pairs of numbers", has_pairs},
          {"the first index is at most the last, and this at most the number of pairs",
           energies_are_inside},
          kOutputShape};
}

Traits traits_of(const SignalFilterBank&) { return {}; }

std::vector<Constraint> constraints_of(const SignalFilterBank&) {
  return {{"there are 6 inputs", filter_bank_inputs},
          kVectors,
          {"the input is uint32, the others int16, the output uint64",
           signal_types<kWord, kShort, kShort, kShort, kShort, kShort, kLong>},
          {"all but the input are constants", constants_from<1>},
          {"there are as many weights as unweights, three numbers for each of at least two bands, "
           "and bands lie inside of the input and the weights",
           bands_are_inside},
          kOutputShape};
}

Traits traits_of(const SignalSquareRoot&) { return {}; }

std::vector<Constraint> constraints_of(const SignalSquareRoot&) {
  return {
      kTwoInputs,
      kSecondIsScalar,
      {"the input is uint64, the shift int32, the output uint32", signal_types<kLong, kInt, kWord>},
      kOutputShape};
}

Traits traits_of(const SignalNoise&) { return {}; }

std::vector<Constraint> constraints_of(const SignalNoise&) {
  return {kTwoInputs,
          kVectors,
          {"inputs and output are uint32", signal_types<kWord, kWord, kWord>},
          kOneShape,
          {"smoothing is not negative, and shifts are 0 to 31", noise_parameters_fit},
          kOutputShape};
}

Traits traits_of(const SignalSubtraction&) { return {}; }

std::vector<Constraint> constraints_of(const SignalSubtraction&) {
  return {kTwoInputs,
          kVectors,
          {"inputs and output are uint32", signal_types<kWord, kWord, kWord>},
          kOneShape,
          {"what remains is not negative, and shifts are 0 to 31", subtraction_parameters_fit},
          kOutputShape};
}

Traits traits_of(const SignalPcan&) { return {}; }

std::vector<Constraint> constraints_of(const SignalPcan&) {
  return {{"there are 3 inputs: signal, noise and gains", pcan_inputs},
          kVectors,
          {"signal, noise and output are uint32, the gains int16",
           signal_types<kWord, kWord, kShort, kWord>},
          {"the gains are a constant", constants_from<2>},
          {"there are 125 gains", gains_are_complete},
          kOneShape,
          {"the shift is 0 to 63", pcan_shift_fits},
          kOutputShape};
}

Traits traits_of(const SignalLog&) { return {}; }

std::vector<Constraint> constraints_of(const SignalLog&) {
  return {kOneInput,
          kVectors,
          {"the input is uint32, the output int16", signal_types<kWord, kShort>},
          {"the scale is not negative, and the correction 0 to 31 bits", log_parameters_fit},
          kOutputShape};
}

// What the front end does is no product of matrices.
int64_t macs_of(const SignalWindow&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalAutoShift&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalShift&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalRfft&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalIrfft&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalEnergy&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalFilterBank&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalSquareRoot&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalNoise&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalSubtraction&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalPcan&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const SignalLog&, const OpView&, const Region&) { return 0; }

}  // namespace thimble
