// SPDX-License-Identifier: Apache-2.0
// The picture of a plan: well-formed whatever names say, and its rectangles lie where the bytes do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/report/reported_plan.h"
#include "tests/report/xml.h"
#include "thimble/report/rectangle_label.h"

namespace thimble::testing {
namespace {

using ::testing::Contains;
using ::testing::Eq;

constexpr double kRounding = 0.02;  // coordinates have two decimals

struct Drawn {
  std::string id, title;
  Rectangle box;
};

double number(const XmlElement& element, const char* key) {
  return std::stod(element.attributes.at(key));
}

// Rectangles of a class, by their number in the schedule.
std::vector<Drawn> drawn(const std::vector<XmlElement>& elements, const std::string& what) {
  std::vector<Drawn> result;
  for (size_t k = 0; k < elements.size(); ++k) {
    const XmlElement& e = elements[k];
    if (!e.attributes.contains("class") || e.attributes.at("class") != what) continue;
    EXPECT_EQ(elements.at(k + 1).name, "title");
    EXPECT_EQ(elements.at(k + 1).parent, k);
    result.push_back({e.attributes.contains("id") ? e.attributes.at("id") : "",
                      elements[k + 1].text,
                      {number(e, "x"), number(e, "y"), number(e, "width"), number(e, "height")}});
  }
  std::sort(result.begin(), result.end(), [](const Drawn& a, const Drawn& b) {
    return a.id.size() != b.id.size() ? a.id.size() < b.id.size() : a.id < b.id;
  });
  return result;
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x + kRounding < b.x + b.width && b.x + kRounding < a.x + a.width &&
         a.y + kRounding < b.y + b.height && b.y + kRounding < a.y + a.height;
}

void expect_inside(const Rectangle& inner, const Rectangle& outer) {
  EXPECT_GE(inner.x, outer.x - kRounding);
  EXPECT_GE(inner.y, outer.y - kRounding);
  EXPECT_LE(inner.x + inner.width, outer.x + outer.width + kRounding);
  EXPECT_LE(inner.y + inner.height, outer.y + outer.height + kRounding);
}

void expect_rectangles_are_right(const ReportedPlan& plan) {
  const auto elements = parse_xml(plan_svg(plan.report()));
  const Rectangle canvas{0, 0, number(elements[0], "width"), number(elements[0], "height")};
  const std::vector<Drawn> buffers = drawn(elements, "buffer");
  const Schedule& schedule = plan.plan.schedule;
  ASSERT_EQ(buffers.size(), schedule.buffers.size());
  for (const Drawn& loop : drawn(elements, "loop")) expect_inside(loop.box, canvas);
  const auto shares = [&](size_t a, size_t b) {
    return std::any_of(schedule.shares.begin(), schedule.shares.end(), [&](const Share& share) {
      return std::minmax(share.out.index(), share.in.index()) == std::minmax(a, b);
    });
  };
  for (size_t a = 0; a < buffers.size(); ++a) {
    EXPECT_EQ(buffers[a].id, "b" + std::to_string(a));
    EXPECT_TRUE(buffers[a].title.starts_with(buffers[a].id + " "));
    expect_inside(buffers[a].box, canvas);
    for (size_t b = 0; b < a; ++b) {
      EXPECT_TRUE(shares(a, b) || !overlap(buffers[a].box, buffers[b].box)) << a << " and " << b;
    }
  }
}

TEST(PlanSvg, RectanglesAreInsideAndApart) {
  expect_rectangles_are_right(placed(channel_loop()));
  expect_rectangles_are_right(placed(row_span()));
  expect_rectangles_are_right(planned("demo", "reorder"));
  expect_rectangles_are_right(planned("nasnet_a_mobile", "original"));
}

// Steps 0 to 4 of arena bytes 0 to 20,618; addresses grow upwards.
TEST(PlanSvg, CoordinatesFollowLivesAndAddresses) {
  const ReportedPlan plan = placed(channel_loop());
  const std::vector<Drawn> b = drawn(parse_xml(plan_svg(plan.report())), "buffer");
  const double step = b[0].box.width / 5;
  const double scale = b[3].box.height / 16'224;
  const double left = b[0].box.x, ground = b[3].box.y + b[3].box.height;
  const std::vector<LiveRange> lives = live_ranges(plan.plan.schedule);
  for (size_t k = 0; k < b.size(); ++k) {
    const double address = static_cast<double>(plan.plan.placement.addresses[k]);
    const double size = static_cast<double>(plan.plan.schedule.buffers[k].size_bytes());
    EXPECT_NEAR(b[k].box.x, left + step * lives[k].begin, kRounding);
    EXPECT_NEAR(b[k].box.width, step * (lives[k].end - lives[k].begin), kRounding);
    EXPECT_NEAR(b[k].box.y + b[k].box.height, ground - scale * address, kRounding);
    EXPECT_NEAR(b[k].box.height, scale * size, kRounding);
  }
}

// Arena, sram2 and psram have 1,024 B each: a third of the height.
TEST(PlanSvg, MemoriesLieOneAboveTheOther) {
  const auto elements = parse_xml(plan_svg(placed(several_memories()).report()));
  const std::vector<Drawn> drawn_buffers = drawn(elements, "buffer");
  std::map<std::string, Rectangle> box;
  for (const Drawn& buffer : drawn_buffers) box[buffer.id] = buffer.box;
  ASSERT_EQ(box.size(), 4U);  // those of the caller's and the stream are not there
  EXPECT_NEAR(box["b3"].y + box["b3"].height, box["b1"].y + box["b1"].height, kRounding);
  EXPECT_NEAR(box["b4"].y + box["b4"].height, box["b3"].y, kRounding);
  EXPECT_NEAR(box["b2"].y + box["b2"].height, box["b4"].y, kRounding);
  std::vector<std::string> texts;
  for (const XmlElement& e : elements) texts.push_back(e.text);
  for (const char* text : {"arena 1,024 B", "sram2 1,024 B", "psram 1,024 B"})
    EXPECT_THAT(texts, Contains(Eq(text)));
}

TEST(PlanSvg, LoopsSpanTheirSteps) {
  const auto elements = parse_xml(plan_svg(placed(channel_loop()).report()));
  const std::vector<Drawn> loops = drawn(elements, "loop"), buffers = drawn(elements, "buffer");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].title, "loop i0 < 144, steps [0, 3)");
  EXPECT_DOUBLE_EQ(loops[0].box.x, buffers[0].box.x);
  EXPECT_NEAR(loops[0].box.width, buffers[0].box.width * 3 / 5, kRounding);
}

