// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/html_page.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"

namespace thimble {

#if THIMBLE_HTML
std::span<const EmbeddedFile> page_files();  // web/report/bundle.mjs made it
#endif

namespace {

constexpr std::string_view kPlaceOfReport = "THIMBLE_REPORT";

std::string_view page_template() {
#if THIMBLE_HTML
  return page_files()[0].text;
#else
  return {};
#endif
}

// JSON in a <script> may have neither "</script" nor "<!--"; ASCII needs no encoding to be known.
std::string for_script(const std::string& report) {
  const std::string text = nlohmann::ordered_json::parse(report).dump(-1, ' ', true);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

bool has_html_page() { return !page_template().empty(); }

std::string html_page(const std::string& report) {
  const std::string_view page = page_template();
  const size_t place = page.find(kPlaceOfReport);
  check(place != std::string_view::npos, "the page has no place for a report");
  return std::string(page.substr(0, place)) + for_script(report) +
         std::string(page.substr(place + kPlaceOfReport.size()));
}

}  // namespace thimble
