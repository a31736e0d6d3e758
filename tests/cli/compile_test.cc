// SPDX-License-Identifier: Apache-2.0
// `thimble compile` where it works, and where the model does not fit.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class Compile : public CommandLine {
 protected:
  [[nodiscard]] nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compile");
    arguments.insert(arguments.end(), {"--json", "r.json"});
    EXPECT_EQ(thimble(arguments).exit_status, 0);
    return json_of(read("r.json"));
  }
};

TEST_F(Compile, JsonHasTheKeysThatScriptsRead) {
  const nlohmann::json r = report({"zoo:demo", "--sram", "64K"});
  for (const char* key : {"model", "planner"}) EXPECT_TRUE(r.at(key).is_string()) << key;
  for (const char* key : {"fits", "layout_proven_optimal", "verified"})
    EXPECT_TRUE(r.at(key).is_boolean()) << key;
  for (const char* key :
       {"peak_bytes", "lower_bound_bytes", "arena_bytes", "macs", "recomputed_macs"})
    EXPECT_TRUE(r.at(key).is_number_integer()) << key;
  EXPECT_TRUE(r.at("device").is_null());
  EXPECT_TRUE(r.at("stack_bytes").is_null()) << "not measured";
  EXPECT_TRUE(r.at("flash").at("code_bytes").is_null()) << "not measured";
  EXPECT_TRUE(r.at("flash").at("weight_bytes").is_number_integer());
  EXPECT_FALSE(r.at("steps").empty());
  EXPECT_FALSE(r.at("buffers").empty());
  EXPECT_EQ(r.at("fits"), true);
}

TEST_F(Compile, ExplainsWhatOtherKernelsWouldCost) {
  const auto explained = [&](const char* weights) {
    return report({"zoo:demo", "--planner", "reorder", "--core", "cortex-m4", "--sram", "256K",
                   "--weights", weights, "--explain", "--force"});
  };
  const nlohmann::json fast = explained("fast"), compact = explained("compact");
  int64_t sum = 0;
  for (const nlohmann::json& step : fast.at("kernels"))
    sum += step.at("taken").at("estimated_instructions").get<int64_t>();
  const auto all = fast.at("estimate").at("instructions").get<int64_t>();
  EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(all), 0.001 * static_cast<double>(all));
  ASSERT_EQ(fast.at("kernels").size(), compact.at("kernels").size());
  int others = 0;
  for (size_t k = 0; k < fast.at("kernels").size(); ++k) {
    const nlohmann::json &a = fast.at("kernels")[k], &b = compact.at("kernels")[k];
    if (a.at("taken").at("kernel") == b.at("taken").at("kernel")) {
      for (const char* of : {"taken", "runner_up"})
        EXPECT_EQ(a.at(of), b.at(of)) << "what each would cost does not depend on what is allowed";
      continue;
    }
    ++others;
    EXPECT_LE(b.at("runner_up").at("estimated_instructions"),
              a.at("taken").at("estimated_instructions"));
    if (a.at("runner_up").at("kernel") == b.at("taken").at("kernel")) {
      EXPECT_EQ(a.at("runner_up"), b.at("taken"));
    }
  }
  EXPECT_GT(others, 5) << "convolutions";
  const std::string text = thimble({"compile", "zoo:demo", "--core", "cortex-m4", "--planner",
                                    "reorder", "--sram", "256K", "--explain"})
                               .out;
  EXPECT_THAT(text, HasSubstr("next best"));
  EXPECT_THAT(text, HasSubstr("conv_2d_pairs_compact_dsp"));
}

TEST_F(Compile, OrderOfThePapersFigure1) {
  const auto arena = [&](const char* planner) {
    return report({"zoo:reordering_figure1", "--planner", planner, "--no-in-place"})
        .at("arena_bytes");
  };
  EXPECT_EQ(arena("original"), 5216);
  EXPECT_EQ(arena("reorder"), 4960);
}

