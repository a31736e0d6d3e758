// SPDX-License-Identifier: Apache-2.0
// `thimble run` on files that people have: what is done with them, what the answer says.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/import/detector.h"
#include "tests/support/shared.h"
#include "tests/support/wav_file.h"
#include "thimble/import/tensor_file.h"
#include "thimble/inputs/image.h"

namespace thimble::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Arguments = std::vector<std::string>;

Bytes noise(size_t count) {
  Bytes result(count);
  for (size_t k = 0; k < count; ++k) result[k] = static_cast<uint8_t>(k * 2'654'435'761U >> 24);
  return result;
}

class InputFiles : public CommandLine {
 protected:
  /// A picture of zoo:demo's size: 48x48 of one channel.
  void write_picture(const std::string& file, uint8_t value = 9, int32_t width = 48) const {
    const auto size = static_cast<size_t>(width) * 48;
    write_png(folder() / file,
              {.width = width, .height = 48, .channels = 1, .pixels = Bytes(size, value)});
  }
  [[nodiscard]] ProcessResult run(Arguments arguments) const {
    arguments.insert(arguments.begin(), {"run"});
    return thimble_as_is(arguments);
  }
  void refused(const Arguments& arguments, const std::string& message) const {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(message));
  }
};

TEST_F(InputFiles, APictureBecomesTheBytesThatItsArrayHas) {
  write_picture("a.png", 200);
  write_npy(folder() / "a.npy", {DType::kUInt8, {48, 48}, Bytes(2304, 200)});
  write("a.csv", fmt::format("{}\n", fmt::join(std::vector<int>(2304, 200), ",")));
  ASSERT_EQ(run({"zoo:demo", "--input-file", "a.png", "--output-file", "p.npy"}).exit_status, 0);
  ASSERT_EQ(run({"zoo:demo", "--input-file", "a.npy", "--output-file", "n.npy"}).exit_status, 0);
  EXPECT_EQ(read("p.npy"), read("n.npy"));
}

TEST_F(InputFiles, OfGoldenDataTheFirstInputsAreTaken) {
  THIMBLE_NEEDS_SHARED();
  const std::string golden = shared_golden("kws_ref_model"), model = shared_model("kws_ref_model");
  ASSERT_EQ(run({model, "--input-file", golden, "--output-file", "o.npy"}).exit_status, 0);
  refused({model, "--input-file", golden, "--std", "2"}, "--std: is not for ");
  EXPECT_EQ(read_npy(folder() / "o.npy").data,
            read_safetensors(golden).tensors.at("output.0").data);
  write_npy(folder() / "two.npy", {DType::kInt8, {2, 49, 10, 1}, Bytes(980, 1)});
  refused({model, "--input-file", "two.npy"}, "two.npy: has 2 inputs, one is executed");
}

TEST_F(InputFiles, AnAutoencoderSaysNoClasses) {
  THIMBLE_NEEDS_SHARED();
  write("a.csv", fmt::format("{}\n", fmt::join(std::vector<int>(640, -5), ",")));
  EXPECT_THAT(run({shared_model("ad01_int8"), "--input-file", "a.csv"}).out,
              AllOf(HasSubstr("640 numbers -> int8"), Not(HasSubstr("class "))));
  write("b.csv", fmt::format("{}\n", fmt::join(std::vector<double>(640, 1e300), ",")));
  refused({shared_model("ad01_int8"), "--input-file", "b.csv"},
          "b.csv: line 1: '1e+300' is more than float32 can hold");
}

TEST_F(InputFiles, TheAnswerSaysWhatWasDoneAndNamesClasses) {
  write_picture("a.png", 200, 60);
  write("labels.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
  const std::string out =
      run({"zoo:demo", "--input-file", "a.png", "--fit", "pad", "--labels", "labels.txt"}).out;
  EXPECT_THAT(out, HasSubstr("a.png 60x48 gray -> 48x48 gray, bilinear, padded, "));
  EXPECT_THAT(out, ::testing::ContainsRegex("\n  [01]\\.[0-9]{4}  [a-h]\n"));
  EXPECT_THAT(run({"zoo:demo"}).out, Not(HasSubstr("class ")));
}

TEST_F(InputFiles, RefusesWhatDoesNotGoTogether) {
  write_picture("a.png");
  write("labels.txt", "a\nb\n");
  write("x.jpg", "no picture");
  const Arguments model = {"zoo:demo", "--input-file"};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), model.begin(), model.end());
    return more;
  };
  refused(with({"a.png", "--labels", "labels.txt"}), "labels.txt: has 2 labels; the network's");
  refused(with({"x.jpg"}), "x.jpg: is no picture that can be read");
  refused(with({"a.png", "--mean", "x"}), "--mean: 'x' is not a number; 127.5 and 1/255 are some");
  refused(with({"a.png", "--std", "1/0"}), "--std: '1/0' is not a number");
  refused(with({"a.png", "--std", "0"}), "--std: 0 cannot be divided by");
  refused(with({"a.png", "--channels", "rgb"}), "--channels: the network's 'input' has one");
  refused(with({"a.png", "--draw", "b.png"}), "--draw: zoo:demo has no boxes that are known");
  refused({"zoo:demo", "--scale", "2"}, "--scale: is for --input-file");
  refused({"zoo:demo", "--draw", "b.png"}, "--draw: draws on the picture of --input-file");
  EXPECT_FALSE(std::filesystem::exists(folder() / "b.png"));
}

