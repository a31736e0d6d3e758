// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "thimble/certify/draws.h"
#include "thimble/certify/piece.h"
#include "thimble/certify/ranges.h"
#include "thimble/certify/whole_networks.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

class PortCheck {
 public:
  PortCheck(const Networks& networks, Interface interface)
      : n_(networks), file_(n_.file().graph), integers_(interface == Interface::kIntegers) {}

  Edges run() const {
    if (file_.inputs.size() != n_.now().inputs.size() ||
        file_.outputs.size() != n_.now().outputs.size() ||
        file_.states.size() != n_.now().states.size())
      throw WrongClaim{"the number of ports or variables is another"};
    Edges edges;
    for (size_t k = 0; k < file_.inputs.size(); ++k)
      edges.inputs.push_back(input(file_.inputs[k], n_.now().inputs[k]));
    for (size_t k = 0; k < file_.outputs.size(); ++k)
      edges.outputs.push_back(output(file_.outputs[k], n_.now().outputs[k]));
    for (size_t k = 0; k < file_.states.size(); ++k) state(file_.states[k], n_.now().states[k]);
    return edges;
  }

 private:
  [[noreturn]] static void wrong(const Tensor& tensor, const char* what) {
    throw WrongClaim{fmt::format("'{}' {}", tensor.name, what)};
  }

  /// Only moves, and what changes no value, lie between.
  [[nodiscard]] std::optional<Excerpt> moves(TensorId from, TensorId to) const {
    std::optional<Excerpt> piece = piece_between(n_.file(), {from}, to);
    if (!piece) return std::nullopt;
    const bool only_moves = std::ranges::all_of(piece->ops, [&](OpId id) {
      const Op& op = file_.op(id);
      return std::holds_alternative<Reshape>(op.attributes) ||
             std::holds_alternative<Transpose>(op.attributes) || keeps_values(op);
    });
    return only_moves ? piece : std::nullopt;
  }
  /// On noise, of whatever type: resizing to the same extents.
  [[nodiscard]] bool keeps_values(const Op& op) const {
    const Tensor &in = file_.tensor(op.inputs[0]), &out = file_.tensor(op.outputs[0]);
    if (changes_nothing(file_, op)) return true;
    if (op.inputs.size() != 1 || in.type != out.type || in.shape != out.shape ||
        in.quantization != out.quantization)
      return false;
    const Excerpt alone = piece_of(file_, op, {op.inputs[0]});
    return std::ranges::all_of(kDraws, [&](Draw draw) {
      const Bytes values =
          in.is_constant() ? *in.data : drawn(in, n_.file().ranges[op.inputs[0].index()], draw, 1);
      return are_equal(interpret(alone.graph, {values})[alone.graph.outputs[0].tensor.index()],
                       values, in.type);
    });
  }

  void common(const Port& was, const Port& is) const {
    const Tensor& tensor = file_.tensor(was.tensor);
    if (!n_.is_of_the_file(is.tensor)) wrong(tensor, "is a port with fewer channels");
    if (caller_shape(file_, was) != caller_shape(n_.now(), is))
      wrong(tensor, "is a port of another shape");
    // What goes straight through has one of two names.
    const auto is_it = [&](const Port& port) { return port.tensor == is.tensor; };
    const bool through =
        std::ranges::any_of(n_.now().inputs, is_it) && std::ranges::any_of(n_.now().outputs, is_it);
    if (!through && n_.now().tensor(is.tensor).name != tensor.name)
      wrong(tensor, "is a port of another name");
  }

  /// The port's values in both networks, from the same bytes.
  TensorId input(const Port& was, const Port& is) const {
    common(was, is);
    Port entry = was;
    const Tensor& callers = file_.tensor(was.tensor);
    if (integers_ && file_.tensor(is.tensor).type != callers.type) {
      for (const Op& op : file_.ops) {
        if (std::ranges::count(op.inputs, was.tensor) == 0) continue;
        if (!std::holds_alternative<Quantize>(op.attributes) || entry.tensor != was.tensor)
          wrong(callers, "is read otherwise than by one conversion");
        entry.tensor = op.outputs[0];
      }
    }
    const std::optional<Excerpt> piece = moves(entry.tensor, is.tensor);
    if (!piece) wrong(callers, "is not what the network begins with");
    for (const Draw draw : {Draw::kNoise, Draw::kEnds}) {
      const Tensor& tensor = file_.tensor(entry.tensor);
      const Bytes bytes = drawn(tensor, n_.file().ranges[entry.tensor.index()], draw, 3);
      const Bytes wanted = interpreted(*piece, from_port(file_, entry, bytes));
      if (!are_equal(wanted, from_port(n_.now(), is, bytes), tensor.type))
        wrong(callers, "is an input that lies otherwise than in the file");
    }
    return entry.tensor;
  }

  TensorId output(const Port& was, const Port& is) const {
    common(was, is);
    Port end = was;
    const Tensor& callers = file_.tensor(was.tensor);
    const OpId producer = n_.file().producers[was.tensor.index()];
    if (integers_ && file_.tensor(is.tensor).type != callers.type && producer.valid()) {
      const Op& op = file_.op(producer);
      if (std::holds_alternative<Dequantize>(op.attributes) ||
          std::holds_alternative<Quantize>(op.attributes))
        end.tensor = op.inputs[0];
    }
    const std::optional<Excerpt> piece = moves(is.tensor, end.tensor);
    if (!piece) wrong(callers, "is not what the network ends with");
    for (const Draw draw : {Draw::kNoise, Draw::kEnds}) {
      const Tensor& tensor = file_.tensor(is.tensor);
      const Bytes bytes = tensor.is_constant()
                              ? *tensor.data
                              : drawn(tensor, n_.file().ranges[is.tensor.index()], draw, 3);
      const Bytes wanted = to_port(file_, end, interpreted(*piece, bytes));
      if (!are_equal(wanted, to_port(n_.now(), is, bytes), tensor.type))
        wrong(callers, "is an output that lies otherwise than in the file");
    }
    return end.tensor;
  }

  void state(const State& was, const State& is) const {
    const Tensor& tensor = file_.tensor(was.in);
    if (was.in != is.in || (was.initial != is.initial && *was.initial != *is.initial))
      wrong(tensor, "is a variable with another beginning");
    if (!n_.is_of_the_file(is.out)) wrong(tensor, "is a variable with fewer channels");
    const std::optional<Excerpt> piece = moves(is.out, was.out);
    if (!piece) wrong(tensor, "is a variable that ends otherwise");
    const Tensor& out = file_.tensor(is.out);
    const Bytes bytes = out.is_constant()
                            ? *out.data
                            : drawn(out, n_.file().ranges[is.out.index()], Draw::kNoise, 3);
    if (!are_equal(interpreted(*piece, bytes), bytes, out.type))
      wrong(tensor, "is a variable that ends otherwise");
  }

  [[nodiscard]] static Bytes interpreted(const Excerpt& piece, const Bytes& bytes) {
    const TensorId out = piece.graph.outputs[0].tensor;
    const Tensor& tensor = piece.graph.tensor(out);
    if (tensor.is_constant()) return *tensor.data;
    return interpret(piece.graph, {bytes})[out.index()];
  }

  const Networks& n_;
  const Graph& file_;
  bool integers_;
};

}  // namespace

Edges proven_edges(const Networks& networks, Interface interface) {
  return PortCheck(networks, interface).run();
}

}  // namespace thimble
