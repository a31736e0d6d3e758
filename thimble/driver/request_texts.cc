// SPDX-License-Identifier: Apache-2.0
// What follows from the table of a request's fields.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "thimble/driver/driver.h"
#include "thimble/driver/request_fields.h"
#include "thimble/import/utf8.h"
#include "thimble/json/bounded_json.h"
#include "thimble/model/error.h"
#include "thimble/target/nearest_names.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNearest = 3, kMostShown = 60;

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

const Texts& texts_in(const FieldTexts& all, const RequestField& field) {
  static const Texts none;
  const auto given = all.find(field.name);
  return given == all.end() ? none : given->second;
}

template <class NameOf>
Request requested(const FieldTexts& texts, NameOf name_of) {
  Request request;
  for (const RequestField& field : request_fields())
    field.set(request, {field, texts_in(texts, field), name_of(field)});
  check_search_options(request);
  return request;
}

Json json_of(const RequestField& field, const Texts& texts) {
  for (const std::string& text : texts) {
    if (valid_utf8(text) != text)
      throw CompileError(field.name,
                         fmt::format("'{}' is not UTF-8, as JSON is", valid_utf8(text)));
  }
  switch (field.form) {
    case FieldForm::kText:
    case FieldForm::kWord:
    case FieldForm::kPlace:
      return texts.front();
    case FieldForm::kTexts:
      return texts;
    case FieldForm::kSize:
      return parse_size(texts.front());
    case FieldForm::kWhole:
    case FieldForm::kCount:
      return number_of<int64_t>(texts.front()).value();
    case FieldForm::kNumber: {
      const double number = number_of<double>(texts.front()).value();
      return std::isfinite(number) ? Json(number) : Json(texts.front());
    }
    case FieldForm::kOn:
      return true;
    case FieldForm::kOff:
      return false;
  }
  throw InternalError("unknown FieldForm");
}

std::string what_works(const RequestField& field) {
  switch (field.form) {
    case FieldForm::kText:
      return "a text";
    case FieldForm::kTexts:
      return "a list of texts";
    case FieldForm::kSize:
      return "bytes, as a number or a text: 65536, \"64K\"";
    case FieldForm::kWord:
    case FieldForm::kPlace:
      return fmt::format("one of the texts {}", fmt::join(field.words, ", "));
    case FieldForm::kWhole:
    case FieldForm::kCount:
      return "a whole number";
    case FieldForm::kNumber:
      return "a number";
    case FieldForm::kOn:
    case FieldForm::kOff:
      return "true or false";
  }
  throw InternalError("unknown FieldForm");
}

[[noreturn]] void reject(const RequestField& field, const nlohmann::json& value) {
  std::string shown =
      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, kMostShown);
  throw CompileError(field.name, fmt::format("{} is not {}", shown, what_works(field)));
}

std::string text_from(const RequestField& field, const nlohmann::json& value) {
  if (!value.is_string()) reject(field, value);
  if (value.get_ref<const std::string&>().empty()) throw CompileError(field.name, "is empty");
  return value;
}

Texts texts_from(const RequestField& field, const nlohmann::json& value) {
  if (value.is_null()) return {};
  switch (field.form) {
    case FieldForm::kText:
    case FieldForm::kWord:
    case FieldForm::kPlace:
      return {text_from(field, value)};
    case FieldForm::kTexts: {
      if (!value.is_array()) reject(field, value);
      Texts texts;
      for (const nlohmann::json& one : value) texts.push_back(text_from(field, one));
      return texts;
    }
    case FieldForm::kSize:
    case FieldForm::kWhole:
    case FieldForm::kCount:
    case FieldForm::kNumber:
      return {value.is_number() ? value.dump() : text_from(field, value)};
    case FieldForm::kOn:
    case FieldForm::kOff:
      if (!value.is_boolean()) reject(field, value);
      return value.get<bool>() == (field.form == FieldForm::kOn) ? Texts{""} : Texts();
  }
  throw InternalError("unknown FieldForm");
}

