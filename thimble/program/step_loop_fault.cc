// SPDX-License-Identifier: Apache-2.0
// The calls of a step read back: executed on elements that know whose they are, their parameters
// compared with those of the step's operators.
#include <algorithm>
#include <cstring>
#include <span>

#include "thimble/operators/step_rows.h"
#include "thimble/program/fault_of.h"

namespace thimble {
namespace {

using runtime::StepCall;
using runtime::StepKind;

constexpr size_t kRowsAtOnce = 4;  // of weights

/// What a byte of scratch holds.
struct Element {
  TensorId tensor;
  int64_t index = 0;
  bool operator==(const Element&) const = default;
};

class Reader {
 public:
  Reader(const Graph& step, const runtime::StepLoopParams& p, std::span<const int8_t> bytes,
         std::span<const int32_t> calls)
      : step_(step),
        producers_(producers(step)),
        p_(p),
        bytes_(bytes),
        calls_(calls),
        scratch_(static_cast<size_t>(std::clamp(p.scratch_bytes, 0, kMostScratch))) {}

  std::string fault() {
    int64_t place = 0;
    for (const Port& port : step_.inputs) place += write(place, port.tensor);
    for (const Op& op : step_.ops)
      if (d_.none() && !is_view(step_, op)) read_operator(op);
    int64_t state = p_.inputs;
    for (size_t k = 0; d_.none() && k < step_.outputs.size(); ++k) {
      const StepCall call = next(runtime::kStepCopy);
      const TensorId after = step_.outputs[k].tensor;
      expect_row(after, call.in[0], call.count);
      d_.expect("states", call.out, state);
      state += call.count;
      // A state is not read once it is there: copies go on from what the operators made.
      write(call.out, step_.inputs[k + 1].tensor);
    }
    d_.expect("calls", static_cast<int64_t>(at_), std::ssize(calls_));
    d_.expect("call_count", p_.call_count, count_);
    return d_.text();
  }

 private:
  static constexpr int32_t kMostScratch = 1 << 28;

  template <class Struct>
  Struct take() {
    Struct result{};
    const size_t numbers = sizeof(Struct) / sizeof(int32_t);
    if (calls_.size() - at_ < numbers) {
      d_.fail("its calls end too early");
      return result;
    }
    std::memcpy(&result, calls_.data() + at_, sizeof(Struct));
    at_ += numbers;
    return result;
  }

  StepCall next(StepKind kind) {
    const auto call = take<StepCall>();
    ++count_;
    d_.expect("kind of a call", call.kind, kind);
    if (call.count < 0 || call.out < 0 || call.out + int64_t{call.count} > std::ssize(scratch_))
      d_.fail("a call writes beyond its scratch");
    return call;
  }

  int64_t write(int64_t place, TensorId tensor) {
    const int64_t count = elements(step_.tensor(tensor).shape);
    if (!d_.none() || place < 0 || place + count > std::ssize(scratch_)) {
      d_.fail("its rows do not fit its scratch");
      return 0;
    }
    for (int64_t k = 0; k < count; ++k) scratch_[static_cast<size_t>(place + k)] = {tensor, k};
    return count;
  }

  /// Whether `count` elements at the place are the tensor's.
  void expect_row(TensorId tensor, int32_t place, int32_t count) {
    const Tensor& t = step_.tensor(tensor);
    if (!d_.none()) return;
    const int64_t own = elements(t.shape), begin = place < 0 ? ~place : place;
    const int64_t room = place < 0 ? std::ssize(bytes_) : std::ssize(scratch_);
    if (t.is_constant() != (place < 0) || (own != count && !(t.is_constant() && own == 1)) ||
        begin + count > room) {
      d_.fail("a row of a call has another size or place");
      return;
    }
    const StepRow row = step_row(step_, producers_, tensor);
    for (int64_t k = 0; k < count; ++k) {
      const auto at = static_cast<size_t>(begin + k);
      const bool same =
          t.is_constant()
              ? bytes_[at] == static_cast<int8_t>((*t.data)[own == 1 ? 0 : static_cast<size_t>(k)])
              : scratch_[at] == Element{row.tensor, row.begin + k};
      if (!same) {
        d_.fail(fmt::format("element {} of a row of a call is not that of '{}'", k, t.name));
        return;
      }
    }
  }

  void read_operator(const Op& op) {
    const auto count = static_cast<int32_t>(elements(step_.tensor(op.outputs[0]).shape));
    const auto begin = [&](StepKind kind) {
      const StepCall call = next(kind);
      d_.expect("count of a call", call.count, count);
      return call;
    };
    const auto pair = [&]<class Params>(StepKind kind, Params params) {
      const StepCall call = begin(kind);
      for (size_t k = 0; k < 2; ++k) expect_row(op.inputs[k], call.in[k], count);
      params = take<Params>();
      compare(op, params, {});
      write(call.out, op.outputs[0]);
    };
    if (std::holds_alternative<FullyConnected>(op.attributes))
      return read_layer(op, begin(runtime::kStepProducts));
    if (std::holds_alternative<Add>(op.attributes))
      return pair(runtime::kStepSum, runtime::AddParams{});
    if (std::holds_alternative<Sub>(op.attributes))
      return pair(runtime::kStepDifference, runtime::AddParams{});
    if (std::holds_alternative<Mul>(op.attributes))
      return pair(runtime::kStepProduct, runtime::MulParams{});
    const StepCall call = begin(runtime::kStepLookup);
    constexpr size_t kTable = 256;
    expect_row(op.inputs[0], call.in[0], count);
    const PackedConstant table = constant("table", call.in[1], {kTable});
    compare(op, runtime::LookupParams{}, {&table});
    write(call.out, op.outputs[0]);
  }

