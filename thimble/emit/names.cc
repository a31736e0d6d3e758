// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "thimble/emit/identifier.h"
#include "thimble/import/utf8.h"
#include "thimble/model/error.h"

namespace thimble {

bool mentions(const std::string& code, const std::string& identifier) {
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos || line.compare(start, 2, "//") == 0) continue;
    for (size_t at = line.find(identifier); at != std::string::npos;
         at = line.find(identifier, at + 1)) {
      const auto is_part = [&](size_t k) {
        return k < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[k])) != 0 || line[k] == '_');
      };
      if (!is_part(at + identifier.size()) && (at == 0 || !is_part(at - 1))) return true;
    }
  }
  return false;
}

std::vector<MemoryId> arenas(const Program& program) {
  std::vector<MemoryId> result;
  for (size_t m = 0; m < program.memories.size(); ++m) {
    const MemoryId memory{static_cast<int32_t>(m)};
    if (program.memory(memory).storage) continue;
    if (memory == kArena || (is_laid_out(memory) && program.memory(memory).size_bytes > 0))
      result.push_back(memory);
  }
  return result;
}

std::vector<MemoryId> storages(const Program& program) {
  std::vector<MemoryId> result;
  for (size_t m = 0; m < program.memories.size(); ++m) {
    if (program.memories[m].storage && program.memories[m].size_bytes > 0)
      result.push_back({static_cast<int32_t>(m)});
  }
  return result;
}

std::string transfers_name(const Program& program, MemoryId storage) {
  return program.memory(storage).name + "_transfers";
}

std::string arena_name(const Program& program, MemoryId memory) {
  return memory == kArena ? "arena" : program.memory(memory).name + "_arena";
}

std::set<std::string> identifiers_in(const std::string& code) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::set<std::string> all;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    const auto end =
        line.begin() + static_cast<std::ptrdiff_t>(std::min(line.find("//"), line.size()));
    for (auto at = std::find_if(line.begin(), end, is_part); at != end;) {
      const auto behind = std::find_if_not(at, end, is_part);
      all.emplace(at, behind);
      at = std::find_if(behind, end, is_part);
    }
  }
  return all;
}

AddressNames::AddressNames(const Program& program) : program_(program) {
  for (const PlacedBuffer& placed : program.buffers) {
    if (placed.tensor.valid() && is_laid_out(placed.memory)) ++alike_[{placed.tensor, placed.sums}];
  }
}

std::string AddressNames::operator()(BufferId buffer) const {
  const PlacedBuffer& placed = program_.buffers[buffer.index()];
  if (placed.packed >= 0)
    return fmt::format("k{}{}", program_.memory(placed.memory).storage ? "Image" : "Brought",
                       buffer.value);
  if (!placed.tensor.valid()) return fmt::format("kScratch{}", buffer.value);
  const auto alike = alike_.find({placed.tensor, placed.sums});
  const bool several = alike != alike_.end() && alike->second > 1;
  return fmt::format("kT{}{}{}", placed.tensor.value, placed.sums ? "Accumulators" : "",
                     several ? fmt::format("Buffer{}", buffer.value) : "");
}

std::string image_file(const std::string& name, const std::string& storage) {
  return fmt::format("{}_{}.img", name, storage);
}

std::string plan_file(const std::string& name) { return name + "_plan.json"; }

std::string image_name(const std::string& storage) { return "k" + pascal(storage) + "Image"; }

const char* c_type(DType type) {
  switch (type) {
    case DType::kBool:
      return "bool";
    case DType::kInt8:
      return "int8_t";
    case DType::kUInt8:
      return "uint8_t";
    case DType::kInt16:
      return "int16_t";
    case DType::kInt32:
      return "int32_t";
    case DType::kUInt32:
      return "uint32_t";
    case DType::kInt64:
      return "int64_t";
    case DType::kUInt64:
      return "uint64_t";
    case DType::kFloat32:
      return "float";
  }
  throw InternalError("unknown DType");
}

std::string stage_name(const Graph& graph, const Program& program, const Call& call) {
  if (!call.op.valid()) {
    const char* verb = receives(program, call)   ? "receive"
                       : delivers(program, call) ? "deliver"
                                                 : "copy";
    return fmt::format("{}_t{}", verb, call.out.tensor.value);
  }
  const Op& op = graph.op(call.op);
  return op.file_index >= 0 ? fmt::format("{}_{}", snake_name(op.attributes), op.file_index)
                            : fmt::format("{}_r{}", snake_name(op.attributes), call.op.value);
}

std::string stage_name(const Program& program, const TransferCall& transfer) {
  const std::string& storage = program.memory(program.memory_of(transfer.stored)).name;
  const PlacedBuffer& stored = program.buffer(transfer.stored);
  if (stored.packed >= 0 && transfer.kind == TransferKind::kRead)
    return fmt::format("bring_{}_from_{}", program.params[static_cast<size_t>(stored.packed)].name,
                       storage);
  const int tensor = stored.tensor.value;
  switch (transfer.kind) {
    case TransferKind::kRead:
      return fmt::format("fetch_t{}_from_{}", tensor, storage);
    case TransferKind::kWrite:
      return fmt::format("store_t{}_in_{}", tensor, storage);
    case TransferKind::kErase:
      return fmt::format("erase_{}", storage);
    case TransferKind::kWait:
      return fmt::format("wait_for_{}", storage);
  }
  throw InternalError("unknown kind of transfer");
}

std::string comment_text(const std::string& text) {
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    rest.remove_prefix(point.size_bytes);
    const char c = point.valid && point.value < 0x7F ? static_cast<char>(point.value) : '\0';
    const char before = result.empty() ? ' ' : result.back();
    const bool delimits = (c == '*' && before == '/') || (c == '/' && before == '*');
    const bool trigraph = c == '?' && before == '?';
    if (c >= ' ' && c != '\\' && !delimits && !trigraph) {
      result += c;
    } else {
      result += point.valid ? fmt::format("<U+{:04X}>", point.value)
                            : fmt::format("<{:02X}>", point.value);
    }
  }
  return result;
}

}  // namespace thimble
