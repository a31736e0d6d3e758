// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of int8 whose step is a network.
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

/// Draws the step of a layer, operator by operator.
class StepDraw {
 public:
  explicit StepDraw(OpDraw& draw) : draw_(draw) {}

  TensorId row(int64_t count, const Quantization& q) {
    step_.tensors.push_back(
        {"s" + std::to_string(step_.tensors.size()), {1, count}, DType::kInt8, q});
    return TensorId{static_cast<int32_t>(step_.tensors.size()) - 1};
  }
  TensorId row(int64_t count) { return row(count, draw_.int8_quantization()); }
  TensorId input(int64_t count) {
    step_.inputs.push_back({row(count)});
    return step_.inputs.back().tensor;
  }
  /// It has as many elements, or one.
  TensorId constant(int64_t count) {
    const TensorId t = row(draw_.maybe(0.5) ? count : 1);
    fill(t);
    return t;
  }
  TensorId layer(TensorId x, int64_t units) {
    const Quantization q = draw_.int8_quantization();
    const int64_t columns = step_.tensor(x).shape[1];
    const int64_t scales = draw_.maybe(0.5) ? units : 1;
    Quantization of_weights{.axis = 0};
    for (int64_t k = 0; k < scales; ++k) {
      const double gain =
          (0.5 + draw_.random().unit()) / (100 * std::sqrt(static_cast<double>(columns)));
      of_weights.scales.push_back(
          static_cast<float>(gain * q.scales[0] / step_.tensor(x).quantization.scales[0]));
      of_weights.zero_points.push_back(0);
    }
    const TensorId weights = row(0, of_weights);
    step_.tensor(weights).shape = {units, columns};
    fill(weights);
    std::vector<TensorId> inputs{x, weights};
    if (draw_.maybe(0.7)) {
      std::vector<int32_t> values;
      for (int64_t k = 0; k < units; ++k)
        values.push_back(static_cast<int32_t>(draw_.some(-3000, 3000)));
      Bytes bytes(values.size() * sizeof(int32_t));
      std::memcpy(bytes.data(), values.data(), bytes.size());
      inputs.push_back(row(0, {}));
      Tensor& bias = step_.tensor(inputs.back());
      bias.shape = {units};
      bias.type = DType::kInt32;
      bias.data = std::make_shared<const Bytes>(std::move(bytes));
    }
    return op(FullyConnected{draw_.activation()}, inputs, row(units, q));
  }
  TensorId op(Attributes attributes, const std::vector<TensorId>& inputs, TensorId out) {
    step_.ops.push_back({std::move(attributes), inputs, {out}, 0});
    return out;
  }
  /// A sum, a difference or a product.
  TensorId combined(TensorId a, TensorId b, const Quantization& q) {
    const TensorId out = row(step_.tensor(a).shape[1], q);
    switch (draw_.some(0, 2)) {
      case 0:
        return op(Add{draw_.activation()}, {a, b}, out);
      case 1:
        return op(Sub{draw_.activation()}, {a, b}, out);
      default:
        return op(Mul{draw_.activation()}, {a, b}, out);
    }
  }
  TensorId combined(TensorId a, TensorId b) { return combined(a, b, draw_.int8_quantization()); }
  TensorId function(TensorId x) {
    const int64_t count = step_.tensor(x).shape[1];
    return draw_.maybe(0.5) ? op(Logistic{}, {x}, row(count, {{1.0F / 256}, {-128}, 0}))
                            : op(Tanh{}, {x}, row(count, {{1.0F / 128}, {0}, 0}));
  }
  TensorId part(TensorId x, int64_t begin, int64_t count) {
    const Slice slice{.begin = {0, begin}, .stride = {1, 1}, .dropped = {}};
    const TensorId out = op(slice, {x}, row(count, step_.tensor(x).quantization));
    return draw_.maybe(0.7) ? out : op(Reshape{}, {out}, row(count, step_.tensor(x).quantization));
  }
  void output(TensorId state) { step_.outputs.push_back({state}); }
  [[nodiscard]] const Quantization& quantization(TensorId t) const {
    return step_.tensor(t).quantization;
  }
  [[nodiscard]] std::shared_ptr<const Graph> done() const {
    return std::make_shared<const Graph>(step_);
  }

