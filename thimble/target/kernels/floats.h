// SPDX-License-Identifier: Apache-2.0
// What operators of float32 share. Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/operands.h"

namespace thimble {

/// Whether all operands and the output are.
[[nodiscard]] inline bool is_float32(const Operands& t) { return is_float32(t.graph, t.op); }
/// The family's kernel for float32.
[[nodiscard]] KernelId float_kernel(Family family);
/// What a fused activation lets pass.
[[nodiscard]] runtime::FloatClampParams float_clamp(Activation activation);
/// A constant of numbers.
[[nodiscard]] PackedConstant packed_floats(std::string role, const std::vector<float>& values);
/// A function of each element.
[[nodiscard]] std::vector<KernelUse> float_function_use(const Operands& t, Family family,
                                                        const KernelParams& params = {});

}  // namespace thimble
