// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "thimble/certify/draws.h"
#include "thimble/certify/piece.h"
#include "thimble/certify/ranges.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

bool all_constant(const Graph& graph, const Op& op) {
  return std::ranges::all_of(op.inputs, [&](TensorId t) { return graph.tensor(t).is_constant(); });
}

bool same_data(const Tensor& a, const Tensor& b) {
  return a.data == b.data || (a.data && b.data && *a.data == *b.data);
}

[[noreturn]] void wrong(const Tensor& tensor, const std::string& what) {
  throw WrongClaim{fmt::format("tensor '{}' {}", tensor.name, what)};
}

/// Whether every element of a constant is the one value that its channel can have.
bool is_always(const Tensor& constant, const ValueRanges& ranges) {
  if (ranges.empty() || !std::ranges::all_of(ranges, &ValueRange::is_constant)) return false;
  const std::vector<int32_t> values = reference::integers_from(*constant.data, constant.type);
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] != ranges[k % ranges.size()].low) return false;
  }
  return true;
}

}  // namespace

Networks::Networks(const Graph& file, const RewrittenGraph& rewritten)
    : file_{file, producers(file), {}, {}}, now_(rewritten.graph), thinned_(now_.tensors.size()) {
  number_values();
  take_kept_tensors();
  take_thinned(rewritten.certificate.thinned);
  fold_constants();
  file_.ranges = walked_ranges(file_.graph, file_.producers);
  prove_folded();
  prove_removed(rewritten.certificate.thinned);
}

TensorId Networks::file_tensor(TensorId now) const {
  return thinned_[now.index()] == nullptr ? now : thinned_[now.index()]->of;
}

// Operators that are the same, of the same values, make the same: found by kind and operands, then
// compared with the first few of these. All readers of a tensor that rewrites merge are alike.
void Networks::number_values() {
  constexpr size_t kMostKinds = 64;
  const Graph& graph = file_.graph;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    file_.values.push_back({static_cast<int32_t>(t)});
  std::map<std::vector<size_t>, std::vector<const Op*>> known;
  for (const Op& op : graph.ops) {
    if (op.outputs.size() != 1 || find_accumulator(graph, op.outputs[0]) != nullptr) continue;
    if (changes_nothing(graph, op)) {
      file_.values[op.outputs[0].index()] = file_.values[op.inputs[0].index()];
      continue;
    }
    std::vector<size_t> key{op.attributes.index()};
    for (const TensorId t : op.inputs) key.push_back(file_.values[t.index()].index());
    std::vector<const Op*>& others = known[std::move(key)];
    const Tensor& out = graph.tensor(op.outputs[0]);
    const auto twin = std::ranges::find_if(others, [&](const Op* other) {
      const Tensor& of_other = graph.tensor(other->outputs[0]);
      return other->attributes == op.attributes && of_other.shape == out.shape &&
             of_other.type == out.type && of_other.quantization == out.quantization;
    });
    if (twin != others.end()) {
      file_.values[op.outputs[0].index()] = (*twin)->outputs[0];
    } else if (others.size() < kMostKinds) {
      others.push_back(&op);
    }
  }
}

// Ports give their names to others, which is looked at with the ports.
void Networks::take_kept_tensors() {
  if (now_.tensors.size() < file_.graph.tensors.size()) throw WrongClaim{"tensors are gone"};
  if (now_.accumulators != file_.graph.accumulators)
    throw WrongClaim{"sums have another width than the file's"};
  for (size_t t = 0; t < file_.graph.tensors.size(); ++t) {
    const Tensor &was = file_.graph.tensors[t], &is = now_.tensors[t];
    if (was.type != is.type || was.shape != is.shape || was.quantization != is.quantization)
      wrong(was, "has another type, shape or quantisation");
    if (was.is_constant() && !same_data(was, is)) wrong(was, "is a constant with other values");
  }
}

