// SPDX-License-Identifier: Apache-2.0
// The whole path behind one function.
#include "thimble/driver/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/large_network.h"
#include "thimble/driver/reports.h"
#include "thimble/export/tflite.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/sha256.h"
#include "thimble/import/temporary.h"
#include "thimble/target/device.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Compiled compiled(const Request& request) { return std::get<Compiled>(compile(request)); }

std::vector<std::string> texts(const Compiled& compiled) {
  std::vector<std::string> result;
  for (const EmittedFile& file : compiled.files) result.push_back(file.path + file.text);
  return result;
}

TEST(Driver, TakesAFileItsBytesANameAndANetwork) {
  const Temporary folder(Temporary::Kind::kFolder, std::filesystem::temp_directory_path());
  const std::string file = (folder.path() / "demo.tflite").string();
  write_tflite(build_zoo("demo"), file);
  const Bytes bytes = read_file(file, 1 << 20);
  const Compiled of_file = compiled({.model = file, .emission = Emission{}});
  const Compiled of_bytes = compiled({.model = ModelBytes{"demo", bytes}, .emission = Emission{}});
  EXPECT_EQ(of_file.sha256, sha256(bytes));
  EXPECT_EQ(of_bytes.where, "demo");
  EXPECT_EQ(texts(of_file), texts(of_bytes));
  const int64_t arena_bytes = of_file.plan.placement.arena_bytes();
  EXPECT_EQ(compiled({.model = "zoo:demo"}).plan.placement.arena_bytes(), arena_bytes);
  EXPECT_EQ(compiled({.model = source_of(build_zoo("demo"))}).plan.placement.arena_bytes(),
            arena_bytes);
}

TEST(Driver, HoldsWeightsAsFlashHasRoom) {
  Request request{.model = "zoo:demo", .target = generic_target("cortex-m4")};
  request.planner = "original";
  request.sram_bytes = 1 << 20;
  const auto result = [&](std::optional<Weights> weights, std::optional<int64_t> flash) {
    request.weights = weights;
    request.flash_bytes = flash;
    return compiled(request);
  };
  const auto bytes = [&](std::optional<Weights> weights, std::optional<int64_t> flash) {
    return result(weights, flash).cost.weight_bytes;
  };
  const Compiled fast = result({}, {}), compact = result(Weights::kCompact, {});
  const Compiled least = result(Weights::kLeast, {});
  EXPECT_LT(compact.cost.weight_bytes, fast.cost.weight_bytes);
  EXPECT_LT(least.cost.weight_bytes, compact.cost.weight_bytes);
  const int64_t all = fast.verdict.flash_bytes();  // code, too
  EXPECT_EQ(bytes({}, all), fast.cost.weight_bytes);
  const Compiled mixed = result({}, all - 1);
  EXPECT_TRUE(mixed.fits());
  EXPECT_LT(mixed.cost.weight_bytes, fast.cost.weight_bytes);
  EXPECT_GT(mixed.cost.weight_bytes, compact.cost.weight_bytes);
  EXPECT_LT(bytes({}, compact.verdict.flash_bytes() - 1), compact.cost.weight_bytes);
  EXPECT_EQ(bytes(Weights::kFast, all - 1), fast.cost.weight_bytes)
      << "as asked for, whether it fits or not";
}

TEST(Driver, FollowsEstimatesWhereTheyClearlySpeakAgainstTheTablesOrder) {
  Request request{.model = "zoo:resnet8", .target = generic_target("cortex-m4")};
  request.planner = "stream";
  const Compiled result = compiled(request);
  // Rows of few pixels: widening windows for the pairs' kernel, the table's first, takes longer.
  int others = 0;
  for (const KernelChoice& choice : kernel_choices(result)) {
    if (info(choice.taken.kernel).name != std::string_view("conv_2d_1x1_dsp")) continue;
    others += info(choice.runner_up->kernel).name == std::string_view("conv_2d_pairs_dsp");
    EXPECT_LT(choice.taken.instructions, choice.runner_up->instructions);
  }
  EXPECT_GT(others, 0);
}

TEST(Driver, ExplainsScratchAsStepsHaveIt) {
  const Compiled result = compiled({.model = "zoo:demo", .target = generic_target("cortex-m4")});
  int with = 0;
  for (const KernelChoice& choice : kernel_choices(result)) {
    int64_t bytes = 0;
    for (const PlacedBuffer& buffer : result.program.buffers) {
      const bool lives = buffer.live.begin <= choice.position && choice.position < buffer.live.end;
      if (lives && !buffer.tensor.valid() && buffer.constant < 0) bytes += buffer.size_bytes;
    }
    EXPECT_EQ(choice.taken.scratch_bytes, bytes) << "step " << choice.position;
    with += bytes > 0;
  }
  EXPECT_GT(with, 0);
}

