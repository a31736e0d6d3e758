// SPDX-License-Identifier: Apache-2.0
// What the runtime offers, seen from the host: which kernel takes an operator (or a piece of it),
// with which parameters and packed constants, how its four axes walk the operands, its scratch and
// progress.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/regions/region.h"
#include "thimble_runtime/kernels.h"

namespace thimble {

/// One enumerator per function of thimble_runtime/kernels.h.
enum class KernelId : uint8_t {
  kConv2D,
  kConv2DAccumulate,
  kConv2DAccumulateI16,
  kConv2DAccumulateI8,
  kConv2DFinalise,
  kFullyConnected,
  kBatchMatMul,
  kDepthwiseConv2D,
  kDepthwiseConv2DInPlace,
  kAveragePool2D,
  kAveragePool2DFinalise,
  kMaxPool2D,
  kMean,
  kMeanFinalise,
  kSumAccumulate,
  kAdd,
  kMul,
  kPad,
  kCopy8,
  kCopy16,
  kCopy32,
  kTransposeInPlace8,
  kRescaleI8I8,
  kRescaleI8U8,
  kRescaleU8I8,
  kRescaleI8I16,
  kRescaleI16I8,
  kRescaleI32I8,
  kRescaleI16I32,
  kClamp,
  kLookupI8,
  kQuantizeF32I8,
  kQuantizeF32I16,
  kDequantizeI8F32,
  kDequantizeI16F32,
  kSoftmaxI8I8,
  kSoftmaxI8I16,
  kResizeNearestNeighbor,
  kResizeBilinear,
};

/// In which order a kernel reads and writes (see thimble_runtime/kernels.h).
enum class Progress : uint8_t { kElement, kPixel, kPlane, kWhole, kNone };

struct KernelInfo {
  const char* name;    ///< of the function: "conv_2d"
  const char* source;  ///< the file that defines it, below runtime/: "portable/conv_2d.cc"
  const char* params;  ///< its parameters' type, "Conv2DParams"; empty if it takes none
  Progress progress;
  /// What it requires of views and of the region (kernel axes). All else it takes as it comes: any
  /// strides, elements aligned to their own size; and none reads an element that the operator's
  /// access map does not demand (tests/runtime).
  bool rings = true;                    ///< takes operands and outputs that are rings
  std::array<bool, 4> whole_axes = {};  ///< the region covers all of these
};
[[nodiscard]] const KernelInfo& info(KernelId kernel);

/// Parameters as the kernel takes them; pointers are null until `bind`.
using KernelParams =
    std::variant<std::monostate, runtime::Conv2DParams, runtime::Conv2DNarrowParams,
                 runtime::FullyConnectedParams, runtime::BatchMatMulParams,
                 runtime::DepthwiseConv2DParams, runtime::Pool2DParams, runtime::MeanParams,
                 runtime::SumParams, runtime::AddParams, runtime::MulParams, runtime::PadParams,
                 runtime::RescaleParams, runtime::ClampParams, runtime::LookupParams,
                 runtime::FloatParams, runtime::SoftmaxParams, runtime::ResizeNearestNeighborParams,
                 runtime::ResizeBilinearParams>;

/// Read-only data of one call, packed for its kernel.
struct PackedConstant {
  std::string role;  ///< "weights", "bias", "multipliers", "shifts", "table", "rows", "columns"
  DType type = DType::kInt8;
  Shape shape;  ///< as packed
  Bytes data;
  bool operator==(const PackedConstant&) const = default;
};

/// Of every kernel: n, y, x, c. Axes before them are loops around the call.
constexpr size_t kKernelAxes = 4;

/// How a kernel's axes walk one operand. Kernel axis i runs over the tensor axes axes[i], merged
/// row-major (none: the operand has extent 1 there, or is broadcast: stride 0), and
/// merged tensor index = kernel coordinate * step[i] - shift[i].
struct OperandAxes {
  std::vector<std::vector<int>>
      axes;                    ///< at least 4 entries; the last 4 are the kernel's (n, y, x, c)
  std::vector<int64_t> shift;  ///< as many
  std::vector<int64_t> step;   ///< as many; not 0, and 1 but for the input of a slice
  bool operator==(const OperandAxes&) const = default;
};

/// One call of a kernel that does an operator or a part of it. If there are more than 4 axes, the
/// leading ones are loops around the call.
struct KernelUse {
  KernelId kernel;
  KernelParams params;
  std::vector<PackedConstant> constants;  ///< in the order of the pointers in params
  /// Operands: indices into Op::inputs (activations or constants). Finalise: {0}, the accumulators.
  std::vector<int> inputs;
  std::vector<OperandAxes> in;  ///< one per operand
  OperandAxes out;
  /// The part of the output, in kernel coordinates, that this call can compute (concat: its input's
  /// share). A piece is the intersection with it. One interval per kernel axis.
  Region limits;
};

/// How a step executes an operator.
enum class Method : uint8_t {
  kCompute,  ///< output from complete inputs
  /// The same with the output at the addresses of input 0 (depthwise: with scratch). A copy:
  /// changes the order of axes of a whole tensor.
  kInPlace,
  kAccumulate,  ///< adds a chunk of a reduced axis (chunk_axis) to accumulators
  kFinalise,    ///< accumulators -> output
};

/// Whether the runtime has kernels for that. kCompute holds for every operator that
/// unsupported_reason() lets pass. kInPlace is for operators with a kernel of their own for it
/// (depthwise); elementwise kernels need none. With an accumulator of Graph::accumulators an
/// operator can only accumulate and finalise: anything else would compute something else.
[[nodiscard]] bool has_kernel(const Graph& graph, const Op& op, Method method);
/// The axis of operand 0 that kAccumulate takes a chunk of: the channels of a convolution, the rows
/// of a mean. Requires has_kernel(kAccumulate).
[[nodiscard]] size_t chunk_axis(const Graph& graph, const Op& op);
/// The calls that do it, in order. Requires has_kernel.
[[nodiscard]] std::vector<KernelUse> kernel_uses(const Graph& graph, const Op& op, Method method);
/// Bytes of scratch that the step needs beside its operands.
[[nodiscard]] int64_t scratch_bytes(const Graph& graph, const Op& op, Method method);
/// A plain copy of elements of `type`.
[[nodiscard]] KernelId copy_kernel(DType type);
/// Whether transpose_in_place_8 takes a tensor of these extents from one set of strides (in
/// elements) to the other: the axes follow each other without gaps, and in one order they begin
/// where the other has its middle. Axes of one index do not count.
[[nodiscard]] bool transposes_in_place(const Shape& extents, const std::vector<int64_t>& from,
                                       const std::vector<int64_t>& to);

/// params with its pointers set to `constants`, in order.
[[nodiscard]] KernelParams bind(const KernelParams& params, std::span<const void* const> constants);
/// Whether both are of one type and hold the same numbers, pointers apart.
[[nodiscard]] bool same_values(const KernelParams& a, const KernelParams& b);

/// One call with everything in place.
struct Invocation {
  KernelId kernel;
  const KernelParams* params = nullptr;  ///< bound
  std::vector<runtime::View> in;
  runtime::View out;
  runtime::Region region;
  int32_t chunk_begin = 0, chunk_end = 0;  ///< accumulate
  int8_t* scratch = nullptr;
};
/// Calls the shipping kernel on the host.
void invoke(const Invocation& invocation);

}  // namespace thimble
