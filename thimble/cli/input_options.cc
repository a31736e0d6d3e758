// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/input_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <utility>

#include "thimble/cli/options.h"
#include "thimble/inputs/table.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

const Words<Resize> kResizes = {{"bilinear", Resize::kBilinear},
                                {"nearest", Resize::kNearest},
                                {"area", Resize::kArea},
                                {"none", Resize::kNone}};
const Words<Fit> kFits = {{"stretch", Fit::kStretch}, {"crop", Fit::kCrop}, {"pad", Fit::kPad}};
const Words<ChannelOrder> kChannelOrders = {{"model", ChannelOrder::kOfModel},
                                            {"rgb", ChannelOrder::kRgb},
                                            {"bgr", ChannelOrder::kBgr},
                                            {"gray", ChannelOrder::kGray}};
const Words<PictureAxes> kAxes = {{"model", PictureAxes::kOfModel},
                                  {"nhwc", PictureAxes::kChannelsLast},
                                  {"nchw", PictureAxes::kChannelsFirst}};
const Words<FrontEnd> kFrontEnds = {{"model", FrontEnd::kOfModel},
                                    {"none", FrontEnd::kNone},
                                    {"micro", FrontEnd::kMicro},
                                    {"mfcc", FrontEnd::kMfcc}};

template <class T>
T of_word(const Words<T>& words, const std::string& text) {
  for (const auto& [word, value] : words)
    if (word == text) return value;
  throw InternalError("a word that CLI11 let pass");
}

template <class T>
void add_word(CLI::App& app, const char* option, std::string& value, const Words<T>& words,
              const char* help) {
  std::vector<std::string> names;
  for (const auto& [word, meant] : words) names.push_back(word);
  app.add_option(option, value, help)->check(CLI::IsMember(names));
}

/// "0.5", "1/255".
double number_in(const char* option, const std::string& text) {
  const size_t slash = text.find('/');
  double number = 0, by = 1;
  if (is_number(text.substr(0, slash), number) &&
      (slash == std::string::npos || (is_number(text.substr(slash + 1), by) && by != 0)))
    return number / by;
  throw CompileError(option, fmt::format("'{}' is not a number; 127.5 and 1/255 are some", text));
}

std::vector<double> numbers_in_option(const char* option, const std::string& text, bool divides) {
  std::vector<double> numbers;
  for (size_t at = 0; !text.empty() && at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(number_in(option, text.substr(at, end - at)));
    if (divides && numbers.back() == 0) throw CompileError(option, "0 cannot be divided by");
    at = end + 1;
  }
  return numbers;
}

}  // namespace

void add_input_options(CLI::App& app, InputOptions& options) {
  add_word(app, "--resize", options.resize, kResizes,
           "How pictures get the network's size (bilinear); area: the mean of all pixels, for much "
           "larger ones; none: they must have it");
  add_word(app, "--fit", options.fit, kFits,
           "Pictures of other proportions: stretch (default), crop the middle, or pad with black");
  add_word(app, "--channels", options.channels, kChannelOrders,
           "Order of colours (default: gray or rgb, as many as the input has)");
  add_word(app, "--axes", options.axes, kAxes,
           "Which axes of the input are rows, columns and channels (default: by its shape)");
  add_text(app, "--scale", options.scale, "NUMBER",
           "Values become (x * scale - mean) / std, pixels from 0 to 255 (default: as the model's "
           "metadata or the range of its input say): 1/255");
  add_text(app, "--mean", options.mean, "NUMBERS", "127.5, or one for each channel: 124,116,104");
  add_text(app, "--std", options.std, "NUMBERS", "Likewise");
  add_word(app, "--frontend", options.front_end, kFrontEnds,
           "Features of sound: micro, those of TensorFlow Lite Micro (default where the input is "
           "49x40); mfcc: coefficients of these; none: samples");
}

Preprocessing preprocessing(const InputOptions& options) {
  Preprocessing result{.resize = of_word(kResizes, options.resize),
                       .fit = of_word(kFits, options.fit),
                       .channels = of_word(kChannelOrders, options.channels),
                       .axes = of_word(kAxes, options.axes),
                       .front_end = of_word(kFrontEnds, options.front_end)};
  if (!options.scale.empty()) result.scale = number_in("--scale", options.scale);
  result.mean = numbers_in_option("--mean", options.mean, false);
  result.std = numbers_in_option("--std", options.std, true);
  return result;
}

std::string given_option(const InputOptions& options) {
  const InputOptions usual;
  using Text = std::string InputOptions::*;
  for (const auto& [option, member] : std::initializer_list<std::pair<const char*, Text>>{
           {"--resize", &InputOptions::resize},
           {"--fit", &InputOptions::fit},
           {"--channels", &InputOptions::channels},
           {"--axes", &InputOptions::axes},
           {"--scale", &InputOptions::scale},
           {"--mean", &InputOptions::mean},
           {"--std", &InputOptions::std},
           {"--frontend", &InputOptions::front_end}}) {
    if (options.*member != usual.*member) return option;
  }
  return "";
}

}  // namespace thimble
