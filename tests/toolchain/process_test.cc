// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Process, CapturesBothStreamsAndTheStatus) {
  const ProcessResult result =
      run_process({.arguments = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.succeeded());
}

TEST(Process, PassesArgumentsUntouched) {
  const std::string odd = "$(touch x); 'a' \"b\" *";
  EXPECT_EQ(run_process({.arguments = {"printf", "%s", odd}}).out, odd);
}

TEST(Process, TakesMoreOutputThanAPipeHolds) {
  const ProcessResult result = run_process(
      {.arguments = {"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 500000 /dev/zero"}});
  EXPECT_THAT(result.out, SizeIs(500000));
  EXPECT_THAT(result.err, SizeIs(300000));
}

TEST(Process, RunsInItsFolder) {
  const TemporaryFolder folder;
  const ProcessResult result =
      run_process({.arguments = {"pwd", "-P"}, .working_folder = folder.path()});
  EXPECT_EQ(result.out, std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Process, IsKilledWhenItsTimeIsOver) {
  const ProcessResult talking =
      run_process({.arguments = {"sh", "-c", "exec sleep 60"}, .timeout_seconds = 0.05});
  EXPECT_TRUE(talking.timed_out);
  EXPECT_EQ(talking.exit_status, 128 + 9);
  const ProcessResult silent =
      run_process({.arguments = {"sh", "-c", "exec sleep 60 >&- 2>&-"}, .timeout_seconds = 0.05});
  EXPECT_TRUE(silent.timed_out);
}

TEST(Process, ReportsASignal) {
  EXPECT_EQ(run_process({.arguments = {"sh", "-c", "kill -6 $$"}}).exit_status, 128 + 6);
}

TEST(Process, RejectsAMissingProgram) {
  EXPECT_THROW((void)run_process({.arguments = {"no-such-program"}}), CompileError);
}

TEST(Process, NamesThePackageOfAMissingProgram) {
  EXPECT_NO_THROW(require_program("sh", "dash"));
  try {
    require_program("no-such-program", "some-package");
    FAIL() << "found";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("no-such-program"), HasSubstr("apt-get install some-package")));
  }
}

}  // namespace
}  // namespace thimble
