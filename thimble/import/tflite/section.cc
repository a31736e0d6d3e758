// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

constexpr const char* kUntil = "--until";

/// By its name, else by its number in the file.
TensorId tensor_called(const TfliteFile& file, const std::string& name) {
  const size_t count = file.tensor_count();
  std::optional<TensorId> found;
  for (size_t t = 0; t < count; ++t) {
    if (file.tensor(t).name != name) continue;
    if (found) {
      throw ImportError(
          kUntil, fmt::format("{} has several tensors '{}', {} and {} among them; name one by its "
                              "number (`thimble inspect {}`)",
                              file.where(), printable(name), found->value, t, file.where()));
    }
    found = TensorId{static_cast<int32_t>(t)};
  }
  if (found) return *found;
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size() && number < count)
    return {static_cast<int32_t>(number)};
  throw ImportError(kUntil,
                    fmt::format("{} has no tensor '{}'; `thimble inspect {}` lists those it has",
                                file.where(), printable(name), file.where()));
}

std::vector<TensorId> tensors_of(const TfliteFile& file, std::span<const int32_t> ids, size_t op) {
  return tensor_ids(file, ids, place_of(file, kind_of(file, op).name, op));
}

/// Per operator, whether an output of the network, or a variable, needs it.
std::vector<bool> needed_ops(const TfliteFile& file, const std::vector<TensorId>& outputs,
                             size_t tensors) {
  std::vector<bool> read(tensors), needed(file.op_count());
  const auto set = [&](const std::vector<TensorId>& ids) {
    for (const TensorId id : ids)
      if (id.valid()) read[id.index()] = true;
  };
  set(outputs);
  for (size_t i = needed.size(); i-- > 0;) {
    const tfl::OperatorRecord op = file.op(i);
    const std::vector<TensorId> made = tensors_of(file, op.outputs, i);
    needed[i] = made.empty() || std::ranges::any_of(made, [&](TensorId id) {
                  return id.valid() && read[id.index()];
                });
    if (needed[i]) set(tensors_of(file, op.inputs, i));
  }
  return needed;
}

/// All but those that are not supported, or read what these make, where nothing needs them.
std::vector<size_t> ops_to_import(const TfliteFile& file, const std::vector<TensorId>& outputs,
                                  size_t tensors) {
  const std::vector<bool> needed = needed_ops(file, outputs, tensors);
  std::vector<bool> missing(tensors);
  std::vector<size_t> ops;
  for (size_t i = 0; i < needed.size(); ++i) {
    const tfl::OperatorRecord op = file.op(i);
    const auto is_missing = [&](TensorId id) { return id.valid() && missing[id.index()]; };
    if (needed[i] || (kind_of(file, i).kind != nullptr &&
                      std::ranges::none_of(tensors_of(file, op.inputs, i), is_missing))) {
      ops.push_back(i);
      continue;
    }
    for (const TensorId id : tensors_of(file, op.outputs, i))
      if (id.valid()) missing[id.index()] = true;
  }
  return ops;
}

/// Without operators that are not supported and that nothing needs.
Section whole_section(const TfliteFile& file) {
  Section all;
  const size_t count = file.tensor_count();
  all.tensors.assign(count, true);
  all.inputs = tensor_ids(file, file.inputs(), file.where() + ": network inputs");
  all.outputs = tensor_ids(file, file.outputs(), file.where() + ": network outputs");
  all.ops = ops_to_import(file, all.outputs, count);
  return all;
}

}  // namespace

std::vector<bool> tensors_made(const TfliteFile& file, const std::vector<size_t>& ops) {
  std::vector<bool> made(file.tensor_count());
  for (const size_t i : ops) {
    for (const TensorId id : tensors_of(file, file.op(i).outputs, i))
      if (id.valid()) made[id.index()] = true;
  }
  return made;
}

Section section_of(const TfliteFile& file, const std::vector<std::string>& until) {
  Section all = whole_section(file);
  if (until.empty()) return all;
  Section result;
  result.tensors.assign(all.tensors.size(), false);
  for (const std::string& name : until) {
    const TensorId id = tensor_called(file, name);
    if (!result.tensors[id.index()]) result.outputs.push_back(id);
    result.tensors[id.index()] = true;
  }
  // Operators stand in the order in which they are executed.
  for (size_t i = file.op_count(); i-- > 0;) {
    const tfl::OperatorRecord op = file.op(i);
    const std::vector<TensorId> outputs = tensors_of(file, op.outputs, i);
    const auto is_read = [&](TensorId id) { return id.valid() && result.tensors[id.index()]; };
    // Those without outputs write variables, which other inferences read.
    if (!outputs.empty() && std::ranges::none_of(outputs, is_read)) continue;
    result.ops.push_back(i);
    for (const auto ids : {op.inputs, op.outputs}) {
      for (const TensorId id : tensors_of(file, ids, i)) {
        if (id.valid()) result.tensors[id.index()] = true;
      }
    }
  }
  std::ranges::reverse(result.ops);
  for (const TensorId id : all.inputs) {
    if (!id.valid() || result.tensors[id.index()]) result.inputs.push_back(id);
  }
  for (const TensorId id : result.outputs) {
    const bool computed = std::ranges::any_of(result.ops, [&](size_t i) {
      const std::span<const int32_t> outputs = file.op(i).outputs;
      return std::ranges::find(outputs, id.value) != outputs.end();
    });
    if (computed) continue;
    throw ImportError(kUntil, fmt::format("no operator of {} computes tensor {} '{}'", file.where(),
                                          id.value, printable(file.tensor(id.index()).name)));
  }
  return result;
}

}  // namespace thimble
