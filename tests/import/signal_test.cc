// SPDX-License-Identifier: Apache-2.0
// Custom operators of the audio front end: their options, states, and the published preprocessor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/audio_preprocessor.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"
#include "zoo/audio_tables.h"
#include "zoo/zoo.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::TensorType;

Graph signal_net(const TfliteBuilder& net) {
  return import_tflite(net.bytes(), "net", "net.tflite");
}

std::string refusal(const TfliteBuilder& net) {
  try {
    (void)signal_net(net);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "taken";
}

/// A network on samples, inference by inference.
class Running {
 public:
  explicit Running(const TfliteBuilder& net)
      : graph_(signal_net(net)), state_(initial_state(graph_)) {}

  void run(const std::vector<int16_t>& samples) {
    values_ = interpret(graph_, {reference::bytes_from(samples)}, state_);
  }
  void reset() { state_ = initial_state(graph_); }
  template <class T>
  std::vector<T> output(size_t k = 0) {
    return reference::elements_from<T>(values_[graph_.outputs[k].tensor.index()]);
  }
  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  StateValues state_;
  TensorValues values_;
};

/// One custom operator: samples -> outputs of these types.
TfliteBuilder one_custom(const std::string& name, const TfliteBuilder::Dims& samples,
                         const std::vector<std::pair<TfliteBuilder::Dims, TensorType>>& outputs,
                         const Bytes& options) {
  TfliteBuilder net;
  const int32_t x = net.tensor(samples, TensorType::INT16);
  TfliteBuilder::Dims made;
  for (const auto& [shape, type] : outputs) made.push_back(net.tensor(shape, type));
  for (const auto& tensor : net.network().tensors) tensor->quantization = nullptr;
  net.custom(name, {x}, made, options);
  net.inputs({x});
  net.outputs(made);
  return net;
}

TEST(AudioPreprocessor, GivesThePublishedFeatures) {
  Running net(audio_preprocessor());
  net.run(no_30ms());
  EXPECT_EQ(net.output<int8_t>(), no_features());
  net.run(no_30ms());
  EXPECT_NE(net.output<int8_t>(), no_features()) << "the noise is not learnt";
  net.reset();
  net.run(no_30ms());
  EXPECT_EQ(net.output<int8_t>(), no_features());
}

TEST(AudioPreprocessor, IsInTheZoo) {
  const Graph graph = build_zoo("audio_preprocessor");
  StateValues noise = initial_state(graph);
  Running net(audio_preprocessor());
  for (int k = 0; k < 3; ++k) {
    const TensorValues values = interpret(graph, {reference::bytes_from(no_30ms())}, noise);
    const Bytes& features = values[graph.outputs[0].tensor.index()];
    net.run(no_30ms());
    EXPECT_EQ(features, reference::bytes_from(net.output<int8_t>()));
    EXPECT_EQ(features == reference::bytes_from(no_features()), k == 0);
  }
}

TEST(AudioPreprocessor, KeepsTheNoiseOf40Channels) {
  const Graph graph = signal_net(audio_preprocessor());
  ASSERT_EQ(graph.states.size(), 1U);
  EXPECT_EQ(graph.tensor(graph.states[0].in).shape, Shape{40});
  EXPECT_EQ(graph.tensor(graph.states[0].in).type, DType::kUInt32);
}

// Published by its tests, too.
TEST(AudioPreprocessor, HasThePublishedTables) {
  const zoo::MelBank bank =
      zoo::mel_bank({.channels = 32, .high_hz = 3800, .alignment = 1, .block = 1});
  EXPECT_EQ(bank.begin, 5);
  EXPECT_EQ(bank.end, 122);
  ASSERT_EQ(bank.weights.size(), 117U);
  EXPECT_EQ(bank.weights[2], 3712);
  EXPECT_EQ(bank.unweights[2], 383);
  EXPECT_EQ(bank.bands[32].first_energy, 115);
  EXPECT_EQ(bank.bands[32].first_weight, 110);
  EXPECT_EQ(bank.bands[32].count, 7);
  const std::vector<int16_t> gains = zoo::pcan_gains();
  ASSERT_EQ(gains.size(), 125U);
  EXPECT_EQ(std::vector(gains.begin(), gains.begin() + 5),
            (std::vector<int16_t>{32636, 32633, 32630, -6, 0}));
  EXPECT_EQ(gains[50], 18672);
}

TEST(SignalDelay, HoldsSamplesBack) {
  Running net(
      one_custom("SignalDelay", {3}, {{{3}, TensorType::INT16}}, flex_map({{"delay_length", 5}})));
  for (int round = 0; round < 2; ++round) {
    net.run({1, 2, 3});
    EXPECT_THAT(net.output<int16_t>(), ElementsAre(0, 0, 0));
    net.run({4, 0, 0});
    EXPECT_THAT(net.output<int16_t>(), ElementsAre(0, 0, 1));
    net.run({0, 0, 0});
    EXPECT_THAT(net.output<int16_t>(), ElementsAre(2, 3, 4));
    net.reset();
  }
}

TEST(SignalDelay, HoldsRowsBackByThemselves) {
  Running net(one_custom("SignalDelay", {4, 4}, {{{4, 4}, TensorType::INT16}},
                         flex_map({{"delay_length", 3}})));
  net.run({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0});
  EXPECT_THAT(net.output<int16_t>(), ElementsAre(0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 13));
  net.run(std::vector<int16_t>(16));
  EXPECT_THAT(net.output<int16_t>(),
              ElementsAre(2, 3, 4, 0, 6, 7, 8, 0, 10, 11, 12, 0, 14, 15, 0, 0));
}

TfliteBuilder framer(int32_t samples, int32_t frames, int32_t size, int32_t step, bool prefill) {
  return one_custom(
      "SignalFramer", {samples}, {{{frames, size}, TensorType::INT16}, {{}, TensorType::BOOL}},
      flex_map({{"frame_size", size}, {"frame_step", step}, {"prefill", prefill ? 1 : 0}}));
}

TEST(SignalFramer, WaitsForItsFirstFrame) {
  Running net(framer(1, 1, 3, 1, false));
  std::vector<bool> valid;
  for (const int16_t sample : {0x1234, 0x5678, 0x4321, 0x7777}) {
    net.run({sample});
    valid.push_back(net.output<uint8_t>(1).at(0) != 0);
  }
  EXPECT_THAT(valid, ElementsAre(false, false, true, true));
  EXPECT_THAT(net.output<int16_t>(), ElementsAre(0x5678, 0x4321, 0x7777));
}

TEST(SignalFramer, BeginsWithZerosIfItIsPrefilled) {
  Running net(framer(2, 1, 5, 2, true));
  net.run({0x1010, 0x0202});
  EXPECT_THAT(net.output<int16_t>(), ElementsAre(0, 0, 0, 0x1010, 0x0202));
  EXPECT_THAT(net.output<uint8_t>(1), ElementsAre(1));
  net.run({0x7070, 0x0606});
  EXPECT_THAT(net.output<int16_t>(), ElementsAre(0, 0x1010, 0x0202, 0x7070, 0x0606));
}

TEST(SignalFramer, CutsSeveralFramesAtOnce) {
  Running net(framer(4, 2, 5, 2, true));
  net.run({0x1010, 0x0202, 0x7070, 0x0606});
  EXPECT_THAT(net.output<int16_t>(),
              ElementsAre(0, 0, 0, 0x1010, 0x0202, 0, 0x1010, 0x0202, 0x7070, 0x0606));
}

// Frames of 5 every 2: the first is there with the third pair; as in the original, of the samples
// 0 to 4, so that each frame is a sample behind what has come.
TEST(SignalFramer, CutsFramesOfNoWholeSteps) {
  Running net(framer(2, 1, 5, 2, false));
  std::vector<bool> valid;
  for (int16_t k = 0; k < 4; ++k) {
    net.run({static_cast<int16_t>(2 * k), static_cast<int16_t>(2 * k + 1)});
    valid.push_back(net.output<uint8_t>(1).at(0) != 0);
    if (k == 2) {
      EXPECT_THAT(net.output<int16_t>(), ElementsAre(0, 1, 2, 3, 4));
    }
  }
  EXPECT_THAT(valid, ElementsAre(false, false, true, true));
  EXPECT_THAT(net.output<int16_t>(), ElementsAre(2, 3, 4, 5, 6));
}

TfliteBuilder stacker(int32_t channels, int32_t left, int32_t right, int32_t step) {
  return one_custom("SignalStacker", {channels},
                    {{{channels * (left + right + 1)}, TensorType::INT16}, {{}, TensorType::BOOL}},
                    flex_map({{"num_channels", channels},
                              {"stacker_left_context", left},
                              {"stacker_right_context", right},
                              {"stacker_step", step}}));
}

TEST(SignalStacker, RepeatsTheFirstFrame) {
  Running net(stacker(3, 1, 0, 1));
  for (int round = 0; round < 2; ++round) {
    net.run({0x1234, 0x5678, 0x4321});
    EXPECT_THAT(net.output<int16_t>(), ElementsAre(0x1234, 0x5678, 0x4321, 0x1234, 0x5678, 0x4321));
    EXPECT_THAT(net.output<uint8_t>(1), ElementsAre(1));
    net.reset();
  }
}

TEST(SignalStacker, WaitsForFramesToTheRightAndForEachStep) {
  Running net(stacker(1, 1, 1, 2));
  std::vector<int> valid;
  std::vector<std::vector<int16_t>> stacks;
  for (int16_t frame = 1; frame <= 6; ++frame) {
    net.run({frame});
    valid.push_back(net.output<uint8_t>(1).at(0));
    if (valid.back() != 0) stacks.push_back(net.output<int16_t>());
  }
  EXPECT_THAT(valid, ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(stacks,
              ElementsAre(ElementsAre(1, 1, 2), ElementsAre(2, 3, 4), ElementsAre(4, 5, 6)));
}

TEST(SignalOptions, RefusesWhatIsNoMapOfNumbers) {
  const auto with = [](const Bytes& options) {
    return refusal(one_custom("SignalDelay", {3}, {{{3}, TensorType::INT16}}, options));
  };
  const Bytes good = flex_map({{"delay_length", 5}});
  EXPECT_THAT(with(good), HasSubstr("taken"));
  EXPECT_THAT(with({}), HasSubstr("SignalDelay #0: is damaged: its options are no FlexBuffer"));
  EXPECT_THAT(with({1, 2}), HasSubstr("no FlexBuffer with a map"));
  EXPECT_THAT(with(flex_map({{"length", 5}})), HasSubstr("is damaged: it has no delay_length"));
  EXPECT_THAT(with(flex_map({{"delay_length", int64_t{1} << 40}})), HasSubstr("32 bits"));
  EXPECT_THAT(with(flex_map({{"delay_length", -1}})),
              HasSubstr("its delay_length is -1; supported are 0 to"));
}

// Any byte changed, or the end cut off: taken or refused, but never read outside of the options.
TEST(SignalOptions, SurvivesDamage) {
  const Bytes good = flex_map({{"frame_size", 3}, {"frame_step", 1}, {"prefill", 1}});
  const auto with = [](const Bytes& options) {
    return refusal(one_custom("SignalFramer", {1},
                              {{{1, 3}, TensorType::INT16}, {{}, TensorType::BOOL}}, options));
  };
  for (size_t at = 0; at < good.size(); ++at) {
    for (const uint8_t value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      Bytes bad = good;
      bad[at] = value;
      (void)with(bad);
    }
    (void)with(Bytes(good.begin(), good.begin() + static_cast<int64_t>(at)));
  }
}

TEST(SignalOperators, InverseTransform) {
  Running net(one_custom("SignalIrfft", {18}, {{{16}, TensorType::INT16}},
                         flex_map({{"T", 7}, {"fft_length", 16}})));
  std::vector<int16_t> flat(18);
  for (size_t k = 0; k < flat.size(); k += 2) flat[k] = 1600;
  net.run(flat);
  const std::vector<int16_t> samples = net.output<int16_t>();
  EXPECT_NEAR(samples.at(0), 1600, 4);
  for (size_t k = 1; k < samples.size(); ++k) EXPECT_NEAR(samples[k], 0, 4);
}

TEST(SignalOperators, RefusesOtherTypesAndUnknownOnes) {
  TfliteBuilder net = one_custom("SignalRfft", {8}, {{{14}, TensorType::INT16}},
                                 flex_map({{"T", 2}, {"fft_length", 12}}));
  EXPECT_THAT(refusal(net), HasSubstr("SignalRfft #0: its type is INT32; supported is INT16"));
  net = one_custom("SignalIrfft", {14}, {{{12}, TensorType::INT16}},
                   flex_map({{"T", 0}, {"fft_length", 12}}));
  EXPECT_THAT(refusal(net), HasSubstr("SignalIrfft #0: its type is FLOAT32; supported is INT16"));
  net = one_custom("SignalInverse", {8}, {{{14}, TensorType::INT16}}, {});
  EXPECT_THAT(refusal(net), HasSubstr("custom operator SignalInverse #0: is not supported"));
  net = one_custom("SignalRfft", {8}, {{{14}, TensorType::INT16}},
                   flex_map({{"T", 7}, {"fft_length", 14}}));
  EXPECT_THAT(refusal(net), HasSubstr("no prime factor above 5"));
  net = one_custom("SignalFftAutoScale", {8}, {{{8}, TensorType::INT16}}, {});
  EXPECT_THAT(refusal(net), HasSubstr("has 1 outputs; supported is 2"));
}

}  // namespace
}  // namespace thimble::testing
