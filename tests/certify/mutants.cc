// SPDX-License-Identifier: Apache-2.0
#include "tests/certify/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "thimble/reference/elements.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

std::shared_ptr<const Bytes> shared(Bytes bytes) {
  return std::make_shared<const Bytes>(std::move(bytes));
}

bool has_weights(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

/// Draws one mutant after the other.
class Mutation {
 public:
  Mutation(const Graph& file, const RewrittenGraph& rewritten, uint64_t seed)
      : file_(file), from_(rewritten), now_(rewritten), random_(seed) {}

  /// Nothing where the network does not offer it.
  std::optional<RewriteMutant> draw(WrongRewrite kind) {
    now_ = from_;
    what_.clear();
    if (now_.graph.ops.empty()) return std::nullopt;
    at_ = below(now_.graph.ops.size());
    for (int tries = 0; tries < 20 && !is_rewritten() && random_.chance(0.9); ++tries)
      at_ = below(now_.graph.ops.size());
    apply(kind);
    if (what_.empty()) return std::nullopt;
    return RewriteMutant{kind, fmt::format("{}: {}", label(from_.graph.ops[at_]), what_), now_};
  }

 private:
  bool is_rewritten() {
    const Op* was = counterpart();
    return was == nullptr || was->attributes != op().attributes || was->inputs != op().inputs;
  }
  size_t below(size_t count) {
    return static_cast<size_t>(random_.between(0, static_cast<int64_t>(count) - 1));
  }
  Op& op() { return now_.graph.ops[at_]; }
  Tensor& tensor(TensorId t) { return now_.graph.tensor(t); }
  /// A tensor of its own for an operand of this operator.
  Tensor& own(size_t input) {
    now_.graph.tensors.push_back(tensor(op().inputs[input]));
    op().inputs[input] = {static_cast<int32_t>(now_.graph.tensors.size()) - 1};
    return now_.graph.tensors.back();
  }
  std::optional<size_t> constant_operand() {
    std::vector<size_t> found;
    for (size_t k = 0; k < op().inputs.size(); ++k) {
      if (tensor(op().inputs[k]).is_constant() && !tensor(op().inputs[k]).data->empty())
        found.push_back(k);
    }
    if (found.empty()) return std::nullopt;
    return found[below(found.size())];
  }
  /// That made the same in the file.
  const Op* counterpart() {
    for (const Op& other : file_.ops) {
      if (other.file_index == op().file_index &&
          other.attributes.index() == op().attributes.index())
        return &other;
    }
    return nullptr;
  }

  void apply(WrongRewrite kind) {
    switch (kind) {
      case WrongRewrite::kUnadapted:
        return unadapt();
      case WrongRewrite::kExchanged:
        return exchange();
      case WrongRewrite::kBias:
        return change_bias();
      case WrongRewrite::kConstant:
        return change_constant();
      case WrongRewrite::kClaim:
        return change_claim();
      case WrongRewrite::kPadding:
        return change_padding();
      case WrongRewrite::kClamp:
        return change_clamp();
      case WrongRewrite::kMerged:
        return merge();
      case WrongRewrite::kAttribute:
        return change_attribute();
      case WrongRewrite::kPort:
        return change_port();
    }
  }

  void unadapt() {
    const Op* was = counterpart();
    if (was == nullptr) return;
    if (random_.chance(0.3) && was->attributes != op().attributes) {
      op().attributes = was->attributes;
      what_ = "attributes of the file's";
      return;
    }
    std::vector<size_t> adapted;
    for (size_t k = 0; k < std::min(was->inputs.size(), op().inputs.size()); ++k) {
      if (was->inputs[k] != op().inputs[k] && file_.tensor(was->inputs[k]).is_constant())
        adapted.push_back(k);
    }
    if (adapted.empty()) return;
    const size_t k = adapted[below(adapted.size())];
    op().inputs[k] = was->inputs[k];
    what_ = fmt::format("operand {} of the file's", k);
  }

  void exchange() {
    const std::optional<size_t> k = constant_operand();
    if (random_.chance(0.3) || !k) {
      if (op().inputs.size() < 2) return;
      std::swap(op().inputs[0], op().inputs[1]);
      what_ = "operands exchanged";
      return;
    }
    Tensor& constant = own(*k);
    const auto size = static_cast<size_t>(size_bytes(constant.type));
    const bool first_axis = has_weights(op()) && *k > 0 &&
                            !std::holds_alternative<DepthwiseConv2D>(op().attributes) &&
                            random_.chance(0.6);
    const auto channels = static_cast<size_t>(constant.shape.empty() ? 1
                                              : first_axis           ? constant.shape[0]
                                                                     : constant.shape.back());
    if (channels < 2) return;
    const size_t a = below(channels), b = (a + 1 + below(channels - 1)) % channels;
    Bytes bytes = *constant.data;
    const size_t count = bytes.size() / size;
    for (size_t e = 0; e < count; ++e) {
      const size_t c = first_axis ? e / (count / channels) : e % channels;
      if (c != a) continue;
      const size_t other =
          first_axis ? e - a * (count / channels) + b * (count / channels) : e - a + b;
      std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(e * size),
                       bytes.begin() + static_cast<std::ptrdiff_t>((e + 1) * size),
                       bytes.begin() + static_cast<std::ptrdiff_t>(other * size));
    }
    constant.data = shared(std::move(bytes));
    what_ = fmt::format("channels {} and {} of operand {} exchanged", a, b, *k);
  }

  void change_bias() {
    if (!has_weights(op())) return;
    const Op* was = counterpart();
    if (op().inputs.size() < 3) return;
    if (random_.chance(0.2)) {
      op().inputs.pop_back();
      what_ = "no bias";
      return;
    }
    Tensor& bias = own(2);
    std::vector<int32_t> values = reference::elements_from<int32_t>(*bias.data);
    if (bias.type != DType::kInt32 || values.empty()) return;
    const size_t o = below(values.size());
    if (random_.chance(0.5) && was != nullptr && was->inputs.size() > 2) {
      const auto all = reference::elements_from<int32_t>(*file_.tensor(was->inputs[2]).data);
      values[o] = all[std::min(o, all.size() - 1)];
      what_ = fmt::format("bias {} without what was folded", o);
    } else {
      values[o] += static_cast<int32_t>(random_.chance(0.5) ? 1 : random_.between(-900, 900));
      what_ = fmt::format("bias {} another", o);
    }
    bias.data = shared(reference::bytes_from(values));
  }

  void change_constant() {
    const std::optional<size_t> k = constant_operand();
    if (!k) return;
    Tensor& constant = random_.chance(0.7) ? own(*k) : tensor(op().inputs[*k]);
    Bytes bytes = *constant.data;
    const size_t at = below(bytes.size());
    bytes[at] = static_cast<uint8_t>(bytes[at] + (random_.chance(0.5) ? 1 : 77));
    constant.data = shared(std::move(bytes));
    what_ = fmt::format("byte {} of operand {}", at, *k);
    if (!random_.chance(0.2) || constant.quantization.scales.empty()) return;
    const size_t s = below(constant.quantization.scales.size());
    constant.quantization.scales[s] *= 1.01F;
    constant.data = from_.graph.ops[at_].inputs.size() > *k
                        ? from_.graph.tensor(from_.graph.ops[at_].inputs[*k]).data
                        : constant.data;
    what_ = fmt::format("scale {} of operand {}", s, *k);
  }

  void change_claim() {
    std::vector<ThinnedTensor>& list = now_.certificate.thinned;
    if (list.empty()) return;
    ThinnedTensor& thin = list[below(list.size())];
    const size_t a = below(thin.kept.size()), b = below(thin.kept.size());
    const auto claimed = std::ranges::find_if(thin.constant, [](const auto& v) { return !!v; });
    switch (random_.between(0, 3)) {
      case 0:
        if (thin.kept[a] == thin.kept[b]) return;
        thin.kept[a].flip();
        thin.kept[b].flip();
        what_ = fmt::format("channel {} stands for {}", a, b);
        return;
      case 1:
        if (claimed == thin.constant.end()) return;
        *claimed = **claimed + 1;
        what_ = "a channel is something else always";
        return;
      case 2: {
        if (list.size() < 2) return;
        ThinnedTensor& other = list[below(list.size())];
        if (other.of == thin.of) return;
        std::swap(other.of, thin.of);
        what_ = "tensors exchanged in the certificate";
        return;
      }
      default:
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
        what_ = "a tensor less in the certificate";
    }
  }

  void change_padding() {
    std::visit(
        [&](auto& a) {
          if constexpr (requires { a.window.padding; }) {
            Padding& p = a.window.padding;
            int64_t* sides[] = {&p.top, &p.bottom, &p.left, &p.right};
            int64_t& from = *sides[below(4)];
            int64_t& to = *sides[below(4)];
            if (&from == &to || from == 0) return;
            --from;
            ++to;
            what_ = "padding moved";
          } else if constexpr (requires {
                                 a.before;
                                 a.after;
                               }) {
            if (a.before.empty()) return;
            const size_t axis = below(a.before.size());
            if (a.before[axis] == a.after[axis]) return;
            std::swap(a.before[axis], a.after[axis]);
            what_ = "padding on the other side";
          }
        },
        op().attributes);
  }

  void change_clamp() {
    std::visit(
        [&](auto& a) {
          if constexpr (requires { a.activation; }) {
            const auto other = static_cast<Activation>(random_.between(0, 3));
            if (other == a.activation) return;
            a.activation = other;
            what_ = "another clamp";
          }
        },
        op().attributes);
  }

  /// An operator reads what another made: of its like, or one step further back.
  void merge() {
    const size_t k = below(op().inputs.size());
    const TensorId read = op().inputs[k];
    const Tensor& wanted = tensor(read);
    if (wanted.is_constant()) return;
    std::vector<TensorId> others;
    const auto consider = [&](TensorId t) {
      const Tensor& other = tensor(t);
      if (t != read && other.shape == wanted.shape && other.type == wanted.type)
        others.push_back(t);
    };
    for (const Port& port : now_.graph.inputs) consider(port.tensor);
    for (size_t j = 0; j < at_; ++j) consider(now_.graph.ops[j].outputs[0]);
    if (others.empty()) return;
    op().inputs[k] = others[below(others.size())];
    what_ = fmt::format("reads {} for {}", op().inputs[k].value, read.value);
  }

  void change_attribute() {
    const auto number = [&](auto& value) {
      value += random_.chance(0.5) ? 1 : -1;
      what_ = "a number of its attributes";
    };
    std::visit(
        [&](auto& a) {
          using A = std::decay_t<decltype(a)>;
          if constexpr (requires { a.beta; }) {
            a.beta *= 1.5F;
            what_ = "beta";
          } else if constexpr (requires { a.alpha; }) {
            a.alpha += 0.01F;
            what_ = "alpha";
          } else if constexpr (requires { a.permutation; }) {
            const size_t n = a.permutation.size();
            if (n < 2) return;
            std::swap(a.permutation[below(n)], a.permutation[below(n)]);
            what_ = "permutation";
          } else if constexpr (std::is_same_v<A, Slice>) {
            const size_t axis = below(a.begin.size());
            number(a.begin[axis]);
            a.begin[axis] = std::max<int64_t>(0, a.begin[axis]);
          } else if constexpr (requires { a.axis; }) {
            number(a.axis);
          } else if constexpr (std::is_same_v<A, Pad>) {
            number(a.value);
          } else if constexpr (requires { a.least; }) {
            a.least = !a.least;
            what_ = "least";
          } else if constexpr (requires { a.window; }) {
            number(random_.chance(0.5) ? a.window.stride_h : a.window.dilation_w);
          } else if constexpr (requires { a.align_corners; }) {
            a.align_corners = !a.align_corners;
            what_ = "align_corners";
          } else if constexpr (requires { a.relation; }) {
            a.relation = static_cast<Relation>((static_cast<int>(a.relation) + 1) % 6);
            what_ = "relation";
          }
        },
        op().attributes);
  }

  void change_port() {
    Graph& graph = now_.graph;
    const bool of_inputs = random_.chance(0.5);
    std::vector<Port>& ports = of_inputs ? graph.inputs : graph.outputs;
    if (ports.empty()) return;
    Port& port = ports[below(ports.size())];
    const size_t rank = tensor(port.tensor).shape.size();
    switch (random_.between(0, 3)) {
      case 0:
        if (ports.size() < 2) return;
        std::swap(port.tensor, ports[below(ports.size())].tensor);
        what_ = "ports exchanged";
        return;
      case 1:
        if (rank < 2) return;
        if (port.order.empty()) {
          for (size_t k = 0; k < rank; ++k) port.order.push_back(static_cast<int>(k));
        }
        std::swap(port.order[below(rank)], port.order[below(rank)]);
        what_ = "another order";
        return;
      case 2:
        if (port.order.empty()) return;
        port.order.clear();
        what_ = "no order";
        return;
      default:
        if (of_inputs) return;
        port.tensor = graph.ops[below(graph.ops.size())].outputs[0];
        what_ = "another output";
    }
  }

  const Graph& file_;
  const RewrittenGraph& from_;
  RewrittenGraph now_;
  zoo::Random random_;
  size_t at_ = 0;
  std::string what_;
};

