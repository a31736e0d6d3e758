// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/normalisation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "thimble/model/error.h"

namespace thimble {
namespace {

using Line = Normalisation::Line;

double of_channel(const std::vector<double>& values, int32_t channel, double otherwise) {
  if (values.empty()) return otherwise;
  return values[values.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

std::string list_text(const std::vector<double>& values) {
  if (values.size() == 1) return fmt::format("{:.6g}", values[0]);
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.6g}", value));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string formula(double scale, const std::vector<double>& mean, const std::vector<double>& std) {
  std::string text = scale == 1 ? "x" : fmt::format("x*{:.6g}", scale);
  if (!mean.empty()) text += "-" + list_text(mean);
  if (!std.empty())
    text = fmt::format("{}/{}", text == "x" ? text : "(" + text + ")", list_text(std));
  return text;
}

Normalisation lines(double scale, const std::vector<double>& mean, const std::vector<double>& std,
                    int32_t channels) {
  Normalisation result;
  for (int32_t c = 0; c < channels; ++c) {
    const double by = of_channel(std, c, 1);
    result.channels.push_back({scale / by, -of_channel(mean, c, 0) / by});
  }
  result.text = formula(scale, mean, std);
  return result;
}

/// Ranges of inputs that networks for pictures are trained on.
struct Usual {
  double least, most, tolerance;
  std::vector<double> mean, std;
  int32_t channels = 0;  ///< 0: any
};

const std::vector<Usual>& usual_ranges() {
  static const std::vector<Usual> all = {
      {0, 255, 4, {}, {}},
      {0, 1, 0.02, {}, {255}},
      {-1, 1, 0.03, {127.5}, {127.5}},
      {-128, 127, 3, {128}, {}},
      // The mean and deviation of ImageNet's channels, which torchvision's networks are trained
      // with.
      {-2.118, 2.64, 0.08, {123.675, 116.28, 103.53}, {58.395, 57.12, 57.375}, 3},
  };
  return all;
}

Normalisation by_range(float least, float most, int32_t channels) {
  for (const Usual& usual : usual_ranges()) {
    if (std::abs(least - usual.least) <= usual.tolerance &&
        std::abs(most - usual.most) <= usual.tolerance &&
        (usual.channels == 0 || usual.channels == channels))
      return lines(1, usual.mean, usual.std, channels);
  }
  Normalisation result;
  const double slope = (double{most} - least) / 255;
  result.channels.assign(static_cast<size_t>(channels), {slope, least});
  result.text = fmt::format("0..255 to {:.4g}..{:.4g}", least, most);
  result.warnings.push_back(
      fmt::format("the input takes {:.4g} to {:.4g}, which no usual normalisation gives: pixels "
                  "are spread over "
                  "it; --mean and --std say what the network was trained with",
                  least, most));
  return result;
}

/// Whether pixels end up where the input can represent them.
void check_range(const InputPort& port, Normalisation& result) {
  if (!port.range) return;
  double low = INFINITY, high = -INFINITY;
  for (const Line& line : result.channels) {
    for (const double x : {0.0, 255.0}) {
      low = std::min<double>(low, line.at(x));
      high = std::max<double>(high, line.at(x));
    }
  }
  const auto [least, most] = *port.range;
  const double span = double{most} - least, slack = 0.05 * span;
  const std::string both = fmt::format(
      "pixels become {:.4g} to {:.4g}, and the input takes {:.4g} "
      "to {:.4g}",
      low, high, least, most);
  const char* const help = "are --scale, --mean and --std those that the network was trained with?";
  if (low < least - slack || high > most + slack)
    result.warnings.push_back(fmt::format("{}: what lies beyond is clipped; {}", both, help));
  if (high - low < 0.2 * span)
    result.warnings.push_back(fmt::format("{}: a small part of it; {}", both, help));
}

std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

Normalisation normalisation_asked(const Preprocessing& asked, int32_t channels) {
  for (const auto& [option, values] : {std::pair{"--mean", &asked.mean}, {"--std", &asked.std}}) {
    if (values->size() <= 1 || static_cast<int64_t>(values->size()) == channels) continue;
    throw CompileError(option, fmt::format("has {} numbers; one, or one for each of the input's {} "
                                           "channels, is supported",
                                           values->size(), channels));
  }
  return lines(asked.scale.value_or(1), asked.mean, asked.std, channels);
}

Normalisation normalisation_of(const InputPort& port, const Preprocessing& asked,
                               int32_t channels) {
  Normalisation result;
  const auto fits = [&](const std::vector<float>& values) {
    return values.size() == 1 || static_cast<int64_t>(values.size()) == channels;
  };
  if (asked.normalises()) {
    result = normalisation_asked(asked, channels);
    check_range(port, result);
  } else if (fits(port.metadata.mean) && fits(port.metadata.std)) {
    result = lines(1, doubles(port.metadata.mean), doubles(port.metadata.std), channels);
    result.text += " (the model's metadata)";
    check_range(port, result);
  } else if (port.range) {
    result = by_range(port.range->first, port.range->second, channels);
    if (port.tensor.type == DType::kInt16)
      result.warnings.emplace_back(
          "an input of int16 does not tell 0 to 1 from -1 to 1: --mean and --std do");
  } else if (port.tensor.type == DType::kFloat32) {
    result = lines(1, {}, {255}, channels);
    result.warnings.emplace_back(
        "an input of float32 does not say what it was trained on: 0 to 1 is taken, --scale, --mean "
        "and --std say what it is");
  } else {
    result = lines(
        1, port.tensor.type == DType::kInt8 ? std::vector<double>{128} : std::vector<double>{}, {},
        channels);
  }
  return result;
}

}  // namespace thimble
