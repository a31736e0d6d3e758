// SPDX-License-Identifier: Apache-2.0
// Random calls of every kernel, with what a piece of their output needs of their inputs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/runtime/tensors.h"
#include "thimble/target/kernels/convolution/conv_2d_pairs.h"
#include "thimble/target/kernels/kernel.h"
#include "thimble_runtime/kernels.h"

namespace thimble::testing {

enum class Element : uint8_t { kInt8, kInt16, kInt32, kInt64, kFloat32 };
constexpr Element kFloat = Element::kFloat32;

/// Indices of the reduced axis that a call of an accumulating kernel adds.
struct Chunk {
  int32_t begin = 0, end = 0;
};

/// One tensor that a kernel reads or writes.
struct Operand {
  Extents extents;
  Element element = Element::kInt8;
  bool broadcast = false;  ///< along the axes on which it has one element
};

/// The arguments of a kernel, apart from its parameters.
struct Call {
  std::vector<runtime::View> in;
  runtime::View out;
  runtime::Region region;
  Chunk chunk;
  int8_t* scratch = nullptr;
};

struct Case {
  std::vector<Operand> in;
  Operand out;
  std::function<void(const Call&)> run;
  /// The box of each input that the region (and the chunk) needs; neither is empty.
  std::function<std::vector<runtime::Region>(const runtime::Region& out, Chunk)> needed;
  int32_t reduced = 0;          ///< extent of the axis that chunks are taken of; 0: no chunks
  bool whole_columns = false;   ///< regions cover all columns
  bool whole_channels = false;  ///< regions cover all channels
  bool in_place = false;        ///< the output has the input's bytes
  /// The portable kernel's `run`, for those that must do the same; none: `run`.
  std::function<void(const Call&)> whole;
  bool rings = true;            ///< takes them
  bool dense_channels = false;  ///< input channels are neighbours
  bool dense_output = false;    ///< output channels are
  int64_t scratch_bytes = 0;    ///< of pieces; words of 32 bits
};

/// Small random shapes and parameters for the kernel.
Case random_case(KernelId kernel, Random& random);
/// The convolutions with more than one group, the depthwise ones with a multiplier.
Case grouped_conv_2d_case(Random& random);
Case grouped_conv_2d_nibbles_case(Random& random);
Case multiplied_depthwise_conv_2d_case(Random& random);

/// How a kernel's row says what elements it takes.
Element element_of(DType type);
/// Calls the kernel of a row.
void run(KernelId kernel, const KernelParams& params, const Call& call);

/// A convolution with its constants.
struct Convolution {
  Extents in, out;
  std::vector<int8_t> weights, shifts;
  std::vector<int32_t> bias, multipliers;
  runtime::Window2D window;
  int32_t groups = 1, multiplier = 1;
  int32_t input_zero_point = 0;
  int32_t output_zero_point = 3, clamp_min = -100, clamp_max = 110;
  /// All of it as conv_2d_pairs_dsp takes it, by the form of its weights; in 8 and in 4 bits if
  /// these can hold it.
  std::map<WeightForm, Pairs> pairs;
  /// As of KernelUse.
  bool small_sums = false, nibbles = false, nibble_pairs = false, nibble_fours = false;
  std::vector<int8_t> nibble_rows;  ///< weights as conv_2d_nibbles takes them
  /// All of it as conv_2d_mve takes it, in 8 bits (kRows) and in 4.
  std::map<WeightForm, std::vector<int32_t>> fours;
  runtime::FoursRounding rounding = runtime::FoursRounding::kAny;

  [[nodiscard]] runtime::Conv2DParams conv_2d() const;
  [[nodiscard]] runtime::Conv2DParams conv_2d_nibbles() const;
  [[nodiscard]] runtime::Conv2DPairsParams conv_2d_pairs(WeightForm form) const;
  [[nodiscard]] runtime::Conv2DFoursParams conv_2d_fours(WeightForm form = WeightForm::kRows) const;
  [[nodiscard]] runtime::Conv2DNarrowParams narrow(int32_t accumulator_zero_point) const;
  [[nodiscard]] runtime::DepthwiseConv2DParams depthwise() const;
};
/// bits: of the weights.
Convolution random_convolution(Random& random, int32_t groups, int32_t bits = 8);
Convolution random_depthwise(Random& random, int32_t multiplier);
/// Input and output of the same shape.
Convolution random_same_depthwise(Random& random);

/// 3 x 3 mostly, which kernels of DSP cores have blocks for.
Convolution random_packed_depthwise(Random& random);
/// Weights, biases, scales and how outputs are cut; its extents are set.
void fill_convolution(Random& random, Convolution& c, int64_t weights);
/// Its scales as float32 (kFloatShift), which one convolution of six has.
void use_float_scales(Convolution& c);
[[nodiscard]] inline bool has_float_scales(const Convolution& c) {
  return !c.shifts.empty() && c.shifts.front() == runtime::kFloatShift;
}

using SharedConvolution = std::shared_ptr<const Convolution>;
inline SharedConvolution shared(Convolution c) {
  return std::make_shared<const Convolution>(std::move(c));
}

/// One of a shape: outputs as far as the padding goes, `pad_end` behind the last row and column;
/// depthwise: as many channels as the input, shifts to the right.
struct ConvolutionShape {
  Extents in{};
  int32_t channels = 1;
  int32_t kernel = 1, stride = 1;
  int32_t pad = 0, pad_end = 0;
  bool depthwise = false;
};
Convolution convolution_of(Random& random, const ConvolutionShape& shape);

/// The box of the input that the windows of a piece reach.
runtime::Region window_region(const runtime::Window2D& window, const runtime::Region& out);
/// An output as large as the input, each element of that of the input.
Case map_case(Random& random, KernelId kernel, const KernelParams& params);
/// A variant's case: what it takes of views, and the portable kernel beside it.
Case with_portable(Case result, KernelId kernel, const KernelParams& params);
runtime::Scale random_scale(Random& random, int32_t least_shift, int32_t most_shift);
Extents random_extents(Random& random);
/// Over an operand of `in`, without dilation; less padding than the window is wide.
runtime::Window2D random_padded_window(Random& random, const Extents& in);
/// What the kernel's elements can be cut to.
struct Range {
  int32_t min, max;
};
Range clamps(Element out);
float random_float(Random& random);
std::vector<float> random_floats(Random& random, int64_t count);
/// Half of them let everything pass.
runtime::FloatClampParams random_float_clamp(Random& random);

/// Cases of a family: of integers, and of kernels that read and write float32; null: it has none.
struct FamilyCases {
  Family family;
  Case (*of_integers)(Random& random, KernelId kernel);
  Case (*of_floats)(Random& random, KernelId kernel) = nullptr;
};

// By file; every family stands in one of them.
std::vector<FamilyCases> channel_cases();
std::vector<FamilyCases> convolution_cases();
std::vector<FamilyCases> depthwise_cases();
std::vector<FamilyCases> detection_cases();
std::vector<FamilyCases> map_cases();
std::vector<FamilyCases> matmul_cases();
std::vector<FamilyCases> movement_cases();
std::vector<FamilyCases> pair_cases();
std::vector<FamilyCases> pool_cases();
std::vector<FamilyCases> recurrent_cases();
std::vector<FamilyCases> reduction_cases();
std::vector<FamilyCases> resize_cases();
std::vector<FamilyCases> signal_cases();
std::vector<FamilyCases> step_loop_cases();

}  // namespace thimble::testing
