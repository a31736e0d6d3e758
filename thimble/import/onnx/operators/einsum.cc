// SPDX-License-Identifier: Apache-2.0
// Einsum: a product of two values as one of matrices, in batches; sums and turns of one.
//
//   bhid,bhjd->bhij     bh: batches, i: rows, d: summed over, j: columns
#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/utf8.h"

namespace thimble::onnx {
namespace {

struct Labelled {
  std::string labels;  ///< a letter for each axis
  Value value;

  [[nodiscard]] int64_t extent(char label) const {
    const size_t axis = labels.find(label);
    return axis == std::string::npos ? 1 : value.shape[axis];
  }
};

struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

// The letters that are named once, in their order.
std::string unpaired(const std::string& labels) {
  std::string result;
  std::ranges::copy_if(labels, std::back_inserter(result),
                       [&](char label) { return std::ranges::count(labels, label) == 1; });
  std::ranges::sort(result);
  return result;
}

bool has_repeats(std::string labels) {
  std::ranges::sort(labels);
  return std::ranges::adjacent_find(labels) != labels.end();
}

// The labels that are among others, or are not.
std::string common(const std::string& labels, const std::string& others, bool wanted) {
  std::string result;
  std::ranges::copy_if(labels, std::back_inserter(result), [&](char label) {
    return (others.find(label) != std::string::npos) == wanted;
  });
  return result;
}

constexpr std::string_view kEllipsis = "...";

// Digits for the axes that an ellipsis stands for, the last one always the same.
std::string without_ellipsis(std::string labels, size_t axes) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t at = labels.find(kEllipsis);
  if (at == std::string::npos) return labels;
  return labels.replace(at, kEllipsis.size(),
                        kDigits.substr(kDigits.size() - std::min(axes, kDigits.size())));
}

// The digits among labels.
std::string digits_of(const std::string& labels) {
  std::string digits;
  std::ranges::copy_if(labels, std::back_inserter(digits), [](char c) { return c <= '9'; });
  return digits;
}

Equation equation_of(const Reading& r) {
  const Node& node = r.node;
  std::string text = node.text("equation", "");
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::string operands = text.substr(0, arrow);
  Equation equation;
  std::string all, batches;
  for (size_t begin = 0; begin <= operands.size();) {
    const size_t end = std::min(operands.find(',', begin), operands.size());
    const std::string labels = operands.substr(begin, end - begin);
    const size_t rank = r.input(equation.operands.size()).rank();
    equation.operands.push_back(without_ellipsis(labels, rank + kEllipsis.size() - labels.size()));
    all += equation.operands.back();
    const std::string digits = digits_of(equation.operands.back());
    if (digits.size() > batches.size()) batches = digits;
    begin = end + 1;
  }
  equation.result = arrow == std::string::npos
                        ? batches + common(unpaired(all), batches, false)
                        : without_ellipsis(text.substr(arrow + 2), batches.size());
  const bool is_diagonal = std::ranges::any_of(equation.operands, has_repeats);
  if (equation.operands.size() > 2 || is_diagonal)
    node.refuse(
        fmt::format("of '{}' is not supported; of one or two operands is, with different "
                    "letters in each",
                    printable(text)));
  for (const char label : equation.result)
    if (all.find(label) == std::string::npos) node.damaged("its result has letters of its own");
  if (has_repeats(equation.result)) node.damaged("its result repeats a letter");
  return equation;
}

// The axes of a value by their letters.
Order axes_of(const Labelled& x, const std::string& labels) {
  Order order;
  for (const char label : labels) order.push_back(static_cast<int>(x.labels.find(label)));
  return order;
}

// Without the axes that neither the result nor the other operand has.
Labelled summed(const Reading& r, const Labelled& x, const std::string& wanted) {
  const std::string gone = common(x.labels, wanted, false);
  if (gone.empty()) return x;
  Labelled result{.labels = common(x.labels, wanted, true), .value = {}};
  const size_t left = result.labels.size();
  Sum sum;
  for (size_t k = 0; k < gone.size(); ++k) sum.axes.push_back(static_cast<int>(left + k));
  Shape shape;
  for (const char label : result.labels) shape.push_back(x.extent(label));
  const TensorId turned = r.network.tensor(r.node, x.value, axes_of(x, result.labels + gone));
  result.value = r.value(sum, {turned}, x.value.type, shape, same_order(left));
  return result;
}

// A value whose tensor has its axes as `labels` say, in the order of the result.
Value as_result(const Reading& r, TensorId tensor, DType type, const std::string& labels,
                const Equation& equation, const std::vector<int64_t>& extents) {
  Order order;
  Shape shape(labels.size());
  for (size_t k = 0; k < labels.size(); ++k) {
    order.push_back(static_cast<int>(equation.result.find(labels[k])));
    shape[static_cast<size_t>(order.back())] = extents[k];
  }
  return r.value(Reshape{}, {tensor}, type, shape, order);
}

int64_t count_of(const Labelled& x, const std::string& labels) {
  int64_t count = 1;
  for (const char label : labels) count *= x.extent(label);
  return count;
}

// The operand as matrices: batches, then rows and columns of several axes each.
TensorId as_matrices(const Reading& r, const Labelled& x, const std::string& batches,
                     const std::string& rows, const std::string& columns) {
  const TensorId turned = r.network.tensor(r.node, x.value, axes_of(x, batches + rows + columns));
  return r.network.make(r.node, Reshape{}, {turned}, x.value.type,
                        {count_of(x, batches), count_of(x, rows), count_of(x, columns)});
}

Value product_of(const Reading& r, const Labelled& a, const Labelled& b, const Equation& equation) {
  const std::string both = common(a.labels, b.labels, true);
  const std::string batches = common(both, equation.result, true);
  const std::string inner = common(both, equation.result, false);
  const std::string rows = common(a.labels, both, false), columns = common(b.labels, both, false);
  for (const char label : both)
    if (a.extent(label) != b.extent(label))
      r.node.damaged(fmt::format("'{}' is {} and {}", label, a.extent(label), b.extent(label)));
  const TensorId product = r.network.make(
      r.node, BatchMatMul{},
      {as_matrices(r, a, batches, rows, inner), as_matrices(r, b, batches, inner, columns)},
      a.value.type, {count_of(a, batches), count_of(a, rows), count_of(b, columns)});
  std::vector<int64_t> extents;
  for (const char label : batches + rows) extents.push_back(a.extent(label));
  for (const char label : columns) extents.push_back(b.extent(label));
  return as_result(r, product, a.value.type, batches + rows + columns, equation, extents);
}

void einsum(Reading& r) {
  const Equation equation = equation_of(r);
  if (equation.operands.size() != r.input_count()) r.node.damaged("it names other operands");
  std::vector<Labelled> operands;
  for (size_t k = 0; k < equation.operands.size(); ++k) {
    if (r.input(k).rank() != equation.operands[k].size())
      r.node.damaged(
          fmt::format("'{}' is {}", printable(equation.operands[k]), to_string(r.input(k).shape)));
    const std::string other = equation.operands.size() == 1 ? "" : equation.operands[1 - k];
    operands.push_back(summed(r, {equation.operands[k], r.input(k)}, equation.result + other));
  }
  if (operands.size() == 2) return r.make(0, product_of(r, operands[0], operands[1], equation));
  const Labelled& x = operands[0];
  const TensorId tensor = r.network.tensor(r.node, x.value, same_order(x.labels.size()));
  r.make(0, as_result(r, tensor, x.value.type, x.labels, equation, x.value.shape));
}

}  // namespace

const ReadNodes& einsum_operators() {
  static const ReadNodes all = {{"Einsum", einsum}};
  return all;
}

}  // namespace thimble::onnx
