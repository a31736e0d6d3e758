// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/floats.h"

#include <cstring>

#include "thimble/model/error.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

Family family_of(Function function) {
  switch (function) {
    case Function::kAtan:
      return Family::kAtan;
    case Function::kCeil:
      return Family::kCeil;
    case Function::kCos:
      return Family::kCos;
    case Function::kErf:
      return Family::kErf;
    case Function::kExp:
      return Family::kExp;
    case Function::kFloor:
      return Family::kFloor;
    case Function::kLog:
      return Family::kLog;
    case Function::kNeg:
      return Family::kNeg;
    case Function::kRound:
      return Family::kRound;
    case Function::kSin:
      return Family::kSin;
    case Function::kSqrt:
      return Family::kSqrt;
    case Function::kSquare:
      return Family::kSquare;
  }
  throw InternalError("unknown Function");
}

}  // namespace

PackedConstant packed_floats(std::string role, const std::vector<float>& values) {
  PackedConstant packed{std::move(role), DType::kFloat32, {std::ssize(values)}, {}};
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  packed.data = std::move(bytes);
  return packed;
}

KernelId float_kernel(Family family) {
  return portable_kernel(family, DType::kFloat32, DType::kFloat32);
}

runtime::FloatClampParams float_clamp(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return {-runtime::kLargestFloat, runtime::kLargestFloat};
    case Activation::kRelu:
      return {0, runtime::kLargestFloat};
    case Activation::kReluN1To1:
      return {-1, 1};
    case Activation::kRelu6:
      return {0, 6};
    case Activation::kRelu0To1:
      return {0, 1};
  }
  throw InternalError("unknown activation");
}

std::vector<KernelUse> float_function_use(const Operands& t, Family family,
                                          const KernelParams& params) {
  return {elementwise_use(float_kernel(family), params, {t.in(0).shape}, t.out().shape)};
}

bool supported(const Elementwise& a, const Operands& t, Method method) {
  return method == Method::kCompute && has_row(family_of(a.function), t);
}

std::vector<KernelUse> uses(const Elementwise& a, const Operands& t, Method) {
  return float_function_use(t, family_of(a.function));
}

std::span<const KernelInfo> floats_rows() {
  using enum Family;
  static constexpr KernelInfo kRows[] = {
      float_row<runtime::atan_f32>("atan_f32", kAtan),
      float_row<runtime::ceil_f32>("ceil_f32", kCeil),
      float_row<runtime::cos_f32>("cos_f32", kCos),
      float_row<runtime::erf_f32>("erf_f32", kErf),
      float_row<runtime::exp_f32>("exp_f32", kExp),
      float_row<runtime::floor_f32>("floor_f32", kFloor),
      float_row<runtime::log_f32>("log_f32", kLog),
      float_row<runtime::neg_f32>("neg_f32", kNeg),
      float_row<runtime::round_f32>("round_f32", kRound),
      float_row<runtime::sin_f32>("sin_f32", kSin),
      float_row<runtime::sqrt_f32>("sqrt_f32", kSqrt),
      float_row<runtime::square_f32>("square_f32", kSquare),
  };
  return kRows;
}

}  // namespace thimble
