// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/inputs/sound.h"

namespace thimble::training {

/// What the features of a frame are times.
[[nodiscard]] float sound_scale(int64_t coefficients);
/// Steps of 49 frames of so many features each, of each variant in turn: the sound as it is, then
/// moved by up to 100 ms, up to 20 % faster or slower, louder or quieter, in noise.
[[nodiscard]] std::vector<int16_t> sound_steps(const Sound& sound, int64_t coefficients,
                                               size_t variants, uint64_t seed);

}  // namespace thimble::training