TEST_F(Compile, TooLittleSramSaysByHowMuchWhereAndWhatToTry) {
  const ProcessResult result =
      thimble({"compile", "zoo:demo", "--planner", "reorder", "--sram", "20000", "-o", "out"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.out, HasSubstr(" more SRAM needed than the 19.5 KiB (20,000 B) there are "
                                    "(arena 27.0 KiB (27,648 B); stack "));
  EXPECT_THAT(result.out, HasSubstr("most SRAM is needed at CONV_2D #2\n"));
  EXPECT_THAT(result.out, HasSubstr("what to try:\n  - --planner auto: "));
  EXPECT_THAT(result.out, HasSubstr(" instructions: fits\n"));
  EXPECT_THAT(result.out, HasSubstr("nothing was written to out"));
  EXPECT_TRUE(names().empty());
}

TEST_F(Compile, TooLittleFlashSaysByHowMuch) {
  const ProcessResult result = thimble_as_is({"compile", "zoo:demo", "--flash", "1K", "-o", "out"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.out, HasSubstr("does not fit: its weights take 33.8 KiB (34,656 B) of flash "
                                    "at least, 32.8 KiB (33,632 B) more than the 1.0 KiB"));
  EXPECT_THAT(result.out, Not(HasSubstr("SRAM needed")));
  EXPECT_TRUE(names().empty());
}

TEST_F(Compile, ImpossibleBudgetsDoNotFit) {
  for (const char* budget : {"0", "1"}) {
    for (const char* limit : {"--sram", "--flash"}) {
      EXPECT_EQ(thimble_as_is({"compile", "zoo:demo", limit, budget}).exit_status, 2)
          << limit << budget;
      EXPECT_EQ(thimble_as_is({"run", "zoo:demo", limit, budget}).exit_status, 2)
          << limit << budget;
    }
  }
}

TEST_F(Compile, ReportOfWhatDoesNotFitIsWrittenStill) {
  EXPECT_EQ(thimble({"compile", "zoo:demo", "--sram", "1K", "--json", "r.json"}).exit_status, 2);
  EXPECT_EQ(json_of(read("r.json")).at("fits"), false);
}

TEST_F(Compile, SameFilesFromAnywhereAndTwice) {
  ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "-o", "a/b/out"}).exit_status, 0);
  const std::string first = read("a/b/out/demo.cc");
  ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "-o", "a/b/out/"}).exit_status, 0);
  ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "-o", (folder() / "c").string()}).exit_status, 0);
  EXPECT_EQ(read("a/b/out/demo.cc"), first);
  EXPECT_NE(first, "");
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "c"}));
}

TEST_F(Compile, KeepsOtherFilesOfAnExistingFolder) {
  write("mine.txt", "keep me");
  ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "-o", "."}).exit_status, 0);
  EXPECT_EQ(read("mine.txt"), "keep me");
  EXPECT_THAT(names(), IsSupersetOf({"demo.cc", "demo.h", "demo_example.c", "mine.txt"}));
}

// KiB of the largest process that `run` starts. A fork waits for these, and so for no other of this
// program's.
long most_kibibytes(const std::function<void()>& run) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    run();
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const bool written = ::write(ends[1], &used.ru_maxrss, sizeof used.ru_maxrss) > 0;
    _exit(written && !::testing::Test::HasFailure() ? 0 : 1);
  }
  close(ends[1]);
  long result = -1;
  EXPECT_EQ(::read(ends[0], &result, sizeof result), static_cast<ssize_t>(sizeof result));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  return result;
}

TEST_F(Compile, MobilenetNeedsLessThan500Megabytes) {
  THIMBLE_NEEDS_SHARED();
  const auto start = std::chrono::steady_clock::now();
  const long most = most_kibibytes([&] {
    EXPECT_EQ(thimble({"compile", shared_model("mobilenet_v2"), "-o", "out"}).exit_status, 0);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("mobilenet_v2: %.2f s, %ld MB\n", seconds.count(), most / 1000);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(most, 500'000);
  EXPECT_GT(most, 10'000);
#endif
}

}  // namespace
}  // namespace thimble::testing
