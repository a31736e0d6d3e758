// SPDX-License-Identifier: Apache-2.0
// What a .tflite file says of its inputs and outputs beside the network: names of classes, how
// pictures are to be normalised.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thimble {

enum class Colours : uint8_t { kUnknown, kRgb, kGray };

struct TensorMetadata {
  Colours colours = Colours::kUnknown;
  std::vector<float> mean, std;     ///< (x - mean) / std, once or per channel; empty: not said
  std::vector<std::string> labels;  ///< of the last axis, or of the values; empty: none
  bool operator==(const TensorMetadata&) const = default;
};

/// Whatever is missing or damaged is left out: the network does not need it.
struct ModelMetadata {
  std::vector<TensorMetadata> inputs, outputs;  ///< as the file orders them; empty: not said
  std::vector<std::string> faults;              ///< why something was left out, with the place
  bool operator==(const ModelMetadata&) const = default;
};

/// What the metadata say of a file that import_tflite takes. where: its name, in faults.
[[nodiscard]] ModelMetadata read_metadata(std::span<const uint8_t> bytes, const std::string& where);
/// Those of the first output that has some; empty: none has.
[[nodiscard]] std::vector<std::string> labels_of(const ModelMetadata& metadata);

}  // namespace thimble
