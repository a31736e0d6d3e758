// SPDX-License-Identifier: Apache-2.0
// Saved plans changed at random, in every field: numbers by a little or to the edges of their
// types, intervals reversed, emptied or moved, parts dropped, doubled, exchanged, or taken from
// elsewhere.
#pragma once

#include <nlohmann/json.hpp>

#include "zoo/random.h"

namespace thimble::testing {

/// plan: as plan_to_json writes it. One to three changes; what names the model stays.
[[nodiscard]] nlohmann::ordered_json damaged(const nlohmann::ordered_json& plan,
                                             zoo::Random& random);

}  // namespace thimble::testing
