// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, and compute none.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/onnx/choice.h"
#include "thimble/import/onnx/shapes.h"
#include "thimble/import/onnx/small_integers.h"

namespace thimble::onnx {
namespace {

void same(Reading& r) { r.make(0, r.input(0)); }

// A tensor of the Graph when somebody asks for it: behind a convolution, before a product.
void reshape(Reading& r) {
  const Value& x = r.input(0);
  Value result{.type = x.type, .shape = new_shape(r.node, x.shape, r.constants())};
  result.reshaped = std::make_shared<const Value>(x.reshaped == nullptr ? x : *x.reshaped);
  r.make(0, std::move(result));
}

void transpose(Reading& r) {
  const Order to = permutation_of(r.node, r.input(0).rank());
  Value result = r.settled(r.input(0));
  // Axis k of the tensor was axis order[k], which is now where `to` has that.
  for (int& axis : result.order) axis = static_cast<int>(std::ranges::find(to, axis) - to.begin());
  result.shape = in_order(r.input(0).shape, to);
  r.make(0, std::move(result));
}

// Where an axis of the file is in a tensor.
size_t position_of(const Order& order, size_t axis) {
  return static_cast<size_t>(std::ranges::find(order, static_cast<int>(axis)) - order.begin());
}

void concat(Reading& r) {
  const Value& first = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", 1), first.rank());
  std::vector<Value> parts;
  for (size_t k = 0; k < r.input_count(); ++k) {
    const Value& x = r.input(k);
    if (x.rank() != first.rank() || integer_type(r, x) != integer_type(r, first))
      r.node.damaged("its inputs do not go together");
    if (x.type != first.type)
      r.node.refuse("is not supported of uint8 that a QuantizeLinear makes and other uint8");
    if (elements(x.shape) > 0) parts.push_back(x);
  }
  if (parts.empty()) r.node.refuse("is not supported without elements");
  const Order order = Reading::order_of(parts);
  Shape shape = first.shape;
  shape[axis] = 0;
  std::vector<TensorId> inputs;
  for (const Value& x : parts) {
    shape[axis] += x.shape[axis];
    inputs.push_back(r.network.tensor(r.node, x, order));
  }
  const Concat joined{.axis = static_cast<int>(position_of(order, axis))};
  r.make(0, r.value(joined, std::move(inputs), first.type, shape, order));
}

Value sliced(const Reading& r, const Value& x, const std::vector<int64_t>& begin,
             const std::vector<int64_t>& stride, const Shape& shape) {
  const Value from = r.settled(x);
  Slice slice;
  for (const int axis : from.order) {
    slice.begin.push_back(begin[static_cast<size_t>(axis)]);
    slice.stride.push_back(stride[static_cast<size_t>(axis)]);
  }
  return r.value(slice, {from.tensor}, x.type, shape, from.order);
}

void slice(Reading& r) {
  const Value& x = r.input(0);
  const Cut cut = cut_of(r.node, x.shape, r.constants());
  r.make(0, cut.shape == x.shape && std::ranges::all_of(cut.stride, [](int64_t s) { return s > 0; })
                ? x
                : sliced(r, x, cut.begin, cut.stride, cut.shape));
}

void split(Reading& r) {
  const Value& x = r.input(0);
  const Parts parts = parts_of(r.node, x.shape, r.constants());
  std::vector<int64_t> begin(x.rank(), 0);
  for (size_t k = 0; k < r.node.record->outputs.size(); ++k) {
    Shape shape = x.shape;
    shape[parts.axis] = parts.extents[k];
    if (r.wants(k)) r.make(k, sliced(r, x, begin, std::vector<int64_t>(x.rank(), 1), shape));
    begin[parts.axis] += parts.extents[k];
  }
}

// Pads that repeat what is there.
Value mirrored(const Reading& r, const Value& x, const std::vector<int64_t>& before,
               const std::vector<int64_t>& after, const std::string& mode) {
  Value result = x;
  for (size_t axis = 0; axis < x.rank(); ++axis) {
    const int64_t extent = x.shape[axis], last = extent - 1;
    std::vector<int64_t> positions;
    for (int64_t k = -before[axis]; k < extent + after[axis]; ++k) {
      if (mode == "edge")
        positions.push_back(std::clamp<int64_t>(k, 0, last));
      else if (mode == "wrap")
        positions.push_back((k % extent + extent) % extent);
      else if (mode == "reflect" && last == 0)
        positions.push_back(0);
      else if (mode == "reflect")
        positions.push_back(last - std::abs((std::abs(k) % (2 * last)) - last));
      else
        r.node.damaged("a mode that there is not");
    }
    result = taken(r, result, axis, positions);
  }
  return result;
}

void pad(Reading& r) {
  const std::string mode = r.node.text("mode", "constant");
  const Value& x = r.input(0);
  const std::optional<std::vector<int64_t>> given = parameter(r.node, "pads", r.constants(), 1);
  if (!given) r.node.damaged("it has no pads");
  std::vector<int> axes = same_order(x.rank());
  if (r.has(3)) axes = r.node.axes(wholes(r.constant(3, "axes")), x.rank());
  if (given->size() != 2 * axes.size()) r.node.damaged("its pads are of other axes");
  std::vector<int64_t> before(x.rank(), 0), after(x.rank(), 0);
  for (size_t k = 0; k < axes.size(); ++k) {
    before[static_cast<size_t>(axes[k])] = (*given)[k];
    after[static_cast<size_t>(axes[k])] = (*given)[k + axes.size()];
  }
  if (mode != "constant") return r.make(0, mirrored(r, x, before, after, mode));
  float number = r.node.real("value", 0);
  if (r.has(2)) number = one_real(r.node, r.constant(2, "a value"), "a value");
  if (x.type != DType::kFloat32) r.node.refuse("is not supported but for float32");
  // Negative ones cut.
  Value inner = x;
  Shape shape = x.shape;
  std::vector<int64_t> begin(x.rank(), 0);
  for (size_t k = 0; k < x.rank(); ++k) {
    begin[k] = std::max<int64_t>(-before[k], 0);
    shape[k] -= begin[k] + std::max<int64_t>(-after[k], 0);
    before[k] = std::max<int64_t>(before[k], 0);
    after[k] = std::max<int64_t>(after[k], 0);
    if (shape[k] < 1) r.node.refuse("leaves nothing of its input");
  }
  if (shape != x.shape) inner = sliced(r, x, begin, std::vector<int64_t>(x.rank(), 1), shape);
  const Value from = r.turned_at_port(inner);
  Pad padding;
  for (const int axis : from.order) {
    padding.before.push_back(before[static_cast<size_t>(axis)]);
    padding.after.push_back(after[static_cast<size_t>(axis)]);
  }
  static_assert(sizeof padding.value == sizeof number);
  std::memcpy(&padding.value, &number, sizeof number);
  for (size_t k = 0; k < shape.size(); ++k) shape[k] += before[k] + after[k];
  r.make(0, r.value(padding, {from.tensor}, x.type, shape, from.order));
}

Value cast_of(const Reading& r, const Value& x, DType type) {
  const DType from = integer_type(r, x);
  if (from == type) return x;
  if (type == DType::kBool && (is_small_integer(from) || from == DType::kFloat32))
    return related(r, Relation::kNotEqual, is_small_integer(from) ? numbers_of(r, x) : x,
                   r.number(0));
  if (from == DType::kUInt8 && x.constant == nullptr) {
    const Value numbers = numbers_of(r, x);
    return type == DType::kFloat32 ? numbers : r.each(Cast{}, numbers, type);
  }
  if (type != DType::kUInt8) return r.each(Cast{}, x, type);
  Value whole = from == DType::kInt32 ? x : r.each(Cast{}, x, DType::kInt32);
  if (from != DType::kFloat32 && from != DType::kBool)  // integers wrap around
    whole = r.each(FloorDiv{.remainder = true}, whole,
                   r.known(constant_of(Shape{1}, std::vector<int64_t>{256}, DType::kInt32)));
  return integers_of(r, r.each(Cast{}, whole, DType::kFloat32), type);
}

void cast(Reading& r) {
  const auto to = static_cast<ElementType>(r.node.whole("to", 0));
  const std::optional<DType> type = type_of(to);
  if (!type) r.node.refuse(fmt::format("to {} is not supported", name(to)));
  r.make(0, cast_of(r, r.input(0), *type));
}

void cast_like(Reading& r) { r.make(0, cast_of(r, r.input(0), integer_type(r, r.input(1)))); }

void tile(Reading& r) {
  const Value& x = r.input(0);
  const std::vector<int64_t> times = wholes(r.constant(1, "repeats"));
  if (times.size() != x.rank()) r.node.damaged("repeats of other axes");
  Value result = x;
  for (size_t axis = 0; axis < x.rank(); ++axis) {
    if (times[axis] < 1 || times[axis] > 65536) r.node.refuse("is not supported with such repeats");
    std::vector<int64_t> positions;
    for (int64_t k = 0; k < times[axis] * x.shape[axis]; ++k)
      positions.push_back(k % x.shape[axis]);
    result = taken(r, result, axis, positions);
  }
  r.make(0, std::move(result));
}

void dropout(Reading& r) {
  const bool drops = !r.has(1) || reals(r.constant(1, "a ratio")) != std::vector<float>{0};
  if (drops && r.has(2) && one_whole(r.node, r.constant(2, "a mode"), "a mode") != 0)
    r.node.refuse("is not supported in training mode; in inference mode it is");
  r.make(0, r.input(0));
  if (!r.wants(1)) return;
  const Shape& shape = r.input(0).shape;  // of the mask: nothing is dropped
  const std::vector<int64_t> all(static_cast<size_t>(elements(shape)), 1);
  r.make(1, r.known(constant_of(shape, all, DType::kBool)));
}

// Constant indices make parts of x, others a GATHER.
void gather(Reading& r) {
  const Value &x = r.input(0), &indices = r.input(1);
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  Shape shape(x.shape.begin(), x.shape.begin() + static_cast<long>(axis));
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<long>(axis) + 1, x.shape.end());
  if (indices.constant != nullptr) {
    std::vector<int64_t> positions = wholes(*indices.constant);
    for (int64_t& k : positions) {
      if (k < 0) k += x.shape[axis];
      if (k < 0 || k >= x.shape[axis])
        r.node.damaged(fmt::format("index {} of {}", k, x.shape[axis]));
    }
    Value result{.type = x.type, .shape = shape};
    result.reshaped = std::make_shared<const Value>(taken(r, x, axis, positions));
    if (result.reshaped->reshaped != nullptr) result.reshaped = result.reshaped->reshaped;
    return r.make(0, std::move(result));
  }
  Value at = indices.type == DType::kInt32 ? indices : r.each(Cast{}, indices, DType::kInt32);
  // Those below 0 count from the end.
  const Constant extent = constant_of(Shape{1}, std::vector<int64_t>{x.shape[axis]}, DType::kInt32);
  at = r.each(FloorDiv{.remainder = true}, at, r.known(extent));
  r.make(0, r.value(Gather{.axis = static_cast<int>(axis)},
                    {r.network.tensor(r.node, x, same_order(x.rank())),
                     r.network.tensor(r.node, at, same_order(at.rank()))},
                    x.type, shape, same_order(shape.size())));
}

void expand(Reading& r) {
  const Value& x = r.input(0);
  const Shape shape = broadcast(r.node, x.shape, wholes(r.constant(1, "a shape")));
  if (shape == x.shape) return r.make(0, x);
  // Added to zeros it is what it was, as often as it takes.
  if (x.type != DType::kFloat32) r.node.refuse("is not supported but for float32");
  const Constant zeros =
      constant_of(shape, std::vector<float>(static_cast<size_t>(elements(shape)), 0));
  r.make(0, r.each(Add{}, x, r.known(zeros)));
}

// Blocks of pixels become channels, or channels these: axes taken apart, turned, joined.
Value rearranged(const Reading& r, const Value& x, const Shape& apart, const Order& order,
                 const Shape& shape) {
  Value turned = r.settled(in_shape(r.settled(x), apart));
  for (int& axis : turned.order)
    axis = static_cast<int>(std::ranges::find(order, axis) - order.begin());
  turned.shape = in_order(apart, order);
  return in_shape(turned, shape);
}

int64_t block_of(const Reading& r, const Value& x) {
  const int64_t block = r.node.whole("blocksize", 0);
  if (x.rank() != 4 || block < 1) r.node.damaged("no blocks of 4 axes");
  return block;
}

void depth_to_space(Reading& r) {
  const Value& x = r.input(0);
  const int64_t b = block_of(r, x), n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3];
  if (c % (b * b) != 0) r.node.damaged(fmt::format("{} channels of blocks of {}", c, b));
  const bool by_channel = r.node.text("mode", "DCR") == "CRD";
  const int64_t each = c / (b * b);
  const Shape shape = {n, each, h * b, w * b};
  if (by_channel)
    return r.make(0, rearranged(r, x, {n, each, b, b, h, w}, {0, 1, 4, 2, 5, 3}, shape));
  r.make(0, rearranged(r, x, {n, b, b, each, h, w}, {0, 3, 4, 1, 5, 2}, shape));
}

void space_to_depth(Reading& r) {
  const Value& x = r.input(0);
  const int64_t b = block_of(r, x), n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3];
  if (h % b != 0 || w % b != 0) r.node.damaged(fmt::format("{} x {} of blocks of {}", h, w, b));
  r.make(0, rearranged(r, x, {n, c, h / b, b, w / b, b}, {0, 3, 5, 1, 2, 4},
                       {n, c * b * b, h / b, w / b}));
}

}  // namespace

const ReadNodes& shape_operators() {
  static const ReadNodes all = {{"Gather", gather},
                                {"Tile", tile},
                                {"Identity", same},
                                {"Dropout", dropout},
                                {"Cast", cast},
                                {"CastLike", cast_like},
                                {"Concat", concat},
                                {"DepthToSpace", depth_to_space},
                                {"Expand", expand},
                                {"Flatten", reshape},
                                {"Pad", pad},
                                {"Reshape", reshape},
                                {"Slice", slice},
                                {"SpaceToDepth", space_to_depth},
                                {"Split", split},
                                {"Squeeze", reshape},
                                {"Transpose", transpose},
                                {"Unsqueeze", reshape}};
  return all;
}

}  // namespace thimble::onnx
