// SPDX-License-Identifier: Apache-2.0
// What of a model becomes the network; the same for every format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/model/hop.h"

namespace thimble {

struct NamedShape {
  std::string input;  ///< "": the only one
  Shape shape;
};

/// How operators between a DequantizeLinear and a QuantizeLinear of ONNX compute.
enum class QuantisedAs : uint8_t {
  kOnnx,    ///< as ONNX Runtime's integer kernels, and what it has none for as it is written
  kTflite,  ///< as TensorFlow Lite's: within a step of the output's scale
  kFloat,   ///< as they are written: in numbers
};

/// In which order callers of an ONNX network have the axes of images.
enum class PortLayout : uint8_t { kOfTheFile, kChannelsLast };

struct ImportOptions {
  /// Names or numbers of tensors that become the network's outputs, with what they need and nothing
  /// else; none: the outputs that the file has.
  std::vector<std::string> until = {};
  /// Shapes of inputs, instead of what the file has; all others follow.
  std::vector<NamedShape> shapes = {};
  QuantisedAs quantised = QuantisedAs::kOnnx;
  PortLayout port_layout = PortLayout::kOfTheFile;
  Hop hop = {};  ///< the network as it slides over time
};

}  // namespace thimble