TEST(PlanSvg, LabelsSayNameAndBytes) {
  const auto elements = parse_xml(plan_svg(placed(channel_loop()).report()));
  std::vector<std::string> texts;
  for (const XmlElement& e : elements) texts.push_back(e.text);
  for (const char* text : {"t0", "4,056 B", "t9", "16,224 B", "i0 < 144", "accumulators",
                           "address in the arena (bytes)",
                           "steps in their order, each as wide; of a loop one iteration"}) {
    EXPECT_THAT(texts, Contains(Eq(text)));
  }
}

TEST(PlanSvg, HostileNamesStayText) {
  ReportedPlan plan = placed(channel_loop());
  plan.graph.tensors[0].name = "</title><script>alert('&')</script>\"";
  plan.graph.tensors[3].name = std::string("\xFF\xC0\x80 \0]]>", 7);
  PlanReport report = plan.report();
  report.model = "<m>&\x1B";
  const auto elements = parse_xml(plan_svg(report));
  EXPECT_TRUE(std::none_of(elements.begin(), elements.end(),
                           [](const XmlElement& e) { return e.name == "script"; }));
  EXPECT_THAT(drawn(elements, "buffer")[0].title,
              ::testing::HasSubstr("</title><script>alert('&'"));
}

TEST(PlanSvg, NetworkWithoutStepsIsDrawn) {
  ReportedPlan plan = placed(channel_loop());
  plan.plan.schedule = {
      .nodes = {}, .buffers = {plan.plan.schedule.buffers[0]}, .inputs = {{0}}, .outputs = {{0}}};
  plan.plan.placement = place(plan.graph, plan.plan.schedule, {});
  expect_rectangles_are_right(plan);
}

TEST(RectangleLabel, TakesTheMostThatFits) {
  const auto lines = [](double width, double height) {
    return fit_label({0, 0, width, height}, "conv_2d", "4,056 B", "b1", 10).lines;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines(60, 30), (Lines{"conv_2d", "4,056 B"}));
  EXPECT_EQ(lines(120, 13), (Lines{"conv_2d, 4,056 B"}));
  EXPECT_EQ(lines(13, 120), (Lines{"conv_2d, 4,056 B"}));
  EXPECT_EQ(lines(50, 13), (Lines{"conv_2d"}));
  EXPECT_EQ(lines(20, 13), (Lines{"b1"}));
  EXPECT_EQ(lines(20, 5), Lines{});
  EXPECT_TRUE(fit_label({0, 0, 13, 120}, "conv_2d", "4,056 B", "b1", 10).upright);
}

}  // namespace
}  // namespace thimble::testing
