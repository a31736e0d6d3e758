// SPDX-License-Identifier: Apache-2.0
// Results that cannot be written: status 1, the reason, and nothing half-written.
#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class Outputs : public CommandLine {
 protected:
  void fails(const std::vector<std::string>& options, const std::string& message,
             const std::string& command = "compile") const {
    std::vector<std::string> arguments = {command, "zoo:demo"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto before = names();
    const ProcessResult result = thimble_as_is(arguments);
    EXPECT_EQ(result.exit_status, 1) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(names(), before) << message;
  }
};

TEST_F(Outputs, FolderThatCannotBeMade) {
  write("file", "mine");
  fails({"-o", "file"}, "file: exists and is no folder; give -o a new or an existing folder");
  fails({"-o", "file/x"}, "file/x: the folder cannot be written: Not a directory");
  fails({"-o", "file/x/y/z"}, "file/x/y/z: the folder cannot be written: Not a directory");
  fails({"-o", "/dev/full"}, "/dev/full: exists and is no folder");
  fails({"-o", "/proc/thimble/out"}, "/proc/thimble/out: the folder cannot be written");
  EXPECT_EQ(read("file"), "mine");
}

TEST_F(Outputs, FileThatCannotBeWritten) {
  write("file", "mine");
  for (const char* option : {"--json", "--save-plan"}) {
    fails({option, "/dev/full"}, "/dev/full: cannot write: No space left on device");
    fails({option, "file/x"}, "file/x: cannot write: Not a directory");
    fails({option, "missing/x"}, "missing/x: cannot write: No such file or directory");
    fails({option, "."}, ".: cannot write: is a folder");
  }
}

TEST_F(Outputs, OneThatFailsLeavesNoOther) {
  write("file", "mine");
  fails({"-o", "new/out", "--json", "/dev/full"}, "/dev/full: cannot write");
  fails({"-o", "file/out", "--json", "r.json"}, "file/out: the folder cannot be written");
}

TEST_F(Outputs, InferencesResult) {
  fails({"--output-file", "o.txt"}, "o.txt: outputs go to .npy or .safetensors files", "run");
  fails({"--output-file", "missing/o.npy"}, "missing/o.npy: cannot write: No such file", "run");
}

TEST_F(Outputs, StandardOutputFullOrClosed) {
  const std::vector<std::vector<std::string>> commands = {
      {"--help"},
      {"compile", "--help"},
      {"ops"},
      {"devices"},
      {"compile", "zoo:demo", "--planner", "original"},
      {"inspect", "zoo:demo", "--format", "json"},
      {"zoo"},
      {"run", "zoo:demo", "--planner", "original"},
  };
  for (const auto& command : commands) {
    for (const char* redirection : {"> /dev/full", ">&-"}) {
      const ProcessResult result = redirected(redirection, command);
      EXPECT_EQ(result.exit_status, 1) << command[0] << redirection;
      EXPECT_EQ(result.err,
                "thimble: standard output: cannot be written; the results are incomplete\n");
    }
  }
}

TEST_F(Outputs, ClosedStreamsDoNotReceiveWhatBelongsToFiles) {
  const ProcessResult result = redirected(
      "<&- >&- 2>&-", {"run", "zoo:demo", "--planner", "original", "--output-file", "o.npy"});
  EXPECT_EQ(result.exit_status, 1);
  ASSERT_EQ(thimble_as_is({"run", "zoo:demo", "--output-file", "p.npy"}).exit_status, 0);
  EXPECT_EQ(read("o.npy"), read("p.npy"));
  EXPECT_EQ(redirected(">&- 2>&-", {"compile", "missing.tflite"}).exit_status, 1);
}

}  // namespace
}  // namespace thimble::testing