TEST_F(InputFiles, BoxesAreDrawnOnThePicture) {
  std::ofstream(folder() / "d.tflite", std::ios::binary) << text_of(picture_detector());
  write("labels.txt", "cat\ndog\n");
  write_png(folder() / "a.png",
            {.width = 200, .height = 100, .channels = 3, .pixels = Bytes(60'000, 0)});
  const ProcessResult result = run({"d.tflite", "--input-file", "a.png", "--std", "1e6", "--labels",
                                    "labels.txt", "--draw", "b.png"});
  EXPECT_THAT(result.out, HasSubstr("0.7500  dog: rows 0.250 to 0.750, columns 0.250 to 0.750\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("cat"))) << "scores below 0.5";
  const Image drawn = read_image(folder() / "b.png");
  EXPECT_EQ(drawn.width, 200);
  EXPECT_GT(drawn.at(74, 100, 1), 100);  // the lower side, green
  EXPECT_EQ(drawn.at(60, 100, 1), 0);
  EXPECT_EQ(drawn.at(74, 160, 1), 0);
}

TEST_F(InputFiles, SoundSlidesThroughTheWindow) {
  THIMBLE_NEEDS_SHARED();
  std::ofstream(folder() / "a.wav", std::ios::binary) << text_of(wav_file({}, noise(32'000)));
  const std::string model = shared_model("micro_speech_quantized");
  ASSERT_EQ(run({model, "--input-file", "a.wav", "--output-file", "whole.npy"}).exit_status, 0);
  const ProcessResult slid = run({model, "--hop", "7", "--input-file", "a.wav", "--output-file",
                                  "slid.npy", "--json", "run.json"});
  ASSERT_EQ(slid.exit_status, 0);
  EXPECT_EQ(read("slid.npy"), read("whole.npy"));  // 7 hops fill the window of 49 rows
  EXPECT_THAT(slid.out, HasSubstr("a.wav front end micro: 7 times 7 x 40 features of 990 ms, of "
                                  "16000 the first 15840\n"));
  const nlohmann::json decisions = nlohmann::json::parse(read("run.json")).at("decisions");
  EXPECT_EQ(decisions.front().at("first"), 0);
  EXPECT_EQ(decisions.back().at("last"), 6);
  EXPECT_THAT(slid.out, HasSubstr("before inference 6 the window is not full"));
  refused({shared_model("micro_speech_lstm"), "--hop", "1", "--input-file", "a.wav"},
          "a.wav: is sound; the network's 'serving_default_x:0' is 1x49x257, which is neither");
  EXPECT_THAT(run({shared_model("ad01_int8"), "--hop", "128", "--input-file", "a.wav"}).out,
              HasSubstr("128 samples at 16000 Hz"));
  write_picture("a.png", 96);
  refused({shared_model("person_detect"), "--hop", "8", "--input-file", "a.png"},
          "a.png: is a picture; the network slides over 1x96x96x1 (--hop) and takes 1x8x96x1 at a "
          "time");
  refused({model, "--hop", "49"}, "--hop: 49 of the 49 rows of the input of");
  refused({model, "--hop-axis", "1"}, "--hop-axis: is for --hop");
}

TEST_F(InputFiles, SoundBecomesFeaturesWhereTheInputIsOfThem) {
  THIMBLE_NEEDS_SHARED();
  const Bytes samples = noise(32'000);
  const auto put = [&](const char* file, const WavFormat& format) {
    std::ofstream(folder() / file, std::ios::binary) << text_of(wav_file(format, samples));
  };
  put("a.wav", {});
  put("b.wav", {.rate = 8000});
  EXPECT_THAT(run({shared_model("micro_speech_quantized"), "--input-file", "a.wav"}).out,
              HasSubstr("a.wav front end micro: 49 x 40 features of 990 ms, of 16000 the first "
                        "15840\n"));
  EXPECT_THAT(
      run({shared_model("micro_speech_quantized"), "--input-file", "b.wav"}).out,
      HasSubstr("b.wav resampled from 8000 Hz, front end micro: 49 x 40 features of 990 ms"));
  EXPECT_THAT(run({"zoo:ds_cnn_s", "--input-file", "b.wav", "--frontend", "mfcc"}).out,
              HasSubstr("front end mfcc: 49 x 10 features of 990 ms"));
  refused({"zoo:resnet8", "--input-file", "a.wav", "--frontend", "mfcc"},
          "mfcc gives frames of at most 40 coefficients");
  refused({"zoo:ds_cnn_s", "--input-file", "a.wav"}, "--frontend mfcc");
  refused({shared_model("person_detect"), "--input-file", "a.wav"},
          "a.wav: is sound; the network's");
  EXPECT_THAT(run({"zoo:audio_preprocessor", "--input-file", "a.wav"}).out,
              HasSubstr("480 samples at 16000 Hz"));
}

}  // namespace
}  // namespace thimble::testing
