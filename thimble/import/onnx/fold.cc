// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>

#include "thimble/import/file_limits.h"
#include "thimble/import/onnx/shapes.h"
#include "thimble/import/onnx/signal_constants.h"

namespace thimble::onnx {
namespace {

using Inputs = std::vector<const Constant*>;
using Rule = std::vector<Constant> (*)(const Node&, const Inputs&);

const Constant& operand(const Node& node, const Inputs& in, size_t k) {
  if (k >= in.size() || in[k] == nullptr) node.damaged(fmt::format("input {} is missing", k));
  return *in[k];
}

void check_elements(const Node& node, const Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent < 0) node.damaged(fmt::format("an extent of {}", extent));
    if (extent > 0 && count > kMaxTensorBytes / 8 / extent)
      node.refuse(fmt::format("makes {} elements, more than is supported", to_string(shape)));
    count *= extent;
  }
}

// Row-major positions of `shape` in a tensor with these strides, one after the other.
class Positions {
 public:
  Positions(const Shape& shape, std::vector<int64_t> strides, int64_t begin = 0)
      : shape_(shape), strides_(std::move(strides)), index_(shape.size()), at_(begin) {}

  int64_t next() {
    const int64_t now = at_;
    for (size_t axis = shape_.size(); axis-- > 0;) {
      at_ += strides_[axis];
      if (++index_[axis] < shape_[axis]) break;
      at_ -= strides_[axis] * shape_[axis];
      index_[axis] = 0;
    }
    return now;
  }

 private:
  const Shape& shape_;
  std::vector<int64_t> strides_, index_;
  int64_t at_;
};

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  return strides;
}

/// Strides of a tensor that is stretched to `to`: 0 along axes that it has one index of, or lacks.
std::vector<int64_t> broadcast_strides(const Shape& from, const Shape& to) {
  const std::vector<int64_t> own = strides_of(from);
  std::vector<int64_t> strides(to.size());
  for (size_t k = 0; k < from.size(); ++k)
    if (from[from.size() - 1 - k] != 1) strides[to.size() - 1 - k] = own[from.size() - 1 - k];
  return strides;
}

// Elements of `from` at positions, as a tensor of `shape`.
Constant picked(const Node& node, const Constant& from, const Shape& shape,
                const std::vector<int64_t>& strides, int64_t begin = 0) {
  check_elements(node, shape);
  const auto bytes = static_cast<size_t>(size_bytes(from.type));
  const int64_t count = elements(shape);
  Bytes data(static_cast<size_t>(count) * bytes);
  Positions positions(shape, strides, begin);
  for (int64_t k = 0; k < count; ++k)
    std::memcpy(data.data() + static_cast<size_t>(k) * bytes,
                from.data->data() + static_cast<size_t>(positions.next()) * bytes, bytes);
  return {
      .type = from.type, .shape = shape, .data = std::make_shared<const Bytes>(std::move(data))};
}

Constant reshaped(const Constant& from, Shape shape) {
  return {.type = from.type, .shape = std::move(shape), .data = from.data};
}

// ---- Element by element

template <class Number, class Function>
Constant elementwise(const Node& node, const Constant& a, const Constant& b, DType type,
                     Function function) {
  const Shape shape = broadcast(node, a.shape, b.shape);
  check_elements(node, shape);
  const auto numbers = [](const Constant& c) {
    if constexpr (std::is_same_v<Number, float>)
      return reals(c);
    else
      return wholes(c);
  };
  const std::vector<Number> x = numbers(a), y = numbers(b);
  Positions at_x(shape, broadcast_strides(a.shape, shape)),
      at_y(shape, broadcast_strides(b.shape, shape));
  using Result = decltype(function(Number{}, Number{}));
  std::vector<std::conditional_t<std::is_same_v<Result, float>, float, int64_t>> result;
  for (int64_t k = elements(shape); k > 0; --k)
    result.push_back(
        function(x[static_cast<size_t>(at_x.next())], y[static_cast<size_t>(at_y.next())]));
  if constexpr (std::is_same_v<Result, float>)
    return constant_of(shape, result);
  else
    return constant_of(shape, result, type);
}

