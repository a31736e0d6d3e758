// SPDX-License-Identifier: Apache-2.0
// What the weights of a layer meet: sums over the windows of its input, as integers less their zero
// point. Integers, so that they are the same in whatever order inferences come.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

class PatchSums {
 public:
  /// op: CONV_2D, DEPTHWISE_CONV_2D or FULLY_CONNECTED of int8 or int16 with constant weights.
  /// products: sums of products of every two places of a window, too, if there are not too many
  /// places (kMostPlaces).
  PatchSums(const Graph& graph, const Op& op, bool products);
  /// Whether sums are known for such operators.
  [[nodiscard]] static bool knows(const Op& op);

  /// Up to kWindows windows of one inference, from all over the image; x: the input's bytes.
  void add(const Bytes& x);
  void include(const PatchSums& other);

  static constexpr int64_t kMostPlaces = 1536, kWindows = 64;
  /// Output channels read windows of their group of input channels.
  [[nodiscard]] size_t groups() const { return groups_; }
  [[nodiscard]] size_t group_of(size_t output_channel) const {
    return output_channel / outputs_each_;
  }
  [[nodiscard]] size_t places() const { return places_; }
  [[nodiscard]] int64_t windows() const { return windows_; }
  /// Of one place of a group's windows.
  [[nodiscard]] double mean(size_t group, size_t place) const;
  /// By place and place, of one group: of products, less those of means. Empty: not known.
  [[nodiscard]] std::vector<double> covariance(size_t group) const;
  /// The same with the means left in.
  [[nodiscard]] std::vector<double> second_moments(size_t group) const;

 private:
  struct Reader;
  [[nodiscard]] std::vector<double> moments(size_t group, bool centred) const;

  const Graph* graph_;
  const Op* op_;
  size_t groups_ = 1, outputs_each_ = 1, places_ = 1;
  int64_t windows_ = 0;
  std::vector<int64_t> sums_;      ///< by group, place
  std::vector<int64_t> products_;  ///< by group, place, place
};

}  // namespace thimble
