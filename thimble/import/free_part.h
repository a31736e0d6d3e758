// SPDX-License-Identifier: Apache-2.0
// Which part of a network can be compiled, where operators are not supported.
#pragma once

#include <cstddef>
#include <vector>

#include "thimble/import/survey.h"

namespace thimble {

/// Sets Survey::free_ops and until: who reads what cannot be computed cannot be either. `ops`:
/// numbers of those that the outputs need, in an order of execution; is_free: per operator.
void find_free_part(const std::vector<size_t>& ops, const std::vector<bool>& is_free,
                    Survey& survey);

/// The obstacles that stop most first.
void sort_by_frequency(std::vector<Obstacle>& obstacles);

}  // namespace thimble
