// SPDX-License-Identifier: Apache-2.0
// Layouts of which parts are settled: blocks of buffers whose addresses within the block are known,
// in rectangles of sections x bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/layout/layout.h"

namespace thimble::layout {

/// Live in sections [begin, end) of a sweep.
struct Block {
  struct Part {
    int buffer;
    int64_t offset;  ///< of the buffer's address above the block's
    bool operator==(const Part&) const = default;
  };
  int begin = 0, end = 0;
  int64_t bytes = 0;
  std::vector<Part> parts;  ///< none: padding
  bool operator==(const Block&) const = default;
};

/// Lives count sections.
[[nodiscard]] inline Problem problem_of(const std::vector<Block>& blocks, int64_t alignment) {
  Problem result;
  for (const Block& block : blocks) {
    result.buffers.push_back({.size_bytes = block.bytes,
                              .alignment = alignment,
                              .lives = {{block.begin, block.end}},
                              .address = {}});
  }
  return result;
}

}  // namespace thimble::layout
