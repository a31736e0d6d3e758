// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/command_text.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "thimble/driver/request_fields.h"

namespace thimble {
namespace {

// Groups of the help, which tell options apart.
constexpr const char* kOutputs = "Output";
constexpr const char* kRemarks = "More in the answer";

std::string without_folder(const std::string& value) {
  std::error_code none;
  return std::filesystem::is_regular_file(value, none)
             ? std::filesystem::path(value).filename().string()
             : value;
}

std::string option_text(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return " " + option.get_name();  // a flag
  Texts values;
  for (const std::string& value : option.results()) values.push_back(without_folder(value));
  if (!option.get_positional())
    return values.empty() ? "" : " " + option_words(option.get_name(), values);
  std::string text;
  for (const std::string& value : values) text += " " + shell_word(value);
  return text;
}

std::string text_of(const CLI::App& command, bool remarks) {
  std::string text = command.get_name();
  for (const CLI::App* above = command.get_parent(); above != nullptr; above = above->get_parent())
    text = above->get_name() + " " + text;
  for (const CLI::Option* option : command.get_options()) {
    const std::string& group = option->get_group();
    if (option->count() > 0 && group != kOutputs && (remarks || group != kRemarks))
      text += option_text(*option);
  }
  return text;
}

}  // namespace

CLI::Option* as_output(CLI::Option* option) { return option->group(kOutputs); }
CLI::Option* as_remark(CLI::Option* option) { return option->group(kRemarks); }

std::string command_text(const CLI::App& command) { return text_of(command, true); }
std::string emitting_command_text(const CLI::App& command) { return text_of(command, false); }

}  // namespace thimble
