// SPDX-License-Identifier: Apache-2.0
// A report as a page for a browser: one file that loads nothing. What it shows is the report's
// JSON, which stands in it; its sources are in web/report.
#pragma once

#include <string>

namespace thimble {

/// Whether the program was built with the page (THIMBLE_HTML).
[[nodiscard]] bool has_html_page();
/// report: as json_with() gives it. Names of models and tensors stay text, whatever they are.
[[nodiscard]] std::string html_page(const std::string& report);

}  // namespace thimble
