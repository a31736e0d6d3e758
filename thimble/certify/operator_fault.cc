// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/operator_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "thimble/certify/draws.h"
#include "thimble/certify/piece.h"
#include "thimble/certify/ranges.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/activation_range.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

Activation activation_of(const Attributes& attributes) {
  return std::visit(
      [](const auto& a) {
        if constexpr (requires { a.activation; }) return a.activation;
        return Activation::kNone;
      },
      attributes);
}

void set_activation(Attributes& attributes, Activation activation) {
  std::visit(
      [&](auto& a) {
        if constexpr (requires { a.activation; }) a.activation = activation;
      },
      attributes);
}

/// With what the shapes and the execution tell, or other checks, as it is in another operator:
/// padding, the first channel of a slice, multipliers, clamps.
Attributes with_those_of(Attributes attributes, const Attributes& other) {
  std::visit(
      [&](auto& a) {
        const auto* b = std::get_if<std::decay_t<decltype(a)>>(&other);
        if (b == nullptr) return;
        if constexpr (requires { a.window.padding; }) a.window.padding = b->window.padding;
        if constexpr (requires { a.multiplier; }) a.multiplier = b->multiplier;
        if constexpr (std::is_same_v<std::decay_t<decltype(a)>, Slice>) {
          if (!a.begin.empty() && !b->begin.empty()) a.begin.back() = b->begin.back();
        }
      },
      attributes);
  set_activation(attributes, activation_of(other));
  return attributes;
}

class Check {
 public:
  Check(const Networks& networks, const Op& op) : n_(networks), op_(op) {
    std::set<size_t> seen;
    for (const TensorId t : op.inputs) {
      if (!n_.now().tensor(t).is_constant() && seen.insert(t.index()).second) given_.push_back(t);
    }
    for (const TensorId t : given_) of_given_.push_back(n_.file_tensor(t));
  }

  std::string fault(int64_t& work) {
    if (op_.outputs.size() != 1) return "has several outputs";
    if (const std::string reason = unsupported_reason(n_.now(), op_); !reason.empty())
      return "breaks a constraint: " + reason;
    file_ = piece_between(n_.file(), of_given_, n_.file_tensor(op_.outputs[0]));
    if (!file_) return "lacks an operand that the file's depends on";
    const Op* counterpart = nullptr;
    for (const OpId id : file_->ops) {
      if (n_.file().graph.op(id).attributes.index() == op_.attributes.index())
        counterpart = &n_.file().graph.op(id);
    }
    if (counterpart == nullptr) return "is of another kind than the file's";
    for (const OpId id : file_->ops) {
      const Op& other = n_.file().graph.op(id);
      if (&other != counterpart && !is_of_constants(other) && !keeps_values(other))
        return fmt::format("leaves out {}, which changes values", label(other));
    }
    std::string wrong = attributes_fault(*counterpart);
    if (wrong.empty()) wrong = constants_fault(n_, op_, *counterpart);
    return wrong.empty() ? executed_fault(work) : wrong;
  }

 private:
  [[nodiscard]] const ValueRanges& ranges(TensorId of_file) const {
    return n_.file().ranges[of_file.index()];
  }

  /// Its result is a constant of the rewritten network, perhaps a twin's.
  [[nodiscard]] bool is_of_constants(const Op& op) {
    const bool constant = std::ranges::all_of(op.inputs, [&](TensorId t) {
      return n_.file().graph.tensor(t).is_constant() || of_constants_.contains(t.index());
    });
    if (constant) of_constants_.insert(op.outputs[0].index());
    return constant;
  }

  /// Moved, or framed by a PAD, which what executes shows; else as they are at both ends of what
  /// they can be, and of noise: RELU that no value reaches.
  [[nodiscard]] bool keeps_values(const Op& op) const {
    const Graph& file = n_.file().graph;
    if (std::holds_alternative<Reshape>(op.attributes) ||
        std::holds_alternative<Pad>(op.attributes) || changes_nothing(file, op))
      return true;
    const Tensor &in = file.tensor(op.inputs[0]), &out = file.tensor(op.outputs[0]);
    if (op.inputs.size() != 1 || in.type != out.type || in.shape != out.shape ||
        in.quantization != out.quantization)
      return false;
    const Excerpt alone = piece_of(file, op, {op.inputs[0]});
    return std::ranges::all_of(kDraws, [&](Draw draw) {
      const Bytes values = in.is_constant() ? *in.data : drawn(in, ranges(op.inputs[0]), draw, 1);
      return are_equal(interpret(alone.graph, {values})[alone.graph.outputs[0].tensor.index()],
                       values, in.type);
    });
  }

