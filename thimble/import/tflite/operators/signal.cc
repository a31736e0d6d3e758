// SPDX-License-Identifier: Apache-2.0
// Custom operators of TensorFlow Lite Micro's audio front end. Those with two outputs, or with a
// state, become several of ours (docs/ports.md).

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/tflite/custom_options.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

/// More numbers than this are kept by no operator, and more frames are cut out of no input.
constexpr int64_t kMostKept = 1 << 20, kMostFrames = 1024;

Attributes window(const TfliteOp& op) { return SignalWindow{CustomOptions(op).integer("shift")}; }

template <class Transform>
Attributes transform(const TfliteOp& op) {
  const CustomOptions options(op);
  const auto type = static_cast<tfl::TensorType>(options.integer("T", 0, 255));
  if (type != tfl::TensorType::INT16) {
    op.refuse(fmt::format("its type is {}; supported is INT16", format_name(type)));
  }
  return Transform{options.integer("fft_length")};
}

Attributes energy(const TfliteOp& op) {
  const CustomOptions options(op);
  return SignalEnergy{options.integer("start_index"), options.integer("end_index")};
}

/// The number of channels, which the shapes say, too.
void expect_channels(const TfliteOp& op, const CustomOptions& options, int64_t channels) {
  const int32_t given = options.integer("num_channels");
  if (given != channels) {
    op.damaged(
        fmt::format("{} channels, and an output of shape {}", given, to_string(op.output().shape)));
  }
}

Attributes filter_bank(const TfliteOp& op) {
  expect_channels(op, CustomOptions(op), elements(op.output().shape));
  return SignalFilterBank{};
}

Attributes square_root(const TfliteOp&) { return SignalSquareRoot{}; }

Attributes pcan(const TfliteOp& op) { return SignalPcan{CustomOptions(op).integer("snr_shift")}; }

Attributes log(const TfliteOp& op) {
  const CustomOptions options(op);
  return SignalLog{options.integer("output_scale"), options.integer("input_correction_bits")};
}

void fft_auto_scale(const TfliteOp& op, Expansion& steps) {
  steps.finish_output(1, SignalAutoShift{}, {op.inputs[0]});
  steps.finish(SignalShift{}, {op.inputs[0], op.outputs[1]});
}

void spectral_subtraction(const TfliteOp& op, Expansion& steps) {
  const CustomOptions options(op);
  const Tensor noise{
      .name = op.output().name + "/noise", .shape = op.input(0).shape, .type = op.input(0).type};
  expect_channels(op, options, elements(noise.shape));
  const SignalNoise estimate{
      .smoothing = {options.integer("smoothing"), options.integer("alternate_smoothing")},
      .one_minus_smoothing = {options.integer("one_minus_smoothing"),
                              options.integer("alternate_one_minus_smoothing")},
      .smoothing_bits = options.integer("smoothing_bits"),
      .bits = options.integer("spectral_subtraction_bits"),
      .clamping = options.boolean("clamping")};
  const SignalSubtraction subtraction{
      .min_signal_remaining = options.integer("min_signal_remaining"),
      .smoothing_bits = estimate.smoothing_bits,
      .bits = estimate.bits};
  const TensorId before = steps.add(noise);
  const TensorId after = steps.make_as(estimate, {op.inputs[0], before}, noise);
  steps.keep(before, after);
  steps.finish_output(1, Reshape{}, {after});  // a state is no output of the network
  steps.finish(subtraction, {op.inputs[0], after});
}

/// Samples along the last axis.
class Samples {
 public:
  Samples(const TfliteOp& op, Expansion& steps) : steps_(steps), x_(op.input(0)) {
    if (x_.shape.empty()) op.damaged("its input has no axes");
    x_.data = nullptr;
  }
  [[nodiscard]] int64_t count() const { return x_.shape.back(); }
  [[nodiscard]] Tensor tensor_of(int64_t count) const {
    Tensor tensor = x_;
    tensor.shape.back() = count;
    return tensor;
  }
  TensorId cut(TensorId from, int64_t begin, int64_t count) {
    Slice slice{
        std::vector<int64_t>(x_.shape.size(), 0), std::vector<int64_t>(x_.shape.size(), 1), {}};
    slice.begin.back() = begin;
    return steps_.make_as(std::move(slice), {from}, tensor_of(count));
  }
  TensorId join(const std::vector<TensorId>& parts, int64_t count) {
    return steps_.make_as(Concat{static_cast<int>(x_.shape.size()) - 1}, parts, tensor_of(count));
  }

