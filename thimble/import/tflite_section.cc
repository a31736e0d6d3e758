// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "thimble/import/tflite_parts.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr const char* kUntil = "--until";

std::string_view name_of(const TfliteFile& file, size_t tensor) {
  const auto* name = file.network.tensors()->Get(static_cast<uint32_t>(tensor))->name();
  return name == nullptr ? std::string_view() : name->string_view();
}

/// By its name, else by its number in the file.
TensorId tensor_called(const TfliteFile& file, const std::string& name) {
  const size_t count = file.network.tensors() == nullptr ? 0 : file.network.tensors()->size();
  std::optional<TensorId> found;
  for (size_t t = 0; t < count; ++t) {
    if (name_of(file, t) != name) continue;
    if (found) {
      throw CompileError(
          kUntil, fmt::format("{} has several tensors '{}', {} and {} among them; name one by its "
                              "number (`thimble inspect {}`)",
                              file.where, printable(name), found->value, t, file.where));
    }
    found = TensorId{static_cast<int32_t>(t)};
  }
  if (found) return *found;
  size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size() && number < count)
    return {static_cast<int32_t>(number)};
  throw CompileError(kUntil,
                     fmt::format("{} has no tensor '{}'; `thimble inspect {}` lists those it has",
                                 file.where, printable(name), file.where));
}

std::vector<TensorId> tensors_of(const TfliteFile& file, const flatbuffers::Vector<int32_t>* ids,
                                 size_t op) {
  return tensor_ids(file, ids, fmt::format("{}: operator #{}", file.where, op));
}

}  // namespace

Section whole_section(const TfliteFile& file) {
  Section all;
  all.ops.resize(file.network.operators()->size());
  for (size_t i = 0; i < all.ops.size(); ++i) all.ops[i] = i;
  const size_t count = file.network.tensors() == nullptr ? 0 : file.network.tensors()->size();
  all.tensors.assign(count, true);
  all.inputs = tensor_ids(file, file.network.inputs(), file.where + ": network inputs");
  all.outputs = tensor_ids(file, file.network.outputs(), file.where + ": network outputs");
  return all;
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
  for (size_t i = all.ops.size(); i-- > 0;) {
    const tflite::Operator& op = *file.network.operators()->Get(static_cast<uint32_t>(i));
    const std::vector<TensorId> outputs = tensors_of(file, op.outputs(), i);
    const auto is_read = [&](TensorId id) { return id.valid() && result.tensors[id.index()]; };
    // Those without outputs write variables, which other inferences read.
    if (!outputs.empty() && std::ranges::none_of(outputs, is_read)) continue;
    result.ops.push_back(i);
    for (const auto* ids : {op.inputs(), op.outputs()}) {
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
      const auto* outputs = file.network.operators()->Get(static_cast<uint32_t>(i))->outputs();
      return std::ranges::find(*outputs, id.value) != outputs->end();
    });
    if (computed) continue;
    throw CompileError(kUntil, fmt::format("no operator of {} computes tensor {} '{}'", file.where,
                                           id.value, printable(name_of(file, id.index()))));
  }
  return result;
}

}  // namespace thimble
