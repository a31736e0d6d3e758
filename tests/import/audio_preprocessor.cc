// SPDX-License-Identifier: Apache-2.0
#include "tests/import/audio_preprocessor.h"

#include <flatbuffers/flexbuffers.h>

#include <utility>

#include "zoo/audio_tables.h"

namespace thimble::testing {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;
using zoo::hann_window;
using zoo::mel_bank;
using zoo::MelBank;
using zoo::pcan_gains;
using Dims = TfliteBuilder::Dims;

/// Adds tensors and operators one after the other.
class Preprocessor {
 public:
  int32_t tensor(const Dims& shape, TensorType type) {
    const int32_t index = net.tensor(shape, type);
    net.at(index).quantization = nullptr;
    return index;
  }
  template <class T>
  int32_t constant(const Dims& shape, TensorType type, const std::vector<T>& values) {
    const int32_t index = net.constant(shape, type, bytes_of(values));
    net.at(index).quantization = nullptr;
    return index;
  }
  int32_t shorts(const std::vector<int16_t>& values) {
    return constant({static_cast<int32_t>(values.size())}, TensorType::INT16, values);
  }
  int32_t number(int32_t value) {
    return constant({}, TensorType::INT32, std::vector<int32_t>{value});
  }
  /// A custom operator with one output.
  int32_t custom(const std::string& name, const Dims& inputs, const Dims& shape, TensorType type,
                 const std::map<std::string, int64_t>& options) {
    const int32_t out = tensor(shape, type);
    net.custom(name, inputs, {out}, options.empty() ? Bytes{} : flex_map(options));
    return out;
  }
  int32_t cast(int32_t x, const Dims& shape, TensorType type) {
    const int32_t out = tensor(shape, type);
    net.op(BuiltinOperator::CAST, {x}, {out}, tflite::CastOptionsT());
    return out;
  }
  template <class Options>
  int32_t binary(BuiltinOperator code, int32_t x, int32_t value, Options options) {
    const int32_t out = tensor({40}, TensorType::INT32);
    net.op(code, {x, number(value)}, {out}, std::move(options));
    return out;
  }

  TfliteBuilder net;
};

/// Energies that no band counts are zero, which the converted model says with operators of its own.
int32_t energies(Preprocessor& p, int32_t frame, const MelBank& bank) {
  const int32_t spectrum = p.custom("SignalRfft", {frame}, {514}, TensorType::INT16,
                                    {{"T", int64_t{7}}, {"fft_length", 512}});
  const int32_t energy = p.custom("SignalEnergy", {spectrum}, {257}, TensorType::UINT32,
                                  {{"start_index", bank.begin}, {"end_index", bank.end}});
  const int32_t words = p.cast(energy, {257}, TensorType::INT32);
  const auto begin = static_cast<int32_t>(bank.begin), end = static_cast<int32_t>(bank.end);
  const int32_t heard = p.tensor({end - begin}, TensorType::INT32);
  p.net.op(BuiltinOperator::STRIDED_SLICE,
           {words, p.net.constant({begin}), p.net.constant({end}), p.net.constant({1})}, {heard},
           tflite::StridedSliceOptionsT());
  const auto zeros = [&](int32_t count) {
    return p.constant({count}, TensorType::INT32, std::vector<int32_t>(static_cast<size_t>(count)));
  };
  const int32_t padded = p.tensor({257}, TensorType::INT32);
  p.net.op(BuiltinOperator::CONCATENATION, {zeros(begin), heard, zeros(257 - end)}, {padded},
           tflite::ConcatenationOptionsT());
  return p.cast(padded, {257}, TensorType::UINT32);
}

/// Channels of noise-free signal, before the logarithm.
int32_t channels(Preprocessor& p, int32_t energy, int32_t shift, const MelBank& bank) {
  std::vector<int16_t> first_energy, first_weight, counts;
  for (const MelBank::Band& band : bank.bands) {
    first_energy.push_back(static_cast<int16_t>(band.first_energy));
    first_weight.push_back(static_cast<int16_t>(band.first_weight));
    counts.push_back(static_cast<int16_t>(band.count));
  }
  const int32_t sums = p.custom("SignalFilterBank",
                                {energy, p.shorts(bank.weights), p.shorts(bank.unweights),
                                 p.shorts(first_energy), p.shorts(first_weight), p.shorts(counts)},
                                {40}, TensorType::UINT64, {{"num_channels", 40}});
  const int32_t roots =
      p.custom("SignalFilterBankSquareRoot", {sums, shift}, {40}, TensorType::UINT32, {});
  const int32_t clean = p.tensor({40}, TensorType::UINT32),
                noise = p.tensor({40}, TensorType::UINT32);
  p.net.custom("SignalFilterBankSpectralSubtraction", {roots}, {clean, noise},
               flex_map({{"num_channels", 40},
                         {"smoothing", 409},
                         {"one_minus_smoothing", 15975},
                         {"alternate_smoothing", 983},
                         {"alternate_one_minus_smoothing", 15401},
                         {"smoothing_bits", 10},
                         {"min_signal_remaining", 819},
                         {"clamping", 0},
                         {"spectral_subtraction_bits", 14}}));
  return p.custom("SignalPCAN", {clean, noise, p.shorts(pcan_gains())}, {40}, TensorType::UINT32,
                  {{"snr_shift", 6}});
}

}  // namespace

