// SPDX-License-Identifier: Apache-2.0
// The examples as a user builds and runs them, on the emulated board: they say what the reference
// says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/driver/driver.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tensor_file.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

std::string shown(const Bytes& scores) {
  const auto value = [](uint8_t byte) { return static_cast<int>(static_cast<int8_t>(byte)); };
  const auto best = std::ranges::max_element(scores, {}, value);
  std::string text = fmt::format("class {}, scores", best - scores.begin());
  for (const uint8_t score : scores) text += fmt::format(" {}", value(score));
  return text;
}

/// Lines that the example shows when the file is given to it.
std::vector<std::string> lines_of(const std::string& example, const std::string& model,
                                  const std::filesystem::path& given) {
  const TemporaryFolder folder;
  const ProcessResult result = run_process(
      {.arguments = {"env", "THIMBLE=" THIMBLE_PROGRAM, "FOLDER=" + folder.path().string(),
                     THIMBLE_SOURCE_DIR "/examples/run", example, model, given.string()},
       .working_folder = {}});
  EXPECT_TRUE(result.succeeded()) << result.out << result.err;
  std::vector<std::string> lines;
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("class ")) lines.push_back(line);
  }
  return lines;
}

/// Lines that it shows when these inputs come, one after the other.
std::vector<std::string> lines_of(const std::string& example, const std::string& model,
                                  const std::vector<Bytes>& inputs) {
  const TemporaryFolder folder;
  std::string rows;
  for (const Bytes& input : inputs) rows.append(input.begin(), input.end());
  write_file(folder.path() / "given.bin", std::array<std::string_view, 1>{rows});
  return lines_of(example, model, folder.path() / "given.bin");
}

void done(const std::vector<std::string>& arguments) {
  const ProcessResult result = run_process({.arguments = arguments, .working_folder = {}});
  ASSERT_TRUE(result.succeeded()) << arguments.front() << ": " << result.err;
}

// Golden data of a model with one int8 input and output: noise, and photographs if there are any.
void expect_golden_scores(const std::string& example, const std::string& model) {
  std::vector<Bytes> inputs;
  std::vector<std::string> expected;
  for (const auto& file : testing::golden_paths(model)) {
    for (const testing::Golden::Inference& inference : testing::load_golden(file).seeds) {
      inputs.push_back(inference.input_bytes().at(0));
      expected.push_back(shown(inference.outputs.at(0).data));
    }
  }
  ASSERT_GT(inputs.size(), 1U);
  EXPECT_EQ(lines_of(example, testing::model_path(model).string(), inputs), expected);
}

