// SPDX-License-Identifier: Apache-2.0
// A network of a .tflite file whose loops and branches have been taken apart (control_flow.h):
// operators and tensors as a subgraph lists them, and what of them is in no file.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "thimble/import/tflite/records.h"

namespace thimble {

struct FlatNetwork {
  static constexpr uint32_t kNoBuffer = 0xFFFFFFFF;  ///< of tensors that are in no file

  std::vector<tfl::TensorRecord> tensors;  ///< those of the first subgraph, then others
  std::vector<tfl::OperatorRecord> ops;
  std::vector<int32_t> inputs, outputs;
  std::vector<bool> subgraphs;  ///< per subgraph, whether a loop or branch names it
  uint32_t first_constant = 0;  ///< buffers of the file; constants have numbers from here on
  std::vector<std::span<const uint8_t>> constants;
  std::deque<std::vector<int32_t>> numbers;  ///< what operators and tensors refer to
  std::deque<std::vector<uint8_t>> bytes;    ///< what constants refer to
  int64_t size_bytes = 0;                    ///< of all that is in no file, about
};

}  // namespace thimble