TEST(Driver, EmitsFilesOnlyIfAskedTo) {
  EXPECT_THAT(compiled({.model = "zoo:demo"}).files, ::testing::IsEmpty());
  const Compiled result =
      compiled({.model = "zoo:demo", .emission = Emission{.name = "my net", .command = "me"}});
  ASSERT_FALSE(result.files.empty());
  EXPECT_EQ(result.files[0].path, "my_net.h");
  EXPECT_THAT(result.files[0].text, HasSubstr("me"));
}

TEST(Driver, AnswersWhatDoesNotFit) {
  const Answer answer = compile({.model = "zoo:demo", .sram_bytes = 1000, .planner = "patch"});
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer));
  EXPECT_GT(std::get<Infeasible>(answer).lower_bound_bytes, 1000);
  const Compiled larger =
      compiled({.model = "zoo:demo", .sram_bytes = 9000, .planner = "original"});
  EXPECT_FALSE(larger.fits());
  EXPECT_TRUE(compiled({.model = "zoo:demo", .sram_bytes = 1 << 20}).fits());
  EXPECT_FALSE(compiled({.model = "zoo:demo", .flash_bytes = 36'000}).fits());
  const Answer no = compile({.model = "zoo:demo", .flash_bytes = 1 << 10});
  ASSERT_TRUE(std::holds_alternative<Infeasible>(no));
  EXPECT_GT(std::get<Infeasible>(no).flash_lower_bound_bytes, 1 << 10);
}

TEST(Driver, TakesTheTargetsMemoriesAsLimits) {
  Request request{.model = "zoo:demo"};
  EXPECT_EQ(request.sram_limit_bytes(), std::nullopt);
  request.target = find_target("nucleo-f446re");
  EXPECT_EQ(request.sram_limit_bytes(), 128 * 1024);
  EXPECT_EQ(compiled(request).flash_limit_bytes, 512 * 1024);
  request.sram_bytes = 5;
  EXPECT_EQ(request.sram_limit_bytes(), 5);
}

TEST(Driver, ThrowsTheInputsFaults) {
  EXPECT_THROW((void)compile({.model = "no such file.tflite"}), CompileError);
  EXPECT_THROW((void)compile({.model = "zoo:demo", .planner = "none"}), CompileError);
  EXPECT_THROW((void)compile({.model = ModelBytes{"bytes", Bytes(100, 7)}}), CompileError);
  EXPECT_THROW((void)compile({.model = "zoo:demo", .graph = {.max_bytes = 10}}), CompileError);
}

std::vector<Phase> phases_of(Request request) {
  std::vector<Phase> seen;
  request.progress = [&](Phase phase) {
    if (seen.empty() || seen.back() != phase) seen.push_back(phase);
    return true;
  };
  (void)compile(request);
  return seen;
}

TEST(Driver, TellsWhichPhaseItIsIn) {
  EXPECT_THAT(phases_of({.model = "zoo:demo", .emission = Emission{}}),
              ElementsAre(Phase::kReading, Phase::kPlanning, Phase::kPlacing, Phase::kVerifying,
                          Phase::kEmitting));
}

TEST(Driver, IsCancelledAtEachPhase) {
  for (const Phase last :
       {Phase::kReading, Phase::kPlanning, Phase::kPlacing, Phase::kVerifying, Phase::kEmitting}) {
    int after = 0;
    const Answer answer =
        compile({.model = "zoo:demo", .emission = Emission{}, .progress = [&](Phase phase) {
                   after += phase > last ? 1 : 0;
                   return phase != last;
                 }});
    ASSERT_TRUE(std::holds_alternative<Cancelled>(answer)) << name(last);
    EXPECT_EQ(std::get<Cancelled>(answer).phase, last);
    EXPECT_EQ(after, 0) << name(last);
  }
}

// Asked again while the search runs: the first question, at the begin of the phase, was answered.
TEST(Driver, CancellationReachesSearches) {
  const Source source{testing::large_network(testing::Form::kWide, 3000), "wide", ""};
  int asked = 0;
  const Answer answer =
      compile({.model = source, .planner = "reorder", .progress = [&](Phase phase) {
                 return phase != Phase::kPlanning || ++asked < 2;
               }});
  ASSERT_TRUE(std::holds_alternative<Cancelled>(answer));
  EXPECT_EQ(std::get<Cancelled>(answer).phase, Phase::kPlanning);
  EXPECT_EQ(asked, 2) << "nothing is asked of whoever has cancelled";
}

TEST(Driver, ATimeLimitIsANoteAndNoCancellation) {
  const Source source{testing::large_network(testing::Form::kWide, 3000), "wide", ""};
  const Compiled result =
      compiled({.model = source, .planner = "reorder", .time_limit_seconds = 0.001});
  EXPECT_EQ(result.notes.back(), Note(note::TimeLimitStruck{0.001}));
}

TEST(Driver, SameRequestSameBytes) {
  const Request request{.model = "zoo:demo", .emission = Emission{}};
  EXPECT_EQ(texts(compiled(request)), texts(compiled(request)));
}

}  // namespace
}  // namespace thimble
