// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thimble/cli/shell_completion.h"

namespace thimble {
namespace {

// $line is cut at spaces alone, as bash cuts words at "=" and ":", too; what it offers is appended
// to the last part of such a word, so that the parts before are taken off again.
constexpr const char* kBegin = R"(_thimble_offer() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "${@:2}" -- "$1")
}
_thimble_words() { _thimble_offer "$cur" -W "$1"; }
_thimble_files() {
  type compopt &> /dev/null && compopt -o filenames
  _thimble_offer "$cur" -f
}
_thimble_folders() {
  type compopt &> /dev/null && compopt -o filenames
  _thimble_offer "$cur" -d
}
_thimble() {
  local line=${COMP_LINE:0:COMP_POINT} command=thimble word
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local last=$((${#words[@]} - 1))
  local cur=${words[last]} previous=${words[last - 1]}
  COMPREPLY=()
  for word in "${words[@]:1:last-1}"; do
    case "$command $word" in
)";

constexpr const char* kEnd = R"(  if [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]]; then
    local before=${cur%"${cur##*:}"} k
    for ((k = 0; k < ${#COMPREPLY[@]}; ++k)); do COMPREPLY[k]=${COMPREPLY[k]#"$before"}; done
  fi
}
complete -F _thimble thimble
)";

std::string offer(const CommandOption& option) {
  const std::string list = list_of(option.completion);
  switch (option.completion) {
    case Completion::kNothing:
      return "return";
    case Completion::kWords:
      return fmt::format("_thimble_words '{}'", fmt::join(option.words, " "));
    case Completion::kFile:
      return "_thimble_files";
    case Completion::kFolder:
      return "_thimble_folders";
    case Completion::kModel:
    case Completion::kDevice:
      return fmt::format("_thimble_files; _thimble_words \"${}\"", list);
    default:
      return fmt::format("_thimble_words \"${}\"", list);
  }
}

std::string value_cases(const CommandTree& command) {
  std::string text;
  for (const CommandOption& option : command.options) {
    if (!option.takes_value) continue;
    std::string pattern;
    for (const std::string& name : option.names)
      pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", command.name, name);
    text += fmt::format("    {}) {} ;;\n", pattern, offer(option));
  }
  return text;
}

std::string word_case(const CommandTree& command) {
  std::string options, rest, commands;
  for (const CommandOption& option : command.options)
    options += fmt::format("{}{}", options.empty() ? "" : " ", fmt::join(option.names, " "));
  for (const CommandOption& argument : command.arguments)
    rest += fmt::format("        {}\n", offer(argument));
  for (const CommandTree& part : command.commands)
    commands += (commands.empty() ? "" : " ") + last_word(part.name);
  if (!commands.empty()) rest += fmt::format("        _thimble_words '{}'\n", commands);
  return fmt::format(
      "      '{}')\n        if [[ $cur == -* ]]; then\n          _thimble_words '{}'\n"
      "          return\n        fi\n{}        ;;\n",
      command.name, options, rest);
}

}  // namespace

std::string bash_completion(const CommandTree& tree) {
  std::string text = fmt::format(
      "# Completion of thimble {} for bash: `thimble completion bash`.\n", THIMBLE_VERSION);
  for (const auto& [completion, name] : name_lists())
    text += fmt::format("_thimble_{}='{}'\n", name, fmt::join(names_of(completion), " "));
  text += kBegin;
  std::string commands, values, words;
  for (const CommandTree* command : all_commands(tree)) {
    if (command != &tree)
      commands += fmt::format("{}'{}'", commands.empty() ? "" : " | ", command->name);
    values += value_cases(*command);
    words += word_case(*command);
  }
  text += fmt::format("      {}) command+=\" $word\" ;;\n    esac\n  done\n", commands);
  text += "  if [[ $cur == --*=* ]]; then\n    previous=${cur%%=*}\n    cur=${cur#*=}\n  fi\n";
  text += fmt::format(
      "  case \"$command $previous\" in\n{}    *)\n      case \"$command\" in\n{}      esac\n      "
      ";;\n"
      "  esac\n",
      values, words);
  return text + kEnd;
}

}  // namespace thimble
