// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/target/size.h"

namespace thimble {

using Json = nlohmann::ordered_json;

std::string alternatives_text(const std::vector<Alternative>& alternatives) {
  std::string text;
  for (const Alternative& other : alternatives) {
    const std::string time = other.instructions > 0
                                 ? fmt::format(", {:.3f} M instructions", other.instructions / 1e6)
                                 : "";  // no latency model
    text += fmt::format("  - {}: SRAM {}, flash {}{}{}\n", other.options,
                        human_size(other.sram_bytes), human_size(other.flash_bytes), time,
                        other.fits.value_or(false) ? ": fits" : "");
  }
  return text;
}

Json alternatives_json(const std::vector<Alternative>& alternatives) {
  Json json = Json::array();
  for (const Alternative& other : alternatives) {
    json.push_back({{"options", other.options},
                    {"arena_bytes", other.arena_bytes},
                    {"sram_bytes", other.sram_bytes},
                    {"flash_bytes", other.flash_bytes},
                    {"estimated_instructions",
                     other.instructions > 0 ? Json(std::llround(other.instructions)) : Json()},
                    {"fits", other.fits ? Json(*other.fits) : Json()}});
  }
  return json;
}

std::string advice(const Shortage& shortage, const std::vector<Alternative>& alternatives) {
  std::string text = alternatives_text(alternatives);
  const auto smaller = [](const Alternative& a) {
    return a.options.find("--shape") != a.options.npos;
  };
  if (std::ranges::any_of(alternatives, smaller))
    text += "    (--shape is another network, to be trained for its input)\n";
  if (!shortage.fits_sram)
    text += "  - a smaller input resolution or fewer channels at the peak's operator\n";
  if (!shortage.fits_flash) text += "  - fewer or smaller layers: weights are most of the flash\n";
  return text.empty() ? "" : "what to try:\n" + text;
}

}  // namespace thimble
