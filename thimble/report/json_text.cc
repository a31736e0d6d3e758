// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/json_text.h"

#include <nlohmann/json.hpp>

namespace thimble {

using Json = nlohmann::ordered_json;

std::string json_text(const char* report, const Json& fields) {
  Json json = {{kReportField, report}};
  json.update(fields);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_field(const Json& json) {
  if (json.is_null()) return "";
  return json.is_string() ? json.get<std::string>() : json.dump();
}

}  // namespace thimble
