// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/params.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "thimble/emit/identifier.h"
#include "thimble/emit/names.h"
#include "thimble/import/sha256.h"
#include "thimble/model/error.h"
#include "thimble/target/kernels/fields.h"

namespace thimble {
namespace {

// A field's value as a C++ initialiser. Pointers are the constants' names, in order.
class Values {
 public:
  explicit Values(std::vector<std::string> pointers) : pointers_(std::move(pointers)) {}

  std::string text_of(int32_t value) const {
    return value == INT32_MIN ? "INT32_MIN" : fmt::format("{}", value);
  }
  std::string text_of(float value) const { return fmt::format("{:a}f", value); }  // the very bits
  template <class T>
  std::string text_of(const T* const&) {
    check(next_ < pointers_.size(), "params name more constants than there are");
    return pointers_[next_++];
  }
  template <class T, size_t N>
  std::string text_of(const T (&values)[N]) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ", ") + text_of(value);
    return "{" + text + "}";
  }
  template <class Struct>
  requires std::is_class_v<Struct> std::string text_of(const Struct& s) {
    constexpr bool kNames =
        std::is_same_v<Struct, runtime::Window2D> || std::is_same_v<Struct, runtime::LinearAxis>;
    constexpr size_t kMostInLine = 4;
    std::string text;
    size_t number = 0;
    each_field(s, [&](const char* name, const auto& field) {
      const bool begins_line = kNames && number > 0 && number % kMostInLine == 0;
      text += number == 0 ? "" : begins_line ? ",\n                " : ", ";
      text += (kNames ? fmt::format("/*{}=*/", name) : "") + text_of(field);
      ++number;
    });
    return "{" + text + "}";
  }

 private:
  std::vector<std::string> pointers_;
  size_t next_ = 0;
};

template <class T>
std::string elements_text(const Bytes& data) {
  std::string text;
  text.reserve(data.size() * 5 / sizeof(T) + 64);
  size_t column = 0;
  for (size_t at = 0; at < data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    char digits[24];
    char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    const auto length = static_cast<size_t>(end - digits) + 2;
    if (column + length > 99) {
      text.back() = '\n';
      column = 0;
    }
    text.append(digits, end).append(", ");
    column += length;
  }
  if (!text.empty()) text.back() = '\n';
  return text;
}

std::string int32_elements_text(const Bytes& data) {  // INT32_MIN has no literal
  std::string text = elements_text<int32_t>(data);
  const std::string lowest = "-2147483648";
  for (size_t at = text.find(lowest); at != std::string::npos; at = text.find(lowest, at)) {
    text.replace(at, lowest.size(), "INT32_MIN");
  }
  return text;
}

std::string float_elements_text(const Bytes& data) {
  std::string text;
  for (size_t at = 0; at < data.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, data.data() + at, sizeof(float));
    text += fmt::format("{:a}f,\n", value);
  }
  return text;
}

}  // namespace

namespace {

void add_pointers(const std::string& prefix, const auto& fields, std::vector<PointerField>& found) {
  each_field(fields, [&](const char* name, const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_pointer_v<Field>) {
      using Element = std::remove_const_t<std::remove_pointer_t<Field>>;
      const char* type = std::is_same_v<Element, int8_t>    ? "int8_t"
                         : std::is_same_v<Element, int16_t> ? "int16_t"
                         : std::is_same_v<Element, int32_t> ? "int32_t"
                         : std::is_same_v<Element, float>   ? "float"
                                                            : "uint8_t";
      found.push_back({prefix + name, type});
    } else if constexpr (std::is_class_v<Field>) {
      add_pointers(prefix + name + ".", field, found);
    }
  });
}

}  // namespace

std::vector<PointerField> pointer_fields(const KernelParams& params) {
  std::vector<PointerField> found;
  std::visit(
      [&](const auto& p) {
        if constexpr (!std::is_same_v<decltype(p), const std::monostate&>)
          add_pointers("", p, found);
      },
      params);
  return found;
}

std::string params_name(const ProgramParams& params) { return "k" + pascal(params.name); }

std::string params_text(const Program& program, const ProgramParams& params,
                        const std::string& data) {
  std::vector<std::string> pointers;
  for (const BufferId constant : params.constants)
    pointers.push_back(params.records ? "nullptr" : data + "::" + program.constant(constant)->name);
  Values values(std::move(pointers));
  std::string lines;
  const auto add = [&](const char* name, const auto& field) {
    lines += fmt::format("    /*{}=*/{},\n", name, values.text_of(field));
  };
  std::visit(
      [&](const auto& p) {
        if constexpr (!std::is_same_v<decltype(p), const std::monostate&>) each_field(p, add);
      },
      params.params);
  return fmt::format("constexpr {} {}{{\n{}}};\n", type_name(params.params), params_name(params),
                     lines);
}

std::string constant_declaration(const ProgramConstant& constant) {
  const PackedConstant& content = constant.content;
  return fmt::format("const {} {}[{}]", c_type(content.type), constant.name,
                     static_cast<int64_t>(content.data.size()) / size_bytes(content.type));
}

std::string constant_symbol(const ProgramConstant& constant) {
  constexpr size_t kHashDigits = 24;
  const Bytes& data = constant.content.data;
  return fmt::format("thimble_{}_{}", data.size(),
                     sha256(name(constant.content.type), data).substr(0, kHashDigits));
}

std::string constant_elements(const ProgramConstant& constant) {
  const Bytes& data = constant.content.data;
  switch (constant.content.type) {
    case DType::kInt8:
      return elements_text<int8_t>(data);
    case DType::kBool:
    case DType::kUInt8:
      return elements_text<uint8_t>(data);
    case DType::kInt16:
      return elements_text<int16_t>(data);
    case DType::kInt32:
      return int32_elements_text(data);
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
      break;
    case DType::kFloat32:
      return float_elements_text(data);
  }
  throw InternalError("no kernel takes constants of this type");
}

}  // namespace thimble
