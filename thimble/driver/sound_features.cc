// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/sound_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "thimble/inputs/resample.h"
#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

constexpr int64_t kWindow = 480, kStep = 320, kUsualFrames = 49;
constexpr int64_t kLeastSamples = 160;  ///< 10 ms: an input of fewer numbers is no sound

/// How many that many samples have.
int64_t frames_of(int64_t samples) { return 1 + (samples - kWindow) / kStep; }

/// Whether the input's steps are those of the features: micro_speech's are 0.1017 and -128.
bool takes_steps(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  return tensor.type == DType::kInt8 && q.scales.size() == 1 &&
         std::abs(q.scales[0] / kFeatureScale - 1) < 0.01F && q.zero_points.size() == 1 &&
         q.zero_points[0] == -128;
}

std::string missing_text(int64_t wanted, int64_t given) {
  if (given < wanted) return fmt::format(", zeros behind its {} samples", given);
  return given == wanted ? "" : fmt::format(", of {} the first {}", given, wanted);
}

/// One inference of `frames` frames, or as many in turn as the sound has; of each frame all
/// features, or some coefficients of them.
std::vector<PreparedInput> with_features(const InputPort& port, const Sound& given,
                                         const Preprocessing& asked, int64_t of_frame, bool in_turn,
                                         const std::string& where) {
  const bool transformed = asked.front_end == FrontEnd::kMfcc;
  const int64_t count = elements(port.shape), frames = count / of_frame;
  const Sound sound = resampled(given, kFeatureRate);
  const auto there = static_cast<int64_t>(sound.samples.size());
  const int64_t inferences =
      in_turn && there >= kWindow ? std::max<int64_t>(1, frames_of(there) / frames) : 1;
  const std::vector<int8_t> steps = micro_features(sound, inferences * frames);
  const int64_t samples = kWindow + (inferences * frames - 1) * kStep;
  const std::string how = fmt::format(
      "{}front end {}: {}{} x {} features of {} ms{}",
      given.rate == kFeatureRate ? "" : fmt::format("resampled from {} Hz, ", given.rate),
      transformed ? "mfcc" : "micro", in_turn ? fmt::format("{} times ", inferences) : "", frames,
      of_frame, samples * 1000 / kFeatureRate, missing_text(samples, there));
  std::vector<PreparedInput> result;
  for (auto begin = steps.begin(); begin != steps.end(); begin += frames * kFeatureBands) {
    const std::vector<int8_t> each(begin, begin + frames * kFeatureBands);
    if (!transformed && takes_steps(port.tensor) && !asked.normalises()) {
      result.push_back({.bytes = reference::bytes_from(each), .how = how, .warnings = {}});
      continue;
    }
    std::vector<float> reals;
    if (transformed) reals = cepstra(each, of_frame);
    for (size_t k = 0; k < each.size() && !transformed; ++k)
      reals.push_back(static_cast<float>(each[k] + 128) * kFeatureScale);
    result.push_back(prepared_numbers(port, std::move(reals), asked, where));
    result.back().how = how + ", " + result.back().how;
  }
  return result;
}

/// How many a frame has that the network takes: its last long axis.
int64_t coefficients_of(const InputPort& port) {
  Shape shape = port.shape;
  std::erase(shape, 1);
  if (shape.size() == 2 && shape[1] <= kFeatureBands) return shape[1];
  throw CompileError("--frontend",
                     fmt::format("mfcc gives frames of at most {} coefficients, such as 49x10; "
                                 "the network's '{}' is {}",
                                 kFeatureBands, port.tensor.name, to_string(port.shape)));
}

/// Samples from `begin` on, from -1 to 1; of int16 without a scale as they are.
PreparedInput with_samples(const InputPort& port, const Sound& sound, int64_t begin,
                           const Preprocessing& asked, const std::string& where) {
  const int64_t count = elements(port.shape);
  const bool as_they_are =
      port.tensor.type == DType::kInt16 && port.tensor.quantization.scales.empty();
  std::vector<float> reals;
  for (int64_t k = begin; k < begin + count; ++k) {
    const auto at = static_cast<size_t>(k);
    const float sample = at < sound.samples.size() ? sound.samples[at] : 0;
    reals.push_back(as_they_are ? sample : sample / 32768);
  }
  PreparedInput prepared = prepared_numbers(port, std::move(reals), asked, where);
  prepared.how = fmt::format("{} samples at {} Hz{}, {}", count, sound.rate,
                             as_they_are ? "" : ", -1 to 1", prepared.how);
  return prepared;
}

}  // namespace

