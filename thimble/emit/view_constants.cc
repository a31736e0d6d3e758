// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/view_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "thimble/emit/caller.h"
#include "thimble/emit/identifier.h"
#include "thimble/schedule/expr_text.h"

namespace thimble {
namespace {

constexpr const char* kKinds[] = {"Image", "Row", "Pixel", "Plane", "Ring"};
constexpr const char* kExtents[kKernelAxes] = {"Images", "Height", "Width", "Channels"};

bool is_plain(int64_t value) { return value == 0 || value == 1; }

std::string definition(const std::vector<std::string>& constants) {
  return constants.empty() ? ""
                           : fmt::format("constexpr int32_t {};\n", fmt::join(constants, ", "));
}

}  // namespace

std::string ViewConstants::base(BufferId buffer) const {
  if (const ProgramConstant* constant = program_.constant(buffer); constant != nullptr)
    return "k" + pascal(constant->name);
  if (program_.memory_of(buffer) == kCaller) return "k" + pascal(outside_name(program_, buffer));
  return address_name_(buffer);
}

// The second of a kind has a number: a buffer that kernels look at as different shapes.
std::string ViewConstants::named(BufferId buffer, Kind kind, int64_t value) {
  if (is_plain(value)) return fmt::format("{}", value);
  Names& names = buffers_[buffer];
  const auto known = names.find({kind, value});
  if (known != names.end()) return known->second;
  const auto of_kind =
      std::ranges::count_if(names, [&](const auto& name) { return name.first.first == kind; });
  const std::string name = fmt::format("{}{}{}", base(buffer), kKinds[static_cast<size_t>(kind)],
                                       of_kind == 0 ? "" : fmt::format("{}", of_kind + 1));
  return names[{kind, value}] = name;
}

std::string ViewConstants::stride(const OperandView& view, size_t axis) {
  return named(view.buffer, static_cast<Kind>(axis), view.stride[axis]);
}

std::string ViewConstants::modulus(const OperandView& view) {
  return named(view.buffer, Kind::kRing, view.modulus);
}

// "kT3Row * (2 * row - 2)", by the stride that the factor is.
std::string ViewConstants::product(const OperandView& view, int64_t factor,
                                   const std::string& expr) {
  if (factor == 1) return expr;
  for (const Kind kind : {Kind::kPixel, Kind::kRow, Kind::kPlane, Kind::kImage}) {
    const auto axis = static_cast<size_t>(kind);
    if (view.stride[axis] == factor) return fmt::format("{} * ({})", stride(view, axis), expr);
  }
  return fmt::format("{} * ({})", factor, expr);
}

// "4 * kT3Row + 2 * kT3Pixel + 8", with the largest strides first.
std::string ViewConstants::fixed(const OperandView& view, int64_t elements) {
  std::vector<size_t> axes{1, 2, 3};
  std::ranges::stable_sort(axes, std::greater(), [&](size_t axis) { return view.stride[axis]; });
  std::string text;
  for (const size_t axis : axes) {
    const int64_t next = view.stride[axis];
    if (is_plain(next) || elements / next == 0) continue;
    const std::string name = stride(view, axis);
    const int64_t times = elements / next;
    text += (text.empty() ? "" : " + ") + (times == 1 ? name : fmt::format("{} * {}", times, name));
    elements %= next;
  }
  if (text.empty()) return fmt::format("{}", elements);
  return elements == 0 ? text : fmt::format("{} + {}", text, elements);
}

std::string ViewConstants::offset(const OperandView& view, const std::vector<BiasTerm>& terms,
                                  const CounterNames& counters) {
  std::string text;
  for (const BiasTerm& term : terms) {
    const std::string summand =
        term.expr.constant()
            ? fixed(view, term.factor * evaluate(term.expr, {}))
            : product(view, term.factor, to_string(term.expr, std::cref(counters)));
    text += (text.empty() ? "" : " + ") + summand;
  }
  return text.empty() ? "0" : text;
}

std::string ViewConstants::extent(TensorId tensor, size_t axis, int64_t value) {
  const Shape& shape = graph_.tensor(tensor).shape;
  const size_t behind = kKernelAxes - axis;  // axes of the tensor from here to its last
  if (is_plain(value) || shape.size() < behind || shape[shape.size() - behind] != value)
    return fmt::format("{}", value);
  extents_[tensor][axis] = value;
  return fmt::format("kT{}{}", tensor.value, kExtents[axis]);
}

std::string ViewConstants::of_buffer(BufferId buffer) const {
  const auto names = buffers_.find(buffer);
  if (names == buffers_.end()) return "";
  std::vector<std::string> constants;
  for (const auto& [what, name] : names->second)
    constants.push_back(fmt::format("{} = {}", name, what.second));
  return definition(constants);
}

std::string ViewConstants::of_others() const {
  std::string text;
  for (const auto& [buffer, names] : buffers_) {
    if (!is_laid_out(program_.memory_of(buffer))) text += of_buffer(buffer);
  }
  return text;
}

std::string ViewConstants::extents() const {
  std::string text;
  for (const auto& [tensor, values] : extents_) {
    std::vector<std::string> constants;
    for (const auto& [axis, value] : values)
      constants.push_back(fmt::format("kT{}{} = {}", tensor.value, kExtents[axis], value));
    text += definition(constants);
  }
  return text;
}

}  // namespace thimble
