// SPDX-License-Identifier: Apache-2.0
// Names for the numbers in views and regions, collected where code has them:
//
//   constexpr int32_t kT3 = 1632;  // 816 B, int8 1x3x24x16 (ring) 'conv_2d', steps 0-3
//   constexpr int32_t kT3Image = 1152, kT3Row = 384, kT3Pixel = 16, kT3Ring = 816;
//   constexpr int32_t kT3Height = 24, kT3Width = 24, kT3Channels = 16;
//
//   View{arena + kT3, 0, kT3Ring, 0, {kT3Image, kT3Row, kT3Pixel, 1}}
//   Region{{0, row, 0, 0}, {1, bounded(row + 1, 0, kT3Height), kT3Width, kT3Channels}}
//
// 0 and 1 are written as they are.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "thimble/emit/counter_names.h"
#include "thimble/emit/names.h"

namespace thimble {

class ViewConstants {
 public:
  ViewConstants(const Graph& graph, const Program& program)  ///< which must outlive this
      : graph_(graph), program_(program), address_name_(program) {}

  /// "kT3Row": elements from one to the next along an axis of kernels.
  [[nodiscard]] std::string stride(const OperandView& view, size_t axis);
  /// "kT3Ring", "0".
  [[nodiscard]] std::string modulus(const OperandView& view);
  /// "4 * kT3Row + kT3Pixel * (column - 2)": terms are the view's bias or its channel.
  [[nodiscard]] std::string offset(const OperandView& view, const std::vector<BiasTerm>& terms,
                                   const CounterNames& counters);
  /// "kT3Height" where the value is the tensor's extent along an axis of kernels.
  [[nodiscard]] std::string extent(TensorId tensor, size_t axis, int64_t value);

  [[nodiscard]] bool any() const { return !buffers_.empty(); }
  /// A line that defines those of the buffer; "" where there are none.
  [[nodiscard]] std::string of_buffer(BufferId buffer) const;
  /// Lines for buffers that lie in no arena.
  [[nodiscard]] std::string of_others() const;
  /// Lines for tensors' extents.
  [[nodiscard]] std::string extents() const;

 private:
  enum class Kind : uint8_t { kImage, kRow, kPixel, kPlane, kRing };  ///< strides by axis, first
  using Names = std::map<std::pair<Kind, int64_t>, std::string>;      ///< by value

  [[nodiscard]] std::string base(BufferId buffer) const;
  [[nodiscard]] std::string named(BufferId buffer, Kind kind, int64_t value);
  [[nodiscard]] std::string product(const OperandView& view, int64_t factor,
                                    const std::string& expr);
  [[nodiscard]] std::string fixed(const OperandView& view, int64_t elements);

  const Graph& graph_;
  const Program& program_;
  const AddressNames address_name_;
  std::map<BufferId, Names> buffers_;
  std::map<TensorId, std::map<size_t, int64_t>> extents_;  ///< by axis
};

}  // namespace thimble
