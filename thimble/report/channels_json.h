// SPDX-License-Identifier: Apache-2.0
// Channels that were left out, as reports write them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "thimble/plan/note.h"

namespace thimble {

/// An object of its fields; null if there are none.
[[nodiscard]] nlohmann::ordered_json channels_json(
    const std::optional<note::ConstantChannels>& channels);

}  // namespace thimble
