// SPDX-License-Identifier: Apache-2.0
// What the runtime offers, seen from the host: a table with a row per kernel, and which of them
// take an operator (or a piece of it): with which parameters, how their four axes walk the
// operands, and, once one is chosen, with which packed constants.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/model/shared_bytes.h"
#include "thimble/regions/region.h"
#include "thimble/target/core.h"
#include "thimble_runtime/kernels.h"

namespace thimble {

/// What a kernel computes, whatever the types of the elements and the instruction set.
enum class Family : uint8_t {
  kConv2D,
  kConv2DOffset,  ///< weights have a zero point
  kConv2DHybrid,  ///< float32, weights of int8
  kConv2DAccumulate,
  kConv2DFinalise,
  kTransposeConv,
  kFullyConnected,
  kBatchMatMul,
  kSvdfFeatures,
  kSvdf,
  kLstm,
  kLstmHybrid,  ///< float32, weights of int8
  kRnn,
  kRnnRelu,
  kGru,
  kGruResetBefore,
  kStepLoop,
  kDepthwiseConv2D,
  kDepthwiseConv2DInPlace,
  kAveragePool2D,
  kAveragePool2DTiesUp,
  kAveragePool2DToEven,
  kAveragePool2DFinalise,
  kMaxPool2D,
  kMinPool2D,
  kL2Pool2D,
  kMean,
  kMeanFinalise,
  kSumAccumulate,
  kAdd,
  kAddToEven,
  kMul,
  kMulToEven,
  kSub,
  kDiv,
  kFloorDiv,
  kFloorMod,
  kPow,
  kSquaredDifference,
  kMaximum,
  kMinimum,
  kComparison,
  kSelect,
  kGather,
  kUpdateSlice,
  kPad,
  kCopy,
  kCast,
  kTransposeInPlace,
  kShiftIn,
  kRescale,
  kClamp,
  kLeakyRelu,
  kPrelu,
  kLookup,
  kLogistic,
  kTanh,
  kAbs,
  kElu,
  kGelu,
  kGeluByTanh,
  kHardSwish,
  kRsqrt,
  kAtan,
  kCeil,
  kCos,
  kErf,
  kExp,
  kFloor,
  kLog,
  kNeg,
  kRound,
  kSin,
  kSqrt,
  kSquare,
  kQuantize,
  kQuantizeToEven,
  kDequantize,
  kSoftmax,
  kLogSoftmax,
  kArgMax,
  kCumSum,
  kL2Normalization,
  kResizeNearestNeighbor,
  kResizeBilinear,
  kDetectionPostProcess,
  kSignalWindow,
  kSignalAutoShift,
  kSignalShift,
  kSignalRfft,
  kSignalIrfft,
  kSignalEnergy,
  kSignalFilterBank,
  kSignalSquareRoot,
  kSignalNoise,
  kSignalSubtraction,
  kSignalPcan,
  kSignalLog,
};

/// A row of the table of kernels: one function of thimble_runtime/kernels.h.
struct KernelId {
  int16_t row = -1;