struct FoldedRule {
  std::function<float(float, float)> of_reals;
  std::function<int64_t(int64_t, int64_t)> of_wholes;
};

int64_t whole_power(int64_t base, int64_t exponent) {
  return static_cast<int64_t>(
      std::llround(std::pow(static_cast<double>(base), static_cast<double>(exponent))));
}

const std::map<std::string_view, FoldedRule>& arithmetic() {
  static const std::map<std::string_view, FoldedRule> all = {
      {"Add", {[](float x, float y) { return x + y; }, [](int64_t x, int64_t y) { return x + y; }}},
      {"Sub", {[](float x, float y) { return x - y; }, [](int64_t x, int64_t y) { return x - y; }}},
      {"Mul", {[](float x, float y) { return x * y; }, [](int64_t x, int64_t y) { return x * y; }}},
      {"Div",
       {[](float x, float y) { return x / y; },
        [](int64_t x, int64_t y) { return y == 0 || y == -1 ? -x * (y != 0) : x / y; }}},
      {"Pow", {[](float x, float y) { return std::pow(x, y); }, whole_power}},
      {"Max",
       {[](float x, float y) { return std::max(x, y); },
        [](int64_t x, int64_t y) { return std::max(x, y); }}},
      {"Min",
       {[](float x, float y) { return std::min(x, y); },
        [](int64_t x, int64_t y) { return std::min(x, y); }}}};
  return all;
}

std::vector<Constant> combined(const Node& node, const Inputs& in) {
  const FoldedRule& rule = arithmetic().at(node.op());
  Constant result = operand(node, in, 0);
  for (size_t k = 1; k < in.size(); ++k) {
    const Constant& other = operand(node, in, k);
    const DType type = result.type;
    result = type == DType::kFloat32
                 ? elementwise<float>(node, result, other, type, rule.of_reals)
                 : elementwise<int64_t>(node, result, other, type, rule.of_wholes);
  }
  return {result};
}

std::vector<Constant> remainder(const Node& node, const Inputs& in) {
  const Constant &x = operand(node, in, 0), &y = operand(node, in, 1);
  const bool truncates = node.whole("fmod", 0) != 0;
  if (x.type == DType::kFloat32)
    return {
        elementwise<float>(node, x, y, x.type, [](float a, float b) { return std::fmod(a, b); })};
  return {elementwise<int64_t>(node, x, y, x.type, [&](int64_t a, int64_t b) -> int64_t {
    if (b == 0 || b == -1) return 0;
    const int64_t rest = a % b;
    return !truncates && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  })};
}

template <class Holds>
std::vector<Constant> compared(const Node& node, const Inputs& in, Holds holds) {
  const Constant &x = operand(node, in, 0), &y = operand(node, in, 1);
  if (x.type == DType::kFloat32)
    return {elementwise<float>(node, x, y, DType::kBool,
                               [&](float a, float b) { return int64_t{holds(a, b)}; })};
  return {elementwise<int64_t>(node, x, y, DType::kBool,
                               [&](int64_t a, int64_t b) { return int64_t{holds(a, b)}; })};
}

template <class Function>
std::vector<Constant> of_each(const Node& node, const Inputs& in, Function function) {
  const Constant& x = operand(node, in, 0);
  if (x.type == DType::kFloat32) {
    std::vector<float> values = reals(x);
    for (float& value : values) value = static_cast<float>(function(value));
    return {constant_of(x.shape, values)};
  }
  std::vector<int64_t> values = wholes(x);
  for (int64_t& value : values) value = static_cast<int64_t>(function(value));
  return {constant_of(x.shape, values, x.type)};
}

template <class Function>
std::vector<Constant> of_each_real(const Node& node, const Inputs& in, Function function) {
  if (operand(node, in, 0).type != DType::kFloat32) node.damaged("its input is not real");
  return of_each(node, in, [&](auto x) { return function(static_cast<float>(x)); });
}