void Networks::take_thinned(const std::vector<ThinnedTensor>& list) {
  for (const ThinnedTensor& thin : list) {
    const bool known = is_of_the_file(thin.of) && thin.tensor.valid() &&
                       thin.tensor.index() >= file_.graph.tensors.size() &&
                       thin.tensor.index() < now_.tensors.size();
    if (!known || thinned_[thin.tensor.index()] != nullptr)
      throw WrongClaim{"the certificate names tensors that are not there"};
    const Tensor &was = file_.graph.tensor(thin.of), &is = now_.tensor(thin.tensor);
    Shape shape = was.shape;
    const size_t channels = shape.empty() ? 0 : static_cast<size_t>(shape.back());
    if (thin.kept.size() != channels || thin.constant.size() != channels)
      wrong(was, "has another number of channels than its certificate");
    shape.back() = std::ranges::count(thin.kept, true);
    if (is.shape != shape || is.type != was.type || is.quantization != was.quantization ||
        is.is_constant() || was.is_constant())
      wrong(was, "without some channels has another type, shape or quantisation");
    thinned_[thin.tensor.index()] = &thin;
  }
}

// What is made of constants alone is executed again.
void Networks::fold_constants() {
  for (const Op& op : file_.graph.ops) {
    if (op.outputs.size() != 1 || !all_constant(file_.graph, op)) continue;
    Tensor& out = file_.graph.tensor(op.outputs[0]);
    const Tensor& claimed = now_.tensor(op.outputs[0]);
    if (!claimed.is_constant()) continue;
    const TensorValues none(file_.graph.tensors.size());
    if (interpret_op(file_.graph, op, none)[0] != *claimed.data)
      wrong(out, "is a constant with other values than its operator's");
    out.data = claimed.data;
  }
}

// What is left is always that by the ranges, or made of such alone.
void Networks::prove_folded() {
  for (size_t t = 0; t < file_.graph.tensors.size(); ++t) {
    if (now_.tensors[t].is_constant() && !file_.graph.tensors[t].is_constant() &&
        !file_.producers[t].valid())
      wrong(now_.tensors[t], "is a constant, and an input of the network");
  }
  for (const Op& op : file_.graph.ops) {
    const TensorId t = op.outputs[0];
    const Tensor& claimed = now_.tensor(t);
    if (!claimed.is_constant() || file_.graph.tensor(t).is_constant()) continue;
    if (!is_always(claimed, file_.ranges[t.index()])) {
      const std::optional<Excerpt> piece = piece_between(file_, {}, t);
      if (!piece ||
          interpret(piece->graph, {})[piece->graph.outputs[0].tensor.index()] != *claimed.data)
        wrong(claimed, "is a constant, but not always that");
    }
    file_.graph.tensor(t).data = claimed.data;
  }
}

void Networks::prove_removed(const std::vector<ThinnedTensor>& list) const {
  for (const ThinnedTensor& thin : list) {
    const ValueRanges& ranges = file_.ranges[thin.of.index()];
    for (size_t c = 0; c < thin.constant.size(); ++c) {
      if (!thin.constant[c] || thin.kept[c]) continue;
      const int32_t value = *thin.constant[c];
      if (ranges.size() != thin.constant.size() || ranges[c] != ValueRange{value, value})
        wrong(file_.graph.tensor(thin.of),
              fmt::format("has a channel {} that is not always {}", c, value));
    }
  }
}

int64_t interpreted_work(const Graph& graph, const Op& op) {
  int64_t work = macs(graph, op);
  for (const TensorId t : op.inputs) {
    if (!graph.tensor(t).is_constant()) work += elements(graph.tensor(t).shape);
  }
  const int64_t taps = std::visit(
      [](const auto& a) -> int64_t {
        if constexpr (requires { a.window; }) return a.window.kernel_h * a.window.kernel_w;
        return 1;
      },
      op.attributes);
  for (const TensorId t : op.outputs) work += taps * elements(graph.tensor(t).shape);
  return work;
}

}  // namespace thimble
