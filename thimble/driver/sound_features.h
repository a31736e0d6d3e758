// SPDX-License-Identifier: Apache-2.0
// Sound as what networks of speech take: its samples, or features of TensorFlow Lite Micro's front
// end, which is zoo:audio_preprocessor (docs/ports.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/inputs/preprocessing.h"
#include "thimble/inputs/sound.h"

namespace thimble {

/// One inference; of a network with a state, which takes a hop at a time, all that the sound has.
/// Features where they are asked for, where the input is 49 x 40 of them, and where a hop has rows
/// of 40 with their scale: of the first 30 ms, and of each 20 ms after that. Sound of another rate
/// than the features' is resampled. Throws CompileError, in the name of `where`, where the input is
/// neither.
[[nodiscard]] std::vector<PreparedInput> prepared_sound(const InputPort& port, const Sound& sound,
                                                        const Preprocessing& asked, bool in_turn,
                                                        const std::string& where);

/// Features of TensorFlow Lite Micro's front end, 40 a frame: 480 samples at a time, 320 after
/// those before; zeros behind the end. sound: of 16,000 samples a second.
[[nodiscard]] std::vector<int8_t> micro_features(const Sound& sound, int64_t frames);
/// The real number that a step of these is: (step + 128) times this.
inline constexpr float kFeatureScale = 26.0F / 256;
inline constexpr int64_t kFeatureBands = 40;     ///< of a frame
inline constexpr int32_t kFeatureRate = 16'000;  ///< samples a second
/// So many (40 at most) of the coefficients of the orthonormal cosine transform (DCT-II) of each
/// frame of such features, as real numbers: mel-frequency cepstra, but for the front end's own
/// filters and noise reduction.
[[nodiscard]] std::vector<float> cepstra(const std::vector<int8_t>& features, int64_t coefficients);

}  // namespace thimble
