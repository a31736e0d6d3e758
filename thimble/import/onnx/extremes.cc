// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/extremes.h"

#include <algorithm>

#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {

// A pool: what is left as rows, what goes as columns of one channel.
Value extreme_of(const Reading& r, const Value& x, const Reduction& reduction, bool least) {
  const Lines lines = lines_of(r, x, reduction);
  const TensorId image =
      r.network.make(r.node, Reshape{}, {lines.tensor}, x.type, {1, lines.count, lines.length, 1});
  const TensorId pooled =
      r.network.make(r.node, MaxPool2D{.window = {.kernel_w = lines.length}, .least = least},
                     {image}, x.type, {1, lines.count, 1, 1});
  return r.value(Reshape{}, {pooled}, x.type, reduction.shape, same_order(reduction.shape.size()));
}

Value index_of_extreme(const Reading& r, const Value& x, size_t axis, const Extreme& extreme) {
  const Value from = r.settled(x);
  const auto place = std::ranges::find(from.order, static_cast<int>(axis)) - from.order.begin();
  Shape shape = x.shape;
  shape.erase(shape.begin() + static_cast<long>(axis));
  Order order;
  for (const int other : from.order)
    if (other != static_cast<int>(axis)) order.push_back(other - (other > static_cast<int>(axis)));
  const ArgMax kind{.axis = static_cast<int>(place), .least = extreme.least, .last = extreme.last};
  const Value found = r.value(kind, {from.tensor}, DType::kInt32, shape, order);
  shape.insert(shape.begin() + static_cast<long>(axis), 1);
  return in_shape(found, shape);
}

}  // namespace thimble::onnx
