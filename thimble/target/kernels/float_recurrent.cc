// SPDX-License-Identifier: Apache-2.0
// Layers in float32 whose only state is the hidden one.
#include "thimble/model/error.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

int32_t narrow_extent(int64_t extent) { return static_cast<int32_t>(extent); }

Family family_of(Cell cell) {
  switch (cell) {
    case Cell::kTanh:
      return Family::kRnn;
    case Cell::kRelu:
      return Family::kRnnRelu;
    case Cell::kGru:
      return Family::kGru;
    case Cell::kGruResetBefore:
      return Family::kGruResetBefore;
  }
  throw InternalError("unknown Cell");
}

}  // namespace

bool supported(const Recurrent&, const Operands& t, Method method) {
  return method == Method::kCompute && is_float32(t);
}

std::vector<KernelUse> uses(const Recurrent& a, const Operands& t, Method) {
  const Shape& x = t.in(0).shape;
  const OperandAxes axes = identity_axes(x.size());
  return {{.kernel = float_kernel(family_of(a.cell)),
           .params = runtime::FloatRecurrentParams{.weights = nullptr,
                                                   .recurrent = nullptr,
                                                   .biases = nullptr,
                                                   .times = narrow_extent(x[1]),
                                                   .inputs = narrow_extent(x[2]),
                                                   .units = narrow_extent(t.in(1).shape[1]),
                                                   .reverse = a.reverse ? 1 : 0},
           .inputs = {0, 1},
           .in = {axes, identity_axes(t.in(1).shape.size())},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

namespace {

std::vector<PackedConstant> pack_recurrent(const Operands& t) {
  std::vector<PackedConstant> result;
  for (const auto& [role, k] : {std::pair{"weights", 2}, {"recurrent", 3}, {"biases", 4}}) {
    const Tensor& constant = t.in(static_cast<size_t>(k));
    result.push_back({role, constant.type, constant.shape, *constant.data});
  }
  return result;
}

template <auto Kernel>
constexpr KernelInfo recurrent_row(const char* name, Family family) {
  KernelInfo result =
      float_row<Kernel>(name, family, Progress::kNone, pack_recurrent, kWholeRegion);
  result.rings = false;
  return result;
}

constexpr KernelInfo gru_reset_before_row() {
  using namespace runtime;
  KernelInfo result =
      recurrent_row<gru_reset_before_f32>("gru_reset_before_f32", Family::kGruResetBefore);
  result.scratch_bytes = bytes_by<gru_reset_before_f32_scratch_bytes>;
  result.scratch_type = DType::kFloat32;
  return result;
}

}  // namespace

std::span<const KernelInfo> float_recurrent_rows() {
  using enum Family;
  static constexpr KernelInfo kRows[] = {
      recurrent_row<runtime::rnn_f32>("rnn_f32", kRnn),
      recurrent_row<runtime::rnn_relu_f32>("rnn_relu_f32", kRnnRelu),
      recurrent_row<runtime::gru_f32>("gru_f32", kGru),
      gru_reset_before_row(),
  };
  return kRows;
}

}  // namespace thimble
