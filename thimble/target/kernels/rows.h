// SPDX-License-Identifier: Apache-2.0
// What rows of the table of kernels are made with, and the files that have some. Each is a function
// of thimble_runtime/kernels.h, in the file with the calls and the constants of its family. Private
// to thimble/target/kernels.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "thimble/target/kernels/call.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {

#define THIMBLE_ROWS(file) [[nodiscard]] std::span<const KernelInfo> file##_rows();
#include "thimble/target/kernels/rows.def"

// KernelInfo::whole_axes.
constexpr std::array<bool, 4> kWholeRegion = {true, true, true, true};
constexpr std::array<bool, 4> kWholeImages = {false, true, true, false};
constexpr std::array<bool, 4> kWholeChannels = {false, false, false, true};

/// Index of the alternative of KernelParams that the kernel takes.
template <class P, class... Rest>
constexpr size_t params_index(void (*)(const P&, Rest...) noexcept) {
  if constexpr (std::is_same_v<P, runtime::View>) {
    return 0;
  } else {
    return KernelParams(P{}).index();
  }
}

template <class P>
constexpr bool takes_chunk(AccumulatingKernel<P>) {
  return true;
}
template <class... Arguments>
constexpr bool takes_chunk(void (*)(Arguments...) noexcept) {
  return false;
}

/// A row of the table with what follows from its function.
template <auto Kernel>
constexpr KernelInfo row(KernelInfo info) {
  info.invoke = [](const Invocation& call) { apply(Kernel, call); };
  info.params = params_index(Kernel);
  info.accumulates = takes_chunk(Kernel);
  return info;
}

/// A size function of the runtime's as a column of the table.
template <auto Bytes>
int64_t bytes_by(const KernelParams& params) {
  return std::visit(
      [](const auto& p) -> int64_t {
        if constexpr (requires { Bytes(p); }) {
          return Bytes(p);
        } else {
          throw InternalError("scratch_bytes: parameters of another kernel");
        }
      },
      params);
}

/// Pools and means of instruction sets, by boxes of pixels (runtime/portable/pixel_box.h).
template <auto Kernel>
constexpr KernelInfo boxes_row(const char* name, Family family, InstructionSet set) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .set = set,
                      .progress = Progress::kPixel,
                      .rings = false,
                      .dense_channels = true,
                      .dense_output = family == Family::kMaxPool2D});
}

/// Elements as they are, of one size, from where other operands say.
template <auto Kernel>
constexpr KernelInfo moving_row(const char* name, Family family, DType type,
                                Progress progress = Progress::kElement) {
  return row<Kernel>(
      {.name = name, .family = family, .in = type, .out = type, .progress = progress});
}

/// Operands and output are float32.
template <auto Kernel>
constexpr KernelInfo float_row(const char* name, Family family,
                               Progress progress = Progress::kElement,
                               std::vector<PackedConstant> (*pack)(const Operands&) = nullptr,
                               std::array<bool, 4> whole_axes = {}) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .in = DType::kFloat32,
                      .out = DType::kFloat32,
                      .progress = progress,
                      .whole_axes = whole_axes,
                      .pack = pack});
}

}  // namespace thimble
