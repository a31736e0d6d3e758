// SPDX-License-Identifier: Apache-2.0
// Samples with their classes, as a network takes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

/// Numbers are steps of one scale: pictures' bytes, features of sound.
struct Examples {
  Shape shape;      ///< of one: 32x32x3, 49x10x1
  float scale = 1;  ///< a number is steps * scale
  size_t variants =
      1;  ///< of each sample, which stand together: sound moved in time, louder, with noise
  std::vector<int16_t> steps;   ///< size() * variants * elements(shape)
  std::vector<int32_t> labels;  ///< size()

  [[nodiscard]] size_t size() const { return labels.size(); }
};

enum class Content : uint8_t { kPictures, kSound };

struct Dataset {
  std::string name;
  Content content = Content::kPictures;
  std::vector<std::string> classes;  ///< by label
  Examples train, test;              ///< of the test one variant: the sample as it is
};

}  // namespace thimble::training