/// What scripts/demo shows of a digit that espeak-ng says.
std::string heard(const std::string& digit, const std::vector<std::string>& options) {
  const TemporaryFolder folder;
  const std::string sound = (folder.path() / "digit.wav").string();
  done({"espeak-ng", "-v", "en-us", "-w", sound, digit});
  std::vector<std::string> arguments = {
      THIMBLE_PROGRAM, "run",      THIMBLE_SOURCE_DIR "/examples/digits/digits.tflite",
      "--input-file",  sound,      "--frontend",
      "mfcc",          "--labels", THIMBLE_SOURCE_DIR "/examples/digits/labels.txt"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProcessResult result = run_process({.arguments = arguments, .working_folder = {}});
  EXPECT_TRUE(result.succeeded()) << result.out << result.err;
  return result.out;
}

/// The first of the classes, which stand by their scores.
std::string best_of(const std::string& out) {
  const size_t best = out.find("\n  0.");
  return best == std::string::npos ? ""
                                   : out.substr(best + 11, out.find('\n', best + 1) - best - 11);
}

/// The bytes that a line of the report ends in, or that are in brackets: "SRAM  6.7 KiB (6,871 B)".
int64_t bytes_in(const std::string& out, const std::string& line) {
  const size_t begin = out.find("\n  " + line);
  if (begin == std::string::npos) return INT64_MAX / 4;
  const std::string text = out.substr(begin + 1, out.find('\n', begin + 1) - begin - 1);
  const size_t end = text.find(" B");
  std::string digits;
  for (size_t k = end;
       k-- > 0 && (std::isdigit(static_cast<unsigned char>(text[k])) || text[k] == ',');)
    if (text[k] != ',') digits.insert(digits.begin(), text[k]);
  return digits.empty() ? INT64_MAX / 4 : std::stoll(digits);
}

TEST(Digits, AreRecognised) {
  for (const char* digit :
       {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}) {
    const std::string out = heard(digit, {"--on", "host"});
    EXPECT_EQ(best_of(out), digit) << out;
  }
}

TEST(Digits, AreRecognisedInEightKibibytes) {
  const std::string out = heard(
      "seven", {"--on", "qemu", "--core", "cortex-m4", "--sram", "8K", "--weights", "compact"});
  EXPECT_EQ(best_of(out), "seven") << out;
  // What the emulated board was seen to need: the arena, the stack, and no static memory.
  EXPECT_LE(bytes_in(out, "SRAM ") + bytes_in(out, "stack ") + bytes_in(out, "static RAM "), 8192)
      << out;
}

TEST(Examples, CameraLoopFindsPersonsOnPhotographs) {
  THIMBLE_NEEDS_SHARED();
  expect_golden_scores("camera", "person_detect");
}

TEST(Examples, ApplicationOfTheInterpreterFindsPersons) {
  THIMBLE_NEEDS_SHARED();
  expect_golden_scores("interpreter", "person_detect");
}

// The photographs of the golden data, compressed; their file names say what is on them.
TEST(Examples, CameraLoopTakesPhotographs) {
  THIMBLE_NEEDS_SHARED();
  for (const auto& [name, line] : {std::pair{"person", "class 1, "}, {"no_person", "class 0, "}}) {
    const TemporaryFolder folder;
    const auto golden =
        testing::load_golden(testing::shared_folder() / "golden" /
                             fmt::format("person_detect.{}.golden.safetensors", name));
    std::string pgm = "P5\n192 192\n255\n";
    const Bytes pixels = golden.seeds.at(0).input_bytes().at(0);
    for (size_t y = 0; y < 192; ++y) {
      for (size_t x = 0; x < 192; ++x)
        pgm += static_cast<char>(pixels.at(y / 2 * 96 + x / 2) ^ 0x80);
    }
    write_file(folder.path() / "photo.pgm", std::array<std::string_view, 1>{pgm});
    const std::string photo = (folder.path() / "photo.jpg").string();
    done({"sh", "-c", "pnmtojpeg -quiet -quality=90 \"$0\" > \"$1\"",
          (folder.path() / "photo.pgm").string(), photo});
    const auto lines = lines_of("camera", testing::model_path("person_detect").string(),
                                std::filesystem::path(photo));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with(line)) << name << ": " << lines[0];
  }
}

/// A sound of 16 bits and one channel.
struct Sound {
  int rate = 16000;
  std::vector<int16_t> samples;
};

Sound spoken(const std::string& word) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "word.wav").string();
  done({"espeak-ng", "-v", "en-us", "-s", "120", "-w", file, word});
  const Bytes bytes = read_file(file, 1 << 20);
  Sound sound;
  std::memcpy(&sound.rate, &bytes.at(24), sizeof(sound.rate));
  sound.samples.resize((bytes.size() - 44) / 2);
  std::memcpy(sound.samples.data(), &bytes.at(44), 2 * sound.samples.size());
  return sound;
}

constexpr size_t kRate = 16000, kSamples = kRate * 3 / 2;

// A quarter of a second of silence, the sound at 16 kHz, and silence up to 1.5 s.
std::vector<int16_t> in_silence(const Sound& sound) {
  std::vector<int16_t> samples(kRate / 4);
  for (size_t k = 0; samples.size() < kSamples; ++k) {
    const double at = static_cast<double>(k) * sound.rate / kRate;
    const auto before = static_cast<size_t>(at);
    const double part = at - static_cast<double>(before);
    const bool inside = before + 1 < sound.samples.size();
    samples.push_back(inside ? static_cast<int16_t>((1 - part) * sound.samples[before] +
                                                    part * sound.samples[before + 1])
                             : int16_t{0});
  }
  return samples;
}

std::string wave_file(const std::vector<int16_t>& samples) {
  std::string file = "RIFF";
  const auto number = [&](auto value) {
    std::array<char, sizeof(value)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(value));
    file.append(bytes.begin(), bytes.end());
  };
  number(uint32_t{36 + 2 * kSamples});
  file += "WAVEfmt ";
  number(uint32_t{16});
  number(uint16_t{1});
  number(uint16_t{1});
  number(uint32_t{kRate});
  number(uint32_t{2 * kRate});
  number(uint16_t{2});
  number(uint16_t{16});
  file += "data";
  number(uint32_t{2 * kSamples});
  for (const int16_t sample : samples) number(sample);
  return file;
}

