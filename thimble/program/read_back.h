// SPDX-License-Identifier: Apache-2.0
// One call's parameters and constants beside its operator. Private to what reads parameters back.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "thimble/program/program.h"
#include "thimble/reference/activation_range.h"
#include "thimble/reference/real_values.h"

namespace thimble {

struct ReadBack {
  const Graph& graph;
  const Op& op;
  const Call& call;
  const KernelParams& params;
  std::vector<const PackedConstant*> constants;

  [[nodiscard]] const Tensor& in(size_t k) const { return graph.tensor(op.inputs.at(k)); }
  [[nodiscard]] const Tensor& out() const { return graph.tensor(op.outputs.at(0)); }
  [[nodiscard]] bool is_float() const { return is_float32(graph, op); }
  [[nodiscard]] Arithmetic arithmetic() const { return op.attributes.arithmetic; }
  [[nodiscard]] bool is_onnx() const { return arithmetic() == Arithmetic::kOnnx; }
  /// Null if they are those of a kernel of another kind.
  template <class Params>
  [[nodiscard]] const Params* as() const {
    return std::get_if<Params>(&params);
  }
};

/// Collects the first difference.
class Difference {
 public:
  Difference& expect(const char* what, int64_t given, int64_t wanted) {
    if (text_.empty() && given != wanted)
      text_ = fmt::format("its parameter {} is {}, not {}", what, given, wanted);
    return *this;
  }
  Difference& expect(const char* what, const runtime::Scale& given, reference::FixedFactor wanted) {
    return expect(what, given.multiplier, wanted.multiplier)
        .expect(what, given.shift, wanted.shift);
  }
  /// Bit by bit.
  Difference& expect_float(const char* what, float given, float wanted) {
    if (text_.empty() && std::bit_cast<uint32_t>(given) != std::bit_cast<uint32_t>(wanted))
      text_ = fmt::format("its parameter {} is {}, not {}", what, given, wanted);
    return *this;
  }
  Difference& fail(const std::string& text) {
    if (text_.empty()) text_ = text;
    return *this;
  }
  [[nodiscard]] bool none() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

[[nodiscard]] inline int32_t zero_point(const Tensor& t) {
  return t.quantization.zero_points.empty() ? 0 : t.quantization.zero_points[0];
}
[[nodiscard]] inline double scale(const Tensor& t) {
  return static_cast<double>(t.quantization.scales.at(0));
}

/// Elements of a packed constant; none if it has another type or size.
template <class T>
[[nodiscard]] std::vector<T> unpacked(const ReadBack& r, size_t constant, DType type,
                                      size_t count) {
  if (constant >= r.constants.size()) return {};
  const PackedConstant& packed = *r.constants[constant];
  if (packed.type != type || packed.data.size() != count * sizeof(T)) return {};
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), packed.data.data(), packed.data.size());
  return values;
}

/// A fully connected layer is a 1 x 1 convolution without padding, wherever its rows lie.
void compare_no_window(const ReadBack& r, const runtime::Window2D& given, Difference& d);
/// The last four extents of a shape, ones before them.
[[nodiscard]] std::vector<int64_t> last_four(const Shape& shape);
void compare_four(const char* what, const int32_t (&given)[kKernelAxes],
                  const std::vector<int64_t>& wanted, Difference& d);
/// Parameters and constants of a depthwise convolution packed for DSP cores, and whether its kernel
/// is exact.
[[nodiscard]] std::string packed_depthwise_fault(const DepthwiseConv2D& a, const ReadBack& r,
                                                 const runtime::DepthwiseConv2DPackedParams& p);
/// The constants of a convolution or fully connected layer in pairs, and whether its tail may be
/// what it is. factors: of each output channel.
[[nodiscard]] std::string pairs_fault(const ReadBack& r, const runtime::Conv2DPairsParams& p,
                                      const std::vector<reference::FixedFactor>& factors);
/// The constants of a convolution or fully connected layer in fours, and its rounding.
[[nodiscard]] std::string fours_fault(const ReadBack& r, const runtime::Conv2DFoursParams& p,
                                      const std::vector<reference::FixedFactor>& factors);
/// Parameters but for the window, and constants, of a convolution of int16 in words.
[[nodiscard]] std::string words_fault(const ReadBack& r, const runtime::Conv2DWordsParams& p,
                                      Activation activation,
                                      const std::vector<reference::FixedFactor>& factors);
/// The model's, of int32 or int64; 0 if it has none.
[[nodiscard]] int64_t model_bias(const ReadBack& r, size_t o);
/// window: of an operator over images.
void compare_window(const Window& window, const Tensor& in, const runtime::Window2D& given,
                    Difference& d);
template <class Params>
void compare_clamps(const Params& p, Activation activation, const Tensor& out, Difference& d) {
  const reference::ActivationRange range = reference::activation_range(activation, out);
  d.expect("clamp_min", p.clamp_min, range.min).expect("clamp_max", p.clamp_max, range.max);
}
/// Output zero point and clamp, which most kernels have.
template <class Params>
void compare_output(const Params& p, Activation activation, const Tensor& out, Difference& d) {
  d.expect("output_zero_point", p.output_zero_point, zero_point(out));
  compare_clamps(p, activation, out, d);
}
/// The clamp of a kernel of float32.
template <class Params>
void compare_float_clamp(const Params& p, Activation activation, Difference& d) {
  const RealRange range = real_range(activation);
  d.expect_float("clamp_min", p.clamp_min, range.min);
  d.expect_float("clamp_max", p.clamp_max, range.max);
}
[[nodiscard]] std::string float_clamp_fault(Activation activation, const ReadBack& r);
constexpr const char* kOtherKernel = "its parameters are those of another kernel";

}  // namespace thimble