  [[nodiscard]] bool valid() const { return row >= 0; }
  auto operator<=>(const KernelId&) const = default;
};

/// In which order a kernel reads and writes (see thimble_runtime/kernels.h).
enum class Progress : uint8_t { kElement, kPixel, kPlane, kWhole, kNone };

/// Parameters as the kernel takes them; pointers are null until `bind`.
#define THIMBLE_PARAMS(Struct, fields) , runtime::Struct
using KernelParams = std::variant<std::monostate
#include "thimble/target/kernels/params.def"
                                  >;

/// Read-only data of one call, packed for its kernel.
struct PackedConstant {
  std::string role;  ///< "weights", "bias", "multipliers", "shifts", "pairs", "table", "rows", ..
  DType type = DType::kInt8;
  Shape shape;  ///< as packed
  SharedBytes data;
  /// Where it is one part behind the other, for so many output channels each: a call of some
  /// channels reads their parts alone. 0: any call may read all of it.
  int64_t part_channels = 0;
  bool operator==(const PackedConstant&) const = default;
};

/// Every kernel has the axes n, y, x, c. Axes before them are loops around the call.
constexpr size_t kKernelAxes = 4;

/// Elements of the output that a call computes at most.
struct CallExtents {
  int64_t rows = 1, columns = 1, channels = 1;
};

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

/// How kernels of an instruction set hold weights, where a family has them several ways
/// (docs/kernels.md).
enum class WeightForm : uint8_t {
  kWide,       ///< in 16 bits
  kCompact,    ///< in 8 bits
  kDepthwise,  ///< in 8 bits, a word for each tap of four channels
  kRows,       ///< in 8 bits, channel by channel
  kNibbles,    ///< in 4 bits, two to a byte
};

/// How the DSP kernels of depthwise convolutions requantise (runtime/dsp/depthwise_tail.h).
enum class DepthwiseTail : uint8_t { kRelu, kShifted, kClamped, kToEven };

struct Operands;
struct KernelUse;
struct Invocation;

struct KernelInfo {
  const char* name;  ///< of the function: "rescale_i8_i16" (the grammar: thimble_runtime/kernels.h)
  Family family;
  std::optional<Family> also = {};  ///< another one whose calls it takes
  /// Elements of operand 0 (and of all other activations; kSelect: of those behind it), and of the
  /// output. One that moves elements takes all of their size.
  DType in = DType::kInt8, out = DType::kInt8;
  InstructionSet set = InstructionSet::kPortable;
  Progress progress = Progress::kElement;

  /// What it requires of views and of the region (kernel axes). All else it takes as it comes: any
  /// strides, elements aligned to their own size; and none reads an element that the operator's
  /// access map does not demand (tests/runtime).
  bool rings = true;                    ///< takes operands and outputs that are rings
  std::array<bool, 4> whole_axes = {};  ///< the region covers all of these
  bool dense_channels = false;          ///< channels of operand 0 are neighbours in memory
  bool dense_output = false;            ///< so are those of the output
  /// Which of the family's calls it takes (with the portable row's parameters); null: all.
  bool (*takes)(const KernelUse&) = nullptr;
  Weights weights = Weights::kLeast;       ///< where it is taken, and in any that are larger
  std::optional<WeightForm> form = {};     ///< of its weights, if it has one of these
  std::optional<DepthwiseTail> tail = {};  ///< by which it requantises, if it has one of these
  int channel_multiple = 1;  ///< input channels that it does fastest are multiples of this
  int64_t (*scratch_bytes)(const KernelParams&) = nullptr;  ///< of the portable row's; null: none
  /// What it can use of `budget_bytes` in calls of at most these extents; 0: too little. Its
  /// parameters say how much it has. Null: it needs scratch_bytes.
  int64_t (*scratch_within)(const KernelParams&, const CallExtents&,
                            int64_t budget_bytes) = nullptr;
  DType scratch_type = DType::kInt8;  ///< its alignment
  /// Its constants, in the order of the pointers in its parameters. Null: it has none.
  std::vector<PackedConstant> (*pack)(const Operands&) = nullptr;
  /// Its parameters, made of those of the portable row; null: it takes the same.
  KernelParams (*adapt)(const Operands&, const KernelParams&) = nullptr;
  /// The kernel whose blocks it makes and whose coefficients it takes (target/latency.h); null: it
  /// has some of its own.
  const char* fitted_as = nullptr;

  // How to call its function, and with what: this follows from the function's type.
  void (*invoke)(const Invocation&) = nullptr;
  size_t params = 0;         ///< index of its alternative of KernelParams; 0: it takes none
  bool accumulates = false;  ///< it adds a chunk to sums

