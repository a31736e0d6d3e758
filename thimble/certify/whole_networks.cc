// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/whole_networks.h"

#include <fmt/format.h>

#include "thimble/certify/draws.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

int64_t work_of(const Graph& graph) {
  int64_t work = 0;
  for (const Op& op : graph.ops) work += interpreted_work(graph, op);
  return work;
}

void execute(const Graph& graph, const Op& op, TensorValues& values) {
  std::vector<Bytes> made = interpret_op(graph, op, values);
  for (size_t k = 0; k < made.size(); ++k) values[op.outputs[k].index()] = std::move(made[k]);
}

class Inference {
 public:
  Inference(const Networks& networks, const Edges& edges, Draw draw)
      : n_(networks), file_(n_.file().graph.tensors.size()), now_(n_.now().tensors.size()) {
    const Graph &file = n_.file().graph, &now = n_.now();
    for (size_t k = 0; k < now.inputs.size(); ++k) {
      const TensorId entry = edges.inputs[k];
      const Bytes bytes = drawn(file.tensor(entry), n_.file().ranges[entry.index()], draw, k + 1);
      Port port = file.inputs[k];
      port.tensor = entry;
      file_[entry.index()] = from_port(file, port, bytes);
      now_[now.inputs[k].tensor.index()] = from_port(now, now.inputs[k], bytes);
    }
    for (size_t k = 0; k < file.states.size(); ++k) {
      file_[file.states[k].in.index()] = *file.states[k].initial;
      now_[now.states[k].in.index()] = *now.states[k].initial;
    }
  }

  [[nodiscard]] std::string fault() {
    for (const Op& op : n_.file().graph.ops) {
      const Tensor& out = n_.file().graph.tensor(op.outputs[0]);
      if (out.is_constant() || !file_[op.outputs[0].index()].empty() || lacks_operands(op))
        continue;
      execute(n_.file().graph, op, file_);
      if (!are_within(file_[op.outputs[0].index()], out.type,
                      n_.file().ranges[op.outputs[0].index()]))
        return label(op) + " has values beyond the ranges of its channels";
    }
    for (const Op& op : n_.now().ops) {
      execute(n_.now(), op, now_);
      if (!is_as_in_the_file(op.outputs[0]))
        return label(op) + " gives other values than in the file's network";
    }
    return "";
  }

 private:
  /// Behind an input that the caller gives as integers.
  [[nodiscard]] bool lacks_operands(const Op& op) const {
    for (const TensorId t : op.inputs) {
      const Tensor& tensor = n_.file().graph.tensor(t);
      if (!tensor.is_constant() && elements(tensor.shape) > 0 && file_[t.index()].empty())
        return true;
    }
    return false;
  }
  [[nodiscard]] bool is_as_in_the_file(TensorId t) const {
    const TensorId of = n_.file_tensor(t);
    const Tensor& tensor = n_.file().graph.tensor(of);
    const Bytes& values = file_[of.index()];
    const ThinnedTensor* thin = n_.thinned(t);
    return are_equal(thin == nullptr ? values : with_channels(values, tensor, thin->kept),
                     now_[t.index()], tensor.type);
  }

  const Networks& n_;
  TensorValues file_, now_;
};

}  // namespace

ExecutedNetworks executed(const Networks& networks, const Edges& edges, int64_t work) {
  ExecutedNetworks result;
  const int64_t once = work_of(networks.file().graph) + work_of(networks.now());
  for (const Draw draw : kDraws) {
    work -= once;
    if (work < 0) return result;
    result.fault = Inference(networks, edges, draw).fault();
    ++result.count;
    if (!result.fault.empty()) return result;
  }
  return result;
}

}  // namespace thimble
