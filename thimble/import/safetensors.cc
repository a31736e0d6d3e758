// SPDX-License-Identifier: Apache-2.0
// .safetensors: 8 bytes little-endian header length, a JSON header, raw little-endian data.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "thimble/import/checked_size.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/tensor_file.h"
#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeaderBytes = 64U << 20;
/// {"name": {"shape": [ ... ]}}; deeper nesting only costs memory.
constexpr int kMaxHeaderDepth = 3;
constexpr size_t kPrefixBytes = 8;

struct ElementType {
  DType type;
  const char* name;
};
constexpr ElementType kElementTypes[] = {
    {DType::kBool, "BOOL"},  {DType::kInt8, "I8"},    {DType::kUInt8, "U8"},
    {DType::kInt16, "I16"},  {DType::kInt32, "I32"},  {DType::kInt64, "I64"},
    {DType::kUInt32, "U32"}, {DType::kUInt64, "U64"}, {DType::kFloat32, "F32"},
};

const char* safetensors_name(DType type) {
  const auto* found = std::ranges::find(kElementTypes, type, &ElementType::type);
  check(found != std::end(kElementTypes), "unknown DType");
  return found->name;
}

DType read_type(const json& entry, const std::string& where) {
  const auto field = entry.find("dtype");
  if (field == entry.end() || !field->is_string()) {
    throw CompileError(where, "is damaged: it has no dtype");
  }
  const auto& wanted = field->get_ref<const std::string&>();
  for (const ElementType& known : kElementTypes) {
    if (wanted == known.name) return known.type;
  }
  throw CompileError(where,
                     fmt::format("dtype {} is not supported; supported are BOOL, I8, U8, I16, "
                                 "I32, I64 and F32",
                                 wanted));
}

/// A list of whole numbers from 0 to 2^32.
std::vector<int64_t> read_numbers(const json& entry, const char* key, const std::string& where) {
  const auto field = entry.find(key);
  std::vector<int64_t> result;
  const bool is_list = field != entry.end() && field->is_array();
  if (is_list) {
    for (const json& number : *field) {
      if (!number.is_number_unsigned() || number.get<uint64_t>() > uint64_t{kMaxFileBytes}) break;
      result.push_back(static_cast<int64_t>(number.get<uint64_t>()));
    }
  }
  if (!is_list || result.size() != field->size()) {
    throw CompileError(where, fmt::format("is damaged: {} is not a list of sizes", key));
  }
  return result;
}

struct Entry {
  std::string name;
  DType type = DType::kInt8;
  Shape shape;
  int64_t begin = 0, end = 0;
};

Entry read_entry(const std::string& name, const json& from, int64_t data_bytes,
                 const std::string& file) {
  const std::string where = fmt::format("{}: tensor '{}'", file, name);
  if (!from.is_object()) throw CompileError(where, "is damaged: its header is not an object");
  Entry entry{.name = name, .type = read_type(from, where)};
  entry.shape = read_numbers(from, "shape", where);
  const std::vector<int64_t> offsets = read_numbers(from, "data_offsets", where);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    throw CompileError(where, fmt::format("is damaged: its data_offsets are not an interval of the "
                                          "{} bytes of data",
                                          data_bytes));
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  if (entry.shape.size() > kMaxRank) {
    throw CompileError(
        where, fmt::format("has {} axes; at most {} are supported", entry.shape.size(), kMaxRank));
  }
  if (checked_size_bytes(entry.shape, entry.type, data_bytes) != entry.end - entry.begin) {
    throw CompileError(where, fmt::format("is damaged: {} bytes of data for shape {} of {}",
                                          entry.end - entry.begin, to_string(entry.shape),
                                          thimble::name(entry.type)));
  }
  return entry;
}

/// The format has neither overlaps nor holes nor a tail.
void check_cover(std::vector<Entry> entries, int64_t data_bytes, const std::string& where) {
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
  int64_t end = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != end) {
      throw CompileError(
          where, fmt::format("is damaged: tensor '{}' {}", entry.name,
                             entry.begin < end ? "overlaps another" : "has a hole before it"));
    }
    end = entry.end;
  }
  if (end != data_bytes) {
    throw CompileError(
        where, fmt::format("is damaged: {} bytes behind the last tensor", data_bytes - end));
  }
}

