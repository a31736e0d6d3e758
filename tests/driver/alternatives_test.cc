// SPDX-License-Identifier: Apache-2.0
// What would help: every figure is what compiling with these options gives.
#include "thimble/driver/alternatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"

namespace thimble {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const Alternative* find(const std::vector<Alternative>& tried, const std::string& options) {
  const auto found = std::ranges::find(tried, options, &Alternative::options);
  return found == tried.end() ? nullptr : &*found;
}

std::vector<Alternative> tried_for(const Request& request) {
  return alternatives(request, std::get<Compiled>(compile(request)));
}

int64_t arena_of_request(const Request& request) {
  return std::get<Compiled>(compile(request)).plan.placement.arena_bytes();
}

Request of_floats() {
  testing::TestGraph g(5);
  g.output(g.conv(g.float_input({1, 32, 32, 3}), 4, 3, 2));
  return {.model = source_of(g.graph()), .sram_bytes = 13'000};
}

TEST(Alternatives, TriesWhatIsAtThePeak) {
  const Request request = of_floats();
  const std::vector<Alternative> tried = tried_for(request);
  const Alternative *integers = find(tried, "--io-type int8"),
                    *streamed = find(tried, "--input streamed");
  ASSERT_NE(integers, nullptr);
  ASSERT_NE(streamed, nullptr);
  Request other = request;
  other.graph.int8_io = true;
  EXPECT_EQ(integers->arena_bytes, arena_of_request(other));
  other = request;
  other.ports.input = Place::kStreamed;
  EXPECT_EQ(streamed->arena_bytes, arena_of_request(other));
  EXPECT_EQ(find(tried, "--output streamed"), nullptr) << "it does not live there";
}

TEST(Alternatives, PlansPastTheLatencyLimitAreNamed) {
  Request request{.model = "zoo:ds_cnn_s"};
  const Front front = std::get<Compiled>(compile(request)).front.value();
  ASSERT_GT(front.points.size(), 1U);
  request.sram_bytes = front.points[0].arena_bytes;
  request.max_latency = (front.latency(0) + front.latency(1)) / 2;
  const std::string option = "--max-latency ";
  const std::vector<Alternative> tried = tried_for(request);
  const auto lifted = std::ranges::find_if(tried, [&](const Alternative& other) {
    return other.options.starts_with(option) && other.options.find(" --") == std::string::npos;
  });
  ASSERT_NE(lifted, tried.end());
  EXPECT_EQ(lifted->arena_bytes, front.points[0].arena_bytes);
  request.max_latency = std::stod(lifted->options.substr(option.size()));
  EXPECT_EQ(arena_of_request(request), lifted->arena_bytes) << "rounded so that it is enough";
}

TEST(Alternatives, AnotherPlannerThatFitsIsEnough) {
  const std::vector<Alternative> tried =
      tried_for({.model = "zoo:demo", .sram_bytes = 20'000, .planner = "original"});
  ASSERT_THAT(tried, SizeIs(1));
  EXPECT_EQ(tried[0].options, "--planner auto");
}

TEST(Alternatives, LimitsOfTheUsersAreLifted) {
  const std::vector<Alternative> tried =
      tried_for({.model = "zoo:demo", .sram_bytes = 6000, .max_recompute = 0});
  const Alternative* lifted = find(tried, "without --max-recompute");
  ASSERT_NE(lifted, nullptr);
  EXPECT_LE(lifted->arena_bytes, 6000);
}

TEST(Alternatives, WithoutAPlanTheBestPlannerIsTried) {
  const Request request{.model = "zoo:demo", .sram_bytes = 8000, .planner = "patch"};
  const Answer answer = compile(request);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer));
  const std::vector<Alternative> tried = alternatives(request, std::get<Infeasible>(answer));
  ASSERT_THAT(tried, SizeIs(1));
  EXPECT_EQ(tried[0].options, "--planner auto");
}

TEST(Alternatives, UnaskedOnlyFloatsAndOnlyWithoutALimit) {
  Request request = of_floats();
  const auto unasked = [&] {
    return unasked_alternatives(request, std::get<Compiled>(compile(request)));
  };
  EXPECT_THAT(unasked(), IsEmpty());
  request.sram_bytes.reset();
  EXPECT_THAT(unasked(), SizeIs(1));
  request.graph.int8_io = true;
  EXPECT_THAT(unasked(), IsEmpty());
}

TEST(Alternatives, AreCancelled) {
  Request request = of_floats();
  const Compiled compiled = std::get<Compiled>(compile(request));
  int asked = 0;
  request.progress = [&](Phase) { return ++asked > 1; };
  EXPECT_THAT(alternatives(request, compiled), IsEmpty());
  EXPECT_EQ(asked, 1) << "nothing is tried after that";
}

}  // namespace
}  // namespace thimble