 private:
  Expansion& steps_;
  Tensor x_;
};

/// A state of samples, zeros at first, and what comes in behind it; the last `kept` stay.
TensorId behind_kept(const TfliteOp& op, Expansion& steps, Samples& samples, int64_t kept) {
  if (kept == 0) return op.inputs[0];
  const TensorId before = steps.add(samples.tensor_of(kept));
  const TensorId all = samples.join({before, op.inputs[0]}, kept + samples.count());
  const TensorId after = samples.cut(all, samples.count(), kept);
  steps.keep(before, after, Bytes(static_cast<size_t>(steps.tensor(before).size_bytes()), 0));
  return all;
}

void delay(const TfliteOp& op, Expansion& steps) {
  const int64_t kept = CustomOptions(op).integer("delay_length", 0, kMostKept);
  Samples samples(op, steps);
  const Shape shape = op.input(0).shape;
  const TensorId all = behind_kept(op, steps, samples, kept);
  if (kept == 0) return steps.finish(Reshape{}, {all});
  steps.finish(
      Slice{std::vector<int64_t>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1), {}},
      {all});
}

/// Numbers of int32 that steps count with.
class Counting {
 public:
  Counting(const std::string& name, Expansion& steps) : name_(name), steps_(steps) {}

  TensorId constant(int32_t value) {
    Tensor tensor = number();
    tensor.name = fmt::format("{}/{}", name_, value);
    tensor.data = std::make_shared<const Bytes>(bytes(value));
    return steps_.add(tensor);
  }
  TensorId variable() {
    Tensor tensor = number();
    tensor.name = name_ + "/count";
    return steps_.add(tensor);
  }
  void keep(TensorId before, TensorId after, int32_t initial) {
    steps_.keep(before, after, bytes(initial));
  }
  TensorId make(Attributes attributes, std::vector<TensorId> inputs) {
    return steps_.make_as(std::move(attributes), std::move(inputs), number());
  }
  TensorId compare(Relation relation, TensorId a, TensorId b) {
    Tensor tensor = number();
    tensor.type = DType::kBool;
    return steps_.make_as(Comparison{relation}, {a, b}, tensor);
  }

 private:
  static Tensor number() { return {.name = "", .shape = {}, .type = DType::kInt32}; }
  static Bytes bytes(int32_t value) {
    Bytes result;
    for (int k = 0; k < 32; k += 8)
      result.push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> k));
    return result;
  }

  std::string name_;
  Expansion& steps_;
};

void framer(const TfliteOp& op, Expansion& steps) {
  const CustomOptions options(op);
  const int64_t size = options.integer("frame_size", 1, kMostKept);
  const int64_t step = options.integer("frame_step", 1, size);
  const bool prefill = options.boolean("prefill");
  Samples samples(op, steps);
  const int64_t frames = samples.count() / step;
  if (samples.count() % step != 0 || frames < 1 || frames > kMostFrames) {
    op.refuse(
        fmt::format("{} samples in steps of {} are not supported; supported are 1 to {} "
                    "whole steps",
                    samples.count(), step, kMostFrames));
  }
  const int64_t writes = prefill ? 1 : (size + step - 1) / step;  // before the first frame
  Counting counting(op.output().name, steps);
  const TensorId before = counting.variable(), zero = counting.constant(0);
  const TensorId more =
      counting.make(Add{}, {before, counting.constant(static_cast<int32_t>(frames))});
  counting.keep(before, counting.make(Minimum{}, {more, zero}), static_cast<int32_t>(1 - writes));
  steps.finish_output(1, Comparison{Relation::kGreaterEqual}, {before, zero});
  const TensorId all = behind_kept(op, steps, samples, prefill ? size - step : (writes - 1) * step);
  std::vector<TensorId> parts;
  for (int64_t k = 0; k < frames; ++k) parts.push_back(samples.cut(all, k * step, size));
  const TensorId made = frames == 1 ? parts[0] : samples.join(parts, frames * size);
  steps.finish(Reshape{}, {made});
}

