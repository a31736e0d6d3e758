// SPDX-License-Identifier: Apache-2.0
// How axes of tensors follow one another through the operators of a network, and along which of
// them kernels can compute a part. Derived once per graph from the access maps.
//
//   conv 3x3 stride 2    rows of x follow rows of y at 2 for 1, window -1 .. 1; columns likewise;
//                        channels of x are summed: they follow no axis, and are the summed axis
//   transpose heads      tokens, axis 1 of x, are axis 2 of y
//   reshape T x C        the outermost axis with several indices follows that of the other shape
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "thimble/regions/access_map.h"
#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

/// The axis of an operand that follows an axis of the output, in the same direction.
struct Connection {
  int axis = 1;  ///< of the operand
  Affine pace;   ///< and its window
  bool operator==(const Connection&) const = default;
};

/// What the kernels of an operator allow along an axis of its output.
enum class Cut : uint8_t {
  kNo,    ///< all of it at once
  kTile,  ///< parts that begin at a whole multiple of the tile: slices, patches
  kRoll,  ///< any part, and operands and output in rings along it
};

class AxisGraph {
 public:
  /// The graph must outlive it.
  explicit AxisGraph(const Graph& graph);

  /// Null if none follows, or the operand is a constant.
  [[nodiscard]] const Connection* connection(OpId op, size_t operand, int axis) const;
  /// Axis of operand 0 whose parts the operator can add one after the other; nothing if it cannot.
  [[nodiscard]] std::optional<int> summed_axis(OpId op) const { return summed_axis_[op.index()]; }
  /// The one answer to "can this kernel be cut here?", of the operator's portable kernels.
  [[nodiscard]] Cut cut(OpId op, int axis, Method method = Method::kCompute) const;
  /// What the operator does that way.
  [[nodiscard]] const std::vector<KernelUse>& uses(OpId op, Method method) const {
    return *uses_[op.index()][static_cast<size_t>(method)];
  }
  [[nodiscard]] const KernelUses& kernel_uses() const { return kernel_uses_; }
  /// Whether the operator's portable kernels take operands and output however they lie.
  [[nodiscard]] bool takes_any_buffer(OpId op, Method method) const {
    return takes_any_buffer_[op.index()][static_cast<size_t>(method)];
  }
  /// Whether the kernel writes each element when it has read the one at the same place.
  [[nodiscard]] bool by_elements(OpId op) const { return by_elements_[op.index()]; }

  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  [[nodiscard]] Cut cut_of(OpId op, int axis, Method method) const;

  const Graph& graph_;
  using PerAxis = std::vector<std::optional<Connection>>;  ///< of the output
  std::vector<std::vector<PerAxis>> connections_;          ///< per operator and operand
  std::vector<std::optional<int>> summed_axis_;            ///< per operator
  KernelUses kernel_uses_;
  using PerMethod = std::array<const std::vector<KernelUse>*, 4>;
  std::vector<PerMethod> uses_;                        ///< per operator
  std::vector<std::array<std::vector<Cut>, 4>> cuts_;  ///< per operator, method and axis
  std::vector<std::array<bool, 4>> takes_any_buffer_;  ///< per operator and method
  std::vector<bool> by_elements_;                      ///< per operator
};

/// Axes of an image [1, rows, columns, channels].
constexpr int kRowAxis = 1, kColumnAxis = 2;
[[nodiscard]] bool is_image(const Shape& shape);
/// Whether positions along the axis follow one another in row-major order.
[[nodiscard]] bool is_outermost(const Shape& shape, int axis);

}  // namespace thimble