  void read_layer(const Op& op, const StepCall& call) {
    const Tensor& weights = step_.tensor(op.inputs[1]);
    const auto rows = static_cast<size_t>(weights.shape[0]);
    const auto columns = static_cast<size_t>(weights.shape[1]);
    expect_row(op.inputs[0], call.in[0], static_cast<int32_t>(columns));
    const auto p = take<runtime::StepProducts>();
    d_.expect("columns", p.columns, weights.shape[1]);
    if (calls_.size() - at_ < 3 * rows) d_.fail("its calls end too early");
    const size_t room = (rows + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce * columns;
    PackedConstant packed = constant("weights", call.in[1], {static_cast<int64_t>(room)});
    if (!d_.none()) return;
    packed.shape = {weights.shape[0], 1, 1, weights.shape[1]};
    packed.data.own().resize(rows * columns);  // what stands behind them meets no output
    const PackedConstant biases = words("bias", rows), multipliers = words("multipliers", rows);
    PackedConstant shifts = words("shifts", rows);
    Bytes narrow;
    for (size_t k = 0; k < rows; ++k) narrow.push_back(shifts.data[k * sizeof(int32_t)]);
    for (size_t k = 0; k < rows; ++k)
      d_.expect("shift", calls_[at_ - rows + k], static_cast<int8_t>(narrow[k]));
    shifts = {"shifts", DType::kInt8, {weights.shape[0]}, std::move(narrow)};
    runtime::Conv2DParams params{};
    params.window = {1, 1, 1, 1, 1, 1, 0, 0, 1, 1};
    params.in_per_group = p.columns;
    params.out_per_group = static_cast<int32_t>(rows);
    params.input_zero_point = zero_point(step_.tensor(op.inputs[0]));
    params.output_zero_point = p.output_zero_point;
    params.clamp_min = p.clamp_min;
    params.clamp_max = p.clamp_max;
    compare(op, params, {&packed, &biases, &multipliers, &shifts});
    write(call.out, op.outputs[0]);
  }

  /// Bytes at a place below 0.
  PackedConstant constant(const char* role, int32_t place, const Shape& shape) {
    const int64_t begin = ~int64_t{place}, count = elements(shape);
    if (begin < 0 || begin + count > std::ssize(bytes_)) {
      d_.fail("a constant of a call is not there");
      return {};
    }
    const auto* first = reinterpret_cast<const uint8_t*>(bytes_.data()) + begin;
    return {role, DType::kInt8, shape, Bytes(first, first + count)};
  }

  PackedConstant words(const char* role, size_t count) {
    const auto* first = reinterpret_cast<const uint8_t*>(calls_.data() + at_);
    at_ += count;
    return {role,
            DType::kInt32,
            {static_cast<int64_t>(count)},
            Bytes(first, first + count * sizeof(int32_t))};
  }

  void compare(const Op& op, const KernelParams& params,
               std::vector<const PackedConstant*> constants) {
    if (!d_.none()) return;
    Call call;
    call.kernel = portable_kernel(Family::kConv2D);
    call.axes.resize(kKernelAxes, CallAxis{.limits = {0, 1}});
    const ReadBack r{step_, op, call, params, std::move(constants)};
    const std::string fault =
        std::visit([&](const auto& a) { return fault_of(a, r); }, op.attributes);
    if (!fault.empty()) d_.fail(fmt::format("of {}: {}", label(op), fault));
  }

  const Graph& step_;
  const std::vector<OpId> producers_;
  const runtime::StepLoopParams& p_;
  std::span<const int8_t> bytes_;
  std::span<const int32_t> calls_;
  std::vector<Element> scratch_;
  size_t at_ = 0;
  int64_t count_ = 0;
  Difference d_;
};

}  // namespace

std::string fault_of(const StepLoop& a, const ReadBack& r) {
  const auto* p = r.as<runtime::StepLoopParams>();
  if (p == nullptr || r.constants.size() != 2) return kOtherKernel;
  const Shape& x = r.in(0).shape;
  Difference d;
  d.expect("times", p->times, x.at(1)).expect("inputs", p->inputs, x.at(2));
  d.expect("units", p->units, r.out().shape.at(2));
  d.expect("state_bytes", p->state_bytes, r.in(1).shape.at(1));
  d.expect("reverse", p->reverse, a.reverse ? 1 : 0);
  d.expect("last_alone", p->last_alone, a.last_alone ? 1 : 0);
  const auto bytes = unpacked<int8_t>(r, 0, DType::kInt8, r.constants[0]->data.size());
  const auto calls = unpacked<int32_t>(r, 1, DType::kInt32, r.constants[1]->data.size() / 4);
  if (!d.none()) return d.text();
  return Reader(*a.step, *p, bytes, calls).fault();
}

}  // namespace thimble
