// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/utf8.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

std::string name_of(const OperatorKind& kind) {
  return kind.custom != nullptr ? kind.custom : format_name(kind.code);
}

/// Ascending by name, each of which has one row.
std::vector<const OperatorKind*> joined(std::initializer_list<OperatorList (*)()> lists) {
  std::vector<const OperatorKind*> kinds;
  for (const auto list : lists) {
    for (const OperatorKind& kind : list()) {
      const int answers = (kind.attributes != nullptr ? 1 : 0) + (kind.expand != nullptr ? 1 : 0) +
                          (kind.by_handle ? 1 : 0);
      if (answers != 1 || (kind.code == tfl::BuiltinOperator::CUSTOM) != (kind.custom != nullptr))
        throw InternalError(fmt::format("the row of {} is not whole", name_of(kind)));
      kinds.push_back(&kind);
    }
  }
  const auto name = [](const OperatorKind* kind) { return name_of(*kind); };
  std::ranges::sort(kinds, {}, name);
  const auto twice = std::ranges::adjacent_find(kinds, {}, name);
  if (twice != kinds.end()) throw InternalError(fmt::format("two rows of {}", name_of(**twice)));
  return kinds;
}

const OperatorKind* kind_named(std::string_view name, tfl::BuiltinOperator code) {
  static const std::vector<const OperatorKind*> kinds = joined(
      {activation_kinds,   arithmetic_kinds,     block_kinds,   choice_kinds,    custom_kinds,
       element_type_kinds, folded_kinds,         gather_kinds,  handle_kinds,    join_kinds,
       lstm_kinds,         matrix_product_kinds, padding_kinds, reduction_kinds, reshape_kinds,
       resize_kinds,       signal_kinds,         slice_kinds,   state_kinds,     window_kinds});
  const auto found = std::ranges::lower_bound(
      kinds, name, {}, [](const OperatorKind* kind) { return name_of(*kind); });
  const bool is_there = found != kinds.end() && name_of(**found) == name && (*found)->code == code;
  return is_there ? *found : nullptr;
}

NamedKind custom_kind(std::string_view custom_name) {
  const std::string name = printable(custom_name);
  if (const OperatorKind* kind = kind_named(name, tfl::BuiltinOperator::CUSTOM))
    return {.name = name, .kind = kind};
  return {.name = name.empty() ? "custom operator" : "custom operator " + name};
}

}  // namespace

NamedKind kind_of(const TfliteFile& file, size_t number) {
  const tfl::OperatorRecord op = file.op(number);
  if (!op.code) {
    throw Damage(place_of(file.where(), "operator", number),
                 fmt::format("there is no operator code {}", op.code_index));
  }
  if (op.code == tfl::BuiltinOperator::CUSTOM) return custom_kind(op.custom_name);
  NamedKind result{.name = format_name(*op.code)};
  if (result.name.empty())
    result.name = fmt::format("operator code {}", static_cast<int32_t>(*op.code));
  else
    result.kind = kind_named(result.name, *op.code);
  return result;
}

std::vector<TensorId> TfliteListing::inputs() const {
  return tensor_ids(file_, file_.inputs(), where() + ": network inputs");
}

std::vector<TensorId> TfliteListing::outputs() const {
  return tensor_ids(file_, file_.outputs(), where() + ": network outputs");
}

bool TfliteListing::is_supported(size_t op) const { return kind_of(file_, op).kind != nullptr; }

std::vector<TensorId> TfliteListing::inputs_of(size_t op) const {
  return tensor_ids(file_, file_.op(op).inputs, place_of(where(), kind_of(file_, op).name, op));
}

std::vector<TensorId> TfliteListing::outputs_of(size_t op) const {
  return tensor_ids(file_, file_.op(op).outputs, place_of(where(), kind_of(file_, op).name, op));
}

Help help_for_operator(const std::string& name) {
  if (name == "WHILE" || name == "IF") return Help::kUnroll;
  if (name == "custom operator ethos-u") return Help::kBeforeVela;
  if (name == "custom operator edgetpu-custom-op") return Help::kBeforeEdgeTpu;
  return Help::kNone;
}

void check_operands(const OperatorKind& kind, const TfliteOp& op) {
  const size_t count = op.inputs.size();
  if (count < kind.inputs.least || count > kind.inputs.most) {
    op.refuse(fmt::format("has {} inputs; at least {}{} are supported", count, kind.inputs.least,
                          kind.inputs.most == OperatorKind::kNoLimit
                              ? ""
                              : fmt::format(", at most {}", kind.inputs.most)));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!op.inputs[i].valid() && i < kind.first_optional) {
      op.damaged(fmt::format("input {} is absent", i));
    }
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!op.outputs[i].valid()) op.damaged(fmt::format("output {} is absent", i));
  }
  if (kind.per_output ? op.outputs.empty() : op.outputs.size() != kind.outputs) {
    op.refuse(fmt::format("has {} outputs; supported is {}", op.outputs.size(),
                          kind.per_output ? "at least 1" : std::to_string(kind.outputs)));
  }
}

}  // namespace thimble
