// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/network_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thimble/import/refusal.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

constexpr size_t kMostCopies = 1024;
constexpr size_t kMostTensors = size_t{1} << 18;

std::vector<Port> ports_of(const std::vector<TensorId>& tensors, const std::string& where) {
  std::vector<Port> ports;
  for (const TensorId id : tensors) {
    if (!id.valid()) throw Damage(where, fmt::format("tensor {} is no tensor", id.value));
    ports.push_back({.tensor = id});
  }
  return ports;
}

void refuse_inputs_listed_twice(const Graph& graph, const std::string& where) {
  std::vector<bool> listed(graph.tensors.size());
  for (const Port& port : graph.inputs) {
    if (listed[port.tensor.index()])
      throw Damage(where, fmt::format("tensor {} is listed twice", port.tensor.value));
    listed[port.tensor.index()] = true;
  }
}

}  // namespace

NetworkBuilder::NetworkBuilder(std::string name, std::string where, std::vector<Tensor> tensors,
                               const std::vector<TensorId>& inputs,
                               const std::vector<TensorId>& outputs)
    : where_(std::move(where)), graph_{.name = std::move(name), .tensors = std::move(tensors)} {
  graph_.inputs = ports_of(inputs, where_inputs());
  refuse_inputs_listed_twice(graph_, where_inputs());
  graph_.outputs = ports_of(outputs, where_outputs());
  if (outputs.empty()) throw ImportError(where_outputs(), "there are none; one is needed");
}

void NetworkBuilder::begin(std::vector<bool> made) {
  made_ = std::move(made);
  available_.resize(graph_.tensors.size());
  owned_.resize(graph_.tensors.size());
  for (const Port& port : graph_.inputs) set_value(port.tensor, where_inputs());
}

bool NetworkBuilder::has_value(TensorId id) {
  available_.resize(graph_.tensors.size());  // expansions make further tensors
  return available_[id.index()] || graph_.tensor(id).is_constant();
}

void NetworkBuilder::set_value(TensorId id, const std::string& where) {
  refuse_empty(id, where);
  if (has_value(id) || is_owned(id))
    throw Damage(where, fmt::format("it writes {}, which has a value already", label_of(id)));
  available_[id.index()] = true;
}

void NetworkBuilder::own(TensorId variable, const std::string& where) {
  if (has_value(variable) || made_[variable.index()] || is_owned(variable)) {
    throw Damage(where, fmt::format("its variable {} has a value of another", label_of(variable)));
  }
  owned_[variable.index()] = true;
}

void NetworkBuilder::check_read(TensorId id, const std::string& where) {
  refuse_empty(id, where);
  if (has_value(id)) return;
  if (id.index() >= made_.size() || !made_[id.index()]) {
    throw Damage(where, fmt::format("it reads {}, which has no data, is no input of the network, "
                                    "and no operator computes it",
                                    label_of(id)));
  }
  throw Damage(where, fmt::format("it reads {} before anything computes it (operators out of "
                                  "order, or a cycle)",
                                  label_of(id)));
}

std::string NetworkBuilder::label_of(TensorId id) const {
  return fmt::format("tensor {} '{}'", id.value, graph_.tensor(id).name);
}

bool NetworkBuilder::is_owned(TensorId id) const {
  return id.index() < owned_.size() && owned_[id.index()];
}

void NetworkBuilder::refuse_empty(TensorId id, const std::string& where) const {
  // Not elements(): a hostile file's extents have products that no integer holds.
  const Shape& shape = graph_.tensor(id).shape;
  if (std::ranges::all_of(shape, [](int64_t extent) { return extent > 0; })) return;
  throw ImportError(where,
                    fmt::format("{} has shape {}: tensors without elements are not supported",
                                label_of(id), to_string(shape)));
}

void NetworkBuilder::add(Op op, const std::string& where) {
  for (const TensorId id : op.inputs) check_read(id, where);
  for (const TensorId id : op.outputs) set_value(id, where);
  const std::string reason = refusal_of(op, graph_);
  if (!reason.empty()) {
    throw Refusal(where,
                  fmt::format("is not supported like this; required: {}; it has {}", reason,
                              found_instead(graph_, op)),
                  Help::kNone);
  }
  graph_.ops.push_back(std::move(op));
}

void NetworkBuilder::add(ReadOperator read, const FileOp& from) {
  dequantised_.read_as_they_were(read.ops, graph_.tensors);
  for (const TensorId variable : read.variables) own(variable, from.where);
  for (State& state : read.states) {
    set_value(state.in, from.where);
    graph_.states.push_back(std::move(state));
  }
  fold_constants(read.ops, graph_.tensors, folding_);
  for (Op& op : read.ops) add(std::move(op), from.where);
}

void NetworkBuilder::check_outputs() {
  for (const Port& port : graph_.outputs) {
    if (has_value(port.tensor)) continue;
    throw ImportError(where_outputs(),
                      fmt::format("no operator computes {}", label_of(port.tensor)));
  }
}

std::vector<Op> NetworkBuilder::copied_outputs() {
  std::vector<Op> copies;
  const std::vector<OpId> producer = producers(graph_);
  std::vector<bool> taken(graph_.tensors.size());
  for (const Port& port : graph_.inputs) taken[port.tensor.index()] = true;
  for (Port& port : graph_.outputs) {
    const TensorId id = port.tensor;
    if (!taken[id.index()] && producer[id.index()].valid()) {
      taken[id.index()] = true;
      continue;
    }
    if (copies.size() == kMostCopies) {
      throw ImportError(where_outputs(), fmt::format("more than {} are inputs, constants or listed "
                                                     "twice, which is not supported",
                                                     kMostCopies));
    }
    Tensor copy = graph_.tensor(id);
    copy.data = nullptr;
    port.tensor = {static_cast<int32_t>(graph_.tensors.size())};
    graph_.tensors.push_back(std::move(copy));
    copies.push_back({Reshape{}, {id}, {port.tensor}, -1});
  }
  return copies;
}

Graph NetworkBuilder::finish() {
  for (Op& op : copied_outputs()) add(std::move(op), where_outputs());
  check_graph(graph_);
  return std::move(graph_);
}

void check_tensor_count(const FileOp& op) {
  if (op.tensors.size() <= kMostTensors) return;
  op.refuse(
      fmt::format("the network has {} tensors by then, some of which operators in steps "
                  "make; supported are {}",
                  op.tensors.size(), kMostTensors));
}

}  // namespace thimble