/// Operands of its own may have the same content.
bool is_the_same(const RewrittenGraph& a, const RewrittenGraph& b) {
  const auto alike = [&](TensorId x, TensorId y) {
    return x == y || a.graph.tensor(x) == b.graph.tensor(y);
  };
  const auto same_op = [&](const Op& x, const Op& y) {
    return x.attributes == y.attributes && x.outputs == y.outputs &&
           std::ranges::equal(x.inputs, y.inputs, alike);
  };
  const auto first = static_cast<std::ptrdiff_t>(b.graph.tensors.size());
  return a.certificate == b.certificate && a.graph.inputs == b.graph.inputs &&
         a.graph.outputs == b.graph.outputs &&
         std::ranges::equal(a.graph.ops, b.graph.ops, same_op) &&
         std::equal(b.graph.tensors.begin(), b.graph.tensors.end(), a.graph.tensors.begin(),
                    a.graph.tensors.begin() + first);
}

}  // namespace

std::vector<RewriteMutant> rewrite_mutants(const Graph& file, const RewrittenGraph& rewritten,
                                           uint64_t seed, size_t most) {
  std::vector<RewriteMutant> result;
  Mutation mutation(file, rewritten, seed);
  for (size_t tries = 0; tries < 8 * most && result.size() < most; ++tries) {
    std::optional<RewriteMutant> mutant =
        mutation.draw(kWrongRewrites[tries % std::size(kWrongRewrites)]);
    if (!mutant) continue;
    if (!is_the_same(mutant->result, rewritten)) result.push_back(std::move(*mutant));
  }
  return result;
}

}  // namespace thimble::testing