// What the network makes of the features that the front end makes of the last 30 ms, each 20 ms:
// scores of the last 49 rows, with every tenth row.
std::vector<std::string> heard_in(const std::vector<int16_t>& sound, const Graph& network) {
  constexpr size_t kFrame = 480, kHop = 320, kBands = 40, kRows = 49, kBetween = 10;
  const Graph front_end = load("zoo:audio_preprocessor").graph;
  StateValues noise = initial_state(front_end);
  std::vector<int16_t> samples(kFrame - kHop);  // silence before
  samples.insert(samples.end(), sound.begin(), sound.end());
  Bytes rows;
  std::vector<std::string> lines;
  for (size_t at = 0; at + kFrame <= samples.size(); at += kHop) {
    const std::vector<int16_t> frame(samples.begin() + static_cast<ptrdiff_t>(at),
                                     samples.begin() + static_cast<ptrdiff_t>(at + kFrame));
    const Bytes row = interpret(front_end, {reference::bytes_from(frame)},
                                noise)[front_end.outputs[0].tensor.index()];
    rows.insert(rows.end(), row.begin(), row.end());
    const size_t heard = rows.size() / kBands;
    if (heard < kRows || heard % kBetween != 0) continue;
    const Bytes last(rows.end() - kRows * kBands, rows.end());
    lines.push_back(shown(interpret(network, {last})[network.outputs[0].tensor.index()]));
  }
  return lines;
}

// The classes of micro_speech are silence, unknown, yes and no.
TEST(Examples, SpeechLoopHearsWordsInSamples) {
  THIMBLE_NEEDS_SHARED();
  for (const auto& [word, line] : {std::pair{"yes", "class 2, "}, {"no", "class 3, "}}) {
    const TemporaryFolder folder;
    const std::string model = testing::model_path("micro_speech_quantized").string();
    const std::vector<int16_t> sound = in_silence(spoken(word));
    write_file(folder.path() / "word.wav", std::array<std::string_view, 1>{wave_file(sound)});
    const auto lines = lines_of("speech", model, folder.path() / "word.wav");
    EXPECT_EQ(lines, heard_in(sound, load(model).graph));
    EXPECT_EQ(lines.size(), 3U);
    for (const std::string& shown : lines) EXPECT_TRUE(shown.starts_with(line)) << word << shown;
  }
}

TEST(Examples, AudioLoopHearsWords) {
  THIMBLE_NEEDS_SHARED();
  expect_golden_scores("audio", "kws_ref_model");
}

// Calls in turn, as the interpreter has them; the scores of the second model differ each time.
TEST(Examples, WakeWordLoopRemembersWhatItHeard) {
  THIMBLE_NEEDS_SHARED();
  for (const char* name : {"keyword_scrambled_8bit", "trained_lstm_int8"}) {
    const std::string model = testing::model_path(name).string();
    const Graph graph = load(model).graph;
    const Tensor& in = graph.tensor(graph.inputs[0].tensor);
    const Tensor& out = graph.tensor(graph.outputs[0].tensor);
    StateValues state = initial_state(graph);
    std::vector<Bytes> inputs;
    std::vector<std::string> expected;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      inputs.push_back(random_bytes(in.type, elements(in.shape), seed));
      const Bytes scores =
          interpret(graph, {inputs.back()}, state)[graph.outputs[0].tensor.index()];
      const std::vector<int32_t> values = reference::integers_from(scores, out.type);
      const auto best = std::ranges::max_element(values);
      expected.push_back(fmt::format("class {}, score {}", best - values.begin(), *best));
    }
    EXPECT_EQ(lines_of("wake_word", model, inputs), expected) << name;
  }
}

// The process that the board stores in is `thimble remote`.
TEST(Examples, RemoteLoopStoresOnAHost) {
  const std::string model = "zoo:unet:resolution=16";
  const Graph graph = prepare(load(model).graph, {});
  std::vector<Bytes> inputs;
  std::vector<std::string> expected;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const int64_t count = elements(graph.tensor(graph.inputs[0].tensor).shape);
    inputs.push_back(random_bytes(DType::kInt8, count, seed));
    expected.push_back(shown(interpret(graph, {inputs.back()})[graph.outputs[0].tensor.index()]));
  }
  EXPECT_EQ(lines_of("remote", model, inputs), expected);
}

TEST(Examples, BothRunWithNetworksOfTheZoo) {
  for (const auto& [example, model] :
       {std::pair{"camera", "zoo:demo"}, {"audio", "zoo:micronet_kws_s"}}) {
    const Graph graph = prepare(load(model).graph, {.int8_io = true});
    std::vector<Bytes> inputs;
    std::vector<std::string> expected;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const int64_t count = elements(graph.tensor(graph.inputs[0].tensor).shape);
      inputs.push_back(random_bytes(DType::kInt8, count, seed));
      expected.push_back(shown(interpret(graph, {inputs.back()})[graph.outputs[0].tensor.index()]));
    }
    EXPECT_EQ(lines_of(example, model, inputs), expected) << example;
  }
}

}  // namespace
}  // namespace thimble
