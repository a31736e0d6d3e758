// SPDX-License-Identifier: Apache-2.0
// An input of a network, and what a user asks to be done to what files hold for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "thimble/import/model_metadata.h"
#include "thimble/inputs/fit.h"
#include "thimble/model/graph.h"

namespace thimble {

enum class ChannelOrder : uint8_t { kOfModel, kRgb, kBgr, kGray };
enum class PictureAxes : uint8_t { kOfModel, kChannelsLast, kChannelsFirst };
enum class FrontEnd : uint8_t { kOfModel, kNone, kMicro, kMfcc };

/// What a user asks for. Values become (x * scale - mean) / std.
struct Preprocessing {
  Resize resize = Resize::kBilinear;
  Fit fit = Fit::kStretch;
  ChannelOrder channels = ChannelOrder::kOfModel;
  PictureAxes axes = PictureAxes::kOfModel;
  FrontEnd front_end = FrontEnd::kOfModel;
  std::optional<double> scale = {};
  std::vector<double> mean = {}, std = {};  ///< one, or one per channel; empty: not asked for

  [[nodiscard]] bool normalises() const { return scale || !mean.empty() || !std.empty(); }
};

/// An input of a network, with all that is known of what it wants.
struct InputPort {
  Tensor tensor;  ///< type and quantisation
  Shape shape;    ///< as the caller has it
  /// The range of real numbers that it can represent, or that a QUANTIZE behind it can.
  std::optional<std::pair<float, float>> range = {};
  TensorMetadata metadata = {};
  Shape window = {};  ///< of which the input is what is new (`--hop`); empty: of none
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

/// real / scale + zero point, in float32, rounded half away from zero as QUANTIZE has it, within
/// the type; integers without a scale are rounded. clipped: how many were not within.
[[nodiscard]] Bytes quantised(const Tensor& tensor, std::span<const float> reals, size_t& clipped);

}  // namespace thimble