std::vector<int8_t> micro_features(const Sound& sound, int64_t frames) {
  static const Graph front_end = build_zoo("audio_preprocessor");
  StateValues state = initial_state(front_end);
  std::vector<int8_t> result;
  for (int64_t f = 0; f < frames; ++f) {
    std::vector<int16_t> window(kWindow);
    for (int64_t k = 0; k < kWindow; ++k) {
      const auto at = static_cast<size_t>(f * kStep + k);
      if (at < sound.samples.size()) window[static_cast<size_t>(k)] = sound.samples[at];
    }
    const TensorValues values = interpret(front_end, {reference::bytes_from(window)}, state);
    const Port& port = front_end.outputs[0];
    for (const uint8_t byte : to_port(front_end, port, values[port.tensor.index()]))
      result.push_back(static_cast<int8_t>(byte));
  }
  return result;
}

std::vector<float> cepstra(const std::vector<int8_t>& features, int64_t coefficients) {
  // A row for each coefficient.
  static const std::vector<double> table = [] {
    std::vector<double> values;
    for (int64_t number = 0; number < kFeatureBands; ++number) {
      const double norm = std::sqrt((number == 0 ? 1.0 : 2.0) / kFeatureBands);
      for (int64_t b = 0; b < kFeatureBands; ++b) {
        values.push_back(norm * std::cos(std::numbers::pi * (static_cast<double>(b) + 0.5) *
                                         static_cast<double>(number) / kFeatureBands));
      }
    }
    return values;
  }();
  std::vector<float> result;
  for (auto frame = features.begin(); frame != features.end(); frame += kFeatureBands) {
    for (int64_t number = 0; number < coefficients; ++number) {
      const double* row = table.data() + number * kFeatureBands;
      double sum = 0;
      for (int64_t b = 0; b < kFeatureBands; ++b) sum += (frame[b] + 128) * row[b];
      result.push_back(static_cast<float>(sum) * kFeatureScale);
    }
  }
  return result;
}

std::vector<PreparedInput> prepared_sound(const InputPort& port, const Sound& sound,
                                          const Preprocessing& asked, bool in_turn,
                                          const std::string& where) {
  Shape longer = port.window.empty() ? port.shape : port.window;
  std::erase(longer, 1);
  const int64_t count = elements(port.shape);
  const bool usual = longer == Shape{kUsualFrames, kFeatureBands} ||
                     longer == Shape{kUsualFrames * kFeatureBands} ||
                     (in_turn && count % kFeatureBands == 0 && takes_steps(port.tensor));
  const std::string channels =
      sound.channels == 1 ? "" : fmt::format("mean of {} channels, ", sound.channels);
  std::vector<PreparedInput> result;
  if (asked.front_end == FrontEnd::kMicro && count % kFeatureBands != 0) {
    throw CompileError("--frontend",
                       fmt::format("micro gives {} features a frame; the network's "
                                   "'{}' is {}",
                                   kFeatureBands, port.tensor.name, to_string(port.shape)));
  }
  if (asked.front_end == FrontEnd::kMfcc) {
    result = with_features(port, sound, asked, coefficients_of(port), in_turn, where);
  } else if (asked.front_end == FrontEnd::kMicro ||
             (asked.front_end == FrontEnd::kOfModel && usual)) {
    result = with_features(port, sound, asked, kFeatureBands, in_turn, where);
  } else if (longer.size() == 1 && elements(longer) >= kLeastSamples) {
    const auto given = static_cast<int64_t>(sound.samples.size());
    for (int64_t begin = 0; begin == 0 || (in_turn && begin + count <= given); begin += count)
      result.push_back(with_samples(port, sound, begin, asked, where));
    if (!in_turn) result[0].how += missing_text(count, given);
  } else {
    throw CompileError(
        where,
        fmt::format("is sound; the network's '{}' is {}, which is neither "
                    "samples nor 49x40 features (--frontend micro makes "
                    "features of 40 for other numbers of frames, --frontend mfcc fewer of each)",
                    port.tensor.name, to_string(port.window.empty() ? port.shape : port.window)));
  }
  for (PreparedInput& prepared : result) prepared.how = channels + prepared.how;
  return result;
}

}  // namespace thimble
