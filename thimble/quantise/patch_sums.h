// SPDX-License-Identifier: Apache-2.0
// What the weights of a layer meet in the quantised network, and how far that is from the float
// network: sums over the windows of its input, in steps of its scale. They are sums of integers, so
// that they are the same in whatever order inferences come.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/real_values.h"

namespace thimble {

class PatchSums {
 public:
  /// op: CONV_2D, DEPTHWISE_CONV_2D or FULLY_CONNECTED of int8 or int16 with constant weights, of
  /// graph, which both must outlive it. products: sums of products of every two places of a window,
  /// too, if there are not too many places (kMostPlaces).
  PatchSums(const Graph& graph, const Op& op, bool products);
  /// Whether sums are known for such operators.
  [[nodiscard]] static bool knows(const Op& op);

  /// Up to kWindows windows of one inference, from all over the image. x: the input's bytes; real:
  /// the same in the float network.
  void add(const Bytes& x, const RealValues& real);
  void include(const PatchSums& other);

  static constexpr int64_t kMostPlaces = 1536, kWindows = 64;
  /// Output channels read windows of their group of input channels.
  [[nodiscard]] size_t groups() const { return groups_; }
  [[nodiscard]] size_t group_of(size_t output_channel) const {
    return output_channel / outputs_each_;
  }
  [[nodiscard]] size_t places() const { return places_; }
  [[nodiscard]] int64_t windows() const { return windows_; }
  [[nodiscard]] bool has_products() const { return !products_.empty(); }

  /// Of what is at one place x, and of what the float network has there beyond it d: E[x], E[d].
  [[nodiscard]] double mean(size_t group, size_t place) const;
  [[nodiscard]] double mean_drift(size_t group, size_t place) const;
  /// By two places of a group: E[x x'], and E[x d'], less the products of the means if `centred`.
  /// Requires has_products().
  [[nodiscard]] std::vector<double> moments(size_t group, bool centred) const;
  [[nodiscard]] std::vector<double> drift(size_t group, bool centred) const;

 private:
  struct Reader;

  const Graph* graph_;
  const Op* op_;
  size_t groups_ = 1, outputs_each_ = 1, places_ = 1;
  int64_t windows_ = 0;
  std::vector<int64_t> sums_, drifts_;     ///< by group, place
  std::vector<int64_t> products_, cross_;  ///< by group, place, place
};

}  // namespace thimble
