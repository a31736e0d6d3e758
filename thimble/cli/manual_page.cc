// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "thimble/cli/commit.h"

namespace thimble {
namespace {

/// As text of a page: hyphens that can be copied, nothing that is taken for a request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string value_text(const CommandOption& option) {
  if (option.words.empty()) return italic(option.type);
  std::string text;
  for (const std::string& word : option.words) text += (text.empty() ? "" : "|") + bold(word);
  return text;
}

std::string item(const CommandOption& option, bool argument) {
  std::string text = ".TP\n";
  if (argument) {
    text += italic(option.names.back());
  } else {
    for (const std::string& name : option.names)
      text += (&name == &option.names.front() ? "" : ", ") + bold(name);
    if (option.takes_value) text += " " + value_text(option);
  }
  text += "\n" + escaped(option.help);
  if (!option.range.empty()) text += " (" + escaped(option.range) + ")";
  return text + (option.required && !argument ? "; required" : "") + "\n";
}

std::string synopsis(const CommandTree& command) {
  std::string text = bold(command.name) + " [" + italic("OPTIONS") + "]";
  if (!command.commands.empty()) text += " " + italic("COMMAND");
  for (const CommandOption& argument : command.arguments) {
    const std::string name =
        italic(argument.names.back()) + (argument.repeated ? " ..." : std::string());
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

// In the groups of the help, the first of which has no heading.
std::string options_text(const CommandTree& command) {
  std::string text = ".SH OPTIONS\n", group = "Options";
  for (const CommandOption& option : command.options) {
    if (option.group != group) text += ".SS " + escaped(group = option.group) + "\n";
    text += item(option, false);
  }
  return text;
}

/// "Examples:" and lines that are indented; "Exit status: 0 done" and what follows.
std::string footer_text(const std::string& footer) {
  std::istringstream lines(footer);
  std::string text;
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (code != indented) text += indented ? ".EX\n" : ".EE\n";
    code = indented;
    const size_t colon = line.find(':');
    if (indented) {
      text += escaped(line.substr(2)) + "\n";
    } else if (colon != std::string::npos) {
      text += ".SH " + escaped(upper(line.substr(0, colon))) + "\n";
      const size_t rest = line.find_first_not_of(' ', colon + 1);
      if (rest != std::string::npos) text += escaped(line.substr(rest)) + "\n";
    } else if (!line.empty()) {
      text += escaped(line) + "\n";
    }
  }
  return text + (code ? ".EE\n" : "");
}

std::string reference(const std::string& page) { return "\\fB" + escaped(page) + "\\fR(1)"; }

std::string commands_text(const CommandTree& command) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandTree& part : command.commands)
    text += ".TP\n" + reference(page_name(part)) + "\n" + escaped(part.help) + "\n";
  return text;
}

// The page of the command above it; of the first, all below it are in COMMANDS.
std::string see_also(const CommandTree& command) {
  const size_t last = command.name.rfind(' ');
  if (last == std::string::npos) return "";
  return ".SH SEE ALSO\n" +
         reference(page_name({.name = command.name.substr(0, last),
                              .help = "",
                              .footer = "",
                              .options = {},
                              .arguments = {},
                              .commands = {}})) +
         "\n";
}

}  // namespace

std::string page_name(const CommandTree& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string manual_page(const CommandTree& command) {
  const std::string name = page_name(command);
  std::string text = fmt::format(".TH {} 1 \"{}\" \"thimble {}\" \"Thimble\"\n",
                                 escaped(upper(name)), commit_date(), THIMBLE_VERSION);
  text += ".SH NAME\n" + escaped(name) + " \\- ";
  const size_t sentence = command.help.find(": ");
  text += escaped(command.help.substr(0, std::min(sentence, command.help.find('\n')))) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis(command);
  text += ".SH DESCRIPTION\n" + escaped(command.help) + "\n";
  if (!command.commands.empty()) text += commands_text(command);
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n";
  for (const CommandOption& argument : command.arguments) text += item(argument, true);
  return text + options_text(command) + footer_text(command.footer) + see_also(command);
}

}  // namespace thimble
