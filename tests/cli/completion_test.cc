// SPDX-License-Identifier: Apache-2.0
// The manual and the completions, which are written from the command line itself: as man and
// shells take them.
#include <sstream>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> printed_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Completion : public CommandLine {
 protected:
  [[nodiscard]] ProcessResult shell(std::vector<std::string> arguments) const {
    return run_process({.arguments = std::move(arguments), .working_folder = folder()});
  }
  [[nodiscard]] bool is_installed(const std::string& program) const {
    return shell({"sh", "-c", "command -v " + program}).succeeded();
  }
  /// What bash offers where the cursor stands behind `line`.
  [[nodiscard]] std::vector<std::string> bash(const std::string& line) const {
    const ProcessResult result =
        shell({"bash", "-c",
               "source <(\"$1\" completion bash); compopt() { :; }; COMP_LINE=$2; "
               "COMP_POINT=${#2}; _thimble; [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "
               "\"${COMPREPLY[@]}\"",
               "bash", THIMBLE_PROGRAM, line});
    EXPECT_EQ(result.err, "") << line;
    return printed_lines(result.out);
  }
};

TEST_F(Completion, BashOffersSubcommandsAndTheirOptions) {
  EXPECT_THAT(bash("thimble comp"), ElementsAre("compile", "compare", "completion"));
  EXPECT_THAT(bash("thimble compile --de"), ElementsAre("--device"));
  EXPECT_THAT(bash("thimble zoo "), ElementsAre("list", "build"));
  EXPECT_THAT(bash("thimble zoo build demo --o"), ElementsAre("--output"));
  EXPECT_THAT(bash("thimble planners --de"), IsEmpty());
}

TEST_F(Completion, BashOffersTheNamesThatAnOptionTakes) {
  const std::vector<std::pair<std::string, std::string>> first = {
      {"thimble compile m.tflite --device nucleo-f446r", "nucleo-f446re"},
      {"thimble compile m.tflite --device=nucleo-f446r", "nucleo-f446re"},
      {"thimble devices nucleo-f446r", "nucleo-f446re"},
      {"thimble plan m.tflite --core cortex-m5", "cortex-m55"},
      {"thimble plan m.tflite --planner streamn", ""},
      {"thimble plan m.tflite --planner reord", "reorder"},
      {"thimble plan m.tflite --weights comp", "compact"},
      {"thimble plan m.tflite --input st", "streamed"},
      {"thimble run m.tflite --on ", "reference"},
      {"thimble compare --paper operator_re", "operator_reordering"},
      {"thimble zoo build ds_cnn_s", "ds_cnn_s"},
      {"thimble completion z", "zsh"},
  };
  for (const auto& [line, offered] : first) {
    const std::vector<std::string> words = bash(line);
    EXPECT_EQ(words.empty() ? "" : words.front(), offered) << line;
  }
}

// bash cuts words at the colon, and keeps what stands before it.
TEST_F(Completion, BashOffersNetworksAndFilesForAModel) {
  write("demonstration.tflite", "");
  EXPECT_THAT(bash("thimble compile zoo:dem"), ElementsAre("demo"));
  EXPECT_THAT(bash("thimble compile zo"), Contains("zoo:demo"));
  EXPECT_THAT(bash("thimble compile dem"), ElementsAre("demonstration.tflite"));
  EXPECT_THAT(bash("thimble verify zoo:demo dem"), Contains("demonstration.tflite"));
  EXPECT_THAT(bash("thimble layout dem"), ElementsAre("demonstration.tflite"));
}

TEST_F(Completion, OtherShellsTakeTheirs) {
  for (const char* name : {"bash", "zsh", "fish"}) {
    if (!is_installed(name)) continue;
    write(name, thimble({"completion", name}).out);
    EXPECT_EQ(shell({name, "-n", name}).err, "") << name;
  }
  if (!is_installed("fish")) return;
  const auto fish = [&](const std::string& line) {
    return shell({"fish", "-c", "source fish; complete -C '" + line + "'"}).out;
  };
  EXPECT_THAT(fish("thimble compile --devi"), HasSubstr("--device\tBoard or chip"));
  EXPECT_THAT(fish("thimble compile --device nucleo-f446r"), HasSubstr("nucleo-f446re"));
  EXPECT_THAT(fish("thimble zoo build ds_cnn_"), HasSubstr("ds_cnn_s"));
}

TEST_F(Completion, EveryCommandHasAPageThatManReadsWithoutWarnings) {
  const std::vector<std::string> commands = printed_lines(thimble({"manual", "--list"}).out);
  EXPECT_THAT(commands, AllOf(Contains(""), Contains("compile"), Contains("zoo build")));
  for (const std::string& command : commands) {
    std::vector<std::string> words = {"manual"};
    std::istringstream in(command);
    for (std::string word; in >> word;) words.push_back(word);
    write("page.1", thimble(words).out);
    for (const std::vector<std::string>& reader :
         {std::vector<std::string>{"groff", "-man", "-ww", "-z", "-Tascii", "page.1"},
          std::vector<std::string>{"mandoc", "-Tlint", "-Wwarning", "page.1"}}) {
      if (!is_installed(reader[0])) continue;
      const ProcessResult read = shell(reader);
      EXPECT_EQ(read.out + read.err, "") << reader[0] << " thimble " << command;
    }
  }
}

TEST_F(Completion, PagesHaveTheOptionsOfTheHelp) {
  const std::string page = thimble({"manual", "compile"}).out;
  EXPECT_THAT(page, HasSubstr("\\fB\\-o\\fR, \\fB\\-\\-output\\-folder\\fR \\fIFOLDER\\fR"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-layout\\fR \\fBexact\\fR|\\fBgreedy_by_size\\fR"));
  EXPECT_THAT(page, HasSubstr("(1 to 1024)"));
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.EX\nthimble compile model.tflite"));
  EXPECT_THAT(thimble({"manual"}).out, HasSubstr(".SH EXIT STATUS\n0 done"));
}

TEST_F(Completion, PagesAndShellsThatThereAreNotAreNamed) {
  const ProcessResult page = thimble({"manual", "compil"});
  EXPECT_EQ(page.exit_status, 1);
  EXPECT_EQ(page.err,
            "thimble: COMMAND: 'compil' is no subcommand; `thimble manual --list` has them\n");
  const ProcessResult shell = thimble({"completion", "tcsh"});
  EXPECT_EQ(shell.exit_status, 1);
  EXPECT_THAT(shell.err, HasSubstr("tcsh not in {bash,zsh,fish}"));
}

}  // namespace
}  // namespace thimble::testing
