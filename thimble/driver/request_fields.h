// SPDX-License-Identifier: Apache-2.0
// The fields of a request, in one table: what each is called, what it takes, what it means. Options
// of the command line, commands in words, JSON in both directions and what alternatives change
// follow from a row; a field that has none cannot be asked for from outside.
//
//   field "sram"      option --sram 64K        JSON "sram": 65536, or "64K"    Request::sram_bytes
//   field "in_place"  option --no-in-place     JSON "in_place": false          Request::in_place
//
// What lies between is texts: a field has none where it is left out, one, or several.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thimble {

struct Request;

/// How a field is written.
enum class FieldForm : uint8_t {
  kText,
  kTexts,   ///< as an option it may be given several times; JSON: a list
  kSize,    ///< bytes, as parse_size() reads them; JSON: a number too
  kWord,    ///< one of RequestField::words, of which the first is meant where it is left out
  kPlace,   ///< likewise, of a port: in other commands it is a file or a folder
  kWhole,   ///< a whole number
  kCount,   ///< likewise, of things: `--help` says so
  kNumber,  ///< JSON: infinity is a text, "inf"
  kOn,      ///< an option without a value; JSON: true
  kOff,     ///< likewise; JSON: false
};

/// Fields that a subcommand has together.
enum class FieldGroup : uint8_t {
  kModel,    ///< on the command line an argument
  kImport,   ///< what is read of a model's file: part of what a saved plan's sha256 is of
  kGraph,    ///< how the graph is prepared: a saved plan says it (PlanOrigin)
  kPlanner,  ///< which plan
  kTarget,
  kLimits,   ///< within what, how, and where ports are
  kSources,  ///< of the files that are written
  kApi,      ///< no options: JSON alone
};

using Texts = std::vector<std::string>;
class FieldValue;

struct RequestField {
  const char* name;    ///< in JSON: "max_bytes"
  const char* option;  ///< "--max-bytes"; of FieldGroup::kApi ""
  FieldGroup group;
  FieldForm form;
  const char* type = "";  ///< what stands for a value in the help: "SIZE"; "": as the form says
  const char* help;
  double least = 0, most = 0;      ///< of numbers; equal: any
  std::vector<std::string> words;  ///< of FieldForm::kWord and kPlace
  void (*set)(Request& request, const FieldValue& value);
  Texts (*texts)(const Request& request);  ///< none: it is as if it were left out
  /// One text for all spellings of a value. Throws CompileError for what is not known.
  std::string (*canonical)(const std::string& text) = nullptr;
};

/// In the order in which they are set, and `--help` has them.
[[nodiscard]] std::span<const RequestField> request_fields();
[[nodiscard]] const RequestField& request_field(std::string_view name);

/// Texts of a field, for RequestField::set. Each member throws CompileError, in the name of
/// `where`, for what the field does not take.
class FieldValue {
 public:
  FieldValue(const RequestField& field, const Texts& texts, const char* where)
      : field_(field), texts_(texts), where_(where) {}

  [[nodiscard]] bool given() const { return !texts_.empty(); }
  [[nodiscard]] const Texts& texts() const { return texts_; }
  [[nodiscard]] std::string text() const { return given() ? texts_.front() : std::string(); }
  [[nodiscard]] std::optional<int64_t> size() const;
  [[nodiscard]] std::optional<int64_t> whole() const;
  [[nodiscard]] std::optional<double> number() const;
  /// Its number among the field's.
  [[nodiscard]] size_t word() const;
  [[noreturn]] void reject(const std::string& message) const;

 private:
  const RequestField& field_;
  const Texts& texts_;
  const char* where_;  ///< "--sram", or of JSON "sram"
};

/// By RequestField::name.
using FieldTexts = std::map<std::string, Texts, std::less<>>;

/// Sets a field as its option would; without texts to what it is where it is left out.
void set_field(Request& request, const RequestField& field, const Texts& texts);
/// Fields of a group.
void set_fields(Request& request, FieldGroup group, const FieldTexts& texts);
/// A request as of the command line, where all cores search. Throws CompileError for texts that a
/// field does not take, files that cannot be read, and fields that do not go together.
[[nodiscard]] Request request_of(const FieldTexts& texts);
/// The inverse. A model is named as messages name it, its bytes and the callback are left out.
[[nodiscard]] FieldTexts texts_of(const Request& request);

/// As a shell takes it: "it's" -> 'it'\''s'.
[[nodiscard]] std::string shell_word(const std::string& text);
/// "--until a --until b".
[[nodiscard]] std::string option_words(const std::string& option, const Texts& texts);
/// The option of a field that has texts.
[[nodiscard]] std::string option_words(const RequestField& field, const Texts& texts);
/// "thimble compile kws.tflite --sram 64K", which asks for the same.
[[nodiscard]] std::string command_of(const Request& request);

/// {"model": "kws.tflite", "sram": 65536, "in_place": false}: fields that are not as if left out.
[[nodiscard]] std::string to_json(const Request& request);
/// The inverse: what texts_of() leaves out is missing, and null is as if left out. Throws
/// CompileError, which names the field, what it has and what would work.
[[nodiscard]] Request request_from_json(const std::string& json);

}  // namespace thimble
