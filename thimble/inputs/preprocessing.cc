// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/preprocessing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/inputs/normalisation.h"
#include "thimble/model/error.h"
#include "thimble/reference/elements.h"

namespace thimble {
namespace {

void check_type(const InputPort& port, const std::string& where) {
  switch (port.tensor.type) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kFloat32:
      return;
    case DType::kBool:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
      break;
  }
  throw CompileError(where, fmt::format("the network's '{}' is {}, which is taken from .npy and "
                                        ".safetensors alone",
                                        port.tensor.name, name(port.tensor.type)));
}

ChannelOrder channels_of(const InputPort& port, const PictureForm& form, ChannelOrder asked) {
  const bool gray = form.channels == 1;
  if (asked == ChannelOrder::kOfModel) return gray ? ChannelOrder::kGray : ChannelOrder::kRgb;
  if ((asked == ChannelOrder::kGray) != gray) {
    throw CompileError(
        "--channels",
        fmt::format("the network's '{}' has {}; {} supported", port.tensor.name,
                    gray ? "one channel" : "three channels", gray ? "gray is" : "rgb and bgr are"));
  }
  return asked;
}

PictureForm form_of(const InputPort& port, PictureAxes axes, const std::string& where) {
  const std::optional<PictureForm> form = picture_form(port, axes);
  if (form) return *form;
  throw CompileError(where, fmt::format("is a picture; the network's '{}' is {}, which is no "
                                        "picture of one or three channels{}",
                                        port.tensor.name, to_string(port.shape),
                                        axes == PictureAxes::kOfModel ? "" : " in these --axes"));
}

const char* text(Resize resize) {
  switch (resize) {
    case Resize::kBilinear:
      return "bilinear";
    case Resize::kNearest:
      return "nearest";
    case Resize::kArea:
      return "area";
    case Resize::kNone:
      return "none";
  }
  throw InternalError("unknown Resize");
}

const char* text(Fit fit) {
  switch (fit) {
    case Fit::kStretch:
      return "stretched";
    case Fit::kCrop:
      return "the middle";
    case Fit::kPad:
      return "padded";
  }
  throw InternalError("unknown Fit");
}

const char* text(ChannelOrder channels) {
  switch (channels) {
    case ChannelOrder::kRgb:
      return "rgb";
    case ChannelOrder::kBgr:
      return "bgr";
    case ChannelOrder::kGray:
      return "gray";
    case ChannelOrder::kOfModel:
      break;
  }
  throw InternalError("unknown ChannelOrder");
}

/// Whether one step of a pixel is one of the input's, over its whole type: then pixels are moved,
/// as firmware does it, and nothing is rounded.
bool steps_are_pixels(const InputPort& port, const Normalisation& normalisation) {
  const DType type = port.tensor.type;
  if (type != DType::kInt8 && type != DType::kUInt8) return false;
  const reference::IntegerRange range = reference::range_of(type);
  const Quantization& q = port.tensor.quantization;
  const double scale = q.scales.empty() ? 1 : q.scales[0];
  const int32_t zero = q.zero_points.empty() ? 0 : q.zero_points[0];
  return std::ranges::all_of(normalisation.channels, [&](const Normalisation::Line& line) {
    const double first = line.at(0) / scale + zero, last = line.at(255) / scale + zero;
    return std::abs(first - static_cast<double>(range.min)) <= 1 &&
           std::abs(last - static_cast<double>(range.max)) <= 1;
  });
}

/// Values of a picture in the order of the input's elements; f(x, channel of the input).
template <class F>
void for_each_value(const Image& image, const PictureForm& form, bool reversed, F f) {
  const int64_t count = int64_t{form.rows} * form.columns;
  const auto value = [&](int64_t pixel, int32_t channel) {
    const int32_t from = reversed ? form.channels - 1 - channel : channel;
    f(image.pixels[static_cast<size_t>(pixel * form.channels + from)], channel);
  };
  if (form.channels_first) {
    for (int32_t c = 0; c < form.channels; ++c)
      for (int64_t p = 0; p < count; ++p) value(p, c);
  } else {
    for (int64_t p = 0; p < count; ++p)
      for (int32_t c = 0; c < form.channels; ++c) value(p, c);
  }
}

std::string clipped_text(size_t clipped, size_t count) {
  return fmt::format("{:.1f} % of the values are clipped: the input cannot represent them",
                     100.0 * static_cast<double>(clipped) / static_cast<double>(count));
}

}  // namespace

