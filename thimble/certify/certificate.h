// SPDX-License-Identifier: Apache-2.0
// What a rewritten network claims of the file's: which tensor stands for which, and what the
// channels were that are computed no more. The rewrites write it, certify() believes none of it.
//
//   conv > t5 [1,8,8,4], whose channel 2 is always -128, becomes conv > t9 [1,8,8,3]:
//   {.tensor = 9, .of = 5, .kept = {1, 1, 0, 1}, .constant = {-, -, -128, -}}
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// A tensor of the rewritten network that has some channels of one of the file's.
struct ThinnedTensor {
  TensorId tensor, of;
  std::vector<bool> kept;  ///< per channel of `of`, an index of its last axis
  /// Per channel: the value that it has whatever the inputs are. Nothing: it stays, or what is made
  /// of it does not depend on it.
  std::vector<std::optional<int32_t>> constant;

  bool operator==(const ThinnedTensor&) const = default;
};

/// All other tensors that the rewritten network computes have the number and the values of one of
/// the file's.
struct Certificate {
  std::vector<ThinnedTensor> thinned;

  bool operator==(const Certificate&) const = default;
};

struct RewrittenGraph {
  Graph graph;
  Certificate certificate;
};

/// Whether conversions between the caller's numbers and the network's may have gone at the ports.
enum class Interface : uint8_t { kOfTheFile, kIntegers };

}  // namespace thimble