 private:
  void fill(TensorId t) {
    Tensor& target = step_.tensor(t);
    target.data = std::make_shared<const Bytes>(
        random_bytes_of(target.type, elements(target.shape), 1, draw_.random()));
  }

  OpDraw& draw_;
  Graph step_;
};

/// states: how many elements each has. Gates of x and of the first state, some of them through a
/// function, then each state of itself and of two gates.
std::shared_ptr<const Graph> random_step(OpDraw& draw, int64_t inputs,
                                         const std::vector<int64_t>& states) {
  StepDraw step(draw);
  const TensorId x = step.input(inputs);
  std::vector<TensorId> before;
  for (const int64_t units : states) before.push_back(step.input(units));
  int64_t all = 0;
  for (const int64_t units : states) all += units;
  const TensorId of_x = step.layer(x, all), of_h = step.layer(before[0], all);
  int64_t begin = 0;
  for (size_t k = 0; k < states.size(); ++k) {
    const int64_t units = states[k];
    TensorId gate = step.combined(step.part(of_x, begin, units), step.part(of_h, begin, units));
    if (draw.maybe(0.7)) gate = step.function(gate);
    if (draw.maybe(0.3)) gate = step.combined(step.constant(units), gate);
    begin += units;
    step.output(step.combined(before[k], gate, step.quantization(before[k])));
  }
  return step.done();
}

Graph& step_in(Graph& g) {
  return const_cast<Graph&>(*attributes<StepLoop>(g).step);  // one that nobody else has
}

}  // namespace

Graph literal_of(const StepLoop& a) {
  zoo::Random random(1);
  OpDraw draw(random);
  StepLoop loop = a;
  if (loop.step == nullptr) loop.step = random_step(draw, 4, {5});
  Graph graph = Literal().int8({1, 3, 4}).int8({1, 5}).int8({1, 3, 5}).op(loop);
  const Graph& step = *loop.step;
  operand(graph, 0).quantization = step.tensor(step.inputs[0].tensor).quantization;
  for (const size_t k : {1, 2})
    operand(graph, k).quantization = step.tensor(step.inputs[1].tensor).quantization;
  return graph;
}
Claims claims_of(const StepLoop&) {
  return {
      .refusals = {
          {"there are 2 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
          {"(1, time, channels), the states 2",
           [](Graph& g) {
             set_shape(g, 0, {12, 4});
           }},
          {"inputs and output are int8", [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
          {"takes a row of the sequence and all states",
           [](Graph& g) {
             set_shape(g, 1, {1, 6});
           }},
          {"takes a row of the sequence and all states",
           [](Graph& g) { attributes<StepLoop>(g).step = nullptr; }},
          {"takes a row of the sequence and all states",
           [](Graph& g) { step_in(g).outputs.clear(); }},
          {"of int8 on one row", [](Graph& g) { step_in(g).ops.back().attributes = Maximum{}; }},
          {"of int8 on one row",
           [](Graph& g) { step_in(g).ops[0].attributes.arithmetic = Arithmetic::kOnnx; }},
          {"computes every state",
           [](Graph& g) { step_in(g).outputs[0].tensor = step_in(g).inputs[1].tensor; }},
          {"one positive, finite scale", [](Graph& g) { set_scale(operand(g, 0), 0); }},
          {"the scales that they have in the step", [](Graph& g) { set_scale(operand(g, 1), 7); }},
          {"the output has the shape", [](Graph& g) {
             set_shape(g, 2, {1, 4, 5});
           }}}};
}
void OpDraw::make(const StepLoop&) {
  const int64_t times = some(1, 4), inputs = some(1, 6);
  std::vector<int64_t> states{some(1, 9)};
  if (maybe(0.4)) states.push_back(some(1, 5));
  int64_t state_bytes = 0;
  for (const int64_t units : states) state_bytes += units;
  const StepLoop loop{
      .step = random_step(*this, inputs, states), .reverse = maybe(0.3), .last_alone = maybe(0.3)};
  const Graph& step = *loop.step;
  const auto quantization = [&](size_t k) {
    return step.tensor(step.inputs[k].tensor).quantization;
  };
  const TensorId x = tensor({1, times, inputs}, DType::kInt8, quantization(0));
  const TensorId state = tensor({1, state_bytes}, DType::kInt8, quantization(1));
  op(loop, {x, state}, DType::kInt8, quantization(1));
}

}  // namespace thimble::testing