  [[nodiscard]] std::string source() const;  ///< below runtime/: "portable/conv_2d.cc"
};
[[nodiscard]] std::span<const KernelInfo> kernels();
[[nodiscard]] const KernelInfo& info(KernelId kernel);
/// Invalid if there is none.
[[nodiscard]] KernelId kernel_named(std::string_view name);
/// The portable row, which takes every call of its family; invalid if there is none for the types.
[[nodiscard]] KernelId portable_kernel(Family family, DType in = DType::kInt8,
                                       DType out = DType::kInt8);
/// A plain copy of elements of `type`.
[[nodiscard]] KernelId copy_kernel(DType type);
/// "Conv2DParams"; empty for none.
[[nodiscard]] const char* type_name(const KernelParams& params);

/// One call of a kernel that does an operator or a part of it. If there are more than 4 axes, the
/// leading ones are loops around the call.
struct KernelUse {
  KernelId kernel;      ///< the portable one; `candidates` has others that do the same
  KernelParams params;  ///< pointers null
  /// Operands: indices into Op::inputs (activations or constants). Finalise: {0}, the accumulators.
  std::vector<int> inputs;
  std::vector<OperandAxes> in;  ///< one per operand
  OperandAxes out;
  /// The part of the output, in kernel coordinates, that this call can compute (concat: its input's
  /// share). A piece is the intersection with it. One interval per kernel axis.
  Region limits;
  /// The cheapest that is exact for all channels; nothing if none is.
  std::optional<DepthwiseTail> tail = {};
  bool small_sums = false;  ///< of a convolution: WeightForm::kCompact can hold them
  bool nibbles = false;     ///< of a convolution: WeightForm::kNibbles can hold its weights
  bool nibble_pairs = false, nibble_fours = false;  ///< and kernels in pairs, or in fours, its sums
  bool words = false;  ///< of one of int16: Conv2DWordsParams can hold its multipliers
};

/// How a step executes an operator.
enum class Method : uint8_t {
  kCompute,  ///< output from complete inputs
  /// Output from complete inputs, at the addresses of input 0 (depthwise: with scratch). A copy:
  /// changes the order of axes of a whole tensor.
  kInPlace,
  kAccumulate,  ///< adds a chunk of a reduced axis (chunk_axis) to accumulators
  kFinalise,    ///< accumulators -> output
};

/// Whether the kernel computes what use.kernel does, given its parameters.
[[nodiscard]] bool does(KernelId kernel, const KernelUse& use);
/// Bytes that calls need at least beside their operands.
struct Scratch {
  int64_t size_bytes = 0;
  DType type = DType::kInt8;  ///< its alignment
};
/// The kernel that a step names, if it does() the use, else the portable one: an operator's calls
/// may be of several families.
[[nodiscard]] KernelId chosen(KernelId wanted, const KernelUse& use);

/// A row that can make a call.
struct Candidate {
  KernelId kernel;
  int64_t scratch_bytes = 0;
};
/// All that a core has for the call, a portable one first. What they require of views and
/// regions: schedule/kernel_fit.h. Where the core's weights are to be small and 4 bits can hold
/// those of the call, all of them do; but at Weights::kCompact not by the portable kernel alone,
/// where the core has its own for 8 bits.
[[nodiscard]] std::vector<Candidate> candidates(const KernelUse& use, const Core& core);
/// Bytes of scratch beside the operands. `kernel`: a row that does() the use.
[[nodiscard]] int64_t scratch_bytes(KernelId kernel, const KernelUse& use);
/// What it can use of `budget_bytes` in calls of at most these extents; nothing: it needs more.
[[nodiscard]] std::optional<int64_t> scratch_within(KernelId kernel, const KernelUse& use,
                                                    const CallExtents& call, int64_t budget_bytes);
/// The fewest that it takes in any call: scratch_bytes, if it cannot do with less.
[[nodiscard]] int64_t least_scratch_bytes(KernelId kernel, const KernelUse& use);

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
