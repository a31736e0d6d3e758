// SPDX-License-Identifier: Apache-2.0
// What is written of the command line itself: pages of the manual, completions for shells.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "thimble/cli/commands.h"
#include "thimble/cli/manual_page.h"
#include "thimble/cli/options.h"
#include "thimble/cli/shell_completion.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

struct ManualOptions {
  std::vector<std::string> command;
  std::string shell;
  bool list = false;
};

std::string completion(const CommandTree& tree, const std::string& shell) {
  if (shell == "bash") return bash_completion(tree);
  return shell == "zsh" ? zsh_completion(tree) : fish_completion(tree);
}

std::string manual(const CommandTree& tree, const ManualOptions& options) {
  std::string names;
  const std::string asked = fmt::format("{}", fmt::join(options.command, " "));
  for (const CommandTree* command : all_commands(tree)) {
    const std::string name = command == &tree ? "" : command->name.substr(tree.name.size() + 1);
    if (!options.list && name == asked) return manual_page(*command);
    names += name + "\n";
  }
  if (options.list) return names;
  throw CompileError("COMMAND", fmt::format("'{}' is no subcommand; `thimble manual --list` has "
                                            "them",
                                            asked));
}

}  // namespace

void add_manual(CLI::App& app, int& status) {
  auto options = std::make_shared<ManualOptions>();
  CLI::App* pages = app.add_subcommand("manual", "A page of the manual, as man reads it");
  pages->add_option("COMMAND", options->command, "A subcommand: compile, zoo build; none: thimble")
      ->type_name("");
  pages->add_flag("--list", options->list,
                  "The subcommands that there are pages of, the first: none");
  pages->footer("Example:\n  thimble manual compile | man -l -");
  pages->callback([&app, options, &status] {
    fmt::print("{}", manual(command_tree(app), *options));
    status = kDone;
  });
  CLI::App* shells = app.add_subcommand("completion", "Completion of the command line for a shell");
  shells->add_option("SHELL", options->shell, "The shell that reads it")
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  shells->footer(
      "Examples:\n"
      "  source <(thimble completion bash)\n"
      "  thimble completion fish > ~/.config/fish/completions/thimble.fish");
  shells->callback([&app, options, &status] {
    fmt::print("{}", completion(command_tree(app), options->shell));
    status = kDone;
  });
}

}  // namespace thimble
