// SPDX-License-Identifier: Apache-2.0
// Data sets from files.
//
//   cifar10_train.tar, cifar10_test.tar in a folder      train/CLASS/NNNN.jpg, test/CLASS/NNNN.jpg
//   a .tar or folder of wav files DIGIT_SPEAKER_N.wav    free-spoken digits, apart by speakers
//   a folder: train/CLASS/..., test/CLASS/...            pictures or wav files
//   a folder: CLASS/...                                  every fifth of a class is to test
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "training/data/dataset.h"

namespace thimble::training {

struct DatasetRequest {
  std::string path;
  Shape shape;                             ///< of one sample: 32x32x3, 49x40x1
  std::vector<std::string> test_speakers;  ///< of digits; empty: the last two by name
  double white = 1;                        ///< of pictures: the number of the brightest pixel
  int64_t limit = 0;                       ///< samples of a class, in either part; 0: all
  size_t variants = 8;                     ///< of sound to learn from
  int jobs = 1;
  std::function<bool(size_t done, size_t of)> progress = {};  ///< false: stop, by CompileError
};

/// Pictures are resized, their bytes are from 0 to `white`. Of sound there is one second (the
/// first, or all and zeros behind it) as 49 frames of the micro front end's 40 features, or of
/// another number of coefficients of their cosine transform. The same for any number of jobs.
/// Throws CompileError for what cannot be read, a class without samples in either part, and less
/// than two classes.
[[nodiscard]] Dataset read_dataset(const DatasetRequest& request);

}  // namespace thimble::training
