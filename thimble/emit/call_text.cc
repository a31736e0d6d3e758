// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/call_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thimble/emit/caller.h"
#include "thimble/emit/names.h"
#include "thimble/emit/params.h"
#include "thimble/emit/step_table.h"
#include "thimble/model/error.h"
#include "thimble/program/arguments.h"

namespace thimble {

std::string CallText::call(const Call& call, const std::string& indent) {
  if (delivers(program_, call)) return deliver(call, indent);
  ++at(text_.code, CodeFeature::kCall);
  std::vector<std::string> arguments;
  if (call.params >= 0) {
    if (passed_.insert(call.params).second)
      at(text_.code, CodeFeature::kData) +=
          params_bytes(program_.params[static_cast<size_t>(call.params)].params);
    arguments.push_back(call.brought.valid()
                            ? "brought"
                            : params_name(program_.params[static_cast<size_t>(call.params)]));
  }
  for (const OperandView& v : call.in) arguments.push_back(text_.view(v));
  arguments.push_back(text_.view(call.out));
  arguments.push_back(text_.region(call));
  if (call.chunk) {
    const size_t axis = info(call.kernel).family == Family::kSumAccumulate ? 1 : 3;
    const auto [begin, end] = text_.bounds(*call.chunk, call.in[0].tensor, axis);
    arguments.insert(arguments.end(), {begin, end});
  }
  if (call.scratch.valid()) arguments.push_back(text_.pointer(call.scratch));
  const std::string pad = ",\n" + indent + std::string(4, ' ');
  std::string role;
  if (call.method == Method::kAccumulate) role = ", accumulated";
  if (call.method == Method::kFinalise) role = ", from its accumulators";
  const std::string comment = fmt::format(
      "{}// {}: {}{}\n", indent, stage_name(graph_, program_, call), text_.piece(call), role);
  const std::string text =
      fmt::format("{}{}({});\n", indent, info(call.kernel).name, fmt::join(arguments, pad));
  return comment + (call.brought.valid() ? brought(call, text, indent) : text);
}

// A callback for each row.
std::string CallText::deliver(const Call& call, const std::string& indent) {
  ++at(text_.code, CodeFeature::kLoop);
  const size_t axis = text_.row_axis(call.in[0]);
  const auto [begin, end] = text_.bounds(call.axes[axis], call.in[0].tensor, axis);
  return fmt::format(
      "{0}// {1}: {2}\n"
      "{0}for (int32_t output_row = {3}; output_row < {4}; ++output_row) {{\n"
      "{0}  caller.deliver(caller.context, output_row, {5});\n{0}}}\n",
      indent, stage_name(graph_, program_, call), text_.piece(call), begin, end,
      text_.row(call.in[0], "output_row"));
}

// The parameters with pointers to what was brought: to where channel 0 would be.
std::string CallText::brought(const Call& call, const std::string& text,
                              const std::string& indent) {
  const ProgramParams& params = program_.params[static_cast<size_t>(call.params)];
  const RecordLayout& records = *params.records;
  const int64_t rows = program_.buffer(call.brought).extents[0];
  const std::string record = text_.words(call.record);
  std::string row;
  if (rows > 1 && records.count > 1)
    row = rows < records.count
              ? fmt::format(" + ({}) % {} * {}", record, rows, records.record_bytes)
              : fmt::format(" + ({}) * {}", record, records.record_bytes);
  std::string lines =
      fmt::format("{0}{{\n{0}const int8_t* const record = {1}{2};\n{0}{3} brought = {4};\n", indent,
                  text_.pointer(call.brought), row, type_name(params.params), params_name(params));
  const std::vector<PointerField> fields = pointer_fields(params.params);
  check(fields.size() == records.parts.size(), "params name other constants than are brought");
  for (size_t k = 0; k < fields.size(); ++k) {
    const RecordLayout::Part& part = records.parts[k];
    std::string offset = fmt::format("{}", part.offset);
    if (part.bytes_of_channels != 0)
      offset += fmt::format(" - ({}) * {}", record, part.bytes_of_channels);
    lines += fmt::format("{}brought.{} = of_channel_0<{}>(record, {});\n", indent, fields[k].path,
                         fields[k].type, offset);
    ++at(text_.code, CodeFeature::kOperand);
  }
  return lines + text + indent + "}\n";
}

std::string CallText::transfer(const TransferCall& transfer, const std::string& indent) {
  ++at(text_.code, CodeFeature::kCall);
  const std::string transfers = transfers_name(program_, program_.memory_of(transfer.stored));
  const bool compressed = transfer.passage.valid();
  const std::string passage =
      compressed
          ? fmt::format(", Passage{{reinterpret_cast<uint32_t*>({}), {}, {}}}",
                        text_.pointer(transfer.passage), transfer.chunk_bytes, transfer.first_bytes)
          : "";
  if (transfer.kind == TransferKind::kWait)
    return fmt::format("{}wait{}({}, {}{});\n", indent, compressed ? "_compressed" : "", transfers,
                       transfer.token.value, passage);
  if (transfer.kind == TransferKind::kErase) {
    const Interval bytes = erased_bytes(program_, transfer);
    return fmt::format("{}begin_erase({}, {}, {}, {});\n", indent, transfers, transfer.token.value,
                       bytes.begin, bytes.size());
  }
  if (program_.buffer(transfer.stored).packed >= 0) return bring(transfer, indent);
  at(text_.code, CodeFeature::kOperand) += 2;
  const bool reads = transfer.kind == TransferKind::kRead;
  return fmt::format(
      "{0}// {1}: records [{2}, {3})\n"
      "{0}begin_{4}({5}, {6}, Records{{{7}, {8}, {9}}},\n"
      "{0}    HeldRows{{reinterpret_cast<uint8_t*>({10}), {11}, {12}}},\n"
      "{0}    reinterpret_cast<{13}uint32_t*>({14}){17}, {15}, {16});\n",
      indent, stage_name(program_, transfer), text_.words(transfer.records.interval.begin),
      text_.words(transfer.records.interval.end),
      fmt::format("{}{}", compressed ? "compressed_" : "", reads ? "read" : "write"), transfers,
      transfer.token.value, text_.address(transfer.stored), transfer.record_bytes,
      transfer.stride_bytes, text_.pointer(transfer.held), text_.words(transfer.origin),
      transfer.rows, reads ? "const " : "", text_.pointer(transfer.tags),
      text_.record(transfer.records.interval.begin, transfer.records),
      text_.record(transfer.records.interval.end, transfer.records), passage);
}

std::string CallText::bring(const TransferCall& transfer, const std::string& indent) {
  at(text_.code, CodeFeature::kOperand) += 2;
  return fmt::format(
      "{0}// {1}: records [{2}, {3})\n"
      "{0}begin_read({4}, {5}, Records{{{6}, {7}, {8}}},\n"
      "{0}    HeldRows{{reinterpret_cast<uint8_t*>({9}), 0, {10}}}, nullptr, {11}, {12});\n",
      indent, stage_name(program_, transfer), text_.words(transfer.records.interval.begin),
      text_.words(transfer.records.interval.end),
      transfers_name(program_, program_.memory_of(transfer.stored)), transfer.token.value,
      text_.address(transfer.stored), transfer.record_bytes, transfer.stride_bytes,
      text_.pointer(transfer.held), transfer.rows,
      text_.record(transfer.records.interval.begin, transfer.records),
      text_.record(transfer.records.interval.end, transfer.records));
}

}  // namespace thimble
