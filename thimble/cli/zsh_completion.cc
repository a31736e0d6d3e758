// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thimble/cli/shell_completion.h"

namespace thimble {
namespace {

// _arguments sees the words from the command's name on.
constexpr const char* kWalk = R"(_thimble() {
  local command=thimble k
  integer begin=1
  for ((k = 2; k < CURRENT; ++k)); do
    case "$command $words[k]" in
)";

/// Within single quotes, where _arguments gives brackets and colons a meaning.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string action(const CommandOption& option) {
  switch (option.completion) {
    case Completion::kNothing:
      return " ";
    case Completion::kWords:
      return fmt::format("({})", fmt::join(option.words, " "));
    case Completion::kFile:
      return "_files";
    case Completion::kFolder:
      return "_files -/";
    default:
      return list_of(option.completion);
  }
}

std::string option_specs(const CommandOption& option) {
  const std::string value =
      option.takes_value ? fmt::format(":{}:{}", quoted(option.type), action(option)) : "";
  std::string text;
  for (const std::string& name : option.names) {
    const std::string others =
        option.repeated ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    text +=
        fmt::format("        '{}{}[{}]{}'\n", others, name, quoted(short_help(option.help)), value);
  }
  return text;
}

std::string arguments_case(const CommandTree& command) {
  std::string specs;
  for (const CommandOption& option : command.options) specs += option_specs(option);
  for (const CommandOption& argument : command.arguments) {
    specs += fmt::format("        '{}:{}:{}'\n", argument.repeated ? "*" : "",
                         argument.names.back(), action(argument));
  }
  if (!command.commands.empty()) {
    std::string commands;
    for (const CommandTree& part : command.commands)
      commands += fmt::format("{}\\:\"{}\" ", last_word(part.name), quoted(short_help(part.help)));
    specs += fmt::format("        '1:command:(({}))'\n", commands);
  }
  return fmt::format("    '{}')\n      specs=(\n{}      )\n      ;;\n", command.name, specs);
}

std::string list_function(const NameList& list) {
  const bool beside_files =
      list.completion == Completion::kModel || list.completion == Completion::kDevice;
  return fmt::format("_thimble_{}() {{\n  compadd -- {}\n{}}}\n", list.name,
                     fmt::join(names_of(list.completion), " "), beside_files ? "  _files\n" : "");
}

}  // namespace

std::string zsh_completion(const CommandTree& tree) {
  std::string text = fmt::format(
      "#compdef thimble\n# Completion of thimble {} for zsh: `thimble completion zsh`.\n",
      THIMBLE_VERSION);
  for (const NameList& list : name_lists()) text += list_function(list);
  std::string commands, cases;
  for (const CommandTree* command : all_commands(tree)) {
    if (command != &tree)
      commands += fmt::format("{}'{}'", commands.empty() ? "" : " | ", command->name);
    cases += arguments_case(*command);
  }
  text += kWalk;
  text +=
      fmt::format("      {}) command+=\" $words[k]\"; begin=k ;;\n    esac\n  done\n", commands);
  text += "  words=(\"${(@)words[begin,-1]}\")\n  (( CURRENT -= begin - 1 ))\n  local -a specs\n";
  text += fmt::format("  case $command in\n{}  esac\n  _arguments -S $specs\n}}\n", cases);
  return text +
         "if [ \"$funcstack[1]\" = \"_thimble\" ]; then _thimble \"$@\"; else compdef _thimble "
         "thimble; fi\n";
}

}  // namespace thimble
