// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/target/size.h"
#include "thimble/target/target.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

// The smallest boards that would do.
std::string larger_boards(const Shortage& shortage) {
  constexpr size_t kShown = 3;
  std::vector<Target> enough = builtin_targets();
  std::erase_if(enough, [&](const Target& device) {
    return device.largest_sram_run_bytes() < shortage.arena_bytes ||
           device.flash_bytes < std::max<int64_t>(shortage.flash_bytes, 1);
  });
  std::stable_sort(enough.begin(), enough.end(), [](const Target& a, const Target& b) {
    return a.largest_sram_run_bytes() < b.largest_sram_run_bytes();
  });
  std::string text;
  for (size_t k = 0; k < std::min(kShown, enough.size()); ++k)
    text += (k == 0 ? "" : ", ") + enough[k].name;
  return enough.size() > kShown ? text + ", ... (see `thimble devices`)" : text;
}

std::string verdict(int64_t arena_bytes, std::optional<int64_t> limit_bytes) {
  if (!limit_bytes) return "";
  return arena_bytes <= *limit_bytes
             ? ", fits"
             : fmt::format(", {} too many", human_size(arena_bytes - *limit_bytes));
}

}  // namespace

std::string alternatives_text(const std::vector<Alternative>& alternatives,
                              std::optional<int64_t> sram_limit_bytes) {
  std::string text;
  for (const Alternative& other : alternatives) {
    const std::string time = other.instructions > 0
                                 ? fmt::format(", {:.3f} M instructions", other.instructions / 1e6)
                                 : "";  // no latency model
    text += fmt::format("  - {}: {}{}{}\n", other.options, human_size(other.arena_bytes), time,
                        verdict(other.arena_bytes, sram_limit_bytes));
  }
  return text;
}

Json alternatives_json(const std::vector<Alternative>& alternatives,
                       std::optional<int64_t> sram_limit_bytes) {
  Json json = Json::array();
  for (const Alternative& other : alternatives) {
    json.push_back(
        {{"options", other.options},
         {"arena_bytes", other.arena_bytes},
         {"estimated_instructions",
          other.instructions > 0 ? Json(std::llround(other.instructions)) : Json()},
         {"fits", sram_limit_bytes ? Json(other.arena_bytes <= *sram_limit_bytes) : Json()}});
  }
  return json;
}

std::string advice(const Shortage& shortage, const std::vector<Alternative>& alternatives) {
  std::string text = alternatives_text(alternatives, shortage.sram_limit_bytes);
  if (!shortage.fits_sram)
    text += "  - a smaller input resolution or fewer channels at the peak's operator\n";
  if (!shortage.fits_sram || !shortage.fits_flash) {
    const std::string boards = larger_boards(shortage);
    if (!boards.empty()) text += fmt::format("  - a board with enough memory: {}\n", boards);
  }
  if (!shortage.fits_flash) text += "  - fewer or smaller layers: weights are most of the flash\n";
  return text.empty() ? "" : "what to try:\n" + text;
}

}  // namespace thimble
