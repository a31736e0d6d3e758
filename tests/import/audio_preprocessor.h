// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite Micro's audio_preprocessor_int8.tflite, made from its published parameters:
// frames of 30 ms at 16 kHz, 512 points, 40 channels from 125 to 7500 Hz
// (tensorflow/lite/micro/examples/micro_speech/audio_preprocessor.py).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/import/tflite_builder.h"

namespace thimble::testing {

/// A FlexBuffer with a map of integers.
[[nodiscard]] Bytes flex_map(const std::map<std::string, int64_t>& values);

/// Samples [1,480] int16 -> features [40] int8.
[[nodiscard]] TfliteBuilder audio_preprocessor();

/// The 480 samples of the "no" that its test has, and what it expects of them.
[[nodiscard]] const std::vector<int16_t>& no_30ms();
[[nodiscard]] const std::vector<int8_t>& no_features();

}  // namespace thimble::testing
