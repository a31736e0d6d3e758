// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/merged_axes.h"

#include <optional>
#include <type_traits>

namespace thimble {
namespace {

constexpr size_t kMostAxes = 4;

struct Merged {
  Attributes attributes;
  Shape in, out;
};

/// Behind an axis that is padded, those that are not lie within its elements.
std::optional<Merged> merged(const Pad& pad, const Shape& x, const Shape& padded) {
  if (padded.size() != x.size()) return std::nullopt;
  Pad result{.before = {}, .after = {}, .value = pad.value};
  Shape in, out;
  for (size_t i = 0; i < x.size(); ++i) {
    if (padded[i] != pad.before[i] + x[i] + pad.after[i]) return std::nullopt;
    const bool within = pad.before[i] == 0 && pad.after[i] == 0;
    const bool around = !in.empty() && in.back() == 1 && out.back() == 1;
    if (in.empty() || !(within || around)) {
      in.push_back(1);
      result.before.push_back(0);
      result.after.push_back(0);
      out.push_back(1);
    }
    in.back() *= x[i];
    if (within) {
      result.before.back() *= x[i];
      result.after.back() *= x[i];
    } else {  // alone so far, or behind axes of one index
      result.before.back() = pad.before[i];
      result.after.back() = pad.after[i];
    }
    out.back() = result.before.back() + in.back() + result.after.back();
  }
  return Merged{std::move(result), std::move(in), std::move(out)};
}

template <class Reduction>
std::optional<Merged> merged_reduction(const Reduction& reduction, const Shape& x) {
  std::vector<bool> reduced(x.size());
  for (const int axis : reduction.axes) reduced[static_cast<size_t>(axis)] = true;
  Reduction result;
  Shape in, out;
  bool of_last = false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 1) continue;
    if (in.empty() || reduced[i] != of_last) {
      of_last = reduced[i];
      if (of_last) result.axes.push_back(static_cast<int>(in.size()));
      in.push_back(1);
      out.push_back(1);
    }
    in.back() *= x[i];
    if (!of_last) out.back() = in.back();
  }
  if (result.axes.empty()) {  // each element by itself
    result.axes = {1};
    return Merged{std::move(result), {elements(x), 1}, {elements(x)}};
  }
  return Merged{std::move(result), std::move(in), std::move(out)};
}

std::optional<Merged> merged_axes(const Attributes& attributes, const Shape& x, const Shape& out) {
  if (const auto* pad = std::get_if<Pad>(&attributes)) return merged(*pad, x, out);
  if (const auto* mean = std::get_if<Mean>(&attributes)) return merged_reduction(*mean, x);
  if (const auto* sum = std::get_if<Sum>(&attributes)) return merged_reduction(*sum, x);
  return std::nullopt;
}

bool reduces_nothing(const Attributes& attributes) {
  return std::visit(
      [](const auto& a) {
        if constexpr (requires { a.axes; }) return a.axes.empty();
        return false;
      },
      attributes);
}

/// Each axis that is padded, between all in front and all behind it.
void pad_one_by_one(const Pad& pad, const FileOp& op, Expansion& steps) {
  Tensor made = op.input(0);
  TensorId x = op.inputs[0];
  Shape shape = made.shape;
  const auto make = [&](Attributes attributes, const Shape& of) {
    made.shape = of;
    x = steps.make_as(std::move(attributes), {x}, made);
  };
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t before = pad.before[axis], after = pad.after[axis];
    if (before == 0 && after == 0) continue;
    Shape parts{1, shape[axis], 1};
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != axis) parts[i < axis ? 0 : 2] *= shape[i];
    }
    make(Reshape{}, parts);
    shape[axis] = parts[1] = before + parts[1] + after;
    make(Pad{{0, before, 0}, {0, after, 0}, pad.value}, parts);
  }
  steps.finish(Reshape{}, {x});
}

}  // namespace

bool merge_axes(const Attributes& attributes, const FileOp& op, Expansion& steps) {
  const Tensor x = op.input(0);  // steps make tensors: no reference into them
  if (x.shape.size() <= kMostAxes && !reduces_nothing(attributes)) return false;
  std::optional<Merged> found = merged_axes(attributes, x.shape, op.output().shape);
  if (!found) return false;
  if (found->in.size() > kMostAxes) {
    const auto* pad = std::get_if<Pad>(&attributes);
    if (pad != nullptr) pad_one_by_one(*pad, op, steps);
    return pad != nullptr;
  }
  if (elements(found->out) != elements(op.output().shape)) return false;
  const TensorId in = steps.make_as(Reshape{}, {op.inputs[0]},
                                    {.name = "",
                                     .shape = std::move(found->in),
                                     .type = x.type,
                                     .quantization = x.quantization,
                                     .data = nullptr});
  steps.finish(Reshape{}, {steps.make(std::move(found->attributes), {in}, std::move(found->out))});
  return true;
}

}  // namespace thimble
