// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite/flat_network.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/import/tflite/tensors.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

using tfl::BuiltinOperator;

std::string variable_name(const TfliteOp& op) {
  const auto& from = options<tfl::VarHandleOptions>(op);
  return printable(from.container) + "/" + printable(from.shared_name);
}

void check_counts(const TfliteOp& op, size_t inputs, size_t outputs) {
  const auto valid = [](TensorId id) { return id.valid(); };
  if (op.inputs.size() == inputs && op.outputs.size() == outputs &&
      std::ranges::all_of(op.inputs, valid) && std::ranges::all_of(op.outputs, valid))
    return;
  op.damaged(fmt::format("{} inputs and {} outputs", op.inputs.size(), op.outputs.size()));
}

std::vector<size_t> called_once(const TfliteFile& file) {
  std::vector<size_t> result;
  for (size_t i = 0; i < file.op_count(); ++i) {
    const std::string name = kind_of(file, i).name;
    if (name != "CALL_ONCE") continue;
    const tfl::OperatorRecord op = file.op(i);
    const auto* options = std::get_if<tfl::CallOnceOptions>(&op.options);
    const int32_t index = options == nullptr ? 0 : options->init_subgraph_index;
    if (index < 1 || static_cast<size_t>(index) >= file.subgraph_count())
      throw Damage(place_of(file.where(), name, i), fmt::format("there is no subgraph {}", index));
    result.push_back(static_cast<size_t>(index));
  }
  return result;
}

}  // namespace

std::vector<bool> subgraphs_in_use(const TfliteFile& file) {
  std::vector<bool> result(file.subgraph_count());
  result[0] = true;
  if (file.flat() != nullptr) result = file.flat()->subgraphs;
  for (const size_t index : called_once(file)) result[index] = true;
  return result;
}

HandledVariables::HandledVariables(const TfliteFile& file, std::vector<Tensor>& tensors)
    : tensors_(tensors), where_(file.where()) {
  for (const size_t index : called_once(file)) {
    const TfliteFile once = file.subgraph(index);
    const std::vector<Tensor> values =
        read_tensors(once, std::vector<bool>(once.tensor_count(), true));
    std::map<TensorId, std::string> handles;
    for (size_t i = 0; i < once.op_count(); ++i) {
      const std::string name = kind_of(once, i).name;
      const TfliteOp op = read_operands(once, i, name, values);
      if (name == "VAR_HANDLE") {
        check_counts(op, 0, 1);
        handles[op.outputs[0]] = variable_name(op);
        continue;
      }
      if (name != "ASSIGN_VARIABLE") {
        op.refuse(
            "is not supported where variables get their initial values; supported are constants");
      }
      check_counts(op, 2, 0);
      const Tensor& value = op.input(1);
      if (!value.is_constant() || !handles.contains(op.inputs[0]))
        op.refuse("its value is computed; supported are constants");
      initial_[handles.at(op.inputs[0])] = *value.data;
    }
  }
}

std::string HandledVariables::name_of(const TfliteOp& op, size_t input) const {
  const auto found = handles_.find(op.inputs[input]);
  if (found == handles_.end()) op.damaged("its input is no handle");
  return found->second;
}

HandledVariables::Variable& HandledVariables::variable(const TfliteOp& op, const Tensor& like,
                                                       Read& read) {
  const std::string name = name_of(op, 0);
  const auto [it, added] = variables_.try_emplace(name);
  Variable& found = it->second;
  if (added) {
    Tensor tensor = like;
    tensor.name = name;
    tensor.data = nullptr;
    tensors_.push_back(std::move(tensor));
    found.old = found.now = TensorId{static_cast<int32_t>(tensors_.size()) - 1};
    read.old = found.old;
  }
  const Tensor& known = tensors_[found.old.index()];
  if (known.type != like.type || known.shape != like.shape ||
      known.quantization != like.quantization) {
    op.refuse(
        fmt::format("variable '{}' is {} {} here and {} {} elsewhere; "
                    "supported is one type, shape and quantisation",
                    name, thimble::name(like.type), to_string(like.shape),
                    thimble::name(known.type), to_string(known.shape)));
  }
  return found;
}

std::optional<HandledVariables::Read> HandledVariables::read(BuiltinOperator code,
                                                             const TfliteOp& op) {
  Read read;
  switch (code) {
    case BuiltinOperator::CALL_ONCE:
      check_counts(op, 0, 0);
      return read;
    case BuiltinOperator::VAR_HANDLE:
      check_counts(op, 0, 1);
      handles_[op.outputs[0]] = variable_name(op);
      return read;
    case BuiltinOperator::READ_VARIABLE: {
      check_counts(op, 1, 1);
      Variable& v = variable(op, Tensor(op.output()), read);
      v.carried = v.carried || v.now == v.old;
      read.ops.push_back({Reshape{}, {v.now}, {op.outputs[0]}, op.number});
      return read;
    }
    case BuiltinOperator::ASSIGN_VARIABLE: {
      check_counts(op, 2, 0);
      const TensorId value = op.inputs[1];
      Variable& v = variable(op, Tensor(op.input(1)), read);
      tensors_.push_back(tensors_[v.old.index()]);
      v.now = TensorId{static_cast<int32_t>(tensors_.size()) - 1};
      read.ops.push_back({Reshape{}, {value}, {v.now}, op.number});
      return read;
    }
    default:
      return std::nullopt;
  }
}

Bytes HandledVariables::initial(const std::string& name, const Tensor& tensor) const {
  const auto found = initial_.find(name);
  if (found == initial_.end()) return zero_bytes(tensor);
  const auto size = static_cast<size_t>(tensor.size_bytes());
  if (found->second.size() == size) return found->second;
  throw Damage(where_, fmt::format("variable '{}' has {} bytes and an initial "
                                   "value of {}",
                                   name, size, found->second.size()));
}

std::vector<State> HandledVariables::states() {
  std::vector<State> result;
  for (const auto& [name, v] : variables_) {
    auto value = std::make_shared<const Bytes>(initial(name, tensors_[v.old.index()]));
    if (v.now == v.old) {
      tensors_[v.old.index()].data = std::move(value);
    } else if (v.carried) {
      result.push_back({v.old, v.now, std::move(value)});
    }
  }
  return result;
}

OperatorList handle_kinds() {
  using enum BuiltinOperator;
  static constexpr OperatorKind kKinds[] = {
      {.code = ASSIGN_VARIABLE, .by_handle = true, .shape = not_followed},
      {.code = CALL_ONCE, .by_handle = true, .shape = not_followed},
      {.code = READ_VARIABLE, .by_handle = true, .shape = not_followed},
      {.code = VAR_HANDLE, .by_handle = true, .shape = not_followed},
  };
  return kKinds;
}

}  // namespace thimble
