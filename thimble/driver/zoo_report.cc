// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/zoo_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "zoo/zoo.h"

namespace thimble {

std::string zoo_text() {
  size_t width = 0;
  for (const ZooEntry& entry : zoo_entries()) width = std::max(width, entry.name.size());
  std::string text;
  for (const ZooEntry& entry : zoo_entries()) {
    text += fmt::format("zoo:{:<{}}  {}\n", entry.name, width, entry.about);
    for (const ZooEntry::Parameter& p : entry.parameters)
      text += fmt::format("    {}={}  {}\n", p.key, p.initial, p.meaning);
  }
  return text;
}

std::string zoo_json() {
  using Json = nlohmann::ordered_json;
  Json networks = Json::array();
  for (const ZooEntry& entry : zoo_entries()) {
    Json parameters = Json::array();
    for (const ZooEntry::Parameter& p : entry.parameters)
      parameters.push_back({{"key", p.key}, {"initial", p.initial}, {"meaning", p.meaning}});
    networks.push_back({{"name", entry.name}, {"about", entry.about}, {"parameters", parameters}});
  }
  return json_text("zoo list", {{"networks", networks}});
}

}  // namespace thimble
