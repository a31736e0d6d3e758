// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thimble/inputs/sound.h"

namespace thimble {

/// The same sound with so many samples a second: by a sinc of 32 zero crossings in a Hann window,
/// which leaves out what the lower rate cannot have. The same on every machine but for rounding of
/// sines.
[[nodiscard]] Sound resampled(const Sound& sound, int32_t rate);
/// So many times as fast and as high, at the same rate; factor above 0.
[[nodiscard]] Sound sped_up(const Sound& sound, double factor);

}  // namespace thimble
