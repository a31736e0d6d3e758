// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/channels_json.h"

#include <nlohmann/json.hpp>

namespace thimble {

nlohmann::ordered_json channels_json(const std::optional<note::ConstantChannels>& channels) {
  if (!channels) return {};
  return {{"removed", channels->removed},
          {"of", channels->of},
          {"macs_before", channels->macs_before},
          {"macs", channels->macs},
          {"weight_bytes_before", channels->weight_bytes_before},
          {"weight_bytes", channels->weight_bytes}};
}

}  // namespace thimble
