// SPDX-License-Identifier: Apache-2.0
// Words in pictures lie inside of these, and apart from one another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/report/reported_plan.h"
#include "tests/report/xml.h"
#include "thimble/report/front_words.h"
#include "thimble/report/rectangle_label.h"

namespace thimble::testing {
namespace {

constexpr double kCapitals = 0.75;     // height of letters, of the font size
constexpr double kTwoDecimals = 0.02;  // of coordinates

struct Words {
  std::string text;
  Rectangle box;
};

double font_size(const std::vector<XmlElement>& elements, size_t k) {
  while (!elements[k].attributes.contains("font-size")) k = elements[k].parent;
  return std::stod(elements[k].attributes.at("font-size"));
}

/// Where a text lies, which may be turned upwards.
Rectangle box_of(const XmlElement& text, double size) {
  const double width = text_width(text.text, size), height = kCapitals * size;
  const std::string& anchor = text.attributes.at("text-anchor");
  const double before = anchor == "end" ? width : anchor == "middle" ? width / 2 : 0;
  if (!text.attributes.contains("transform"))
    return {std::stod(text.attributes.at("x")) - before,
            std::stod(text.attributes.at("y")) - height, width, height};
  const std::regex turned(R"(translate\(([0-9.]+) ([0-9.]+)\) rotate\(-90\))");
  std::smatch at;
  EXPECT_TRUE(std::regex_match(text.attributes.at("transform"), at, turned)) << text.text;
  return {std::stod(at[1]) - height, std::stod(at[2]) - width + before, height, width};
}

void expect_words_apart(const std::string& svg) {
  const std::vector<XmlElement> elements = parse_xml(svg);
  const double width = std::stod(elements[0].attributes.at("width"));
  const double height = std::stod(elements[0].attributes.at("height"));
  std::vector<Words> all;
  for (size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name != "text") continue;
    const Words words{elements[k].text, box_of(elements[k], font_size(elements, k))};
    const Rectangle& box = words.box;
    EXPECT_TRUE(box.x > -kTwoDecimals && box.y > -kTwoDecimals &&
                box.x + box.width < width + kTwoDecimals &&
                box.y + box.height < height + kTwoDecimals)
        << words.text;
    for (const Words& other : all)
      EXPECT_FALSE(meet(box, other.box)) << words.text << " and " << other.text;
    all.push_back(words);
  }
  EXPECT_GT(all.size(), 5U);
}

TEST(PictureLabels, OfPlansLieApart) {
  for (const ReportedPlan& plan :
       {placed(channel_loop()), placed(row_span()), placed(several_memories()),
        planned("demo", "reorder"), planned("nasnet_a_mobile", "original")})
    expect_words_apart(plan_svg(plan.report()));
}

// Plans that lie as near to one another as they may.
TEST(PictureLabels, OfFrontsLieApart) {
  Front front{.points = {}, .core = "cortex-m4"};
  for (int k = 0; k < 40; ++k) front.points.push_back({4096 + 64 * k, 10e6 - 1000.0 * k, 0});
  for (const std::optional<int64_t> limit : {std::optional<int64_t>(), std::optional<int64_t>(5000),
                                             std::optional<int64_t>(1'000'000)}) {
    front.sram_limit_bytes = limit;
    front.clock_hz = 64'000'000;
    expect_words_apart(front_svg(front, "a_model.tflite"));
  }
  front.points.resize(1);
  expect_words_apart(front_svg(front, "a_model.tflite"));
}

}  // namespace
}  // namespace thimble::testing