std::vector<Constant> chosen(const Node& node, const Inputs& in) {
  const Constant &condition = operand(node, in, 0), &x = operand(node, in, 1),
                 &y = operand(node, in, 2);
  const Shape shape = broadcast(node, broadcast(node, condition.shape, x.shape), y.shape);
  check_elements(node, shape);
  Positions at(shape, broadcast_strides(condition.shape, shape)),
      at_x(shape, broadcast_strides(x.shape, shape)),
      at_y(shape, broadcast_strides(y.shape, shape));
  const auto bytes = static_cast<size_t>(size_bytes(x.type));
  Bytes data;
  for (int64_t k = elements(shape); k > 0; --k) {
    const auto of_x = static_cast<size_t>(at_x.next()), of_y = static_cast<size_t>(at_y.next());
    const bool holds = (*condition.data)[static_cast<size_t>(at.next())] != 0;
    const uint8_t* const from =
        holds ? x.data->data() + of_x * bytes : y.data->data() + of_y * bytes;
    data.insert(data.end(), from, from + bytes);
  }
  return {{.type = x.type, .shape = shape, .data = std::make_shared<const Bytes>(std::move(data))}};
}

// ---- Shapes and parts

std::vector<Constant> joined(const Node& node, const Inputs& in) {
  const Constant& first = operand(node, in, 0);
  const size_t axis = node.axis(node.whole("axis", 1), first.shape.size());
  Shape shape = first.shape;
  shape[axis] = 0;
  for (size_t k = 0; k < in.size(); ++k) {
    const Constant& part = operand(node, in, k);
    if (part.shape.size() != shape.size() || part.type != first.type)
      node.damaged("its inputs do not go together");
    shape[axis] += part.shape[axis];
  }
  check_elements(node, shape);
  const int64_t before = std::accumulate(shape.begin(), shape.begin() + static_cast<long>(axis),
                                         int64_t{1}, std::multiplies());
  Bytes data;
  for (int64_t row = 0; row < before; ++row) {
    for (const Constant* part : in) {
      const size_t run = part->data->size() / static_cast<size_t>(std::max<int64_t>(before, 1));
      const auto begin = part->data->begin() + static_cast<long>(static_cast<size_t>(row) * run);
      data.insert(data.end(), begin, begin + static_cast<long>(run));
    }
  }
  if (std::ssize(data) != elements(shape) * size_bytes(first.type))
    node.damaged("its inputs do not go together");
  return {
      {.type = first.type, .shape = shape, .data = std::make_shared<const Bytes>(std::move(data))}};
}

std::vector<Constant> gathered(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const Constant& indices = operand(node, in, 1);
  const size_t axis = node.axis(node.whole("axis", 0), x.shape.size());
  const std::vector<int64_t> strides = strides_of(x.shape);
  const Shape before(x.shape.begin(), x.shape.begin() + static_cast<long>(axis));
  const Shape behind(x.shape.begin() + static_cast<long>(axis) + 1, x.shape.end());
  Shape shape = before;
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), behind.begin(), behind.end());
  check_elements(node, shape);
  const auto bytes = static_cast<size_t>(size_bytes(x.type));
  const auto run = static_cast<size_t>(elements(behind)) * bytes;
  const std::vector<int64_t> at = wholes(indices);
  Bytes data;
  for (int64_t row = 0; row < elements(before); ++row) {
    for (const int64_t given : at) {
      const int64_t k = given < 0 ? given + x.shape[axis] : given;
      if (k < 0 || k >= x.shape[axis])
        node.damaged(fmt::format("index {} of {}", given, x.shape[axis]));
      const size_t begin = static_cast<size_t>(row * x.shape[axis] + k) * run;
      data.insert(data.end(), x.data->begin() + static_cast<long>(begin),
                  x.data->begin() + static_cast<long>(begin + run));
    }
  }
  return {{.type = x.type, .shape = shape, .data = std::make_shared<const Bytes>(std::move(data))}};
}

std::vector<Constant> sliced(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const Cut cut = cut_of(node, x.shape, in);
  const std::vector<int64_t> own = strides_of(x.shape);
  std::vector<int64_t> strides;
  int64_t begin = 0;
  for (size_t k = 0; k < x.shape.size(); ++k) {
    strides.push_back(own[k] * cut.stride[k]);
    begin += own[k] * cut.begin[k];
  }
  return {picked(node, x, cut.shape, strides, begin)};
}

