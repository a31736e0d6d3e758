// SPDX-License-Identifier: Apache-2.0
// Files that are no models, or none that can be taken: status, message, nothing left behind.
#include "tests/cli/command_line.h"
#include "tests/import/tflite_builder.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class Models : public CommandLine {
 protected:
  void write_unsupported(const std::string& file) const {
    write(file, text_of(unsupported_network().bytes()));
  }
  void refused(const std::string& model, const std::string& message,
               const std::vector<std::string>& by = {"inspect", "compile", "run"}) const {
    const auto before = names();
    for (const std::string& command : by) {
      std::vector<std::string> arguments = {command, model};
      if (command == "compile")
        arguments.insert(arguments.end(), {"-o", "out", "--json", "r.json"});
      const ProcessResult result = thimble(arguments);
      EXPECT_EQ(result.exit_status, 1) << command;
      EXPECT_THAT(result.err, HasSubstr(model + ": " + message)) << command;
      EXPECT_EQ(result.out, "") << command;
    }
    EXPECT_EQ(names(), before);
  }
};

TEST_F(Models, RefusesWhatIsNoFile) {
  refused("missing.tflite", "no such file");
  refused(".", "is a folder, not a file");
  refused("/dev/zero", "is not a regular file");
}

TEST_F(Models, RefusesOtherFormats) {
  write("empty.tflite", "");
  refused("empty.tflite", "is empty");
  write("photo.png", "\x89PNG\r\n\x1a\n" + std::string(100, 'x'));
  refused("photo.png", "is not a TensorFlow Lite model: bytes 4 to 7 are not \"TFL3\" (a PNG");
  write("notes.txt", "a text that is long enough\n");
  refused("notes.txt", "is not a TensorFlow Lite model");
}

TEST_F(Models, RefusesTruncatedAndDamagedFiles) {
  const std::string whole = text_of(small_network().bytes());
  for (size_t size : {size_t{9}, size_t{100}, whole.size() / 2, whole.size() - 40}) {
    write("cut.tflite", whole.substr(0, size));
    refused("cut.tflite", "is truncated");
  }
  std::string damaged = whole;
  for (size_t at = 8; at < damaged.size(); at += 7) damaged[at] = static_cast<char>(0x7F);
  write("damaged.tflite", damaged);
  refused("damaged.tflite", "is truncated or damaged");
}

TEST_F(Models, RefusesOperatorsThatAreNotSupported) {
  write_unsupported("m.tflite");
  refused("m.tflite", "TOPK_V2 #0: is not supported, as 2 of 4 operators: TOPK_V2 #0, #2",
          {"compile", "run"});
}

TEST_F(Models, ShowsWhatItCannotCompile) {
  write_unsupported("m.tflite");
  const ProcessResult shown = thimble({"inspect", "m.tflite", "--json", "r.json"});
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("2 operators    TOPK_V2 is not supported\n"
                                   "                 #0, #2\n"));
  EXPECT_EQ(thimble({"inspect", "m.tflite", "--format", "json"}).out, read("r.json"));
  EXPECT_EQ(thimble({"inspect", "m.tflite", "--json", "r.json"}).exit_status, 0) << "its own kind";
  EXPECT_EQ(thimble({"inspect", "m.tflite", "--format", "csv"}).exit_status, 1);
}

TEST_F(Models, CutsANetworkOffBehindATensor) {
  write("m.tflite", text_of(small_network().bytes()));
  const ProcessResult made = thimble({"compile", "m.tflite", "--until", "5", "--planner", "reorder",
                                      "--save-plan", "p.json", "-o", "out"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(read("out/m.cc"), HasSubstr("--until 5 "));
  EXPECT_EQ(thimble({"verify", "m.tflite", "p.json", "--until", "5"}).exit_status, 0);
  const ProcessResult other = thimble({"verify", "m.tflite", "p.json"});
  EXPECT_EQ(other.exit_status, 1);
  EXPECT_THAT(other.err, HasSubstr("is a plan of another model"));
  EXPECT_THAT(thimble({"run", "zoo:demo", "--until", "5"}).err,
              HasSubstr("--until: is for files, not for zoo:demo"));
  EXPECT_THAT(thimble({"plan", "m.tflite", "--until", "none"}).err,
              HasSubstr("--until: m.tflite has no tensor 'none'"));
}

TEST_F(Models, TakesShapes) {
  TfliteBuilder net;
  const int32_t x = net.tensor({1, 1, 4}), y = net.tensor({1, 1, 4});
  net.op(tflite::BuiltinOperator::RELU, {x}, {y});
  net.at(x).shape_signature = net.at(y).shape_signature = {1, -1, 4};
  net.inputs({x});
  net.outputs({y});
  write("open.tflite", text_of(net.bytes()));
  EXPECT_THAT(thimble({"plan", "open.tflite"}).err, HasSubstr("--shape"));
  const ProcessResult run = thimble({"run", "open.tflite", "--shape", "t0=1x7x4"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  for (const char* shape : {"", "=", "=1x7x4", "1x", "x1", "0x7x4", "1x-7x4", "1x7x4y", "t0=1,7,4",
                            "1x99999999999x4"}) {
    const ProcessResult refused = thimble({"plan", "open.tflite", "--shape", shape});
    EXPECT_EQ(refused.exit_status, 1) << shape;
    EXPECT_THAT(refused.err, HasSubstr("is no shape; one is 1x96x96x3")) << shape;
  }
  EXPECT_THAT(thimble({"plan", "open.tflite", "--shape", "t0=1x7x4", "--shape", "t0=1x8x4"}).err,
              HasSubstr("--shape: 't0' has two shapes; 't0=1x8x4' is the second"));
}

TEST_F(Models, TakesAnyFileNameAndTensorName) {
  TfliteBuilder net = small_network();
  net.at(0).name = "in\n*/ #error \\";
  net.at(3).name = "\" \x1b[31m // /* \\\n" + std::string(5000, 'n');
  const std::string model = "it's \"my\" model (ü) $HOME.tflite";
  write(model, text_of(net.bytes()));
  const ProcessResult result = thimble({"compile", model, "-o", "out folder", "--name", "net"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote out folder: net.h, net.cc"));
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
  const ProcessResult built = run_process(
      {.arguments = {"g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "net.cc"},
       .working_folder = folder() / "out folder"});
  EXPECT_EQ(built.exit_status, 0) << built.err;
  EXPECT_EQ(thimble({"inspect", model}).out.find('\x1b'), std::string::npos);
  EXPECT_EQ(thimble({"inspect", model, "--format", "json"}).exit_status, 0);
}

// A port that is no tensor, in a model that other things stop.
TEST_F(Models, SurveysShowThePortsThatAreTensors) {
  TfliteBuilder net = unsupported_network();
  net.inputs({-1, 0});
  net.outputs({-1, 3});
  write("m.tflite", text_of(net.bytes()));
  const ProcessResult result = thimble({"inspect", "m.tflite"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  input   't0' INT8 1x16\n  output  't3' INT8 1x16\n"));
}

}  // namespace
}  // namespace thimble::testing
