// SPDX-License-Identifier: Apache-2.0
// thimble remote
#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class Remote : public CommandLine {};

TEST_F(Remote, EndsWhenTheLineIsClosed) {
  const ProcessResult result = thimble({"remote", "-", "--verbose"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("remote: 0 sessions; written 0 B in 0 frames"));
}

TEST_F(Remote, AnswersNothingToNoise) {
  write("noise", std::string(50'000, '\xA7') + std::string(3, '\0') + std::string(500, 'x'));
  const ProcessResult result = redirected("< noise", {"remote", "-", "--verbose"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(Remote, SaysWhatIsMissing) {
  EXPECT_THAT(thimble({"remote", "/dev/no_such_port"}).err,
              HasSubstr("/dev/no_such_port: cannot be opened"));
  EXPECT_THAT(thimble({"remote", "-", "--size", "0"}).err, HasSubstr("--size"));
  EXPECT_THAT(thimble({"remote", "-", "--size", "5G"}).err, HasSubstr("--size"));
  EXPECT_EQ(thimble({"remote"}).exit_status, 1);
}

}  // namespace
}  // namespace thimble::testing
