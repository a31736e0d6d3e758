// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "thimble/report/tensor_text.h"
#include "thimble/report/xml_text.h"

namespace thimble {

std::string title_text(const std::string& model) {
  return display_name(model.substr(model.find_last_of('/') + 1));
}

std::string svg_page(double width, double height, const std::string& body) {
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
             "font-size=\"{2}\" fill=\"#1f2733\">\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             std::ceil(width), std::ceil(height), kSvgFont) +
         body + "</svg>\n";
}

std::string svg_text(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     xml_text(text));
}

std::string upright_svg_text(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(
      "<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" text-anchor=\"{}\">{}</text>\n", x,
      y, anchor, xml_text(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"{}/>\n", x1, y1,
                     x2, y2, attributes);
}

}  // namespace thimble
