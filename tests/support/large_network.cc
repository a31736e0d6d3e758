// SPDX-License-Identifier: Apache-2.0
#include "tests/support/large_network.h"

#include <deque>

#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

class Maker {
 public:
  TensorId tensor() {
    const auto number = static_cast<int32_t>(graph_.tensors.size());
    graph_.tensors.push_back({.name = "t" + std::to_string(number),
                              .shape = {1, 4, 4, 4},
                              .type = DType::kInt8,
                              .quantization = {.scales = {0.5F}, .zero_points = {0}},
                              .data = nullptr});
    return {number};
  }
  TensorId op(const Attributes& attributes, const std::vector<TensorId>& inputs) {
    const TensorId out = tensor();
    graph_.ops.push_back({attributes, inputs, {out}, static_cast<int>(graph_.ops.size())});
    return out;
  }
  Graph take() { return std::move(graph_); }
  Graph& graph() { return graph_; }

 private:
  Graph graph_;
};

}  // namespace

const char* name(Form form) {
  switch (form) {
    case Form::kChain:
      return "chain";
    case Form::kWide:
      return "wide";
    case Form::kManyOutputs:
      return "many_outputs";
  }
  throw InternalError("unknown Form");
}

Graph large_network(Form form, int ops) {
  Maker maker;
  maker.graph().name = name(form);
  const TensorId x = maker.tensor();
  maker.graph().inputs.push_back({x});
  if (form == Form::kWide) {
    std::deque<TensorId> open;
    for (int k = 0; k < (ops + 1) / 2; ++k) open.push_back(maker.op(Relu{}, {x}));
    while (open.size() > 1) {
      open.push_back(maker.op(Add{}, {open[0], open[1]}));
      open.erase(open.begin(), open.begin() + 2);
    }
    maker.graph().outputs.push_back({open.front()});
    return maker.take();
  }
  TensorId last = x;
  for (int k = 0; k < ops; ++k) {
    last = maker.op(Relu{}, {last});
    if (form == Form::kManyOutputs || k + 1 == ops) maker.graph().outputs.push_back({last});
  }
  return maker.take();
}

}  // namespace thimble::testing
