// SPDX-License-Identifier: Apache-2.0
// Samples as a network takes them: as they are, or changed by chance so that it learns what they
// have in common.
#pragma once

#include "training/data/dataset.h"
#include "zoo/random.h"

namespace thimble::training {

/// Writes elements(shape) numbers. Pictures are mirrored and moved by up to an eighth of a side,
/// zeros beside them; of sound one of the variants is moved by up to four frames and loses a band
/// of frames and one of features (Park et al. 2019, "SpecAugment").
void augment(const Dataset& data, size_t sample, zoo::Random& random, float* out);
/// The first variant, as it is.
void plain(const Examples& examples, size_t sample, float* out);

}  // namespace thimble::training
