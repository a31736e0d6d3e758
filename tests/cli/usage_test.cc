// SPDX-License-Identifier: Apache-2.0
// What somebody sees who does not know the command line yet, or mistypes it.
#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Usage = CommandLine;

TEST_F(Usage, AloneShowsTheHelpAndIsAFault) {
  const ProcessResult result = thimble({});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Subcommands:"));
}

TEST_F(Usage, EveryHelpHasAnExampleOfItsOwn) {
  for (const char* command :
       {"inspect", "compile",  "run",     "verify",   "plan",    "simulate", "compare",
        "export",  "quantize", "eval",    "diagnose", "profile", "manual",   "completion",
        "remote",  "layout",   "devices", "planners", "ops",     "zoo"}) {
    const ProcessResult result = thimble({command, "--help"});
    EXPECT_EQ(result.exit_status, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("Example")) << command;
    EXPECT_THAT(result.out, HasSubstr(std::string("  thimble ") + command)) << command;
  }
  EXPECT_THAT(thimble({"--help"}).out, HasSubstr("Exit status:"));
}

TEST_F(Usage, ListsSayWhatThereIs) {
  EXPECT_THAT(thimble({"devices"}).out, ContainsRegex("nucleo-f446re +cortex-m4 \\(emulated\\)"));
  EXPECT_THAT(thimble({"planners"}).out, HasSubstr("(default)"));
  EXPECT_THAT(thimble({"ops"}).out, HasSubstr("## CONV_2D"));
  EXPECT_THAT(thimble({"zoo"}).out, HasSubstr("zoo:demo"));
}

TEST_F(Usage, NamesTheOptionThatIsMeant) {
  EXPECT_THAT(thimble({"compile", "zoo:demo", "--ram", "64K"}).err, HasSubstr("is --sram meant?"));
  EXPECT_THAT(thimble({"plan", "zoo:demo", "--plannr=auto"}).err, HasSubstr("is --planner meant?"));
  EXPECT_THAT(thimble({"plan", "zoo:demo", "--banana"}).err, Not(HasSubstr("meant?")));
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string message;
};

TEST_F(Usage, MistakesAreNamedAndLeaveNothingBehind) {
  const std::vector<Mistake> mistakes = {
      {{"comple", "m.tflite"}, "'comple': is no subcommand; there are inspect, compile, run"},
      {{"compile"}, "MODEL is required"},
      {{"export", "zoo:demo"}, "--tflite is required"},
      {{"export", "zoo:demo", "--tflite", "none/x.tflite"}, "none/x.tflite"},
      {{"export", "zoo:demo", "--tflite", "x.tflite", "--max-recompute", "-1"}, "--max-recompute"},
      {{"export", "zoo:audio_preprocessor", "--tflite", "x.tflite"},
       "networks with state cannot be written as .tflite"},
      {{"compile", ""}, "MODEL: is empty"},
      {{"compile", "zoo:demo", "--sram", ""}, "--sram: is empty"},
      {{"compile", "zoo:demo", "--srma", "1"}, "--srma"},
      {{"compile", "zoo:nothing"}, "zoo:nothing: there is no such network; there are "},
      {{"compile", "zoo:demo:a=1"}, "takes no parameters"},
      {{"compile", "zoo:demo", "--planner", "best"}, "no planner 'best'; there are: original"},
      {{"compile", "zoo:demo", "--planner", "reorder:a=1"}, "'a=1' is no option of reorder"},
      {{"compile", "zoo:demo", "--planner", "reorder:states=many"}, "is not a number"},
      {{"compile", "zoo:demo", "--device", "toaster"},
       "device 'toaster': is not known; the nearest are "},
      {{"compile", "zoo:demo", "--sram", "64X"}, "--sram: size '64X': has an unknown unit"},
      {{"compile", "zoo:demo", "--sram", "lots"}, "--sram: size 'lots': is not a number"},
      {{"compile", "zoo:demo", "--sram=-1"}, "--sram: size '-1': is negative"},
      {{"compile", "zoo:demo", "--flash", "1e99G"}, "--flash: size"},
      {{"compile", "zoo:demo", "--layout", "best"}, "--layout"},
      {{"compile", "zoo:demo", "--time-limit", "-1"}, "--time-limit"},
      {{"compile", "zoo:demo", "--time-limit", "nan"}, "--time-limit: 'nan' is no number from"},
      {{"run", "zoo:demo", "--least-score", "nan"}, "--least-score: 'nan' is no number from"},
      {{"export", "zoo:demo", "--tflite", "x.tflite", "--max-recompute", "nan"},
       "--max-recompute: 'nan' is no number from"},
      {{"eval", "zoo:demo", "x", "--threshold", "nan"}, "--threshold: is not a number"},
      {{"compile", "zoo:demo", "--max-recompute", "nan"},
       "--max-recompute: 'nan' is no number from"},
      {{"compile", "zoo:demo", "--max-bytes", "1K"}, "--max-bytes"},
      {{"compile", "zoo:demo", "--max-bytes", "much"}, "--max-bytes"},
      {{"compile", "zoo:demo", "--max-recompute", "-nan"}, "--max-recompute"},
      {{"run", "zoo:demo", "--on", "moon"}, "not in {reference,host,qemu}"},
      {{"run", "zoo:demo", "--on", "qemu", "--core", "z80"},
       "core 'z80': is not known; the nearest are "},
      {{"run", "zoo:demo", "--on", "reference", "--core", "cortex-m4"},
       "--core: is for --on host or qemu"},
      {{"run", "zoo:demo", "--on", "reference", "--flash", "1M"}, "--flash: is for --on host or"},
      {{"run", "zoo:demo", "--on", "reference", "--sram", "1M"}, "--sram: is for --on host or"},
      {{"run", "zoo:demo", "--seed", "x"}, "--seed"},
      {{"verify", "zoo:demo"}, "PLAN is required"},
      {{"compile", "zoo:demo", "--input", "rows"},
       "--input: 'rows' is none of resident, user, streamed"},
      {{"compile", "zoo:demo", "--output", "folder"}, "a folder is -o"},
      {{"run", "zoo:demo", "--input", "x.npy"}, "a file is --input-file"},
      {{"run", "zoo:demo", "--output", "y.npy"}, "a file is --output-file"},
      {{"compile", "zoo:demo", "--input", "streamed", "--planner", "reorder"},
       "--planner auto or stream (reorder keeps the tensor whole)"},
      {{"compile", "zoo:demo", "--output", "streamed"},
       "--output: streamed is for images and sequences"},
      {{"run", "zoo:demo", "--on", "reference", "--input", "user"}, "--input: is for --on host or"},
  };
  for (const Mistake& mistake : mistakes) {
    std::vector<std::string> arguments = mistake.arguments;
    if (arguments[0] == "compile") arguments.insert(arguments.end(), {"-o", "out"});
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 1) << mistake.message;
    EXPECT_THAT(result.err, HasSubstr(mistake.message));
    EXPECT_EQ(result.out, "") << mistake.message;
  }
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace thimble::testing
