// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/command_tree.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "thimble/driver/request_fields.h"
#include "thimble/model/error.h"
#include "thimble/planners/registry.h"
#include "thimble/report/paper.h"
#include "thimble/target/core.h"
#include "thimble/target/device.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

struct NamedKind {
  const char* option;
  Completion completion;
};

// Options and arguments whose values are names that Thimble knows; others follow from their type.
constexpr NamedKind kNamedKinds[] = {
    {"--device", Completion::kDevice},   {"--core", Completion::kCore},
    {"--planner", Completion::kPlanner}, {"--paper", Completion::kPaper},
    {"MODEL", Completion::kModel},       {"NAME", Completion::kNetwork},
    {"WORD", Completion::kDevice},       {"FILE", Completion::kFile},
    {"PLAN", Completion::kFile},
};

Completion completion_of(const CommandOption& option) {
  if (!option.words.empty()) return Completion::kWords;
  for (const auto& [name, completion] : kNamedKinds) {
    if (option.names.back() == name) return completion;
  }
  if (option.type.starts_with("FILE")) return Completion::kFile;
  return option.type == "FOLDER" ? Completion::kFolder : Completion::kNothing;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// CLI11 has type and checks as one text: "TEXT:{model,int8}", "NUMBER:INT in [1 - 1024]".
void read_type(const std::string& text, CommandOption& option) {
  option.type = text;
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return;
  std::string check = text.substr(colon + 1);
  for (const char* number : {"INT in ", "FLOAT in "}) {
    if (check.starts_with(number)) check = check.substr(std::string(number).size());
  }
  const std::string inside = check.size() < 2 ? "" : check.substr(1, check.size() - 2);
  if (check.starts_with('{') && check.ends_with('}')) {
    option.words = split(inside, ',');
  } else if (const size_t dash = inside.find(" - ");
             check.starts_with('[') && check.ends_with(']') && dash != std::string::npos) {
    option.range = inside.substr(0, dash) + " to " + inside.substr(dash + 3);
  } else {
    return;
  }
  option.type = text.substr(0, colon);
}

CommandOption option_of(const CLI::Option& option) {
  CommandOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (result.names.empty()) result.names.push_back(option.get_name());
  result.help = option.get_description();
  result.group = option.get_group();
  result.takes_value = option.get_items_expected_max() > 0;
  result.repeated = option.get_expected_max() > 1;
  result.required = option.get_required();
  if (result.takes_value) read_type(option.get_type_name(), result);
  for (const RequestField& field : request_fields()) {
    if (field.form == FieldForm::kPlace && result.names.back() == field.option &&
        result.type == field.type)
      result.words = field.words;
  }
  result.completion = completion_of(result);
  return result;
}

CommandTree tree_of(const CLI::App& app, const std::string& above) {
  CommandTree tree{.name = above + app.get_name(),
                   .help = app.get_description(),
                   .footer = app.get_footer(),
                   .options = {},
                   .arguments = {},
                   .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? tree.arguments : tree.options).push_back(option_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) tree.commands.push_back(tree_of(*command, tree.name + " "));
  }
  return tree;
}

void collect(const CommandTree& tree, std::vector<const CommandTree*>& all) {
  all.push_back(&tree);
  for (const CommandTree& command : tree.commands) collect(command, all);
}

template <class Range, class Name>
std::vector<std::string> names(const Range& range, Name name) {
  std::vector<std::string> result;
  for (const auto& entry : range) result.push_back(name(entry));
  return result;
}

}  // namespace

CommandTree command_tree(const CLI::App& app) { return tree_of(app, ""); }

std::vector<const CommandTree*> all_commands(const CommandTree& tree) {
  std::vector<const CommandTree*> all;
  collect(tree, all);
  return all;
}

std::vector<std::string> names_of(Completion completion) {
  switch (completion) {
    case Completion::kNothing:
    case Completion::kWords:
    case Completion::kFile:
    case Completion::kFolder:
      return {};
    case Completion::kModel:
      return names(zoo_entries(), [](const ZooEntry& entry) { return "zoo:" + entry.name; });
    case Completion::kNetwork:
      return names(zoo_entries(), [](const ZooEntry& entry) { return entry.name; });
    case Completion::kDevice:
      return names(builtin_devices(), [](const Device& device) { return device.target.name; });
    case Completion::kCore:
      return names(known_cores(), [](const Core& core) { return core.name; });
    case Completion::kPlanner:
      return names(planners(), [](const Planner& planner) { return std::string(planner.name); });
    case Completion::kPaper:
      return names(paper_files(), [](const EmbeddedFile& file) {
        return std::filesystem::path(file.path).stem().string();
      });
  }
  throw InternalError("unknown Completion");
}

}  // namespace thimble