std::vector<Constant> split(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const Parts parts = parts_of(node, x.shape, in);
  const std::vector<int64_t> strides = strides_of(x.shape);
  std::vector<Constant> result;
  int64_t begin = 0;
  for (const int64_t extent : parts.extents) {
    Shape shape = x.shape;
    shape[parts.axis] = extent;
    result.push_back(picked(node, x, shape, strides, begin * strides[parts.axis]));
    begin += extent;
  }
  return result;
}

std::vector<Constant> transposed(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const std::vector<int> order = permutation_of(node, x.shape.size());
  const std::vector<int64_t> own = strides_of(x.shape);
  std::vector<int64_t> strides;
  for (const int axis : order) strides.push_back(own[static_cast<size_t>(axis)]);
  return {picked(node, x, in_order(x.shape, order), strides)};
}

std::vector<Constant> expanded(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const Shape shape = broadcast(node, x.shape, wholes(operand(node, in, 1)));
  return {picked(node, x, shape, broadcast_strides(x.shape, shape))};
}

std::vector<Constant> filled(const Node& node, const Inputs& in) {
  const Shape shape = wholes(operand(node, in, 0));
  check_elements(node, shape);
  const AttributeRecord* value = node.attribute("value");
  if (value == nullptr || value->tensors.empty())
    return {constant_of(shape, std::vector<float>(static_cast<size_t>(elements(shape)), 0))};
  const Constant one = constant_of(value->tensors.front(), "", node.where);
  if (one.size() != 1) node.damaged("its value is not one number");
  return {picked(node, reshaped(one, Shape(shape.size(), 1)), shape,
                 std::vector<int64_t>(shape.size(), 0))};
}

std::vector<Constant> counted(const Node& node, const Inputs& in) {
  const Constant& start = operand(node, in, 0);
  constexpr double kMost = 1 << 24;
  const auto count = [&](double begin, double end, double step) {
    const double steps = step == 0 ? -1 : std::ceil((end - begin) / step);
    if (!(steps < kMost)) node.refuse("counts too far");
    if (step == 0) node.damaged("it counts by 0");
    return static_cast<int64_t>(std::max(steps, 0.0));
  };
  if (start.type == DType::kFloat32) {
    const float begin = reals(start)[0], end = reals(operand(node, in, 1))[0],
                step = reals(operand(node, in, 2))[0];
    std::vector<float> values(static_cast<size_t>(count(begin, end, step)));
    for (size_t k = 0; k < values.size(); ++k) values[k] = begin + static_cast<float>(k) * step;
    return {constant_of({std::ssize(values)}, values)};
  }
  const int64_t begin = wholes(start)[0], end = wholes(operand(node, in, 1))[0],
                step = wholes(operand(node, in, 2))[0];
  std::vector<int64_t> values(static_cast<size_t>(
      count(static_cast<double>(begin), static_cast<double>(end), static_cast<double>(step))));
  for (size_t k = 0; k < values.size(); ++k) values[k] = begin + static_cast<int64_t>(k) * step;
  return {constant_of({std::ssize(values)}, values, start.type)};
}

std::vector<Constant> signal_window(const Node& node, const Inputs& in) {
  return {window_of_signal(node, in)};
}

std::vector<Constant> repeated(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const std::vector<int64_t> times = wholes(operand(node, in, 1));
  if (times.size() != x.shape.size()) node.damaged("repeats of other axes than it has");
  // As axes of its own, along which nothing changes.
  const std::vector<int64_t> own = strides_of(x.shape);
  Shape apart, shape;
  std::vector<int64_t> strides;
  for (size_t k = 0; k < times.size(); ++k) {
    apart.insert(apart.end(), {times[k], x.shape[k]});
    strides.insert(strides.end(), {0, own[k]});
    shape.push_back(times[k] * x.shape[k]);
  }
  return {reshaped(picked(node, x, apart, strides), shape)};
}