  [[nodiscard]] std::string attributes_fault(const Op& counterpart) const {
    if (with_those_of(op_.attributes, counterpart.attributes) != counterpart.attributes)
      return "has other attributes than the file's";
    const Activation now = activation_of(op_.attributes);
    const Activation was = activation_of(counterpart.attributes);
    if (now == was) return "";
    const Tensor& out = n_.file().graph.tensor(counterpart.outputs[0]);
    const ValueRanges free = unclamped(counterpart);
    for (const Activation clamp : {now, was}) {
      const reference::ActivationRange range = reference::activation_range(clamp, out);
      const bool idle = !free.empty() && std::ranges::all_of(free, [&](const ValueRange& v) {
        return range.min <= v.low && v.high <= range.max;
      });
      if (!idle) return "has another clamp than the file's, which values reach";
    }
    return "";
  }
  [[nodiscard]] ValueRanges unclamped(Op op) const {
    set_activation(op.attributes, Activation::kNone);
    return walked_range(n_.file().graph, op, n_.file().producers, n_.file().ranges);
  }

  [[nodiscard]] std::string executed_fault(int64_t& work) {
    Excerpt now = piece_of(n_.now(), op_, given_);
    shrink(file_->graph, now.graph);
    int64_t once = 0;
    for (const Graph* graph : {&file_->graph, &now.graph}) {
      for (const Op& op : graph->ops) once += interpreted_work(*graph, op);
    }
    for (const Draw draw : kDraws) {
      if (draw != kDraws[0] && once > work) break;
      work -= once;
      if (const std::string wrong = executed_fault(now.graph, draw); !wrong.empty()) return wrong;
    }
    return "";
  }

  [[nodiscard]] std::string executed_fault(const Graph& now, Draw draw) const {
    const Graph& file = file_->graph;
    std::vector<Bytes> all, some;
    for (size_t k = 0; k < given_.size(); ++k) {
      const Tensor& tensor = file.tensor(file.inputs[k].tensor);
      all.push_back(drawn(tensor, ranges(of_given_[k]), draw, 7 * first_equal(k) + 1));
      const ThinnedTensor* thin = n_.thinned(given_[k]);
      some.push_back(thin == nullptr ? all.back() : with_channels(all.back(), tensor, thin->kept));
    }
    const TensorId from = file.outputs[0].tensor, to = now.outputs[0].tensor;
    const Bytes wanted = interpret(file, all)[from.index()];
    const Bytes made = interpret(now, some)[to.index()];
    const Tensor& tensor = file.tensor(from);
    const ThinnedTensor* thin = n_.thinned(op_.outputs[0]);
    const Bytes& kept = thin == nullptr ? wanted : with_channels(wanted, tensor, thin->kept);
    if (!are_equal(kept, made, tensor.type)) return "computes other values than the file's";
    if (!are_within(wanted, tensor.type, ranges(n_.file_tensor(op_.outputs[0]))))
      return "has values beyond the ranges of its channels";
    return "";
  }

  /// The first of what it reads that always has the same values.
  [[nodiscard]] size_t first_equal(size_t k) const {
    const auto value = [&](TensorId of_file) { return n_.file().value(of_file); };
    return static_cast<size_t>(std::ranges::find(of_given_, value(of_given_[k]), value) -
                               of_given_.begin());
  }

  const Networks& n_;
  const Op& op_;
  std::vector<TensorId> given_, of_given_;  ///< activations that it reads; what they stand for
  std::optional<Excerpt> file_;
  std::set<size_t> of_constants_;  ///< what operators of it make of constants alone
};

}  // namespace

bool is_of_the_file(const Networks& networks, const Op& op) {
  const auto all_of_the_file = [&](const std::vector<TensorId>& tensors) {
    return std::ranges::all_of(tensors, [&](TensorId t) { return networks.is_of_the_file(t); });
  };
  if (op.outputs.empty() || !all_of_the_file(op.inputs) || !all_of_the_file(op.outputs))
    return false;
  const OpId producer = networks.file().producers[op.outputs[0].index()];
  if (!producer.valid()) return false;
  const Op& other = networks.file().graph.op(producer);
  return op.attributes == other.attributes && op.inputs == other.inputs &&
         op.outputs == other.outputs;
}

std::string operator_fault(const Networks& networks, const Op& op, int64_t& work) {
  return Check(networks, op).fault(work);
}

}  // namespace thimble