void stacker(const TfliteOp& op, Expansion& steps) {
  const CustomOptions options(op);
  const int64_t left = options.integer("stacker_left_context", 0, kMostFrames);
  const int64_t right = options.integer("stacker_right_context", 0, kMostFrames);
  const int64_t count = left + right + 1;
  const int32_t step = options.integer("stacker_step", 1, count);
  Samples samples(op, steps);
  const int64_t channels = samples.count();
  if (options.integer("num_channels") != channels || op.input(0).shape.size() != 1) {
    op.damaged(fmt::format("{} channels, and an input of shape {}", options.integer("num_channels"),
                           to_string(op.input(0).shape)));
  }
  // How many frames are there, -1 before the first, which counts for those to its left, too.
  Counting counting(op.output().name, steps);
  const TensorId before = counting.variable();
  const TensorId is_first = counting.compare(Relation::kLess, before, counting.constant(0));
  const TensorId more = counting.make(Add{}, {before, counting.constant(1)});
  const TensorId there =
      counting.make(Select{}, {is_first, counting.constant(static_cast<int32_t>(left + 1)), more});
  const TensorId all_there = counting.constant(static_cast<int32_t>(count));
  const TensorId is_valid = counting.compare(Relation::kGreaterEqual, there, all_there);
  const TensorId less = counting.make(Sub{}, {there, counting.constant(step)});
  counting.keep(before, counting.make(Select{}, {is_valid, less, there}), -1);
  steps.finish_output(1, Comparison{Relation::kGreaterEqual}, {there, all_there});
  if (count == 1) return steps.finish(Reshape{}, {op.inputs[0]});
  const int64_t kept = (count - 1) * channels;
  const TensorId old_frames = steps.add(samples.tensor_of(kept));
  const std::vector<TensorId> copies(static_cast<size_t>(count - 1), op.inputs[0]);
  const TensorId repeated = count == 2 ? op.inputs[0] : samples.join(copies, kept);
  const TensorId frames =
      steps.make_as(Select{}, {is_first, repeated, old_frames}, samples.tensor_of(kept));
  const TensorId all = samples.join({frames, op.inputs[0]}, kept + channels);
  steps.keep(old_frames, samples.cut(all, channels, kept),
             Bytes(static_cast<size_t>(steps.tensor(old_frames).size_bytes()), 0));
  steps.finish(Reshape{}, {all});
}

/// Sums of the overlapping ends of frames.
class Overlaps {
 public:
  Overlaps(const TfliteOp& op, Expansion& steps) : steps_(steps), frame_(op.output()) {}

  [[nodiscard]] Tensor tensor_of(int64_t count) const {
    Tensor tensor = frame_;
    tensor.shape.back() = count;
    return tensor;
  }
  TensorId cut(TensorId from, int64_t begin, int64_t count) {
    const size_t rank = frame_.shape.size();
    Slice slice{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 1), {}};
    slice.begin.back() = begin;
    return steps_.make_as(std::move(slice), {from}, tensor_of(count));
  }
  TensorId join(const std::vector<TensorId>& parts, int64_t count) {
    if (parts.size() == 1) return parts[0];
    return steps_.make_as(Concat{static_cast<int>(frame_.shape.size()) - 1}, parts,
                          tensor_of(count));
  }
  /// The sum of both; that of int16 saturates.
  TensorId add(TensorId a, TensorId b, int64_t count) {
    if (frame_.type == DType::kFloat32) return steps_.make_as(Add{}, {a, b}, tensor_of(count));
    Tensor wide = tensor_of(count);
    wide.type = DType::kInt32;
    wide.quantization = {};
    const TensorId wide_a = steps_.make_as(Cast{}, {a}, wide);
    const TensorId wide_b = steps_.make_as(Cast{}, {b}, wide);
    TensorId sum = steps_.make_as(Add{}, {wide_a, wide_b}, wide);
    sum = steps_.make_as(Minimum{}, {sum, steps_.make_int32(INT16_MAX)}, wide);
    sum = steps_.make_as(Maximum{}, {sum, steps_.make_int32(INT16_MIN)}, wide);
    return steps_.make_as(Cast{}, {sum}, tensor_of(count));
  }

 private:
  Expansion& steps_;
  Tensor frame_;  ///< of the output, its last axis being samples
};