const RequestField& field_named(const std::string& name) {
  std::vector<std::string> names;
  for (const RequestField& field : request_fields()) {
    if (name == field.name) return field;
    names.emplace_back(field.name);
  }
  throw CompileError(
      "request", fmt::format("has no field '{}'; the nearest are {}", name.substr(0, kMostShown),
                             fmt::join(nearest_names(name, names, kNearest), ", ")));
}

}  // namespace

void FieldValue::reject(const std::string& message) const { throw CompileError(where_, message); }

std::optional<int64_t> FieldValue::size() const {
  if (!given()) return std::nullopt;
  try {
    return parse_size(text());
  } catch (const CompileError& error) {
    reject(error.what());
  }
}

std::optional<int64_t> FieldValue::whole() const {
  if (!given()) return std::nullopt;
  const auto number = number_of<int64_t>(text());
  if (!number) reject(fmt::format("'{}' is no whole number", text()));
  const auto value = static_cast<double>(*number);
  if (field_.least != field_.most && (value < field_.least || value > field_.most)) {
    reject(fmt::format("'{}' is no whole number from {} to {}", text(), field_.least, field_.most));
  }
  return number;
}

std::optional<double> FieldValue::number() const {
  if (!given()) return std::nullopt;
  const auto number = number_of<double>(text());
  if (!number || !(*number >= field_.least && *number <= field_.most))
    reject(fmt::format("'{}' is no number from {} to {}", text(), field_.least, field_.most));
  return number;
}

size_t FieldValue::word() const {
  if (!given()) return 0;
  const auto found = std::ranges::find(field_.words, text());
  if (found == field_.words.end())
    reject(fmt::format("'{}' is none of {}", text(), fmt::join(field_.words, ", ")));
  return static_cast<size_t>(found - field_.words.begin());
}

void set_field(Request& request, const RequestField& field, const Texts& texts) {
  field.set(request, {field, texts, field.option});
}

void set_fields(Request& request, FieldGroup group, const FieldTexts& texts) {
  for (const RequestField& field : request_fields()) {
    if (field.group == group) set_field(request, field, texts_in(texts, field));
  }
}

Request request_of(const FieldTexts& texts) {
  return requested(texts, [](const RequestField& field) { return field.option; });
}

FieldTexts texts_of(const Request& request) {
  FieldTexts all;
  for (const RequestField& field : request_fields()) {
    if (Texts texts = field.texts(request); !texts.empty()) all[field.name] = std::move(texts);
  }
  return all;
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=.,:/@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string option_words(const std::string& option, const Texts& texts) {
  std::string words;
  for (const std::string& text : texts) {
    // What looks like an option belongs to the one before.
    words += fmt::format("{}{}{}{}", words.empty() ? "" : " ", option,
                         text.starts_with('-') ? "=" : " ", shell_word(text));
  }
  return words;
}

std::string option_words(const RequestField& field, const Texts& texts) {
  const bool flag = field.form == FieldForm::kOn || field.form == FieldForm::kOff;
  return flag ? field.option : option_words(field.option, texts);
}

std::string command_of(const Request& request) {
  std::string command = "thimble compile";
  for (const RequestField& field : request_fields()) {
    const Texts texts = field.texts(request);
    if (texts.empty() || field.group == FieldGroup::kApi) continue;
    command += " " + (field.group == FieldGroup::kModel ? shell_word(texts.front())
                                                        : option_words(field, texts));
  }
  return command;
}

std::string to_json(const Request& request) {
  Json json = Json::object();
  for (const RequestField& field : request_fields()) {
    if (const Texts texts = field.texts(request); !texts.empty())
      json[field.name] = json_of(field, texts);
  }
  return json.dump();
}

Request request_from_json(const std::string& json) {
  nlohmann::json parsed;
  try {
    parsed = parse_json(json, {.depth = 3, .bytes = size_t{1} << 20});
  } catch (const std::invalid_argument& error) {
    throw CompileError("request", fmt::format("is not JSON: {}", error.what()));
  }
  if (!parsed.is_object()) throw CompileError("request", "must be an object {...}");
  FieldTexts texts;
  for (const auto& [name, value] : parsed.items())
    texts[name] = texts_from(field_named(name), value);
  return requested(texts, [](const RequestField& field) { return field.name; });
}

}  // namespace thimble
