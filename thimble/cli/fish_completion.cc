// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thimble/cli/shell_completion.h"

namespace thimble {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// "-x -a '(_thimble_devices)'": what a value may be; nothing else but files where it may be one.
std::string value(const CommandOption& option) {
  switch (option.completion) {
    case Completion::kNothing:
      return "-x";
    case Completion::kWords:
      return fmt::format("-x -a '{}'", fmt::join(option.words, " "));
    case Completion::kFile:
      return "-r -F";
    case Completion::kFolder:
      return "-x -a '(__fish_complete_directories)'";
    case Completion::kModel:
    case Completion::kDevice:
      return fmt::format("-r -F -a '({})'", list_of(option.completion));
    default:
      return fmt::format("-x -a '({})'", list_of(option.completion));
  }
}

std::string option_line(const CommandOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value) text += " " + value(option);
  return text + " -d " + quoted(short_help(option.help));
}

std::string lines_of(const CommandTree& command) {
  const std::string begin =
      fmt::format("complete -c thimble -n \"_thimble_at '{}'\"", command.name);
  std::string text;
  for (const CommandTree& part : command.commands) {
    text +=
        fmt::format("{} -a {} -d {}\n", begin, last_word(part.name), quoted(short_help(part.help)));
  }
  for (const CommandOption& option : command.options) text += begin + option_line(option) + "\n";
  for (const CommandOption& argument : command.arguments) {
    if (argument.completion == Completion::kNothing) continue;
    std::string offered = value(argument);
    offered.erase(0, offered.starts_with("-r ") ? 3 : offered.starts_with("-x ") ? 3 : 0);
    text += begin + " " + offered + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(const CommandTree& tree) {
  std::string text = fmt::format(
      "# Completion of thimble {} for fish: `thimble completion fish`.\n", THIMBLE_VERSION);
  for (const NameList& list : name_lists()) {
    text += fmt::format("function _thimble_{}\n  printf '%s\\n' {}\nend\n", list.name,
                        fmt::join(names_of(list.completion), " "));
  }
  std::string commands, lines;
  for (const CommandTree* command : all_commands(tree)) {
    if (command != &tree) commands += fmt::format(" '{}'", command->name);
    lines += lines_of(*command);
  }
  text += fmt::format(
      "function _thimble_at\n  set -l command thimble\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    contains -- \"$command $word\"{} && set command \"$command $word\"\n  end\n"
      "  test $command = $argv[1]\nend\ncomplete -c thimble -f\n",
      commands);
  return text + lines;
}

}  // namespace thimble