Bytes flex_map(const std::map<std::string, int64_t>& values) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [key, value] : values) builder.Int(key.c_str(), value);
  });
  builder.Finish();
  return builder.GetBuffer();
}

TfliteBuilder audio_preprocessor() {
  Preprocessor p;
  const MelBank bank = mel_bank({});
  const int32_t samples = p.tensor({1, 480}, TensorType::INT16);
  const int32_t windowed = p.custom("SignalWindow", {samples, p.shorts(hann_window(480, 12))},
                                    {1, 480}, TensorType::INT16, {{"shift", 12}});
  const int32_t flat = p.tensor({480}, TensorType::INT16);
  p.net.op(BuiltinOperator::RESHAPE, {windowed, p.net.constant({-1})}, {flat},
           tflite::ReshapeOptionsT());
  const int32_t frame = p.tensor({480}, TensorType::INT16), shift = p.tensor({}, TensorType::INT32);
  p.net.custom("SignalFftAutoScale", {flat}, {frame, shift}, {});
  const int32_t gained = channels(p, energies(p, frame, bank), shift, bank);
  const int32_t logarithms = p.custom("SignalFilterBankLog", {gained}, {40}, TensorType::INT16,
                                      {{"output_scale", 64}, {"input_correction_bits", 3}});
  int32_t x = p.cast(logarithms, {40}, TensorType::INT32);
  x = p.binary(BuiltinOperator::MUL, x, 256, tflite::MulOptionsT());
  x = p.binary(BuiltinOperator::ADD, x, 333, tflite::AddOptionsT());
  x = p.binary(BuiltinOperator::DIV, x, 666, tflite::DivOptionsT());
  x = p.binary(BuiltinOperator::ADD, x, -128, tflite::AddOptionsT());
  x = p.binary(BuiltinOperator::MINIMUM, x, 127, tflite::MaximumMinimumOptionsT());
  x = p.binary(BuiltinOperator::MAXIMUM, x, -128, tflite::MaximumMinimumOptionsT());
  p.net.inputs({samples});
  p.net.outputs({p.cast(x, {40}, TensorType::INT8)});
  return std::move(p.net);
}

