// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/origin.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "thimble/model/error.h"
#include "thimble/report/json_text.h"
#include "thimble/report/xml_text.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::string origin_text(const Origin& origin) {
  return fmt::format("thimble {} (commit {}){}", origin.version, origin.commit,
                     origin.sha256.empty() ? "" : ", model sha256 " + origin.sha256);
}

}  // namespace

std::string json_with(const Origin& origin, const std::string& report) {
  Json fields = Json::parse(report);
  const std::string name = fields.at(kReportField);
  fields.erase(kReportField);
  Json all = {{"made_by",
               {{"version", origin.version},
                {"commit", origin.commit},
                {"command", origin.command},
                {"model_sha256", origin.sha256.empty() ? Json() : Json(origin.sha256)}}}};
  all.update(fields);
  return json_text(name.c_str(), all);
}

std::string svg_with(const Origin& origin, const std::string& svg) {
  const size_t tag = svg.find("<svg"), end = svg.find(">\n", tag);
  check(end != std::string::npos, "a picture has no frame");
  return svg.substr(0, end + 2) +
         fmt::format("<desc>{}: {}</desc>\n", xml_text(origin_text(origin)),
                     xml_text(origin.command)) +
         svg.substr(end + 2);
}

std::string markdown_with(const Origin& origin, const std::string& markdown) {
  return fmt::format("{}\nMade by {}: `{}`\n", markdown, origin_text(origin), origin.command);
}

}  // namespace thimble
