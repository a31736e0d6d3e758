// SPDX-License-Identifier: Apache-2.0
// `thimble plan` as text, and the words that it is made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/reported_plan.h"
#include "tests/support/test_graph.h"
#include "thimble/report/schedule_words.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Live bytes: 4,056 of x, 16,224 of accumulators, 169 a slice; y takes the accumulators' bytes, z
// those of y. MACs: 169 x (2 x 24 x 144 + 9 x 144). Steps: 3 x 144 + 2.
TEST(PlanText, ChannelLoopAsATree) {
  EXPECT_EQ(plan_text(placed(channel_loop()).report()),
            R"(model (planner by hand)
  arena  20.1 KiB (20,618 B), layout proven optimal
  peak   20.1 KiB (20,618 B) at step 1 (DEPTHWISE_CONV_2D #1), where these live:
    @    16,224         4.0 KiB (4,056 B)  int8 1x13x13x24 't0'
    @    20,280                     169 B  int8 1x13x13x1 't3'
    @    20,449                     169 B  int8 1x13x13x1 't6'
    @         0       15.8 KiB (16,224 B)  int32 1x13x13x24 sums of 't9'
  hint   the input 't0' is 4.0 KiB (4,056 B) of the peak: elsewhere with --input user, or --input streamed
  work   5 steps in 1 loop, 434 executed; 1.387 M MAC

step    live  executes                             computes    reads  writes  tensor
              loop i0 < 144 (steps 0 to 2)
   0  20,449  | CONV_2D #0                         channel i0  b0     b1      t3
   1  20,618  | DEPTHWISE_CONV_2D #1               channel i0  b1     b2      t6
   2  20,449  | CONV_2D #2, adds input channel i0  all         b2     b3      t9
   3  20,280  CONV_2D #2, finalises                all         b3     b4      t9
   4   8,112  ADD #3                               all         b0 b4  b5      t10

buffer  kind          holds       extents     type    bytes    life  address  may lie over  tensor
b0      whole         all         1x13x13x24  int8    4,056  [0, 5)   16,224                t0
b1      slice         channel i0  1x13x13x1   int8      169  [0, 2)   20,280                t3
b2      slice         channel i0  1x13x13x1   int8      169  [1, 3)   20,449                t6
b3      accumulators  all         1x13x13x24  int32  16,224  [0, 4)        0                t9
b4      whole         all         1x13x13x24  int8    4,056  [3, 5)        0  b3            t9
b5      whole         all         1x13x13x24  int8    4,056  [4, 5)        0  b4            t10
)");
}

TEST(PlanText, ShowsEstimatesPerStepAndInTotal) {
  const ReportedPlan plan = placed(channel_loop());
  PlanReport report = plan.report();
  report.estimate = {
      .core = "cortex-m7",
      .clock_hz = 216'000'000,
      .estimate = {
          .instructions = 4.32e6, .steps = {1'234'567, 20, 300, 4'000}, .left_out = {"add"}}};
  const std::string text = plan_text(report);
  EXPECT_THAT(text, HasSubstr("  time   4.320 M instructions on cortex-m7 (estimated); 20.0 ms at "
                              "216 MHz if each takes a cycle; without add\n"));
  EXPECT_THAT(text, HasSubstr("step    live  instructions  executes"));
  EXPECT_THAT(text, HasSubstr("\n   0  20,449     1,234,567  | CONV_2D #0  "));
  EXPECT_THAT(text, HasSubstr("\n   4   8,112             0  ADD #3  ")) << "left out";
  report.estimate->clock_hz = 0;
  EXPECT_THAT(plan_text(report), Not(HasSubstr(" MHz")));
}

TEST(PlanText, RowSpanShowsRowsAndRings) {
  const std::string text = plan_text(placed(row_span()).report());
  EXPECT_THAT(text, HasSubstr("| DEPTHWISE_CONV_2D #1       row i0 - 1  b1     b2      t6\n"));
  EXPECT_THAT(text, HasSubstr("b1      ring   ring of 3 rows  1x3x12x16"));
  EXPECT_THAT(text, HasSubstr("b2      ring   ring of 1 row   1x1x12x16"));
}

TEST(PlanText, InPlaceShowsItsScratch) {
  TestGraph g(3);
  g.output(g.depthwise(g.input({1, 8, 8, 4}), 3, 1));
  EXPECT_THAT(plan_text(planned(g.graph(), "reorder").report()),
              HasSubstr("DEPTHWISE_CONV_2D #0, in place  all       b0     b1 (scratch b2)  "));
}

TEST(PlanText, LoopsInLoopsAreNested) {
  HandWritten written = channel_loop();
  Loop inner = std::get<Loop>(written.schedule.nodes[0].what);
  inner.id = {1};
  written.schedule.nodes[0] = {Loop{{0}, 1, {{inner}}}};
  written.schedule.loop_count = 2;
  const std::string text = plan_text(placed(written).report());
  EXPECT_THAT(text, HasSubstr("  loop i0 < 1 (steps 0 to 2)\n"));
  EXPECT_THAT(text, HasSubstr("  | loop i1 < 144 (steps 0 to 2)\n"));
  EXPECT_THAT(text, HasSubstr("  | | CONV_2D #0 "));
  EXPECT_EQ(loop_extents(written.schedule),
            (std::vector<LoopExtent>{{{0}, 1, {0, 3}, 0}, {{1}, 144, {0, 3}, 1}}));
}

TEST(PlanText, LimitsThatAreNotMetAreSaid) {
  const ReportedPlan plan = placed(channel_loop());
  PlanReport report = plan.report();
  EXPECT_TRUE(report.fits());
  EXPECT_THAT(plan_text(report), Not(HasSubstr("fit")));
  EXPECT_THAT(plan_text(report), Not(HasSubstr("what to try")));
  report.verdict = {.arena_bytes = 20'618, .sram_limit_bytes = 20'618};
  EXPECT_TRUE(report.fits());
  EXPECT_THAT(plan_text(report),
              HasSubstr("\nfits: 0 B of SRAM left of 20.1 KiB (20,618 B) (arena"));
  report.verdict.sram_limit_bytes = report.sram_limit_bytes = 20'617;
  EXPECT_FALSE(report.fits());
  EXPECT_THAT(plan_text(report),
              HasSubstr("\ndoes not fit: 1 B more SRAM needed than the 20.1 KiB"));
  report.alternatives = {
      {.options = "--input streamed", .instructions = 2e6, .sram_bytes = 1024, .fits = true}};
  EXPECT_THAT(plan_text(report),
              HasSubstr("what to try:\n  - --input streamed: SRAM 1.0 KiB (1,024 "
                        "B), flash 0 B, 2.000 M instructions: fits\n"));
  EXPECT_THAT(plan_text(report), Not(HasSubstr("  hint"))) << "there is better";
  report.verdict = {.weight_bytes = 2, .flash_limit_bytes = 1};
  EXPECT_FALSE(report.fits());
  EXPECT_THAT(plan_text(report),
              HasSubstr("does not fit: 1 B more flash needed than the 1 B there"));
}

TEST(ScheduleWords, Intervals) {
  constexpr LoopId i{0};
  const IntervalExpr two{index(i, 2, 1), index(i, 2, 3)}, one{index(i, 2, 1), index(i, 2, 2)};
  EXPECT_EQ(interval_text(two, 1, 4), "rows [2 * i0 + 1, 2 * i0 + 3)");
  EXPECT_EQ(interval_text(one, 1, 4), "row 2 * i0 + 1");
  EXPECT_EQ(interval_text(one, 1, 2), "axis 1 [2 * i0 + 1, 2 * i0 + 2)");
  const IntervalExpr halves{{1, {{i, 1}}, 2}, {3, {{i, 1}}, 2}};
  EXPECT_EQ(interval_text(halves, 2, 4), "column floor_div(i0 + 1, 2)");
}

TEST(ScheduleWords, RegionsLeaveOutWholeAxes) {
  const Shape shape = {1, 8, 8, 4};
  RegionExpr region = region_expr(whole(shape));
  EXPECT_EQ(region_text(region, shape), "all");
  region[1] = {index(0), index(3)};
  region[3] = {index(LoopId{0}, 2), index(LoopId{0}, 2, 2)};
  EXPECT_EQ(region_text(region, shape), "rows [0, 3), channels [2 * i0, 2 * i0 + 2)");
}

TEST(PlanText, SeveralMemoriesHaveALineEach) {
  const std::string text = plan_text(placed(several_memories()).report());
  EXPECT_THAT(text,
              HasSubstr("  arena  1.0 KiB (1,024 B), layout proven optimal\n"
                        "  peak   1.0 KiB (1,024 B) at step 2 (DEPTHWISE_CONV_2D #1), where"));
  EXPECT_THAT(text, HasSubstr("  sram2  1.0 KiB (1,024 B) of 1.0 KiB (1,024 B), layout proven"));
  EXPECT_THAT(text, HasSubstr("  psram  1.0 KiB (1,024 B) of 8.0 MiB (8,388,608 B), layout"));
  EXPECT_THAT(text, HasSubstr("  [0, 5)  psram 0 "));
  EXPECT_THAT(text, HasSubstr("  [3, 5)  sram2 0 "));
}

TEST(ScheduleWords, HeldParts) {
  const HandWritten written = channel_loop();
  const Graph& graph = written.graph;
  Buffer buffer = whole_buffer(graph, written.schedule.buffers[0].tensor);
  EXPECT_EQ(held_text(graph, buffer), "all");
  buffer.order = {0, 3, 1, 2};
  EXPECT_EQ(held_text(graph, buffer), "all, axes as 0 3 1 2");
  buffer.order = {};
  buffer.wrap = Wrap{2, 10};
  buffer.extents[3] = 8;
  buffer.origin[3] = index(LoopId{0}, 8);
  EXPECT_EQ(held_text(graph, buffer), "ring of 10 pixels, channels [8 * i0, 8 * i0 + 8)");
  EXPECT_EQ(held_text(graph, Buffer{.extents = {64}}), "");
}

}  // namespace
}  // namespace thimble::testing
