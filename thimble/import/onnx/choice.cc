// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/choice.h"

namespace thimble::onnx {

Value selected(const Reading& r, const Value& condition, const Value& x, const Value& y) {
  const Shape shape = broadcast(r.node, broadcast(r.node, condition.shape, x.shape), y.shape);
  std::vector<Value> values;
  for (const Value* value : {&condition, &x, &y})
    values.push_back(r.network.with_rank(r.node, *value, shape.size()));
  const Order order = Reading::order_of(values);
  std::vector<TensorId> inputs;
  for (const Value& value : values) inputs.push_back(r.network.tensor(r.node, value, order));
  return r.value(Select{}, std::move(inputs), x.type, shape, order);
}

Value truth(const Reading& r, bool holds) {
  return r.known(constant_of(Shape{1}, std::vector<int64_t>{holds}, DType::kBool));
}

Value related(const Reading& r, Relation relation, const Value& x, const Value& y) {
  return r.each(Comparison{relation}, x, y, DType::kBool);
}

}  // namespace thimble::onnx
