// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

constexpr const char* kUntil = "--until";

/// By its name, else by its number in the file.
TensorId tensor_called(const Listing& file, const std::string& name) {
  const size_t count = file.tensor_count();
  std::optional<TensorId> found;
  for (size_t t = 0; t < count; ++t) {
    if (file.tensor_name(t) != name) continue;
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

/// Per operator, whether an output of the network, or a variable, needs it.
std::vector<bool> needed_ops(const Listing& file, const std::vector<TensorId>& outputs,
                             size_t tensors) {
  std::vector<bool> read(tensors), needed(file.op_count());
  const auto set = [&](const std::vector<TensorId>& ids) {
    for (const TensorId id : ids)
      if (id.valid()) read[id.index()] = true;
  };
  set(outputs);
  for (size_t i = needed.size(); i-- > 0;) {
    const std::vector<TensorId> made = file.outputs_of(i);
    needed[i] = made.empty() || std::ranges::any_of(made, [&](TensorId id) {
                  return id.valid() && read[id.index()];
                });
    if (needed[i]) set(file.inputs_of(i));
  }
  return needed;
}

/// All but those that are not supported, or read what these make, where nothing needs them.
std::vector<size_t> ops_to_import(const Listing& file, const std::vector<TensorId>& outputs,
                                  size_t tensors) {
  const std::vector<bool> needed = needed_ops(file, outputs, tensors);
  std::vector<bool> missing(tensors);
  std::vector<size_t> ops;
  for (size_t i = 0; i < needed.size(); ++i) {
    const auto is_missing = [&](TensorId id) { return id.valid() && missing[id.index()]; };
    if (needed[i] ||
        (file.is_supported(i) && std::ranges::none_of(file.inputs_of(i), is_missing))) {
      ops.push_back(i);
      continue;
    }
    for (const TensorId id : file.outputs_of(i))
      if (id.valid()) missing[id.index()] = true;
  }
  return ops;
}

/// Without operators that are not supported and that nothing needs.
Section whole_section(const Listing& file) {
  Section all;
  const size_t count = file.tensor_count();
  all.tensors.assign(count, true);
  all.inputs = file.inputs();
  all.outputs = file.outputs();
  all.ops = ops_to_import(file, all.outputs, count);
  return all;
}

}  // namespace

std::vector<bool> tensors_made(const Listing& file, const std::vector<size_t>& ops) {
  std::vector<bool> made(file.tensor_count());
  for (const size_t i : ops) {
    for (const TensorId id : file.outputs_of(i))
      if (id.valid()) made[id.index()] = true;
  }
  return made;
}

Section section_of(const Listing& file, const std::vector<std::string>& until) {
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
    const std::vector<TensorId> outputs = file.outputs_of(i);
    const auto is_read = [&](TensorId id) { return id.valid() && result.tensors[id.index()]; };
    // Operators without outputs write variables, which other inferences read.
    if (!outputs.empty() && std::ranges::none_of(outputs, is_read)) continue;
    result.ops.push_back(i);
    for (const auto& ids : {file.inputs_of(i), outputs}) {
      for (const TensorId id : ids)
        if (id.valid()) result.tensors[id.index()] = true;
    }
  }
  std::ranges::reverse(result.ops);
  for (const TensorId id : all.inputs) {
    if (!id.valid() || result.tensors[id.index()]) result.inputs.push_back(id);
  }
  for (const TensorId id : result.outputs) {
    const bool computed = std::ranges::any_of(result.ops, [&](size_t i) {
      const std::vector<TensorId> outputs = file.outputs_of(i);
      return std::ranges::find(outputs, id) != outputs.end();
    });
    if (computed) continue;
    throw ImportError(kUntil, fmt::format("no operator of {} computes tensor {} '{}'", file.where(),
                                          id.value, printable(file.tensor_name(id.index()))));
  }
  return result;
}

}  // namespace thimble
