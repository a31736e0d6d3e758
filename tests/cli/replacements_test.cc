// SPDX-License-Identifier: Apache-2.0
// Files that a command writes: never what it reads, never twice, and over files of their own kind
// only.
#include <filesystem>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class Replacements : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(thimble({"zoo", "build", "pex_figure1", "-o", "m.tflite"}).exit_status, 0);
    model_ = read("m.tflite");
  }
  void refused(const std::vector<std::string>& arguments, const std::string& message) const {
    const auto before = names();
    const ProcessResult result = thimble_as_is(arguments);
    EXPECT_EQ(result.exit_status, 1) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "") << message;
    EXPECT_EQ(names(), before) << message;
    EXPECT_EQ(read("m.tflite"), model_) << message;
  }
  void done(const std::vector<std::string>& arguments) const {
    const ProcessResult result = thimble_as_is(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
  std::string model_;
};

TEST_F(Replacements, OutputsAreNeverTheModel) {
  fs::create_symlink("m.tflite", folder() / "link");
  fs::create_hard_link(folder() / "m.tflite", folder() / "hard");
  for (const std::string file : {"m.tflite", "./m.tflite", "link", "hard"}) {
    const std::string same = file + " is the same file as MODEL";
    for (const char* force : {"", "--force"}) {
      const auto with = [&](std::vector<std::string> arguments) {
        if (*force != '\0') arguments.emplace_back(force);
        return arguments;
      };
      refused(with({"compile", "m.tflite", "--json", file}), "--json: " + same);
      refused(with({"compile", "m.tflite", "--save-plan", file}), "--save-plan: " + same);
      refused(with({"plan", "m.tflite", "--svg", file}), "--svg: " + same);
    }
  }
  fs::copy(folder() / "m.tflite", folder() / "m.npy");
  refused({"run", "m.npy", "--output-file", "m.npy"}, "m.npy is the same file as MODEL");
}

TEST_F(Replacements, OutputsAreNoOtherFilesOfTheCommand) {
  refused({"compile", "m.tflite", "--json", "x", "--save-plan", "./x"},
          "is the same file as --json");
  refused({"compile", "m.tflite", "--json", "x", "-o", "x"}, "-o: x is the same file as --json");
  refused({"compile", "m.tflite", "--json", "x/m.h", "-o", "x"}, "-o: x/m.h is the same file as");
  done({"run", "m.tflite", "--output-file", "a.npy"});
  refused({"run", "m.tflite", "--input-file", "a.npy", "--output-file", "a.npy"},
          "--output-file: a.npy is the same file as --input-file");
  refused({"run", "m.tflite", "--check", "g.safetensors", "--output-file", "g.safetensors"},
          "is the same file as --check");
  write("board.json", "{}");
  refused({"compile", "m.tflite", "--device", "board.json", "--json", "board.json", "--force"},
          "is the same file as --device");
}

struct Writer {
  std::vector<std::string> arguments;  // without the file
  std::string file, description;
};

TEST_F(Replacements, OnlyFilesOfTheirOwnKind) {
  const std::vector<Writer> writers = {
      {{"plan", "m.tflite", "--svg"}, "plan.svg", "is not an SVG"},
      {{"compile", "m.tflite", "--json"}, "r.json", "is not a report of Thimble's"},
      {{"compile", "m.tflite", "--save-plan"}, "p.json", "is not a plan of Thimble's"},
      {{"run", "m.tflite", "--output-file"}, "o.npy", "is not a .npy file"},
      {{"run", "m.tflite", "--output-file"}, "o.safetensors", "is not a .safetensors file"},
  };
  for (const Writer& writer : writers) {
    const auto to = [&](const std::string& file) {
      std::vector<std::string> arguments = writer.arguments;
      arguments.push_back(file);
      return arguments;
    };
    done(to(writer.file));
    done(to(writer.file));
    const std::string own = read(writer.file);
    for (const Writer& other : writers) {
      if (other.file == writer.file || !fs::exists(folder() / other.file)) continue;
      write(writer.file, read(other.file));
      refused(to(writer.file), writer.file + " exists and " + writer.description);
    }
    for (const std::string mine : {"notes of mine\n", "{\"mine\": 1}\n"}) {
      write(writer.file, mine);
      refused(to(writer.file), "--force to replace it");
      EXPECT_EQ(read(writer.file), mine);
    }
    std::vector<std::string> forced = to(writer.file);
    forced.emplace_back("--force");
    done(forced);
    EXPECT_EQ(read(writer.file), own);
    write(writer.file, "");  // as mktemp leaves it
    done(to(writer.file));
  }
}

TEST_F(Replacements, AModelNeedsForce) {
  const ProcessResult kept = thimble({"zoo", "build", "res8", "-o", "m.tflite"});
  EXPECT_EQ(kept.exit_status, 1);
  EXPECT_THAT(kept.err, HasSubstr("m.tflite exists; give another file, or --force"));
  EXPECT_EQ(read("m.tflite"), model_);
  EXPECT_EQ(thimble({"zoo", "build", "res8", "-o", "m.tflite", "--force"}).exit_status, 0);
  EXPECT_NE(read("m.tflite"), model_);
}

TEST_F(Replacements, StandardOutputIsAppendedTo) {
  write("log", "mine\n");
  EXPECT_EQ(redirected(">> log", {"compile", "m.tflite", "--json", "/dev/stdout"}).exit_status, 0);
  EXPECT_THAT(read("log"), ::testing::StartsWith("mine\n{\n"));
  EXPECT_EQ(redirected("> log", {"compile", "m.tflite", "--json", "/dev/stdout"}).exit_status, 0);
  EXPECT_THAT(read("log"), ::testing::StartsWith("{\n"));
}

// The name of the temporary file was that of the output with the number of the process behind it.
TEST_F(Replacements, TemporaryFilesFollowNoLinks) {
  write("victim", "mine");
  const ProcessResult result = run_process(
      {.arguments = {"sh", "-c",
                     "ln -s victim r.json.$$.tmp; exec \"$0\" compile m.tflite --json r.json",
                     THIMBLE_PROGRAM},
       .working_folder = folder()});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(read("victim"), "mine");
}

TEST_F(Replacements, KeepTheModeOfWhatWasThere) {
  done({"compile", "m.tflite", "--json", "r.json"});
  fs::permissions(folder() / "r.json", fs::perms::owner_read | fs::perms::owner_write);
  done({"compile", "m.tflite", "--json", "r.json"});
  EXPECT_EQ(fs::status(folder() / "r.json").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Replacements, NamesMayBeAsLongAsTheFileSystemTakes) {
  const std::string longest(240, 'n');
  fs::rename(folder() / "m.tflite", folder() / (longest + ".tflite"));
  done({"compile", longest + ".tflite", "-o", longest, "--json", longest + ".json", "--save-plan",
        longest + ".plan"});
  EXPECT_EQ(names(), (std::vector<std::string>{longest, longest + ".json", longest + ".plan",
                                               longest + ".tflite"}));
}

}  // namespace
}  // namespace thimble::testing