PreparedInput prepared_picture(const InputPort& port, const Image& image,
                               const Preprocessing& asked, const std::string& where) {
  check_type(port, where);
  if (!port.window.empty()) {
    throw CompileError(where,
                       fmt::format("is a picture; the network slides over {} (--hop) and takes {} "
                                   "at a time: give it these in turn, as .npy with an axis "
                                   "in front",
                                   to_string(port.window), to_string(port.shape)));
  }
  const PictureForm form = form_of(port, asked.axes, where);
  const ChannelOrder channels = channels_of(port, form, asked.channels);
  const bool same_size = image.width == form.columns && image.height == form.rows;
  if (!same_size && asked.resize == Resize::kNone) {
    throw CompileError(where, fmt::format("is {}x{}, the network takes {}x{}; without --resize "
                                          "none it is resized",
                                          image.width, image.height, form.columns, form.rows));
  }
  const Image picture = fitted(channels == ChannelOrder::kGray ? as_gray(image) : as_rgb(image),
                               form.columns, form.rows, asked.resize, asked.fit);
  const Normalisation normalisation = normalisation_of(port, asked, form.channels);
  PreparedInput result{.bytes = {}, .how = {}, .warnings = normalisation.warnings};
  result.how =
      fmt::format("{}x{} {} -> {}x{} {}", image.width, image.height,
                  image.channels == 1 ? "gray" : "rgb", form.columns, form.rows, text(channels));
  if (!same_size) result.how += fmt::format(", {}, {}", text(asked.resize), text(asked.fit));
  result.how +=
      fmt::format("{}, {}", form.channels_first ? ", channels first" : "", normalisation.text);
  const bool reversed = channels == ChannelOrder::kBgr;
  if (steps_are_pixels(port, normalisation)) {
    const auto least = reference::range_of(port.tensor.type).min;
    for_each_value(picture, form, reversed, [&](uint8_t x, int32_t) {
      result.bytes.push_back(static_cast<uint8_t>(x + least));
    });
    result.how += fmt::format(" = {} x{}", name(port.tensor.type), least == 0 ? "" : "-128");
    return result;
  }
  std::vector<float> reals;
  for_each_value(picture, form, reversed, [&](uint8_t x, int32_t channel) {
    reals.push_back(normalisation.channels[static_cast<size_t>(channel)].at(x));
  });
  size_t clipped = 0;
  result.bytes = quantised(port.tensor, reals, clipped);
  return result;
}

PreparedInput prepared_numbers(const InputPort& port, std::vector<float> values,
                               const Preprocessing& asked, const std::string& where) {
  check_type(port, where);
  const auto count = static_cast<size_t>(elements(port.shape));
  if (values.size() != count) {
    throw CompileError(where,
                       fmt::format("has {} numbers, the network's '{}' {} ({})", values.size(),
                                   port.tensor.name, count, to_string(port.shape)));
  }
  PreparedInput result;
  result.how = fmt::format("{} numbers", count);
  if (asked.normalises()) {
    const auto channels = static_cast<int32_t>(port.shape.empty() ? 1 : port.shape.back());
    const Normalisation normalisation = normalisation_asked(asked, channels);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = normalisation.channels[i % static_cast<size_t>(channels)].at(values[i]);
    result.how += ", " + normalisation.text;
  }
  size_t clipped = 0;
  result.bytes = quantised(port.tensor, values, clipped);
  if (port.tensor.type != DType::kFloat32) {
    const Quantization& q = port.tensor.quantization;
    result.how += q.scales.empty()
                      ? fmt::format(" -> {}", name(port.tensor.type))
                      : fmt::format(" -> {}, x/{:.6g}{:+}", name(port.tensor.type), q.scales[0],
                                    q.zero_points.empty() ? 0 : q.zero_points[0]);
  }
  if (clipped * 20 > count) result.warnings.push_back(clipped_text(clipped, count));
  if (count > 1 && port.range) {
    const auto [low, high] = std::ranges::minmax(values);
    const auto [least, most] = *port.range;
    if (high != low && high - low < 0.02F * (most - least))
      result.warnings.push_back(
          fmt::format("the numbers are {:.4g} to {:.4g}, a small part of what the input takes "
                      "({:.4g} to {:.4g})",
                      low, high, least, most));
  }
  return result;
}

}  // namespace thimble