template <class Number>
std::vector<Number> reduced(const std::vector<Number>& x, const Shape& shape,
                            const std::vector<int>& axes, Number first,
                            Number (*combine)(Number, Number)) {
  Shape kept = shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  std::vector<Number> result(static_cast<size_t>(elements(kept)), first);
  Positions to(shape, broadcast_strides(kept, shape));
  for (const Number value : x) {
    Number& sum = result[static_cast<size_t>(to.next())];
    sum = combine(sum, value);
  }
  return result;
}

std::vector<Constant> reductions(const Node& node, const Inputs& in) {
  const Constant& x = operand(node, in, 0);
  const Reduction reduction = reduction_of(node, x.shape, in);
  const std::string_view what = node.op().substr(6);
  const int64_t count = elements(x.shape) / std::max<int64_t>(elements(reduction.shape), 1);
  if (x.type == DType::kFloat32) {
    const std::vector<float> values = reals(x);
    constexpr float kMost = std::numeric_limits<float>::infinity();
    using F = float (*)(float, float);
    const std::map<std::string_view, std::pair<float, F>> rules = {
        {"Sum", {0.0F, [](float a, float b) { return a + b; }}},
        {"Mean", {0.0F, [](float a, float b) { return a + b; }}},
        {"Prod", {1.0F, [](float a, float b) { return a * b; }}},
        {"Max", {-kMost, [](float a, float b) { return std::max(a, b); }}},
        {"Min", {kMost, [](float a, float b) { return std::min(a, b); }}},
        {"L1", {0.0F, [](float a, float b) { return a + std::abs(b); }}},
        {"L2", {0.0F, [](float a, float b) { return a + b * b; }}},
        {"SumSquare", {0.0F, [](float a, float b) { return a + b * b; }}}};
    const auto& [first, combine] = rules.at(what);
    std::vector<float> result = reduced(values, x.shape, reduction.axes, first, combine);
    for (float& value : result) {
      if (what == "Mean") value /= static_cast<float>(count);
      if (what == "L2") value = std::sqrt(value);
    }
    return {constant_of(reduction.shape, result)};
  }
  const std::vector<int64_t> values = wholes(x);
  using F = int64_t (*)(int64_t, int64_t);
  const std::map<std::string_view, std::pair<int64_t, F>> rules = {
      {"Sum", {0, [](int64_t a, int64_t b) { return a + b; }}},
      {"Mean", {0, [](int64_t a, int64_t b) { return a + b; }}},
      {"Prod", {1, [](int64_t a, int64_t b) { return a * b; }}},
      {"Max", {INT64_MIN, [](int64_t a, int64_t b) { return std::max(a, b); }}},
      {"Min", {INT64_MAX, [](int64_t a, int64_t b) { return std::min(a, b); }}},
      {"L1", {0, [](int64_t a, int64_t b) { return a + std::abs(b); }}},
      {"L2", {0, [](int64_t a, int64_t b) { return a + b * b; }}},
      {"SumSquare", {0, [](int64_t a, int64_t b) { return a + b * b; }}}};
  const auto& [first, combine] = rules.at(what);
  std::vector<int64_t> result = reduced(values, x.shape, reduction.axes, first, combine);
  for (int64_t& value : result) {
    if (what == "Mean") value /= std::max<int64_t>(count, 1);
    if (what == "L2") value = static_cast<int64_t>(std::sqrt(static_cast<double>(value)));
  }
  return {constant_of(reduction.shape, result, x.type)};
}

std::vector<Constant> cast(const Node& node, const Inputs& in) {
  const auto to = static_cast<ElementType>(node.whole("to", 0));
  const std::optional<DType> type = type_of(to);
  if (!type) node.refuse(fmt::format("to {} is not supported", name(to)));
  return {converted(operand(node, in, 0), *type)};
}