const std::vector<int16_t>& no_30ms() {
  static const std::vector<int16_t> samples = {
      5713,  5735,  5735,  5737,  5701,  5691,  5656,  5633,  5611,  5552,  5475,  5394,  5293,
      5177,  5064,  4924,  4737,  4599,  4420,  4237,  4048,  3828,  3623,  3413,  3183,  2915,
      2622,  2308,  1980,  1657,  1261,  901,   549,   205,   -85,   -383,  -688,  -969,  -1246,
      -1530, -1850, -2206, -2561, -2915, -3224, -3482, -3713, -3921, -4107, -4287, -4470, -4660,
      -4850, -5057, -5239, -5395, -5540, -5619, -5697, -5724, -5697, -5675, -5633, -5590, -5579,
      -5530, -5486, -5442, -5426, -5391, -5348, -5276, -5197, -5124, -5039, -4925, -4808, -4677,
      -4581, -4479, -4343, -4218, -4087, -3970, -3858, -3729, -3570, -3384, -3206, -3020, -2839,
      -2636, -2453, -2287, -2185, -2154, -1926, -1562, -1223, -758,  -473,  -64,   395,   599,
      880,   814,   938,   1172,  1498,  1928,  2127,  2422,  2608,  2841,  2937,  2886,  2815,
      2985,  3324,  3757,  4152,  4481,  4652,  4917,  4965,  4766,  4583,  4328,  4503,  4815,
      5118,  5408,  5682,  5956,  6082,  6055,  5744,  5426,  5341,  5427,  5606,  5882,  6065,
      6226,  6428,  6477,  6385,  6009,  5728,  5552,  5439,  5339,  5200,  5008,  4947,  4835,
      4614,  4330,  3887,  3521,  3111,  2460,  1983,  1297,  650,   279,   -353,  -720,  -1044,
      -1518, -1668, -2117, -2496, -2743, -3266, -3607, -3790, -4149, -4075, -4042, -4096, -3981,
      -4138, -4226, -4214, -4503, -4455, -4577, -4642, -4346, -4351, -4270, -4263, -4522, -4521,
      -4673, -4814, -4731, -4950, -5011, -5004, -5288, -5341, -5566, -5833, -5783, -5929, -5847,
      -5765, -5828, -5644, -5613, -5615, -5428, -5291, -5014, -4554, -4277, -3964, -3854, -3829,
      -3612, -3603, -3438, -3137, -2831, -2164, -1438, -939,  -330,  -156,  46,    242,   73,
      242,   220,   239,   542,   565,   739,   872,   801,   857,   676,   543,   586,   567,
      828,   1142,  1490,  1985,  2508,  2982,  3438,  3699,  3939,  4069,  4178,  4420,  4622,
      4917,  5338,  5801,  6285,  6658,  6963,  7213,  7233,  7328,  7176,  7038,  7031,  6860,
      6957,  6767,  6599,  6523,  6212,  6147,  6063,  5860,  6020,  6015,  6033,  6184,  5722,
      5607,  5016,  4337,  4063,  3229,  3080,  3006,  2804,  3035,  2541,  2136,  1879,  1012,
      401,   -575,  -1584, -1930, -2278, -2485, -2477, -2712, -2747, -2766, -3320, -3592, -4188,
      -4669, -4672, -4939, -4789, -4426, -4203, -3674, -3563, -3656, -3759, -4067, -4257, -4522,
      -4970, -5204, -5237, -5139, -4907, -4911, -4917, -4921, -5007, -5230, -5654, -6122, -6464,
      -6733, -6948, -7067, -6972, -6800, -6520, -6132, -5830, -5382, -5091, -4797, -4546, -4472,
      -4362, -4350, -4235, -3851, -3454, -3144, -2735, -2341, -1845, -1262, -958,  -549,  -166,
      66,    382,   366,   352,   341,   85,    -13,   -176,  -303,  -235,  -341,  -309,  -227,
      -249,  -50,   143,   384,   874,   1149,  1552,  2155,  2767,  3499,  3994,  4460,  4920,
      5288,  5569,  5704,  5881,  6094,  6461,  6653,  6803,  7115,  7311,  7521,  7612,  7443,
      7380,  7124,  6742,  6495,  5964,  5656,  5415,  5167,  5656,  5813,  6027,  6401,  6351,
      6787,  7019,  6581,  6512,  5965,  5308,  5140,  4336,  4147,  3899,  3398,  3360,  2830,
      2624,  1968,  1026,  395,   -699,  -1424, -2327, -3006, -3192, -3435, -3337, -3686, -3513,
      -3350, -3502, -3261, -3878, -4005, -4063, -4187, -3767, -3598, -3384, -3300, -3094, -2857,
      -3023, -3274, -3851, -4352, -4523, -4943, -5477, -5612, -5682, -5733, -5714, -5965, -6110,
      -5950, -6158, -6548, -6897, -7165, -7281, -7352, -7258, -7185, -6659, -5946, -5470};
  return samples;
}

const std::vector<int8_t>& no_features() {
  static const std::vector<int8_t> features = {126, 103, 124, 102, 124, 102, 123, 100, 118, 97,
                                               118, 100, 118, 98,  121, 100, 121, 98,  117, 91,
                                               96,  74,  54,  87,  100, 87,  109, 92,  91,  80,
                                               64,  55,  83,  74,  74,  78,  114, 95,  101, 81};
  return features;
}

}  // namespace thimble::testing
