// SPDX-License-Identifier: Apache-2.0
// From what files hold to the bytes that an input takes: said once, by the user or by the model.
//
//   photo.jpg 640x480 -> 96x96 gray, bilinear, stretched, (x-127.5)/127.5 -> int8, x-128
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thimble/import/model_metadata.h"
#include "thimble/inputs/fit.h"
#include "thimble/model/graph.h"

namespace thimble {

enum class Channels : uint8_t { kOfModel, kRgb, kBgr, kGray };
enum class PictureAxes : uint8_t { kOfModel, kChannelsLast, kChannelsFirst };
enum class FrontEnd : uint8_t { kOfModel, kNone, kMicro };

/// What a user asks for. Values become (x * scale - mean) / std.
struct Preprocessing {
  Resize resize = Resize::kBilinear;
  Fit fit = Fit::kStretch;
  Channels channels = Channels::kOfModel;
  PictureAxes axes = PictureAxes::kOfModel;
  FrontEnd front_end = FrontEnd::kOfModel;
  std::optional<double> scale = {};
  std::vector<double> mean = {}, std = {};  ///< one, or one per channel; empty: not asked for

  [[nodiscard]] bool normalises() const { return scale || !mean.empty() || !std.empty(); }
};

/// The bytes of one input, with what was done, for people.
struct Prepared {
  Bytes bytes;
  std::string how;
  std::vector<std::string> warnings;
};

/// An input of a network, with all that is known of what it wants.
struct InputPort {
  Tensor tensor;  ///< type and quantisation
  Shape shape;    ///< as the caller has it
  /// The range of real numbers that it can represent, or that a QUANTIZE behind it can.
  std::optional<std::pair<float, float>> range = {};
  TensorMetadata metadata = {};
};
[[nodiscard]] InputPort input_port(const Graph& graph, size_t number,
                                   const ModelMetadata& metadata);

/// How a picture lies in the input.
struct PictureForm {
  int32_t rows = 0, columns = 0, channels = 0;
  bool channels_first = false;
};
/// Nothing: it takes no picture.
[[nodiscard]] std::optional<PictureForm> picture_form(const InputPort& port, PictureAxes axes);

/// Throws CompileError, in the name of `where`, where the input takes no picture, the picture has
/// another size and is not to be resized, or options do not fit.
[[nodiscard]] Prepared prepared_picture(const InputPort& port, const Image& image,
                                        const Preprocessing& asked, const std::string& where);
/// Numbers as they are, but for a normalisation that is asked for. Throws CompileError unless they
/// are as many as the input's elements.
[[nodiscard]] Prepared prepared_numbers(const InputPort& port, std::vector<float> values,
                                        const Preprocessing& asked, const std::string& where);

/// real / scale + zero point, in float32, rounded half away from zero as QUANTIZE has it, within
/// the type; integers without a scale are rounded. clipped: how many were not within.
[[nodiscard]] Bytes quantised(const Tensor& tensor, std::span<const float> reals, size_t& clipped);

}  // namespace thimble