float nearest(float x) { return std::nearbyint(x); }

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> all = {
      {"Add", combined},
      {"Sub", combined},
      {"Mul", combined},
      {"Div", combined},
      {"Pow", combined},
      {"Max", combined},
      {"Min", combined},
      {"Mod", remainder},
      {"Equal",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a == b; });
       }},
      {"Greater",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a > b; });
       }},
      {"GreaterOrEqual",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a >= b; });
       }},
      {"Less",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a < b; });
       }},
      {"LessOrEqual",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a <= b; });
       }},
      {"And",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a != 0 && b != 0; });
       }},
      {"Or",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return a != 0 || b != 0; });
       }},
      {"Xor",
       [](const Node& n, const Inputs& in) {
         return compared(n, in, [](auto a, auto b) { return (a != 0) != (b != 0); });
       }},
      {"Not", [](const Node& n,
                 const Inputs& in) { return of_each(n, in, [](auto x) { return x == 0; }); }},
      {"Neg",
       [](const Node& n, const Inputs& in) { return of_each(n, in, [](auto x) { return -x; }); }},
      {"Abs",
       [](const Node& n, const Inputs& in) {
         return of_each(n, in, [](auto x) { return x < 0 ? -x : x; });
       }},
      {"Sign",
       [](const Node& n, const Inputs& in) {
         return of_each(n, in, [](auto x) { return (x > 0) - (x < 0); });
       }},
      {"Floor",
       [](const Node& n, const Inputs& in) {
         return of_each_real(n, in, [](float x) { return std::floor(x); });
       }},
      {"Ceil",
       [](const Node& n, const Inputs& in) {
         return of_each_real(n, in, [](float x) { return std::ceil(x); });
       }},
      {"Round", [](const Node& n, const Inputs& in) { return of_each_real(n, in, nearest); }},
      {"Sqrt",
       [](const Node& n, const Inputs& in) {
         return of_each_real(n, in, [](float x) { return std::sqrt(x); });
       }},
      {"Exp",
       [](const Node& n, const Inputs& in) {
         return of_each_real(n, in, [](float x) { return std::exp(x); });
       }},
      {"Log",
       [](const Node& n, const Inputs& in) {
         return of_each_real(n, in, [](float x) { return std::log(x); });
       }},
      {"Reciprocal",
       [](const Node& n, const Inputs& in) {
         return of_each_real(n, in, [](float x) { return 1 / x; });
       }},
      {"Where", chosen},
      {"Concat", joined},
      {"Gather", gathered},
      {"Slice", sliced},
      {"Split", split},
      {"Transpose", transposed},
      {"Expand", expanded},
      {"ConstantOfShape", filled},
      {"Range", counted},
      {"HannWindow", signal_window},
      {"HammingWindow", signal_window},
      {"BlackmanWindow", signal_window},
      {"MelWeightMatrix",
       [](const Node& n, const Inputs& in) -> std::vector<Constant> {
         return {mel_matrix(n, in)};
       }},
      {"Tile", repeated},
      {"Cast", cast},
      {"Reshape",
       [](const Node& n, const Inputs& in) -> std::vector<Constant> {
         const Constant& x = operand(n, in, 0);
         return {reshaped(x, new_shape(n, x.shape, in))};
       }},
      {"Flatten",
       [](const Node& n, const Inputs& in) -> std::vector<Constant> {
         const Constant& x = operand(n, in, 0);
         return {reshaped(x, new_shape(n, x.shape, in))};
       }},
      {"Squeeze",
       [](const Node& n, const Inputs& in) -> std::vector<Constant> {
         const Constant& x = operand(n, in, 0);
         return {reshaped(x, new_shape(n, x.shape, in))};
       }},
      {"Unsqueeze",
       [](const Node& n, const Inputs& in) -> std::vector<Constant> {
         const Constant& x = operand(n, in, 0);
         return {reshaped(x, new_shape(n, x.shape, in))};
       }},
      {"ReduceSum", reductions},
      {"ReduceMean", reductions},
      {"ReduceProd", reductions},
      {"ReduceMax", reductions},
      {"ReduceMin", reductions},
      {"ReduceL1", reductions},
      {"ReduceL2", reductions},
      {"ReduceSumSquare", reductions},
  };
  return all;
}

}  // namespace

bool is_folded(std::string_view op) { return rules().contains(op); }

std::vector<Constant> fold(const Node& node, const std::vector<const Constant*>& inputs) {
  return rules().at(node.op())(node, inputs);
}

}  // namespace thimble::onnx
