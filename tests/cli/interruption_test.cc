// SPDX-License-Identifier: Apache-2.0
// Signals and full disks: nothing is left beside the target, which is as it was.
#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Interruption : public CommandLine {
 protected:
  [[nodiscard]] ProcessResult shell(const std::string& script) const {
    return run_process({.arguments = {"bash", "-c", script, THIMBLE_PROGRAM},
                        .working_folder = folder(),
                        .timeout_seconds = 60});
  }
  // Signals a compilation that has staged its folder and waits for a reader of its report.
  [[nodiscard]] ProcessResult signalled(const std::string& signal, const std::string& out) const {
    return shell("set -m; mkfifo r.json; \"$0\" compile zoo:demo --planner original -o " + out +
                 " --json r.json & pid=$!\n"
                 "for k in $(seq 500); do [ -n \"$(find . -name '*.thimble-*')\" ] && break; sleep "
                 "0.01; done\n"
                 "sleep 0.1; kill -" +
                 signal + " $pid; wait $pid; status=$?; rm r.json; exit $status");
  }
};

TEST_F(Interruption, SignalsLeaveNothingOfANewFolder) {
  for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
    const ProcessResult result = signalled(signal, "deep/out");
    EXPECT_EQ(result.exit_status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr("; nothing unfinished is left behind\n"));
    EXPECT_THAT(names(), IsEmpty()) << signal;
  }
}

TEST_F(Interruption, SignalsLeaveAnExistingFolderAsItWas) {
  ASSERT_EQ(thimble({"compile", "zoo:pex_figure1", "-o", "out"}).exit_status, 0);
  const std::string before = shell("find out -type f | sort | xargs sha256sum").out;
  EXPECT_EQ(signalled("TERM", "out").exit_status, 143);
  EXPECT_EQ(names(), (std::vector<std::string>{"out"}));
  EXPECT_EQ(shell("find out -type f | sort | xargs sha256sum").out, before);
}

TEST_F(Interruption, EndsCompilersAndRemovesTheirFiles) {
  const ProcessResult result = shell(
      "mkdir t; TMPDIR=$PWD/t \"$0\" run zoo:ds_cnn_s --on qemu & pid=$!\n"
      "for k in $(seq 500); do ls t/.thimble-*/*.o >/dev/null 2>&1 && break; sleep 0.01; done\n"
      "kill -TERM $pid; wait $pid; status=$?; ls -A t; exit $status");
  EXPECT_EQ(result.exit_status, 143);
  EXPECT_EQ(result.out, "");
}

// A limit of file sizes is what a full disk is to a program, but for the errno.
TEST_F(Interruption, AFullDiskLeavesNothing) {
  const ProcessResult folder =
      shell("ulimit -f 64; \"$0\" compile zoo:demo --planner original -o out");
  EXPECT_EQ(folder.exit_status, 1);
  EXPECT_THAT(folder.err, HasSubstr("out: the folder cannot be written: File too large"));
  const ProcessResult file = shell("ulimit -f 16; \"$0\" zoo build ds_cnn_s -o m.tflite");
  EXPECT_EQ(file.exit_status, 1);
  EXPECT_THAT(file.err, HasSubstr("m.tflite: cannot write: File too large"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Interruption, AReaderThatGoesLeavesNothing) {
  const ProcessResult result = shell(
      "(sleep 0.3; exec \"$0\" compile zoo:demo --planner original --json /dev/stdout -o out) | "
      "true; exit "
      "${PIPESTATUS[0]}");
  EXPECT_EQ(result.exit_status, 141);
  EXPECT_THAT(names(), IsEmpty());
}

// Nobody reads what is said of the signal.
TEST_F(Interruption, EndsWhereNobodyReadsStandardError) {
  const ProcessResult result = shell(
      "mkfifo err r.json; (exec 3<err; sleep 0.2) & exec 4>err; wait $!\n"
      "\"$0\" compile zoo:demo --planner original --json r.json 2>&4 & pid=$!\n"
      "sleep 0.5; kill -TERM $pid\n"
      "for k in $(seq 100); do kill -0 $pid 2>/dev/null || break; sleep 0.05; done\n"
      "kill -KILL $pid 2>/dev/null && exit 9; wait $pid; exit $?");
  EXPECT_EQ(result.exit_status, 143) << result.err;
}

// A message that nobody reads: the status says it.
TEST_F(Interruption, FaultsEndWhereNobodyReadsStandardError) {
  const ProcessResult result = shell(
      "mkfifo err; (exec 3<err; sleep 0.2) & exec 4>err; wait $!\n"
      "timeout 10 \"$0\" compile none.tflite 2>&4");
  EXPECT_EQ(result.exit_status, 1) << result.err;
}

TEST_F(Interruption, EmulatorsDieWithTheirParent) {
#if defined(__linux__)
  const ProcessResult result = shell(
      "command -v qemu-system-arm >/dev/null && command -v arm-none-eabi-g++ >/dev/null || exit "
      "77\n"
      "\"$0\" run zoo:mobilenet_v2 --planner original --on qemu --core cortex-m7 & pid=$!\n"
      "child() { pgrep -P $pid qemu-system; }\n"
      "for k in $(seq 2000); do child >/dev/null && break; kill -0 $pid || exit 8; sleep 0.02; "
      "done\n"
      "emulator=$(child); [ -n \"$emulator\" ] || exit 7\n"
      "kill -KILL $pid\n"
      "for k in $(seq 200); do kill -0 $emulator 2>/dev/null || exit 0; sleep 0.02; done\n"
      "kill -KILL $emulator; exit 9");
  if (result.exit_status == 77) GTEST_SKIP() << "needs qemu-system-arm and arm-none-eabi-g++";
  EXPECT_EQ(result.exit_status, 0) << result.err;
#endif
}

// Progress of what takes longer than a second goes to a terminal, which `script` is, and wipes
// itself.
TEST_F(Interruption, ProgressIsForTerminals) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "says nothing about memory, and takes a minute";
#endif
  const std::string command = "$0 inspect zoo:resnet18:resolution=640";
  EXPECT_EQ(shell(command).err, "");
  const ProcessResult shown =
      shell("command -v script >/dev/null || exit 77; script -qec \"" + command + "\" /dev/null");
  if (shown.exit_status == 77) GTEST_SKIP() << "script (util-linux) is not installed";
  EXPECT_THAT(shown.out, ContainsRegex("thimble: (reading the model|inspecting) ... 1 s"));
  EXPECT_THAT(shown.out, HasSubstr("\r\033[K"));
}

}  // namespace
}  // namespace thimble::testing
