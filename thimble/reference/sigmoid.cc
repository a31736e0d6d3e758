// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/sigmoid.h"

#include <cmath>
#include <cstdlib>

namespace thimble::reference {
namespace {

int32_t argument(int16_t value, SigmoidScaling scaling) {
  const int32_t round = scaling.shift > 0 ? 1 << (scaling.shift - 1) : 0;
  return (value * scaling.multiplier + round) >> scaling.shift;
}

/// The table at `at` steps of 2^bits, times 2^bits; `beyond` from the last step on.
int32_t between_steps(int32_t at, int bits, int32_t beyond) {
  const auto step = static_cast<size_t>(at >> bits);
  if (step >= sigmoid_table().size() - 1) return beyond;
  const int32_t low = sigmoid_table()[step], high = sigmoid_table()[step + 1];
  return (low << bits) + (at & ((1 << bits) - 1)) * (high - low);
}

}  // namespace

SigmoidScaling sigmoid_scaling(float input_scale, int most_exponent) {
  int exponent = 0;
  const bool power_of_two = std::frexp(input_scale, &exponent) == 0.5F;
  const int above = exponent - 1 + 12;
  if (power_of_two && above >= 0 && above <= most_exponent) return {3 << above, 0};
  double multiplier = double{input_scale} * 4096.0 * 3.0;
  int shift = 0;
  for (; multiplier <= 32767.0 / 2 && shift <= 30; ++shift) multiplier *= 2;
  return {static_cast<int32_t>(multiplier), shift};
}

const std::array<uint16_t, 256>& sigmoid_table() {
  static constexpr std::array<uint16_t, 256> kTable = {
      32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
      41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
      48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
      54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
      58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
      61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
      63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
      64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
      64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
      65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
      65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
      65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
      65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
      65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
      65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
      65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
      65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
      65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
      65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
      65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535};
  return kTable;
}

int16_t logistic_of_int16(int16_t value, SigmoidScaling scaling) {
  const int32_t x = argument(value, scaling);
  const int32_t found = between_steps(std::abs(x), 9, 0x7FFF << 10);
  const int32_t result = x >= 0 ? found + (1 << 9) : (1 << 25) - found + (1 << 9) - 1;
  return static_cast<int16_t>(result >> 10);
}

int16_t tanh_of_int16(int16_t value, SigmoidScaling scaling) {
  const int32_t x = argument(value, scaling);
  const int32_t found = between_steps(std::abs(x), 8, 0xFFFF << 8);
  const int32_t result = x >= 0 ? found - (1 << 23) + (1 << 7) : (1 << 23) - found + (1 << 7) - 1;
  return static_cast<int16_t>(result >> 8);
}

}  // namespace thimble::reference