json parse_json_header(std::string_view text, const std::string& where) {
  try {
    json header = parse_json(text, {.depth = kMaxHeaderDepth, .bytes = kMaxHeaderBytes});
    if (header.is_object()) return header;
  } catch (const std::invalid_argument& fault) {
    throw CompileError(where, fmt::format("is damaged: its header is not JSON: {}", fault.what()));
  }
  throw CompileError(where, "is damaged: its header is not a JSON object");
}

std::map<std::string, std::string> metadata_of(const json& from, const std::string& where) {
  std::map<std::string, std::string> result;
  if (!from.is_object()) throw CompileError(where, "is damaged: its metadata are not an object");
  for (const auto& [key, value] : from.items()) {
    if (!value.is_string()) {
      throw CompileError(where, fmt::format("is damaged: metadata '{}' is not a string", key));
    }
    result[key] = value.get<std::string>();
  }
  return result;
}

uint64_t header_bytes(const Bytes& bytes, const std::string& where) {
  if (bytes.size() < kPrefixBytes) {
    throw CompileError(where, "is not a .safetensors file: it is shorter than 8 bytes");
  }
  uint64_t length = 0;
  for (size_t i = 0; i < kPrefixBytes; ++i) length |= uint64_t{bytes[i]} << (8 * i);
  if (length > kMaxHeaderBytes || length > bytes.size() - kPrefixBytes) {
    throw CompileError(where,
                       fmt::format("is truncated, or not a .safetensors file: a header of {} "
                                   "bytes in a file of {}",
                                   length, bytes.size()));
  }
  return length;
}

}  // namespace

TensorFile read_safetensors(const std::filesystem::path& file) {
  const std::string where = file.string();
  const Bytes bytes = read_file(file, kMaxFileBytes);
  const uint64_t length = header_bytes(bytes, where);
  const json header = parse_json_header(
      {reinterpret_cast<const char*>(bytes.data()) + kPrefixBytes, length}, where);
  const auto data = bytes.begin() + static_cast<std::ptrdiff_t>(kPrefixBytes + length);
  const int64_t data_bytes = bytes.end() - data;
  TensorFile result;
  std::vector<Entry> entries;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      result.metadata = metadata_of(entry, where);
    } else {
      entries.push_back(read_entry(name, entry, data_bytes, where));
    }
  }
  check_cover(entries, data_bytes, where);
  for (Entry& entry : entries) {
    result.tensors[entry.name] = {.type = entry.type,
                                  .shape = std::move(entry.shape),
                                  .data = {data + entry.begin, data + entry.end}};
  }
  return result;
}

void write_safetensors(const std::filesystem::path& file, const TensorFile& content) {
  json header = json::object();
  if (!content.metadata.empty()) header["__metadata__"] = content.metadata;
  std::vector<std::string_view> pieces(2);
  int64_t end = 0;
  for (const auto& [name, tensor] : content.tensors) {
    check(static_cast<int64_t>(tensor.data.size()) ==
              elements(tensor.shape) * size_bytes(tensor.type),
          "write_safetensors: the data do not have the size of the shape");
    const int64_t begin = end;
    end += static_cast<int64_t>(tensor.data.size());
    header[name] = {{"dtype", safetensors_name(tensor.type)},
                    {"shape", tensor.shape},
                    {"data_offsets", {begin, end}}};
    pieces.emplace_back(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  // The format lets the data begin at a multiple of 8, with spaces at the end of the header.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string prefix;
  for (size_t i = 0; i < kPrefixBytes; ++i) {
    prefix += static_cast<char>((uint64_t{text.size()} >> (8 * i)) & 0xFF);
  }
  pieces[0] = prefix;
  pieces[1] = text;
  write_file(file, pieces);
}

}  // namespace thimble
