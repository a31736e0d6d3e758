// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/weight_formats_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/model/error.h"
#include "thimble/target/size.h"

namespace thimble {

const char* name(Weights weights) {
  switch (weights) {
    case Weights::kWide:
      return "wide";
    case Weights::kFast:
      return "fast";
    case Weights::kCompact:
      return "compact";
    case Weights::kLeast:
      return "least";
  }
  throw InternalError("unknown Weights");
}

std::string weight_formats_text(const std::vector<WeightFormat>& formats) {
  if (formats.size() < 2) return "";
  std::string text;
  for (size_t k = 0; k < formats.size(); ++k) {
    const WeightFormat& format = formats[k];
    text += fmt::format(
        "{}{}: {} of flash", k == 0 ? "" : "; ",
        format.weights ? fmt::format("--weights {}", name(*format.weights)) : "each operator's own",
        human_size(format.flash_bytes));
    if (format.instructions > 0) text += fmt::format(", {:.3f} M", format.instructions / 1e6);
    if (k == 0) text += " (taken)";
  }
  return text;
}

nlohmann::ordered_json weight_formats_json(const std::vector<WeightFormat>& formats) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const WeightFormat& format : formats) {
    json.push_back({{"weights", format.weights ? name(*format.weights) : "mixed"},
                    {"flash_bytes", format.flash_bytes},
                    {"estimated_instructions", std::llround(format.instructions)}});
  }
  return json;
}

}  // namespace thimble
