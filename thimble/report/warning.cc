// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/warning.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "thimble/model/error.h"

namespace thimble {

using Json = nlohmann::ordered_json;

const char* name(WarningKind kind) {
  switch (kind) {
    case WarningKind::kConstantOutput:
      return "constant_output";
    case WarningKind::kSaturatedOutput:
      return "saturated_output";
    case WarningKind::kVanishingChannels:
      return "vanishing_channels";
    case WarningKind::kDominantPort:
      return "dominant_port";
  }
  throw InternalError("unknown WarningKind");
}

std::string warnings_text(const std::vector<Warning>& warnings) {
  std::string text;
  for (const Warning& warning : warnings) text += fmt::format("  warning  {}\n", warning.text);
  return text;
}

nlohmann::ordered_json warnings_json(const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const Warning& warning : warnings) {
    list.push_back({{"kind", name(warning.kind)},
                    {"number", warning.number < 0 ? Json() : Json(warning.number)},
                    {"layer", warning.layer},
                    {"text", warning.text}});
  }
  return list;
}

}  // namespace thimble
