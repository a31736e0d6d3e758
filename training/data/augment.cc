// SPDX-License-Identifier: Apache-2.0
#include "training/data/augment.h"

#include <algorithm>

namespace thimble::training {
namespace {

constexpr int64_t kMostFrames = 4, kMostMasked = 6;

const int16_t* steps_of(const Examples& examples, size_t sample, size_t variant) {
  const auto each = static_cast<size_t>(elements(examples.shape));
  return examples.steps.data() + (sample * examples.variants + variant) * each;
}

/// out[y][x] = in[y + dy][x + dx or mirrored], zeros outside.
void move(const Examples& e, const int16_t* in, int64_t dy, int64_t dx, bool mirrored, float* out) {
  const int64_t h = e.shape[0], w = e.shape[1], c = e.shape[2];
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      const int64_t from_y = y + dy, at_x = x + dx, from_x = mirrored ? w - 1 - at_x : at_x;
      const bool inside = from_y >= 0 && from_y < h && from_x >= 0 && from_x < w;
      for (int64_t k = 0; k < c; ++k)
        *out++ = inside ? static_cast<float>(in[(from_y * w + from_x) * c + k]) * e.scale : 0;
    }
  }
}

/// Rows or columns of a sample become its mean.
void mask(const Examples& e, zoo::Random& random, float* out) {
  const int64_t h = e.shape[0], w = e.shape[1] * e.shape[2];
  float mean = 0;
  for (int64_t k = 0; k < h * w; ++k) mean += out[k];
  mean /= static_cast<float>(h * w);
  const int64_t rows = random.between(0, std::min(kMostMasked, h / 4)),
                columns = random.between(0, w / 5);
  const int64_t row = random.between(0, h - rows), column = random.between(0, w - columns);
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      if ((y >= row && y < row + rows) || (x >= column && x < column + columns))
        out[y * w + x] = mean;
    }
  }
}

}  // namespace

void augment(const Dataset& data, size_t sample, zoo::Random& random, float* out) {
  const Examples& train = data.train;
  const auto variant = static_cast<size_t>(random.next() % train.variants);
  const int16_t* steps = steps_of(train, sample, variant);
  if (data.content == Content::kSound) {
    move(train, steps, random.between(-kMostFrames, kMostFrames), 0, false, out);
    mask(train, random, out);
    return;
  }
  const int64_t h = train.shape[0] / 8, w = train.shape[1] / 8;
  const int64_t dy = random.between(-h, h), dx = random.between(-w, w);
  move(train, steps, dy, dx, random.chance(0.5), out);
}

void plain(const Examples& examples, size_t sample, float* out) {
  const int16_t* steps = steps_of(examples, sample, 0);
  for (int64_t k = 0; k < elements(examples.shape); ++k)
    out[k] = static_cast<float>(steps[k]) * examples.scale;
}

}  // namespace thimble::training