void overlap_add(const TfliteOp& op, Expansion& steps) {
  const CustomOptions options(op);
  const Tensor x = op.input(0), out = op.output();
  const size_t rank = x.shape.size();
  if (rank < 2 || (x.type != DType::kInt16 && x.type != DType::kFloat32) || out.type != x.type) {
    op.refuse(
        fmt::format("{} of shape {} is not supported; supported are frames of int16 or "
                    "float32",
                    name(x.type), to_string(x.shape)));
  }
  const int64_t frames = x.shape[rank - 2], size = x.shape[rank - 1];
  const int64_t step = options.integer("frame_step", 1, size);
  Shape wanted(x.shape.begin(), x.shape.end() - 1);
  wanted.back() = frames * step;
  if (wanted != out.shape || frames > kMostFrames) {
    op.refuse(
        fmt::format("frames of shape {} in steps of {} are not supported for an output of "
                    "shape {}",
                    to_string(x.shape), step, to_string(out.shape)));
  }
  Overlaps samples(op, steps);
  const int64_t kept = size - step;
  TensorId before;
  if (kept > 0) before = steps.add(samples.tensor_of(kept));
  TensorId rest = before;
  std::vector<TensorId> done;
  for (int64_t k = 0; k < frames; ++k) {
    Slice frame{
        std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 1), {static_cast<int>(rank) - 2}};
    frame.begin[rank - 2] = k;
    TensorId sum = steps.make_as(std::move(frame), {op.inputs[0]}, samples.tensor_of(size));
    if (kept > 0) {
      const TensorId head = samples.add(samples.cut(sum, 0, kept), rest, kept);
      sum = samples.join({head, samples.cut(sum, kept, step)}, size);
      rest = samples.cut(sum, step, kept);
    }
    done.push_back(kept > 0 ? samples.cut(sum, 0, step) : sum);
  }
  if (kept > 0) {
    steps.tensor(before).name = out.name + "/rest";
    steps.keep(before, rest, Bytes(static_cast<size_t>(steps.tensor(before).size_bytes()), 0));
  }
  steps.finish(Reshape{}, {samples.join(done, frames * step)});
}

}  // namespace

OperatorList signal_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = CUSTOM,
       .custom = "SignalDelay",
       .expand = delay,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalEnergy",
       .attributes = energy,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalFftAutoScale",
       .outputs = 2,
       .expand = fft_auto_scale,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalFilterBank",
       .inputs = {6, 6},
       .attributes = filter_bank,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalFilterBankLog",
       .attributes = log,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalFilterBankSpectralSubtraction",
       .outputs = 2,
       .expand = spectral_subtraction,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalFilterBankSquareRoot",
       .inputs = {2, 2},
       .attributes = square_root,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalFramer",
       .outputs = 2,
       .expand = framer,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalIrfft",
       .attributes = transform<SignalIrfft>,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalOverlapAdd",
       .expand = overlap_add,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalPCAN",
       .inputs = {3, 3},
       .attributes = pcan,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalRfft",
       .attributes = transform<SignalRfft>,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalStacker",
       .outputs = 2,
       .expand = stacker,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = CUSTOM,
       .custom = "SignalWindow",
       .inputs = {2, 2},
       .attributes = window,
       .shape = not_followed,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
